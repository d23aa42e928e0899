"""Random arguments and values, derived from the domains that the declarations name: one strategy per domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from scistan import constrained, domains
from scistan.distributions.declaration import Distribution
from scistan.domains import Domain
from scistan.graph.node import Node, extent, literal
from scistan.ops.coerce import data_leaf
from scistan.shapes import Size

Array = np.ndarray


def examples(count: int) -> settings:
    """Give the settings of a test over `count` examples: always the same, and not shrunk: that is slow."""
    slow = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    return settings(
        max_examples=count, deadline=None, derandomize=True, database=None, suppress_health_check=slow,
        phases=[Phase.explicit, Phase.generate],
    )


def _real(low: float, high: float) -> st.SearchStrategy[float]:
    # Multiples of a millionth or so: numbers like 1e-200 test the arithmetic of tests.
    return st.integers(int(np.ceil(low * 2**20)), int(np.floor(high * 2**20))).map(lambda k: k / 2**20)


def _positive(low: float = 1e-2, high: float = 1e2) -> st.SearchStrategy[float]:
    return _real(np.log(low), np.log(high)).map(np.exp).map(float)


def _log_uniform(rng: np.random.Generator, low: float, high: float, shape: Any = ()) -> Any:
    return np.exp(rng.uniform(np.log(low), np.log(high), shape))


def _cholesky(rng: np.random.Generator, size: int) -> Array:
    return np.tril(rng.uniform(-1, 1, (size, size)), -1) + np.diag(_log_uniform(rng, 0.3, 3, size))


def _unit_rows(L: Array) -> Array:
    return L / np.linalg.norm(L, axis=-1, keepdims=True)


def _correlation(L: Array) -> Array:
    R = _unit_rows(L) @ _unit_rows(L).T
    np.fill_diagonal(R, 1.0)
    return R


def _symmetric(L: Array) -> Array:
    S = L @ L.T
    return (S + S.T) / 2


def _summing_to_one(v: Array) -> Array:
    return v / v.sum()


# Single numbers are hypothesis's own, which likes zeros, ends and round numbers.
_NUMBERS: dict[Domain, st.SearchStrategy[Any]] = {
    domains.REAL: _real(-30, 30),
    domains.POSITIVE: _positive(),
    domains.NON_NEGATIVE: _positive(),
    domains.UNIT: _real(0, 1),
    domains.OPEN_UNIT: _real(1e-3, 1 - 1e-3),
    domains.COUNT: st.integers(0, 60),
    domains.INTEGER: st.integers(-20, 20),
}
# Events are made of a seed and a length.
_EVENTS: dict[Domain, Callable[[np.random.Generator, int], Any]] = {
    domains.SIZE: lambda _, size: size,
    domains.VECTOR: lambda rng, size: rng.uniform(-5, 5, size),
    domains.POSITIVE_VECTOR: lambda rng, size: _log_uniform(rng, 0.05, 20, size),
    constrained.SIMPLEX: lambda rng, size: _summing_to_one(_log_uniform(rng, 0.01, 100, size)),
    constrained.LOG_SIMPLEX: lambda rng, size: np.log(_summing_to_one(np.exp(rng.uniform(-8, 8, size)))),
    constrained.ORDERED: lambda rng, size: np.cumsum(_log_uniform(rng, 0.05, 3, size)) - 2,
    constrained.CHOLESKY_COV: _cholesky,
    constrained.CHOLESKY_CORR: lambda rng, size: _unit_rows(_cholesky(rng, size)),
    constrained.CORR: lambda rng, size: _correlation(_cholesky(rng, size)),
    constrained.COV: lambda rng, size: _symmetric(_cholesky(rng, size)),
}
seeds = st.integers(0, 2**32 - 1)


def values(domain: Domain, size: int = 3) -> st.SearchStrategy[Any]:
    """Give a strategy for the members of a domain; intervals are read off their bounds."""
    if domain in _NUMBERS:
        return _NUMBERS[domain]
    if domain in _EVENTS:
        return seeds.map(lambda seed: _EVENTS[domain](np.random.default_rng(seed), size))
    if domain.event_rank:
        raise LookupError(f"no strategy for {domain.words!r}: add one to tests/distributions/strategies.py")
    low, high = domain.lower, domain.upper
    if domain.integer:
        return st.integers(-50 if low is None else int(low), 80 if high is None else int(high))
    if high is None:
        return _positive().map(lambda v: float(low) + v)
    return _real(float(low), float(high))


# Arguments stay nearer than values do: that is what tails are.
_TYPICAL: dict[Domain, st.SearchStrategy[Any]] = {domains.REAL: _real(-8, 8)}
# Where nothing drawn over- or underflows, or rounds to the end of its support.
_MODERATE: dict[Domain, st.SearchStrategy[Any]] = {
    **_TYPICAL,
    domains.POSITIVE: _positive(1.5, 20),
    domains.OPEN_UNIT: _real(0.3, 0.7),
    domains.POSITIVE_VECTOR: seeds.map(lambda seed: _log_uniform(np.random.default_rng(seed), 0.5, 20, 3)),
}


@st.composite
def arguments(draw: Any, d: Distribution, moderate: bool = False, size: int | None = None) -> tuple[Any, ...]:
    """Draw arguments that lie in their domains and stand in the relation that is declared."""
    size = size or draw(st.integers(2, 4))
    table = _MODERATE if moderate else _TYPICAL
    args = {p.name: draw(table[p.domain] if p.domain in table else values(p.domain, size)) for p in d.parameters}
    return tuple(args.values()) if d.relation is None else _related(d, args, draw(seeds))


def _related(d: Distribution, args: dict[str, Any], seed: int) -> tuple[Any, ...]:
    """Draw the parameter that would be blamed again until the relation holds; filters would take long."""
    rng = np.random.default_rng(seed)
    blamed = next(p for p in d.parameters if p.name == d.relation.parameter)
    while not np.all(d.relation.holds(*map(np.asarray, args.values()))):
        if blamed.domain.integer:
            args[blamed.name] = int(rng.integers(-20 if blamed.domain.lower is None else 0, 60))
        else:
            args[blamed.name] = float(_log_uniform(rng, 0.01, 100))
    return tuple(args.values())


def literals(d: Distribution, args: tuple[Any, ...]) -> tuple[Node, ...]:
    """Write arguments as a user would: single numbers as literals, arrays as data, lengths as sizes."""
    return tuple(
        extent(Size(int(a))) if p.domain is domains.SIZE else data_leaf(a) if np.ndim(a) else literal(a)
        for p, a in zip(d.parameters, args, strict=True)
    )


@st.composite
def cases(draw: Any, d: Distribution) -> tuple[Any, tuple[Any, ...]]:
    """Draw a point of the support, near or far, and arguments."""
    args = draw(arguments(d))
    seed = draw(st.integers(0, 2**32 - 1))
    typical = d.name != "Flat" and draw(st.booleans())
    if typical or d.name.startswith("Multinomial"):
        rng = np.random.default_rng(seed)
        value = np.asarray(d.draw(rng, (), *map(np.asarray, args)))
        regular = value.ndim < 2 or np.linalg.cond(value) < 1e6
        if regular and not d.domain(literals(d, args)).violations(value).any():
            return value[()], args
    size = next((np.shape(a)[-1] for a in args if np.ndim(a)), None)
    size = size if size is not None else next((a for p, a in zip(d.parameters, args) if p.domain is domains.SIZE), 3)
    return draw(values(d.domain(literals(d, args)), int(size))), args
