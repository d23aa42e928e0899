"""The tables that the modules of ops fill when they are read, for those below them to look things up in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from scistan.graph.node import Node

if TYPE_CHECKING:
    from scistan.ops.expression import Expression

__all__ = ["CHECKS", "FUNCTIONS", "NUMPY_FUNCTIONS", "READERS"]

FUNCTIONS: dict[str, Callable[..., Expression]] = {}
"""Every public function by its name in `ss`."""

NUMPY_FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""What NumPy's functions become when they are called with expressions, by their names there."""

CHECKS: dict[str, Callable[..., None]] = {}
"""What is checked of a user's declaration by those above: its gradient, which must be evaluated."""

READERS: dict[str, Callable[[Any], Node]] = {}
"""How what holds expressions, a list or what xarray made of one, becomes a node."""
