"""JAX as an array library: how numbers enter it, and in which precision it computes."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from scistan.messages import packages
from scistan.surface import checked

__all__ = ["JaxBackend", "double_precision", "import_jax"]


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


class JaxBackend:
    """The JAX column of the ops' table; whole numbers stay whole, as in NumPy."""

    column = "jax"

    def __init__(self) -> None:
        self.module = import_jax().numpy

    def constant(self, number: float | np.ndarray) -> Any:
        """Give a number or an array as one of JAX's."""
        return self.module.asarray(number)
