"""Priors of every kind as models without observations: distributions, truncations, constraints, latent arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import scistan as ss
from scistan.constrained import CONSTRAINTS
from scistan.distributions.constraints import is_known
from scistan.distributions.declaration import REGISTRY, Distribution
from scistan.graph.node import Node
from scistan.ops.coerce import as_node
from tests.targets.stan_cases import Case, argument, bounds_of, constructor

SIZE = 4  # of vectors under a constraint
BATCH = (2,)  # of vectors, where there are several
Given = dict[str, Any]
# With degrees of freedom near 0 a vector's tails are such that no chain comes back from them in the time of a test: the
# prior of latent ones keeps away from there (fixed ones, 1.3, are tested too).
HEAVY = {"MultivariateStudentT", "StudentT"}  # with a degree of freedom below 1 NUTS does not come back from the tails


@dataclass(frozen=True)
class Prior:
    """A latent of a distribution: how it is cut or tied, and what its arguments are.

    `arguments`: numbers ("data"), latents that all elements share ("latent"), or latents of their own ("latents").
    """

    name: str
    kind: str  # "", "lower", "upper", "both", "latent bounds", or a constraint
    arguments: str
    batch: tuple[int, ...] = ()

    def __str__(self) -> str:
        shape = "x".join(map(str, self.batch))
        return "-".join(filter(None, (self.name, self.kind.replace(" ", "_"), self.arguments, shape)))

    def build(self) -> ss.Model:
        """Write the model; what is looked at is `x` and its arguments."""
        m, d = ss.Model(str(self)), REGISTRY[self.name]
        write = _tied if self.kind in CONSTRAINTS else _cut
        m.x = write(m, d, self)
        return m


def _arguments(m: ss.Model, d: Distribution, case: Case, own: tuple[int, ...]) -> Given:
    given: Given = {p.name: argument(m, d, p, case, "") for p in d.parameters}
    if d.name in HEAVY and case.arguments != "data":
        m.p_nu = ss.Gamma(12, 2, shape=own)
        given["nu"] = m.p_nu
    return given


def _cut(m: ss.Model, d: Distribution, prior: Prior) -> Any:
    sides = prior.kind if prior.kind in ("lower", "upper", "both") else ""
    case = Case(d.name, "latent", prior.batch, prior.arguments, sides)
    given = _arguments(m, d, case, prior.batch if prior.arguments == "latents" else ())
    if prior.kind != "latent bounds":
        return constructor(d.name)(**given, shape=prior.batch, **bounds_of(d, sides))
    inner = bounds_of(d, "both")
    reach = 0.3 * (inner["upper"] - inner["lower"])  # the two never cross
    m.low = ss.Uniform(inner["lower"], inner["lower"] + reach)
    m.high = ss.Uniform(inner["upper"] - reach, inner["upper"])
    return constructor(d.name)(**given, shape=prior.batch, lower=m.low, upper=m.high)


def _tied(m: ss.Model, d: Distribution, prior: Prior) -> Any:
    own = {"latents": (*prior.batch, 1), "elements": (SIZE,)}.get(prior.arguments, ())
    kind = "data" if prior.arguments == "data" else "latents" if own else "latent"
    given = _arguments(m, d, Case(d.name, "latent", own, kind), own)
    return constructor(d.name)(**given, shape=(*prior.batch, SIZE), constraint=prior.kind)


def priors() -> Iterator[Prior]:
    """Every continuous distribution, truncation and constraint, with every kind of argument."""
    for name, d in REGISTRY.items():
        if d.discrete or name == "Flat":
            continue
        yield from (Prior(name, "", kind, batch) for kind, batch in _kinds(d))
        if d.truncatable:
            yield from (Prior(name, cut, kind) for cut in ("lower", "upper", "both") for kind in ("data", "latent")
                        if d.parameters or kind == "data")
            yield Prior(name, "latent bounds", "latent" if d.parameters else "data")
        for constraint in CONSTRAINTS:
            yield from _constrained(d, constraint)


def _kinds(d: Distribution) -> list[tuple[str, tuple[int, ...]]]:
    return [("data", ()), ("latent", ()), ("latents", BATCH)] if d.parameters else [("data", ())]


def _constrained(d: Distribution, constraint: str) -> Iterator[Prior]:
    """Give what can be normalized and drawn exactly."""
    support = d.support if not callable(d.support) else None
    if d.event_rank or support is None or support.upper is not None:
        return
    real, positive = support.lower is None, support.lower == 0
    if not (real or (positive and constraint == "positive_ordered")):
        return
    if not is_known(constraint, d, _numbers(d)):
        return
    for kind, batch in _kinds(d):
        yield Prior(d.name, constraint, kind, batch)
    if constraint == "sum_to_zero" and d.parameters:
        yield Prior(d.name, constraint, "elements")


def _numbers(d: Distribution) -> tuple[Node, ...]:
    m, case = ss.Model("numbers"), Case(d.name, "latent", (), "data")
    return tuple(as_node(argument(m, d, p, case, "")) for p in d.parameters)
