"""The counted work of a gradient: what a model's graph touches on its data, in units of about a nanosecond.

An estimate that follows from the graph and its lengths alone, so that whoever decides by it decides the same on every
machine, and what is learnt of one run tells of another. `bench/race.py --work` prints it beside the measured time of a
gradient.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Node, Variable
from scistan.graph.walk import topological

__all__ = ["coordinates", "gradient_work"]

# Forwards and backwards through one element of an elementwise op, and through one node, however small.
ELEMENT, NODE = 1.0, 100.0
# An element of a product of matrices, and of a factorization (of which there are n ** 3).
PRODUCT, FACTOR = 0.5, 1.0
# An operation of one step of a recurrence, which no container speeds up. By `bench/integrate.py --work`.
STEP = 35.0
# The density of one element: with exponentials and logarithms in it, as most have; others by family.
DENSITY = 25.0
# Those with gamma functions of what moves, powers or differences of logistic functions: by `bench/function_cost.py`.
DENSITIES = {
    "Normal": 4.0, "StdNormal": 4.0, "Weibull": 150.0, "Frechet": 150.0, "LogLogistic": 150.0, "Beta": 70.0,
    "Gamma": 65.0, "NegBinomial": 105.0, "NegBinomial2": 105.0, "NegBinomial2Log": 105.0, "BetaBinomial": 270.0,
    "OrderedLogistic": 215.0,
}  # fmt: skip
# An element of a function that is much dearer than arithmetic, by the same.
FUNCTIONS = {"lgamma": 23.0, "lbeta": 150.0, "digamma": 26.0, "erf": 58.0, "Phi": 26.0}
# A latent whose centre and scale follow from its prior and what its data say, and each of its elements: roots and
# quotients, both ways. By whole runs of nutpie's, `bench/centring_cost.py`.
LATENT_BY_DATA, ELEMENT_BY_DATA = 880.0, 32.0
# An element of a vector whose elements have one density together, with matrices in it.
TOGETHER = 40.0

_FACTORS = frozenset({"cholesky", "inverse", "solve", "solve_lower", "log_determinant", "quadratic_form"})


def gradient_work(instance: Instance) -> float:
    """Count what one gradient of the log density touches."""
    terms = [*instance.graph.latents, *instance.graph.observed]
    moving: set[Node] = set()
    work = 0.0
    for node in topological(n for term in terms for n in term.law.inputs):
        if isinstance(node, Variable) or any(arg in moving for arg in node.args):
            moving.add(node)
            work += _of_node(instance, node)
    return work + sum(_of_density(instance, term, moving) for term in terms)


def coordinates(instance: Instance) -> int:
    """Count the elements of all latents."""
    return sum(_count(instance, term.law.shape) for term in instance.graph.latents)


def _of_node(instance: Instance, node: Node) -> float:
    if not isinstance(node, Apply):
        return 0.0
    name = node.op.name
    if name == "matmul":
        inner = instance.length(node.args[0].shape[-1])
        return NODE + PRODUCT * _count(instance, node.shape) * inner
    if name == "scan":
        attributes = dict(node.attributes)
        body: Any = attributes["body"]
        inside = sum(isinstance(one, Apply) for one in body.nodes)
        steps: Any = attributes["length"]
        return NODE + STEP * inside * instance.length(steps)
    if name in _FACTORS:
        return NODE + FACTOR * max(_cubed(instance, arg) for arg in node.args)
    return NODE + FUNCTIONS.get(name, ELEMENT) * _count(instance, node.shape)


def _of_density(instance: Instance, term: Term, moving: set[Node]) -> float:
    law, elements = term.law, _count(instance, term.law.shape)
    if [p.name for p in law.distribution.parameters] == ["log_density"]:
        return NODE  # what it is was counted among the nodes: a sum or an integral
    matrices = [arg for arg in law.args if len(arg.shape) > 1] if law.distribution.event_rank == 1 else []
    if matrices:
        # One that stands still was factored before: what is left is a product with it.
        still = elements * instance.length(law.shape[-1])
        cubes = (_cubed(instance, matrix) if matrix in moving else PRODUCT * still for matrix in matrices)
        return NODE + FACTOR * sum(cubes) + TOGETHER * elements
    learnt = law.centring is not None
    own = DENSITIES.get(law.distribution.name, DENSITY) + ELEMENT_BY_DATA * learnt
    return NODE + LATENT_BY_DATA * learnt + own * elements


def _cubed(instance: Instance, node: Node) -> float:
    shape = instance.shape(node.shape)
    return float(math.prod(shape) * (shape[-1] if shape else 1))


def _count(instance: Instance, shape: Iterable[object]) -> int:
    return math.prod(instance.shape(tuple(shape)))  # type: ignore[arg-type]
