"""How far the tolerances of a model's equations may move its density: so far apart may two right solvers be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from scistan.graph.body import with_insides
from scistan.graph.graph import Graph
from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Node
from scistan.targets.scipy import JointDensity
from scistan.targets.scipy.equations import solving

__all__ = ["SLOPES", "SolverError", "methods_in", "slope_tolerance", "tells"]

# A tolerance holds for one step. What steps add up to is seen by solving with ten times of it, as Stan's own method
# would: the engines' errors lie well below what that does.
_LOOSER = 10.0
SLOPES = 10.0  # the slope of an error, over coordinates whose unit is a large change of a latent
_OF_TOLERANCE = 100.0  # relative error of a derivative, for a tolerance of the step's
_MOST = 1e-2
_TELLING = 1e-3  # of a density


def tells(solver: float, size: float) -> bool:
    """Tell whether the tolerances leave a density any digits: the logarithm of a state far below `atol` has none."""
    return solver <= _TELLING * max(1.0, size)


def slope_tolerance(graph: Graph) -> float:
    """Give the relative error that derivatives through equations may have; 0 without any."""
    return min(_MOST, _OF_TOLERANCE * _tolerance(graph))


def methods_in(graph: Graph) -> set[str]:
    """Name the methods by which the equations of a graph are to be solved."""
    return {asked["method"] for asked in _equations(graph)}


def _tolerance(graph: Graph) -> float:
    """Give the largest tolerance among a graph's equations; 0 without any."""
    return max((max(asked["rtol"], asked["atol"]) for asked in _equations(graph)), default=0.0)


def _equations(graph: Graph) -> list[dict[str, Any]]:
    """Give how each equation is to be solved, those within recurrences too."""
    nodes = (node for node, _ in with_insides(graph.nodes))
    return [dict(node.attributes) for node in nodes if isinstance(node, Apply) and node.op.name == "ode"]


class SolverError:
    """The model's density with coarser steps."""

    def __init__(self, instance: Instance) -> None:
        self._tolerance = _tolerance(instance.graph)
        self._joint = JointDensity(instance) if self._tolerance else None
        self._latents = instance.graph.latents

    def at(self, latents: Mapping[str, np.ndarray], exact: float) -> float:
        """Give how far a density may be from what it is exactly."""
        if self._joint is None or not np.isfinite(exact):
            return 0.0
        point: dict[Node, np.ndarray] = {term.value: latents[term.name] for term in self._latents}
        with solving(_LOOSER):
            moved = abs(self._joint.at(point)[0] - exact)
        # Errors of either sign may cancel by chance: never less than the tolerance itself.
        return float(moved) + self._tolerance * max(1.0, abs(exact)) if np.isfinite(moved) else np.inf
