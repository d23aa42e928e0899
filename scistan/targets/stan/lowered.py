"""What a node becomes in Stan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scistan.targets.stan.syntax import Expr

__all__ = ["Lowered"]


@dataclass(slots=True)
class Lowered:
    """A value in Stan: as a whole if it has such a form, and one element at a time."""

    whole: Expr | None
    element: Callable[[tuple[str, ...]], Expr]
    depth: int = 0
