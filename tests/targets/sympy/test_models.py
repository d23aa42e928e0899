"""`m.to_sympy()` of models of many kinds: density, gradient and Hessian are those of SciPy, torch and our own graphs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import scistan as ss
from tests.zoo import ZOO, logistic, varying_intercepts

pytest.importorskip("sympy", reason="SymPy is not installed")


def series() -> ss.Model:
    m = ss.Model("series")
    m.a, m.tau = ss.Normal(0, 1), ss.HalfNormal(1)
    m.level = ss.Series(lambda past: ss.Normal(m.a * past[-1], m.tau), start=ss.Normal(0, 2), length=4)
    m.y = ss.StudentT(4, m.level, 1).observe([0.3, -0.2, 1.0, 2.0])
    return m


def mixture() -> ss.Model:
    m = ss.Model("mixture")
    m.w, m.mu, m.s = ss.Beta(2, 2), ss.Normal(0, 2, shape=2, constraint="ordered"), ss.Gamma(3, 2)
    components = [ss.Normal(m.mu[0], m.s), ss.Normal(m.mu[1], 1)]
    m.y = ss.Mixture([m.w, 1 - m.w], components).observe([-0.4, 0.1, 2.0, 2.5])
    return m


def process() -> ss.Model:
    m = ss.Model("process")
    m.x = ss.data(np.array([0.0, 0.5, 2.0]))
    m.alpha, m.rho, m.s = ss.HalfNormal(1), ss.InvGamma(5, 5), ss.HalfNormal(1)
    covariance = ss.gp_exp_quad_cov(m.x, m.alpha, m.rho) + ss.square(m.s) * np.eye(3)
    m.y = ss.MultivariateNormal(np.zeros(3), covariance).observe([0.1, 0.4, -1.0])
    return m


def overdispersed() -> ss.Model:
    m = ss.Model("overdispersed")
    m.x = ss.data(np.linspace(-1, 1, 5))
    m.a, m.b, m.phi = ss.Normal(1, 1), ss.Normal(0, 1), ss.Gamma(4, 2)
    m.y = ss.NegBinomial2Log(m.a + m.b * m.x, m.phi).observe([0, 2, 1, 5, 3])
    return m


MODELS: dict[str, Callable[[], ss.Model]] = {
    **ZOO, "logistic": lambda: logistic(8, 2), "varying_intercepts": lambda: varying_intercepts(10, 3),
    **{f.__name__: f for f in (series, mixture, process, overdispersed)},
}
DEAR = {"truncated", "constraints", "process", "mixture", "eight_schools", "ordinal"}  # of which SymPy's Hessians take seconds
assert len(MODELS) >= 12


def _flat(tree: dict, names: list[str]) -> np.ndarray:
    return np.concatenate([np.ravel(np.asarray(tree[name])) for name in names])


def _square(tree: dict, at: dict) -> np.ndarray:
    return np.block([[np.asarray(tree[a][b]).reshape(np.size(at[a]), np.size(at[b])) for b in at] for a in at])


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.long if n in DEAR else ()) for n in MODELS])
def test_density_gradient_and_hessian(name: str) -> None:
    pytest.importorskip("torch")
    m = MODELS[name]()
    symbolic = m.to_sympy()
    density, slope, bend = (symbolic.lambdify(e) for e in (None, symbolic.gradient, symbolic.hessian))
    for seed in (2, 3):
        drawn = m.simulate(seed=seed)
        at = {latent: drawn[latent] for latent in symbolic.latents}
        assert float(density(**at)) == pytest.approx(m.log_density(at), rel=1e-12)
        found, curved = np.ravel(np.asarray(slope(**at), dtype=float)), np.asarray(bend(**at), dtype=float)
        # torch has `trigamma` to nine digits; our own graphs have SciPy's.
        for backend, digits in (("numpy", 1e-11), ("torch", 1e-8)):
            slopes = _flat(ss.grad(m, backend=backend)(at), list(at))
            np.testing.assert_allclose(found, slopes, rtol=1e-10, atol=1e-11 * np.abs(slopes).max())
            expected = _square(ss.hessian(m, backend=backend)(at), at)
            size = max(np.abs(expected).max(), np.abs(slopes).max())  # a density that is flat has rounding alone
            np.testing.assert_allclose(curved, expected, rtol=1e-8, atol=digits * size)
