"""What one line makes several variables of: `m.f = ss.LocalLinearTrend(…)` is `f`, and `f_slope` beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scistan.ops.expression import Expression

__all__ = ["Composite", "Enter"]

Enter = Callable[[str, Expression], Expression]  # gives a part its name, and what it is called from then on


@dataclass(frozen=True, slots=True)
class Composite:
    """A variable that is made with others: `parts` gives what the name itself stands for.

    It is called with what enters the others, by the second half of their names.
    """

    title: str
    parts: Callable[[Enter], Expression]
