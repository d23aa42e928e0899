"""Incomplete gamma and beta functions and their kin against mpmath: values, logarithms and derivatives."""

from __future__ import annotations

from functools import cache

import mpmath
import numpy as np
import pytest

from scistan.ops import REGISTRY, special_formulas

torch = pytest.importorskip("torch")

TOLERANCE = 1e-10
GAMMA = {
    "gamma_p": lambda a, x: mpmath.gammainc(a, 0, x, regularized=True),
    "gamma_q": lambda a, x: mpmath.gammainc(a, x, mpmath.inf, regularized=True),
}
GAMMA_POINTS = [
    (0.01, 0.3), (0.05, 2.0), (0.3, 1e-4), (0.5, 0.9), (0.5, 12.0), (1.0, 1.0), (1.3, 40.0), (2.0, 1e-3), (7.5, 0.2),
    (9.99, 10.0), (10.01, 9.5), (30.0, 29.0), (30.0, 80.0), (250.0, 190.0), (250.0, 251.0), (900.0, 1000.0),
]
BETA_POINTS = [
    (0.02, 0.03, 0.4), (0.3, 0.2, 1e-5), (0.5, 0.5, 0.5), (0.5, 3.0, 0.999), (1.0, 1.0, 0.3), (2.0, 7.5, 0.05),
    (2.0, 7.5, 0.9), (9.99, 10.01, 0.5), (40.0, 3.0, 0.7), (150.0, 0.3, 0.99), (0.7, 300.0, 0.001),
    (280.0, 110.0, 0.68), (280.0, 110.0, 0.9), (5.0, 800.0, 0.004),
]


def relative(found: object, exact: object) -> float:
    return float(abs(mpmath.mpf(float(found)) - exact) / abs(exact))


def on_torch(name: str, *columns: object) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
    leaves = [torch.tensor(c, dtype=torch.float64, requires_grad=True) for c in columns]
    value = getattr(special_formulas, name)(torch, *leaves)
    return value.detach(), torch.autograd.grad(value.sum(), leaves)


@cache
def exact_at(name: str, point: tuple[float, ...]) -> tuple[object, ...]:
    """Give a function's value and derivatives at a point, by differences in high precision."""
    with mpmath.workdps(70):
        function = GAMMA.get(name) or (lambda a, b, x: mpmath.betainc(a, b, 0, x, regularized=True))
        at = [mpmath.mpf(v) for v in point]
        slopes = []
        for k, v in enumerate(at):
            h = v * mpmath.mpf(10) ** -18
            up, down = ([*at[:k], v + s * h, *at[k + 1 :]] for s in (1, -1))
            slopes.append((function(*up) - function(*down)) / (2 * h))
        return function(*at), *slopes


@pytest.mark.parametrize(
    ("name", "points"), [("gamma_p", GAMMA_POINTS), ("gamma_q", GAMMA_POINTS), ("inc_beta", BETA_POINTS)]
)
@pytest.mark.parametrize("log", [False, True], ids=["value", "log"])
def test_values_and_derivatives_are_mpmaths(name, points, log):
    value, gradients = on_torch(f"log_{name}" if log else name, *zip(*points, strict=True))
    with mpmath.workdps(70):
        for i, point in enumerate(points):
            exact, *slopes = exact_at(name, point)
            if log:
                exact, slopes = mpmath.log(exact), [s / exact for s in slopes]
            assert relative(value[i], exact) < TOLERANCE, point
            for gradient, slope in zip(gradients, slopes, strict=True):
                assert relative(gradient[i], slope) < TOLERANCE, point


@pytest.mark.parametrize(("a", "x"), [(5.0, 900.0), (0.5, 2000.0), (300.0, 5000.0)])
def test_the_logarithm_goes_on_where_the_upper_gamma_underflows(a, x):
    with mpmath.workdps(50):
        exact = mpmath.log(mpmath.gammainc(a, x, mpmath.inf)) - mpmath.loggamma(a)
        slope = -mpmath.exp((a - 1) * mpmath.log(x) - x - mpmath.log(mpmath.gammainc(a, x, mpmath.inf)))
        value, (_, gradient) = on_torch("log_gamma_q", a, x)
        assert relative(value, exact) < 1e-13
        assert relative(gradient, slope) < TOLERANCE
        assert relative(REGISTRY["log_gamma_q"].numpy(np, a, x), exact) < 1e-13


@pytest.mark.parametrize(("a", "b", "x"), [(400.0, 2.0, 1e-3), (1000.0, 900.0, 0.05)])
def test_the_logarithm_goes_on_where_the_beta_underflows(a, b, x):
    with mpmath.workdps(60):
        exact = mpmath.log(mpmath.betainc(a, b, 0, x)) - mpmath.log(mpmath.beta(a, b))
        value, gradients = on_torch("log_inc_beta", a, b, x)
        assert relative(value, exact) < 1e-13
        assert all(torch.isfinite(g) for g in gradients)
        assert relative(REGISTRY["log_inc_beta"].numpy(np, a, b, x), exact) < 1e-13


@pytest.mark.parametrize("name", ["gamma_p", "gamma_q", "log_gamma_p", "log_gamma_q"])
def test_gamma_at_its_ends(name):
    value, gradients = on_torch(name, [2.0, 2.0, 0.5], [0.0, 1e6, 1e-300])
    assert not torch.isnan(value).any()
    assert all(torch.isfinite(g).all() for g in gradients)
    expected = REGISTRY[name].numpy
    if callable(expected):
        np.testing.assert_allclose(value[:2], expected(np, np.array([2.0, 2.0]), np.array([0.0, 1e6])))


