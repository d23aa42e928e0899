"""The formulas with torch: the same numbers as with NumPy, and gradients that mpmath confirms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scistan import constrained, domains
from scistan.distributions import REGISTRY
from scistan.distributions.declaration import Distribution
from scistan.domains import Domain

from .evaluation import with_numpy, with_torch
from .mpmath_definitions import LOG_DENSITY, TAILS, exactly, mp
from .strategies import cases, examples

pytest.importorskip("torch")

EVERY = sorted(REGISTRY)
UNIVARIATE = [n for n in EVERY if REGISTRY[n].log_cdf is not None]
TRIANGULAR = (constrained.CHOLESKY_COV, constrained.CHOLESKY_CORR)

quick = examples(8)


def _direction(domain: Domain, value: Any) -> np.ndarray:
    """Give a direction to differentiate in: matrices stay symmetric or triangular, tiny numbers move little."""
    shape = np.shape(value)
    step = np.cos(1.0 + np.arange(np.prod(shape, dtype=int))).reshape(shape)
    if len(shape) == 2:
        return np.tril(step) if domain in TRIANGULAR else step + step.T
    return step * np.where(np.asarray(value) == 0, 1.0, np.minimum(np.abs(value), 1.0))


def _moved(value: Any, step: Any, h: Any) -> Any:
    if isinstance(value, list):
        return [_moved(v, s, h) for v, s in zip(value, step, strict=True)]
    return value + h * step


def _derivative(define: Any, point: list[Any], k: int, step: np.ndarray, h: Any) -> float:
    ends = []
    for sign in (-1, 1):
        moved = list(point)
        moved[k] = _moved(point[k], exactly(step), sign * h)
        ends.append(define(*moved))
    return float((ends[1] - ends[0]) / (2 * h))


def _check(d: Distribution, formula: Any, define: Any, x: Any, args: tuple[Any, ...], h: Any, rtol: float) -> None:
    expected = with_numpy(d, formula, x, args)
    value, gradients = with_torch(d, formula, x, args)
    np.testing.assert_allclose(value, expected, rtol=rtol, atol=1e-10)
    if not np.isfinite(expected):
        return
    point = [exactly(v) for v in (x, *args)]
    support = d.support if isinstance(d.support, Domain) else domains.REAL
    for k, (gradient, domain) in enumerate(zip(gradients, (support, *(p.domain for p in d.parameters)), strict=True)):
        if gradient is None:
            continue
        assert np.isfinite(gradient).all()
        step = _direction(domain, (x, *args)[k])
        ours = float((gradient * step).sum())
        try:
            exact = _derivative(define, point, k, step, h)
        except (ValueError, ZeroDivisionError, TypeError):
            continue
        size = float(np.abs(gradient * step).sum())
        assert abs(ours - exact) <= rtol * max(1.0, abs(exact), size), (k, ours, exact)


@pytest.mark.parametrize("name", EVERY)
@quick
@given(data=st.data())
def test_density_and_gradient(name: str, data: st.DataObject) -> None:
    d = REGISTRY[name]
    x, args = data.draw(cases(d))
    if name == "Laplace" and x == args[0]:
        return  # the one point without a gradient
    _check(d, d.log_density, LOG_DENSITY[name], x, args, mp.mpf(10) ** -14, 1e-8)


@pytest.mark.parametrize("name", sorted({*UNIVARIATE} - {"SkewNormal"}))
@quick
@given(data=st.data())
def test_cumulative_probabilities_and_gradients(name: str, data: st.DataObject) -> None:
    d = REGISTRY[name]
    x, args = data.draw(cases(d))
    if name == "StudentT" and x == args[1]:
        return  # mpmath's own formula has no derivative there; below is a test of its own
    tails = TAILS[name](*[exactly(v) for v in (x, *args)])
    h = mp.mpf(10) ** -12
    for which, formula in enumerate((d.log_cdf, d.log_ccdf)):
        if mp.mpf(10) ** -250 < tails[which] < 1:
            _check(d, formula, lambda *p, w=which: mp.log(TAILS[name](*p)[w]), x, args, h, 1e-6)


@quick
@given(data=st.data())
def test_skew_normal_gradients(data: st.DataObject) -> None:
    """The integral is slow to differentiate by numbers, and has derivatives in closed form (Azzalini 1985)."""
    d = REGISTRY["SkewNormal"]
    z, (_, _, alpha) = data.draw(cases(d))
    z = z / 4
    density = with_numpy(d, d.log_density, z, (0.0, 1.0, alpha))
    tilt = -(1 + alpha**2) * z * z / 2 - np.log(np.pi * (1 + alpha**2))
    for formula, sign in ((d.log_cdf, 1), (d.log_ccdf, -1)):
        value, gradients = with_torch(d, formula, z, (0.0, 1.0, alpha))
        np.testing.assert_allclose(value, with_numpy(d, formula, z, (0.0, 1.0, alpha)), rtol=1e-9, atol=1e-12)
        if value < -500:
            continue
        np.testing.assert_allclose(gradients[0], sign * np.exp(density - value), rtol=1e-7, atol=1e-12)
        np.testing.assert_allclose(gradients[3], -sign * np.exp(tilt - value), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", ["StudentT", "Cauchy", "Laplace", "Logistic", "Normal"])
def test_cumulative_gradient_at_the_middle(name: str) -> None:
    d = REGISTRY[name]
    args = (2.5, 0.3, 1.7)[-len(d.parameters):]
    density = np.exp(with_numpy(d, d.log_density, 0.3, args))
    value, gradients = with_torch(d, d.log_cdf, 0.3, args)
    assert value == pytest.approx(np.log(0.5))
    assert gradients[0] == pytest.approx(2 * density)  # d log F = f / F with F = 1/2
    assert all(np.isfinite(g).all() for g in gradients)


AT_THE_EDGE = [n for n in UNIVARIATE if isinstance(REGISTRY[n].support, Domain) and REGISTRY[n].support.lower == 0]


@pytest.mark.parametrize("name", AT_THE_EDGE)
def test_a_bound_at_the_edge_leaves_everything(name: str) -> None:
    d = REGISTRY[name]
    if d.discrete:
        return
    args = tuple(0.4 + 0.3 * k for k in range(len(d.parameters)))
    value, gradients = with_torch(d, d.log_ccdf, 0.0, args)
    assert abs(value) < 1e-80
    assert all(np.isfinite(g).all() for g in gradients[1:])
