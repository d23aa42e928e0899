"""How far the tolerances of a model's equations may move its density: so far apart may two right solvers be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from scistan.graph.body import with_insides
from scistan.graph.graph import Graph
from scistan.graph.instance import Instance
from scistan.graph.node import Node, is_applied
from scistan.targets.scipy import JointDensity
from scistan.targets.scipy.equations import solving_within

__all__ = ["SLOPES", "SolverError", "slope_tolerance"]

# A tolerance holds for one step. What steps add up to is seen by solving with ten times of it, as Stan's own method
# would: the engines' errors lie well below what that does.
_LOOSER = 10.0
SLOPES = 10.0  # the slope of an error, over coordinates whose unit is a large change of a latent
_OF_TOLERANCE = 100.0  # relative error of a derivative, for a tolerance of the step's
_MOST = 1e-2


def slope_tolerance(graph: Graph) -> float:
    """Give the relative error that derivatives through equations may have; 0 without any."""
    given: list[dict[str, Any]] = [dict(node.attributes) for node in equations_in(graph)]  # type: ignore[attr-defined]
    return min(_MOST, _OF_TOLERANCE * max((max(one["rtol"], one["atol"]) for one in given), default=0.0))


def equations_in(graph: Graph) -> list[Node]:
    """List the equations of a graph, those within recurrences too."""
    return [node for node, _ in with_insides(graph.nodes) if is_applied(node, "ode")]


class SolverError:
    """The model's density with coarser steps."""

    def __init__(self, instance: Instance) -> None:
        self._joint = JointDensity(instance) if equations_in(instance.graph) else None
        self._latents = instance.graph.latents

    def at(self, latents: Mapping[str, np.ndarray], exact: float) -> float:
        """Give how far a density may be from what it is exactly."""
        if self._joint is None or not np.isfinite(exact):
            return 0.0
        point = {term.value: latents[term.name] for term in self._latents}
        found = []
        for looser in (1.0, _LOOSER):
            with solving_within(looser):
                found.append(abs(self._joint.at(point)[0] - exact))
        return float(sum(x for x in found if np.isfinite(x)))
