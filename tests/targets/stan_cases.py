"""Every distribution in every role and shape, as a model; derived from the registry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import scistan as ss
from scistan import constrained, domains
from scistan.distributions.alternatives import ALTERNATIVES
from scistan.distributions.declaration import REGISTRY, Distribution
from scistan.domains import Domain

K = 3  # the length of vectors; no batch has it
_TRIANGLE = np.array([[1.2, 0, 0], [0.3, 0.9, 0], [-0.2, 0.4, 1.1]])
_UNIT = _TRIANGLE / np.linalg.norm(_TRIANGLE, axis=1, keepdims=True)
_WEIGHTS = np.array([0.2, 0.5, 0.3])

# A typical member of each domain, and how a latent with that domain is written.
TYPICAL: dict[Domain, Any] = {
    domains.REAL: 0.4,
    domains.POSITIVE: 1.3,
    domains.NON_NEGATIVE: 1.3,
    domains.UNIT: 0.35,
    domains.OPEN_UNIT: 0.35,
    domains.COUNT: 7,
    domains.INTEGER: 3,
    domains.SIZE: K,
    domains.VECTOR: np.array([0.3, -0.5, 1.0]),
    domains.POSITIVE_VECTOR: np.array([1.5, 2.0, 0.8]),
    constrained.SIMPLEX: _WEIGHTS,
    constrained.LOG_SIMPLEX: np.log(_WEIGHTS),
    constrained.ORDERED: np.array([-1.0, 0.2, 1.5]),
    constrained.CHOLESKY_COV: _TRIANGLE,
    constrained.CHOLESKY_CORR: _UNIT,
    constrained.CORR: _UNIT @ _UNIT.T,
    constrained.COV: _TRIANGLE @ _TRIANGLE.T,
}
LATENT = {
    domains.REAL: lambda shape: ss.Normal(0, 1, shape=shape),
    domains.POSITIVE: lambda shape: ss.Gamma(3, 2, shape=shape),
    domains.NON_NEGATIVE: lambda shape: ss.Gamma(3, 2, shape=shape),
    domains.UNIT: lambda shape: ss.Beta(2, 3, shape=shape),
    domains.OPEN_UNIT: lambda shape: ss.Beta(2, 3, shape=shape),
    domains.VECTOR: lambda shape: ss.Normal(0, 1, shape=(*shape, K)),
    domains.POSITIVE_VECTOR: lambda shape: ss.Gamma(3, 2, shape=(*shape, K)),
    constrained.SIMPLEX: lambda shape: ss.Dirichlet(np.ones(K), shape=shape),
    constrained.LOG_SIMPLEX: lambda shape: ss.ExpDirichlet(np.ones(K), shape=shape),
    constrained.ORDERED: lambda shape: ss.Normal(0, 2, shape=(*shape, K), constraint="ordered"),
}
# Arguments that must stand in a relation, or whose typical member would not.
SPECIAL = {
    "Uniform": {"alpha": -0.5, "beta": 2.5},
    "HyperGeometric": {"N": 5, "a": 8, "b": 6},
    "DiscreteRange": {"lower": 1, "upper": 9},
    "Wishart": {"nu": 4.5},
    "InvWishart": {"nu": 4.5},
    "BetaProportion": {"kappa": 3.0},
}
NEVER_LATENT = {("Uniform", "alpha"), ("Uniform", "beta"), ("Wishart", "nu"), ("InvWishart", "nu"), ("Pareto", "y_min")}


@dataclass(frozen=True)
class Case:
    """A distribution in a role: `latent` or `observed`, over a batch, with data or latent arguments."""

    name: str
    role: str
    batch: tuple[int, ...]
    arguments: str
    truncated: str = ""

    def __str__(self) -> str:
        shape = "x".join(map(str, self.batch)) or "scalar"
        return "-".join(filter(None, (self.name, self.role, shape, self.arguments, self.truncated)))


def constructor(name: str) -> Any:
    """Give the public constructor of a declaration, public or not."""
    for public in ALTERNATIVES.values():
        for d in public.forms.values():
            if d.name == name:
                return public
    return getattr(ss, name)


def cases() -> Iterator[Case]:
    """Every distribution × role × batch × kind of arguments, and truncations of the continuous ones."""
    for name, d in REGISTRY.items():
        batches = [(), (4,)] if d.event_rank else [(), (4,), (2, 4)]
        for role in ("latent", "observed"):
            if role == "latent" and d.discrete:
                continue
            for batch in batches:
                for arguments in ("data", "latent", "latents"):
                    # A latent of each row is no other than one latent where there are no rows.
                    if arguments == "data" or (d.parameters and (batch or arguments == "latent")):
                        yield Case(name, role, batch, arguments)
        if d.log_cdf is not None and not d.discrete and name != "Flat":
            for sides in ("lower", "upper", "both"):
                for arguments in ("latent", "latents"):
                    yield Case(name, "latent", (4,), arguments, sides)
                yield Case(name, "observed", (4,), "latents", sides)


def argument(m: ss.Model, d: Distribution, parameter: Any, case: Case, prefix: str) -> Any:
    typical = SPECIAL.get(d.name, {}).get(parameter.name, TYPICAL.get(parameter.domain))
    latent = LATENT.get(parameter.domain)
    fixed = case.arguments == "data" or latent is None or (d.name, parameter.name) in NEVER_LATENT
    if parameter.domain is domains.SIZE:
        return typical
    if fixed:
        if parameter.domain.integer and case.batch:
            return np.full(case.batch, typical)
        return np.asarray(typical) if np.ndim(typical) else typical
    name = f"{prefix}p_{parameter.name}"
    m[name] = latent(case.batch if case.arguments == "latents" else ())
    return m[name]


def typical_values(d: Distribution, batch: tuple[int, ...], bounds: dict[str, float]) -> np.ndarray:
    special = SPECIAL.get(d.name, {})
    args = [np.asarray(special.get(p.name, TYPICAL.get(p.domain))) for p in d.parameters]
    values = np.asarray(d.draw(np.random.default_rng(5), batch, *args)) if d.name != "Flat" else np.zeros(batch)
    if bounds:
        low, high = bounds.get("lower", -np.inf), bounds.get("upper", np.inf)
        values = np.clip(values, low + 0.01, high - 0.01)
    return values


def bounds_of(d: Distribution, sides: str) -> dict[str, float]:
    if not sides:
        return {}
    special = SPECIAL.get(d.name, {})
    args = [np.asarray(special.get(p.name, TYPICAL.get(p.domain))) for p in d.parameters]
    draws = np.sort(np.asarray(d.draw(np.random.default_rng(1), (1001,), *args)))
    low, high = round(float(draws[200]), 2), round(float(draws[800]), 2)
    return {k: v for k, v in (("lower", low), ("upper", high)) if sides in (k, "both")}


def build(case: Case) -> ss.Model:
    """Write the model of a case."""
    m = ss.Model(str(case))
    add(m, case)
    return m


def add(m: ss.Model, case: Case, prefix: str = "") -> None:
    """Write a case into a model, its names behind a prefix, so that many cases make one program."""
    d = REGISTRY[case.name]
    given = {p.name: argument(m, d, p, case, prefix) for p in d.parameters}
    bounds = bounds_of(d, case.truncated)
    shape = {"shape": case.batch} if case.role == "latent" else {}
    made = constructor(case.name)(**given, **shape, **bounds)
    if case.role == "observed":
        m[f"{prefix}y"] = made.observe(typical_values(d, case.batch, bounds))
        return
    m[f"{prefix}x"] = made
    m[f"{prefix}y"] = ss.Normal(ss.sum(m[f"{prefix}x"]), 1).observe(0.3)
