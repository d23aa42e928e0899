"""JAX as an array library: how numbers enter it, and in which precision it computes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache, wraps
from importlib import import_module
from typing import Any

import numpy as np

from scistan.messages import packages
from scistan.surface import checked

__all__ = ["JaxBackend", "double_precision", "import_jax", "jitted"]


@cache
def import_jax() -> Any:
    """Import JAX when it is first needed, or say how to get it."""
    try:
        for part in ("nn", "scipy.special", "lax.linalg"):
            import_module(f"jax.{part}")
    except ImportError:
        raise packages.target_missing("JAX", "jax") from None
    return checked("jax", import_module("jax"))


def double_precision() -> AbstractContextManager[None]:
    """Compute in double precision while the block runs: JAX's own setting, which is the user's, stays as it is."""
    found: AbstractContextManager[None] = import_jax().enable_x64(True)
    return found


def jitted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function when it is first called, and compute in double precision whoever calls it."""
    jax = import_jax()
    compiled = jax.jit(function)

    def settled(x: Any) -> Any:
        # A trace of single precision may hold NumPy's doubles: computing with them makes them what it says they are.
        return x * 1 if isinstance(x, jax.core.Tracer) else x

    @wraps(function)
    def call(coordinates: Any, data: tuple[Any, ...]) -> Any:
        coordinates = jax.tree.map(settled, coordinates)
        with double_precision():
            return compiled(coordinates, data)

    return call


class JaxBackend:
    """The JAX column of the ops' table; whole numbers stay whole, as in NumPy."""

    column = "jax"

    def __init__(self) -> None:
        self.module = import_jax().numpy

    def constant(self, number: float | np.ndarray) -> Any:
        """Give a number or an array as one of JAX's."""
        return self.module.asarray(number)
