"""The backends that the transforms' tests run on: all that are declared and installed, in the order of the table."""

from __future__ import annotations

from importlib.util import find_spec

from scistan.transforms.backends import BACKENDS, Wanted

__all__ = ["HERE", "array_type"]

HERE = [name for name in BACKENDS if find_spec(name) is not None]


def array_type(backend: str) -> type:
    """Give the type that a backend's results have."""
    return type(BACKENDS[backend]((), Wanted()).filled((1,), 0.0))
