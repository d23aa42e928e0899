"""What a node becomes in Stan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scistan.errors import UnsupportedError
from scistan.graph.node import Node
from scistan.graph.places import first_place
from scistan.graph.text import short_text
from scistan.targets.stan.syntax import Expr

__all__ = ["Lowered", "unsupported"]


@dataclass(slots=True)
class Lowered:
    """A value in Stan: as a whole if it has such a form, and one element at a time."""

    whole: Expr | None
    element: Callable[[tuple[str, ...]], Expr]
    depth: int = 0


def unsupported(node: Node, why: str) -> UnsupportedError:
    """Say that Stan cannot express a value, and where it was written."""
    return UnsupportedError(f"Stan cannot express `{short_text(node)}`: {why}.", place=first_place(node))
