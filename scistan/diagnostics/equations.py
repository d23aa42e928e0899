"""Equations that an explicit solver crawls through: steps counted at some draws, beside those of an implicit one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scistan.diagnostics.check import Evidence, Measured
from scistan.graph.graph import Graph
from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Node, is_applied
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy import NUMPY
from scistan.targets.scipy.equations import solving

__all__ = ["stiff"]

_LOOKED_AT = 3  # draws
_EXPLICIT = ("rk45", "ckrk")
_AS_ASKED = 1.0  # share of the tolerances


def stiff(seen: Evidence, limit: float) -> Measured | None:
    """Compare the steps of an explicit method with those of an implicit one, where the model uses the first."""
    facts = seen.context.facts
    equations = {} if facts is None else _explicit(facts.instance.graph)
    if facts is None or not equations:
        return None
    instance, latents = facts.instance, facts.instance.graph.latents
    if any(term.name not in seen.posterior for term in latents):
        return None
    at = np.linspace(0, seen.draws - 1, min(_LOOKED_AT, seen.draws)).astype(int)
    rows: dict[Node, np.ndarray] = {term.value: seen.posterior[term.name][0, at] for term in latents}
    ratios = {
        name: _steps(instance, node, rows, "") / max(1, _steps(instance, node, rows, "bdf"))
        for node, name in equations.items()
    }
    worst = max(ratios, key=ratios.__getitem__)
    return Measured(ratios[worst], (worst,), {"about": worst}) if ratios[worst] > limit else None


def _explicit(graph: Graph) -> dict[Apply, str]:
    """Name the equations that the user has solved by an explicit method."""
    named = {node.args[0]: f"`{name}`" for name, node in graph.derived.items() if is_applied(node, "scanned")}
    found: dict[Apply, str] = {}
    for node in graph.nodes:
        if isinstance(node, Apply) and node.op.name == "ode" and dict(node.attributes)["method"] in _EXPLICIT:
            found[node] = named.get(node, f"`{node.op.name}`")
    return found


def _steps(instance: Instance, node: Apply, rows: Mapping[Node, np.ndarray], method: str) -> int:
    with solving(_AS_ASKED, method) as how, np.errstate(all="ignore"):
        evaluator = Evaluator(instance, NUMPY)
        for leaf, array in rows.items():
            evaluator.set(leaf, array, batched=True)
        evaluator.compute([node])
    return how.steps
