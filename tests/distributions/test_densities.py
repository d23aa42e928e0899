"""Every density and cumulative probability against mpmath and SciPy, over random arguments and in the tails."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scistan.distributions import REGISTRY
from scistan.distributions.declaration import Distribution

from .evaluation import with_numpy
from .mpmath_definitions import LOG_DENSITY, TAILS, exactly, mp
from .strategies import cases, examples

EVERY = sorted(REGISTRY)
UNIVARIATE = [n for n in EVERY if REGISTRY[n].log_cdf is not None]
EPSILON = 2.0**-52

quick = examples(12)


def _nudged(value: Any, by: Any) -> Any:
    """Move neighbours apart: moved alike, the entries of a matrix would hide how near it is to singular."""
    if isinstance(value, list):
        return [_nudged(v, by * (-1) ** k * len(value)) for k, v in enumerate(value)]
    return value * (1 + by)


def _tolerance(d: Distribution, define: Any, exact: Any, point: list[Any]) -> float:
    """Bound what rounding of the real inputs may do to the result, and what a few dozen operations may."""
    wobble = mp.mpf(0)
    domains = [None, *(p.domain for p in d.parameters)]
    for k, domain in enumerate(domains):
        if (d.discrete if domain is None else domain.integer):
            continue
        for sign in (-1, 1):
            moved = list(point)
            moved[k] = _nudged(point[k], sign * mp.mpf(EPSILON))
            try:
                wobble += abs(define(*moved) - exact)
            except (ValueError, ZeroDivisionError, TypeError):
                continue
    return float(50 * wobble + 1e-11 * max(1, abs(exact)))


@pytest.mark.parametrize("name", EVERY)
def test_a_definition_exists(name: str) -> None:
    assert name in LOG_DENSITY, f"define {name} in tests/distributions/mpmath_definitions.py"
    assert (name in TAILS) == (name in UNIVARIATE)


@pytest.mark.parametrize("name", EVERY)
@quick
@given(data=st.data())
def test_density_equals_its_definition(name: str, data: st.DataObject) -> None:
    d = REGISTRY[name]
    x, args = data.draw(cases(d))
    point = [exactly(v) for v in (x, *args)]
    exact = LOG_DENSITY[name](*point)
    ours = with_numpy(d, d.log_density, x, args)
    if exact == -mp.inf:
        assert ours == -np.inf
        return
    assert abs(float(ours) - float(exact)) <= _tolerance(d, LOG_DENSITY[name], exact, point)


def _log_prob(twin: Any, x: Any) -> Any:
    return (twin.logpmf if hasattr(twin, "logpmf") else twin.logpdf)(x)


@pytest.mark.parametrize("name", [n for n in EVERY if REGISTRY[n].scipy is not None])
@quick
@given(data=st.data())
def test_density_equals_scipys(name: str, data: st.DataObject) -> None:
    d = REGISTRY[name]
    x, args = data.draw(cases(d))
    if name == "Dirichlet":
        x = x / x.sum()
    with np.errstate(all="ignore"):
        theirs = np.asarray(_log_prob(d.scipy(*args), x), dtype=float)
    ours = with_numpy(d, d.log_density, x, args)
    if not np.isfinite(theirs) or theirs < -600:
        return  # SciPy has left the range of its arithmetic; mpmath judges there
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", UNIVARIATE)
@quick
@given(data=st.data())
def test_cumulative_probabilities_equal_their_definitions(name: str, data: st.DataObject) -> None:
    d = REGISTRY[name]
    x, args = data.draw(cases(d))
    point = [exactly(v) for v in (x, *args)]
    tails = TAILS[name](*point)
    for which, formula in enumerate((d.log_cdf, d.log_ccdf)):
        if tails[which] < mp.mpf(10) ** -300:
            continue
        exact = mp.log(tails[which])
        ours = float(with_numpy(d, formula, x, args))

        def define(*moved: Any, which: int = which) -> Any:
            return mp.log(TAILS[name](*moved)[which])

        numeric = name in ("SkewNormal", "VonMises", "BetaBinomial")
        allowed = 1e-10 * max(1.0, abs(float(exact))) if numeric else 10 * _tolerance(d, define, exact, point)
        assert abs(ours - float(exact)) <= allowed, (which, ours, float(exact))


@pytest.mark.parametrize("name", UNIVARIATE)
def test_cumulative_probabilities_beyond_the_support(name: str) -> None:
    d = REGISTRY[name]
    args = {"HyperGeometric": (5, 4, 4), "DiscreteRange": (-2, 3), "Uniform": (-1.0, 2.0)}.get(
        name, tuple({True: 5}.get(p.domain.integer, 0.5) for p in d.parameters)
    )
    support = d.domain(()) if not callable(d.support) else None
    low = -50.0 if support is None or support.lower is not None else None
    if low is not None:
        below = int(low) if d.discrete else low
        assert abs(with_numpy(d, d.log_ccdf, below, args)) < 1e-90
        assert math.exp(with_numpy(d, d.log_cdf, below, args)) < 1e-90


def test_flat_cannot_be_drawn_from() -> None:
    with pytest.raises(Exception, match="nothing can be drawn"):
        REGISTRY["Flat"].draw(np.random.default_rng(0), (3,))
