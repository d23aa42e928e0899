"""`m.to_jax()`: SciPy's density, torch's gradient, the way there and back, in double precision whatever JAX is set to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import scistan as ss
from scistan.passes import run_passes
from tests.random_models import build, recipes
from tests.zoo import eight_schools

jax = pytest.importorskip("jax", reason="JAX is not installed")
torch = pytest.importorskip("torch")


def constrained() -> ss.Model:
    """Every kind of free coordinates: an interval with a latent end, a simplex, an order, factors, a zero sum."""
    m = ss.Model("constrained")
    m.top = ss.Gamma(2, 1)
    m.u = ss.Uniform(0, m.top, shape=2)
    m.p = ss.Dirichlet(np.ones(3))
    m.cut = ss.Normal(0, 2, shape=3, constraint="ordered")
    m.z = ss.Normal(0, 1, shape=4, constraint="sum_to_zero")
    m.L = ss.LKJCholesky(3, 2.0)
    m.t = ss.Normal(0, 1, lower=m.top - 5.0)
    m.x = ss.MultivariateNormal(np.zeros(3), chol=m.L)
    m.c = ss.Categorical(m.p).observe([0, 2, 1, 1])
    m.y = ss.Normal(m.u[0] + m.cut[0] + m.z[1] + m.t + m.x[2], 1.5).observe([0.3, 1.0, -2.0])
    return m


@pytest.mark.parametrize("make", [eight_schools, constrained], ids=["eight_schools", "constrained"])
def test_density_gradient_and_the_way_back(make):
    from scistan.targets.torch import TorchDensity

    m = make()
    density = m.to_jax()
    instance = m.instance()
    by_torch = TorchDensity(instance.on(run_passes(instance.graph).plain))
    assert density.dimension == by_torch.dimension
    for seed in range(3):
        q = np.random.default_rng(seed).normal(size=density.dimension) * 0.7
        value, gradient = density.value_and_gradient(q)
        latents = {name: np.asarray(x) for name, x in density.constrain(q).items() if name in density.names}
        assert float(value - density.log_jacobian(q)) == pytest.approx(m.log_density(latents), rel=1e-12)
        leaf = torch.tensor(q, requires_grad=True)
        total = by_torch.log_density(leaf, jacobian=True)
        slope = torch.autograd.grad(total, leaf)[0].numpy()
        np.testing.assert_allclose(np.asarray(gradient), slope, rtol=1e-9, atol=1e-10)
        assert float(value) == pytest.approx(float(total), rel=1e-12)
        np.testing.assert_allclose(np.asarray(density.unconstrain(latents)), q, rtol=1e-9, atol=1e-9)


@pytest.mark.long
@settings(derandomize=True, deadline=None, max_examples=40, database=None, suppress_health_check=list(HealthCheck))
@given(recipe=recipes())
def test_random_models(recipe):
    m = build(recipe)
    density = m.to_jax()
    q = np.random.default_rng(1).normal(size=density.dimension) * 0.3
    latents = {name: np.asarray(x) for name, x in density.constrain(q).items() if name in density.names}
    expected, found = m.log_density(latents), float(density.log_density(q) - density.log_jacobian(q))
    assert found == pytest.approx(expected, rel=1e-9) if np.isfinite(expected) else not np.isfinite(found)


def normal() -> ss.Model:
    m = ss.Model("normal")
    m.mu, m.sigma = ss.Normal(0, 5), ss.HalfNormal(2)
    m.twice = 2 * m.mu
    m.y = ss.Normal(m.mu, m.sigma).observe([1.0, 2.0, 4.0])
    return m


class TestWhatItTakes:
    density = None

    @pytest.fixture(autouse=True, scope="class")
    def made(self, request):
        request.cls.density = normal().to_jax()

    def test_names_and_shapes(self):
        d = self.density
        assert (d.names, d.shapes, d.dimension) == (["mu", "sigma"], {"mu": (), "sigma": ()}, 2)
        assert "2 coordinates" in repr(d)
        assert set(d.constrain(np.zeros(2))) == {"mu", "sigma", "twice"}

    def test_a_dict_of_coordinates_has_a_dict_of_gradients(self):
        q = np.array([0.4, -0.3])
        value, gradient = self.density.value_and_gradient({"mu": q[0], "sigma": q[1]})
        expected = self.density.value_and_gradient(q)
        assert float(value) == float(expected[0])
        assert [float(gradient["mu"]), float(gradient["sigma"])] == np.asarray(expected[1]).tolist()

    def test_double_precision_inside_and_the_callers_outside(self):
        q = np.array([0.4, -0.3])
        exact = float(self.density.log_density(q))
        assert self.density.log_density(q).dtype == np.float64
        assert not jax.config.jax_enable_x64  # as it was
        single = self.density.log_density(np.float32(q))
        assert single.dtype == np.float32
        assert float(single) == pytest.approx(exact, rel=3e-7)

    def test_jaxs_own_transforms_go_through(self):
        q = np.float32([0.4, -0.3])
        both = jax.jit(jax.vmap(jax.grad(self.density.log_density)))(np.stack([q, q]))
        np.testing.assert_allclose(both[0], np.asarray(self.density.value_and_gradient(q)[1]), rtol=1e-6)

    def test_data_are_an_argument(self):
        other = normal().with_data(y=[0.0, 1.0, -3.0]).to_jax()
        q = np.array([0.4, -0.3])
        assert float(self.density.log_density(q, other.data)) == pytest.approx(float(other.log_density(q)), rel=1e-14)

    def test_what_cannot_be_coordinates_is_refused_before_jax_sees_it(self):
        with pytest.raises(ss.DataError, match=r"free coordinates of shape \(2,\), and shape \(3,\)") as caught:
            self.density.log_density(np.zeros(3))
        assert "test_density.py" in str(caught.value)
        with pytest.raises(ss.DataError, match="no values for `sigma` and values for `tau`"):
            self.density.unconstrain({"mu": 1.0, "tau": 2.0})
        with pytest.raises(ss.DataError, match="`mu` has shape"):
            self.density.unconstrain({"mu": [1.0, 2.0], "sigma": 2.0})


def test_an_op_without_a_form_says_why():
    from scistan.ops import REGISTRY
    from scistan.targets.values import implementation

    with pytest.raises(ss.UnsupportedError, match="has no form in jax: it adds up"):
        implementation(REGISTRY["beta_binomial_log_cdf"], "jax", jax.numpy)


@pytest.mark.other_targets
def test_verify_shows_every_target_that_is_installed():
    pytest.importorskip("sympy")
    agreement = normal().verify(points=2)
    assert agreement.ok
    assert [row.who for row in agreement.others] == ["SciPy and JAX", "torch and JAX", "SciPy and SymPy"]
    assert "torch and JAX    gradient" in repr(agreement)


@pytest.mark.other_targets
def test_verify_notices_a_target_that_is_wrong(monkeypatch):
    from scistan.targets.jax import JaxDensity

    right = JaxDensity.at_values

    def wrong(self, values):
        q, value, gradient = right(self, values)
        return q, value + 0.1 * q[0], gradient

    monkeypatch.setattr(JaxDensity, "at_values", wrong)
    agreement = normal().verify(points=2)
    assert not agreement.ok
    assert agreement.others[0].error > 1e-4
