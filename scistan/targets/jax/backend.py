"""JAX as an array library: how numbers enter it, and in which precision it computes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache, wraps
from importlib import import_module
from typing import Any

import numpy as np

from scistan.disabled import why_disabled
from scistan.messages import packages
from scistan.messages import transforms as messages
from scistan.surface import checked

__all__ = ["JaxBackend", "double_precision", "find_device", "import_jax", "jitted"]


def import_jax() -> Any:
    """Import JAX when it is first needed, or say how to get it."""
    if forbidden := why_disabled("jax"):
        raise packages.target_disabled("JAX", forbidden)
    return _imported()


@cache
def _imported() -> Any:
    try:
        for part in ("nn", "scipy.special", "lax.linalg"):
            import_module(f"jax.{part}")
    except ImportError:
        raise packages.target_missing("JAX", "jax") from None
    return checked("jax", import_module("jax"))


def find_device(device: str | None) -> Any:
    """Give JAX's device of a name; None where it is JAX's own choice."""
    if device in (None, "auto"):
        return None
    kind, _, number = str(device).partition(":")
    if forbidden := why_disabled(kind):
        raise messages.no_jax_device(str(device), forbidden)
    if kind not in ("cpu", "cuda"):
        raise messages.no_jax_device(str(device), "it has no such one")
    try:
        found = import_jax().devices(kind)
    except RuntimeError:
        raise messages.no_jax_device(str(device), "it finds none") from None
    if int(number or 0) >= len(found):
        raise messages.no_jax_device(str(device), f"it finds {len(found)}")
    return found[int(number or 0)]


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
