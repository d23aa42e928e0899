"""Ancestral draws that are kept, of which only what hangs on a change is drawn again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.graph.walk import topological
from scistan.targets.drawing import drawing
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy.draws import ancestral_draws, draw_term, is_drawn, over_draws
from scistan.targets.scipy.streams import stream

__all__ = ["Drawn", "draw_all", "redraw"]


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Draws of every variable of an instance, and the values they were computed from.

    `fresh` names what was drawn or computed anew, compared with the draws that these were made from.
    """

    instance: Instance
    draws: int
    seed: int
    arrays: dict[str, np.ndarray]
    evaluator: Evaluator
    fresh: frozenset[str]


def draw_all(instance: Instance, draws: int, seed: int) -> Drawn:
    """Draw every variable."""
    arrays, evaluator = ancestral_draws(instance, draws, seed)
    return Drawn(instance, draws, seed, arrays, evaluator, frozenset(arrays))


def redraw(before: Drawn, instance: Instance) -> Drawn:
    """Draw the same model with other constants, from the same random numbers.

    The terms must be those of `before`, in its order; what differs is found by looking: draws that are another
    object, and data with another array. The result is what `draw_all` would give.
    """
    old = {term.name: term.law for term in before.instance.graph.terms}
    gone: set[Node] = {leaf for leaf, array in instance.values.items() if before.instance.values.get(leaf) is not array}
    reached: dict[Node, bool] = {}
    stale = []
    for term in instance.graph.terms:
        if term.law is not old[term.name] or _reaches(term.law.inputs, gone, reached):
            stale.append(term)
            if is_drawn(instance, term):
                gone.add(term.value)
    derived = {name: node for name, node in instance.graph.derived.items() if _reaches([node], gone, reached)}
    evaluator = before.evaluator.kept(instance, {*gone, *(node for node, hit in reached.items() if hit)})
    arrays = dict(before.arrays)
    with np.errstate(all="ignore"), drawing(before.seed, before.draws):
        for term in stale:
            arrays[term.name] = draw_term(instance, term, before.draws, stream(before.seed, term.name), evaluator)
            if is_drawn(instance, term):
                evaluator.set(term.value, arrays[term.name], batched=True)
        for name, node in derived.items():
            arrays[name] = over_draws(instance, node, before.draws, evaluator)
    fresh = frozenset({term.name for term in stale} | set(derived))
    return Drawn(instance, before.draws, before.seed, arrays, evaluator, fresh)


def _reaches(roots: Iterable[Node], gone: set[Node], reached: dict[Node, bool]) -> bool:
    """Tell whether a node below `roots` is gone, or computed from one that is; what is found out is noted."""
    roots = list(roots)
    for node in topological(roots):
        if node not in reached or node in gone:
            reached[node] = node in gone or any(reached[arg] for arg in node.args)
    return any(reached[root] for root in roots)