def test_beta_at_its_ends():
    value, gradients = on_torch("inc_beta", [2.0, 2.0], [3.0, 3.0], [0.0, 1.0])
    assert value.tolist() == [0.0, 1.0]
    assert all(torch.isfinite(g).all() for g in gradients)
    assert on_torch("log_inc_beta", [2.0, 2.0], [3.0, 3.0], [0.0, 1.0])[0].tolist() == [-np.inf, 0.0]


def test_outside_the_domain_is_not_a_number():
    assert torch.isnan(on_torch("gamma_p", [-1.0, 2.0], [1.0, -1.0])[0]).all()
    assert torch.isnan(on_torch("inc_beta", [1.0, -1.0, 1.0], [1.0, 1.0, 1.0], [1.5, 0.5, -0.1])[0]).all()


def test_large_shapes_keep_their_digits():
    for a, x in [(1e4, 9.7e3), (1e6, 1.0005e6), (5307820564.61716, 5307490250.115936)]:
        with mpmath.workdps(40):
            width = mpmath.sqrt(a)
            density = lambda t, a=a: mpmath.exp((a - 1) * mpmath.log(t) - t - mpmath.loggamma(a))
            exact = mpmath.quad(density, [x - k * width for k in range(14, -1, -2)])
        assert relative(on_torch("gamma_p", a, x)[0], exact) < TOLERANCE


def test_log_i0():
    xs = [0.0, 1e-8, 0.3, 1.99, 2.01, 30.0, 800.0, -3.0]
    value, (gradient,) = on_torch("log_i0", xs)
    on_numpy = REGISTRY["log_i0"].numpy(np, np.array(xs))
    for x, v, g, n in zip(xs, value, gradient, on_numpy, strict=True):
        with mpmath.workdps(40):
            exact = mpmath.log(mpmath.besseli(0, x))
        assert float(v) == pytest.approx(float(exact), rel=1e-14, abs=1e-300)
        assert float(n) == pytest.approx(float(exact), rel=1e-14, abs=1e-300)
        assert float(g) == pytest.approx(float(mpmath.besseli(1, x) / mpmath.besseli(0, x)), rel=1e-12, abs=1e-16)


@pytest.mark.parametrize(("h", "a"), [(0.0, 1.0), (1.2, 0.4), (-2.0, 3.0), (9.5, -50.0), (6.0, 0.01), (0.3, 1.0)])
def test_owens_t(h, a):
    with mpmath.workdps(40):
        exact = mpmath.quad(lambda t: mpmath.exp(-0.5 * mpmath.mpf(h) ** 2 * (1 + t * t)) / (1 + t * t), [0, a / 8, a])
        exact /= 2 * mpmath.pi
        value, (by_h, by_a) = on_torch("owens_t", h, a)
        assert relative(value, exact) < TOLERANCE
        slope = -mpmath.npdf(h) * (mpmath.ncdf(mpmath.mpf(a) * h) - mpmath.mpf(1) / 2)
        assert float(by_h) == pytest.approx(float(slope), rel=1e-10, abs=1e-18)
        slope = mpmath.exp(-mpmath.mpf(h) ** 2 * (1 + a * a) / 2) / (2 * mpmath.pi * (1 + a * a))
        assert float(by_a) == pytest.approx(float(slope), rel=1e-9, abs=1e-18)


def test_lbeta_and_log_choose_do_not_cancel():
    for a, b in [(0.5, 1e9), (1e8, 1e-3), (9.9, 10.1), (1e12, 3.0)]:
        with mpmath.workdps(40):
            exact = mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(mpmath.mpf(a) + b)
        assert relative(on_torch("lbeta", a, b)[0], exact) < 1e-14
    with mpmath.workdps(40):
        exact = mpmath.log(mpmath.binomial(10**9, 3))
    assert relative(on_torch("log_choose", 1e9, 3.0)[0], exact) < 1e-14


@pytest.mark.parametrize(
    ("name", "point"),
    [("gamma_p", (2.5, 1.5)), ("log_gamma_q", (2.5, 6.0)), ("inc_beta", (1.5, 2.5, 0.3)),
     ("log_inc_beta", (3.0, 0.7, 0.9)), ("owens_t", (0.7, 1.8)), ("log_i0", (1.3,)), ("lbeta", (0.6, 20.0))],
)
def test_second_derivatives_and_batches_of_points(name, point):
    function = getattr(special_formulas, name)
    leaves = tuple(torch.tensor([v, v * 0.9], dtype=torch.float64, requires_grad=True) for v in point)
    assert torch.autograd.gradgradcheck(lambda *xs: function(torch, *xs), leaves)
    mapped = torch.func.vmap(lambda *xs: function(torch, *xs))(*leaves)
    torch.testing.assert_close(mapped, function(torch, *leaves))


def test_the_lower_tail_of_phi_survives():
    x = torch.tensor([-30.0, -9.0, 0.0, 3.0], dtype=torch.float64, requires_grad=True)
    value = REGISTRY["Phi"].torch(torch, x)
    (gradient,) = torch.autograd.grad(value.sum(), x)
    for v, g, at in zip(value.detach(), gradient, x.detach(), strict=True):
        assert relative(v, mpmath.ncdf(float(at))) < 1e-13
        assert relative(g, mpmath.npdf(float(at))) < 1e-13
