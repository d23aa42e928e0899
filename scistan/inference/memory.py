"""How big draws will be, told before they are made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from scistan.errors import ScistanError
from scistan.graph.instance import Instance
from scistan.memory import free_memory
from scistan.messages import sampling as messages

__all__ = ["check_draws_fit", "check_fits", "check_size", "sizes_of"]

_SHOWN = 3
_MOST = 10**18  # rows that a float counts without running over
Told = Callable[[float, float, Sequence[tuple[str, float]]], ScistanError]


def sizes_of(instance: Instance, names: Iterable[str], rows: int) -> dict[str, float]:
    """Give the bytes that `rows` draws of each variable take."""
    graph = instance.graph
    shapes = {t.name: t.law.shape for t in graph.terms} | {n: node.shape for n, node in graph.derived.items()}
    return {n: 8.0 * min(rows, _MOST) * math.prod(instance.shape(shapes[n])) for n in names if n in shapes}


def check_fits(sizes: Mapping[str, float], copies: float, told: Told) -> None:
    """Refuse what does not fit into memory in so many copies, saying what takes most of it."""
    needed, free = copies * sum(sizes.values()), free_memory()
    if needed > free:
        raise told(needed, free, sorted(sizes.items(), key=lambda item: -item[1])[:_SHOWN])


def check_size(instance: Instance, names: Iterable[str], rows: int) -> None:
    """Refuse a run whose draws do not fit into memory."""
    # Once in the engine's own layout, once gathered under the variables' names.
    check_fits(sizes_of(instance, names, rows), 2, messages.too_big)


def check_draws_fit(instance: Instance, rows: int, copies: float = 1) -> None:
    """Refuse draws of every variable that do not fit into memory; `rows` may be any number."""
    graph = instance.graph
    names = [*(t.name for t in graph.terms), *graph.derived]
    # A draw without elements, or of a model without variables, still has a number of its own.
    sizes = {"draw": 8.0 * min(rows, _MOST)} | sizes_of(instance, names, rows)
    check_fits(sizes, copies, messages.draws_too_big)
