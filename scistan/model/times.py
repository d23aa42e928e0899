"""Checks of the times at which an equation is solved."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from scistan.errors import Place
from scistan.graph.body import Bound, with_insides
from scistan.graph.graph import Graph
from scistan.graph.node import Apply, Node, is_applied
from scistan.graph.places import first_place
from scistan.graph.walk import has_latents, leaves
from scistan.messages import equations as messages
from scistan.ops.scan import parts_of

__all__ = ["check_all_times", "check_times"]

Numbers = Callable[[Node], np.ndarray | None]


def check_all_times(graph: Graph, numbers: Numbers) -> None:
    """Check the times of every equation of a graph, after data have been swapped."""
    for node, args in with_insides(graph.nodes):
        if is_applied(node, "ode") and isinstance(node, Apply):
            check_times(node, args, numbers)


def check_times(node: Apply, args: Sequence[Node], numbers: Numbers) -> None:
    """Refuse times that do not increase, or begin before `t0`, as far as their numbers are known.

    `args` are the node's own, or what they stand for inside a step.
    """
    first = len(parts_of(node).states)
    series, start = (None if _varies(arg) else numbers(arg) for arg in args[first : first + 2])
    if series is not None:
        _check_increasing(series, first_place(node))
        if start is not None and not float(start) < series[0]:
            raise messages.starts_too_late(float(start), float(series[0]), first_place(node))


def _varies(node: Node) -> bool:
    return has_latents(node) or any(isinstance(leaf, Bound) for leaf in leaves([node]))


def _check_increasing(series: np.ndarray, place: Place | None) -> None:
    if not series.size:
        raise messages.empty_times(place)
    bad = np.flatnonzero(~(np.diff(series) > 0) | ~np.isfinite(series[1:]))
    if bad.size:
        at = int(bad[0])
        raise messages.times_not_increasing(float(series[at]), float(series[at + 1]), at + 1, place)
