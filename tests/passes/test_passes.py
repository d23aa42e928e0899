"""Passes keep the log density and are idempotent; each does what its name says."""

import numpy as np
import pytest

import scistan as ss
from scistan.graph.instance import Instance
from scistan.graph.text import graph_text
from scistan.passes import PASSES, run_passes
from scistan.targets.scipy import ancestral_draws, joint_log_density
from tests.passes.test_vectors_noncentred import by_covariance, further_down, own_factors
from tests.zoo import ZOO


def elementwise_regression(rows: int = 6) -> ss.Model:
    rng = np.random.default_rng(rows)
    x, group, y = rng.normal(size=rows), rng.integers(0, 3, rows), rng.normal(size=rows)
    m = ss.Model("loop")
    m.a = ss.Normal(0, 1, shape=3)
    m.b = ss.Normal(0, 1)
    m.s = ss.HalfNormal(1)
    for i in range(rows):
        m[f"y_{i}"] = ss.Normal(m.a[group[i]] + m.b * x[i], m.s).observe(y[i])
    return m


def stable_logarithms() -> ss.Model:
    m = ss.Model("logarithms")
    m.x = ss.Beta(2, 3, shape=4)
    m.a = ss.log(1 - m.x)
    m.b = ss.log(1 + ss.exp(m.x)) + ss.log(ss.inv_logit(m.x)) + ss.log(1 - ss.exp(-m.x - 0.1))
    m.c = ss.log(ss.sum(ss.exp(m.x)))
    m.y = ss.Poisson(ss.exp(m.a + m.b + m.c)).observe([1, 0, 2, 3])
    return m


def iid() -> ss.Model:
    m = ss.Model("iid")
    m.mu = ss.Normal(0, 1)
    m.sigma = ss.HalfNormal(2)
    m.rate = ss.Gamma(2, 1)
    m.y = ss.Normal(m.mu, m.sigma).observe(np.linspace(-1, 2, 7))
    m.n = ss.Poisson(m.rate).observe([3, 1, 4, 0])
    m.k = ss.BernoulliLogit(m.mu).observe([1, 0, 1])
    return m


MODELS = {
    **ZOO,
    "loop": elementwise_regression,
    "logarithms": stable_logarithms,
    "iid": iid,
    "covariance": by_covariance,
    "factors": own_factors,
    "further": further_down,
}


@pytest.mark.parametrize("step", PASSES, ids=lambda p: p.name)
@pytest.mark.parametrize("name", MODELS)
def test_a_pass_keeps_the_density(name, step):
    instance = MODELS[name]().instance()
    after = instance.on(step.run(instance.graph))
    draws, _ = ancestral_draws(instance, 5, seed=1)
    for k in range(5):
        point = {t.value: draws[t.name][k] for t in instance.graph.latents}
        expected = joint_log_density(instance, point)
        np.testing.assert_allclose(joint_log_density(after, point), expected, rtol=1e-9, err_msg=f"{name} {step.name}")


@pytest.mark.parametrize("step", PASSES, ids=lambda p: p.name)
@pytest.mark.parametrize("name", MODELS)
def test_a_pass_is_idempotent(name, step):
    once = step.run(MODELS[name]().to_graph())
    assert graph_text(step.run(once)) == graph_text(once)


@pytest.mark.parametrize("name", ["loop", "logarithms", "iid"])
def test_targets_agree(name, stanc):
    m = MODELS[name]()
    stanc(m.stan_code())
    assert m.verify(points=3).ok, m.stan_code()


def test_a_loop_becomes_one_statement():
    text = elementwise_regression().stan_code()
    assert "y ~ normal_id_glm(predictors, a[index_1], [b]', s);" in text
    assert "y ~ normal(a[index_1] + b * data_1, s);" in elementwise_regression().stan_code(gather=False)
    assert elementwise_regression(6).stan_code() == elementwise_regression(11).stan_code()


def test_a_loop_keeps_its_own_names_in_the_draws():
    fit = elementwise_regression().mcmc(draws=30, warmup=50, chains=1, seed=1, engine="stanli", progress=False)
    assert "y_3" in fit.idata.log_likelihood.data_vars


def test_stable_forms():
    text = stable_logarithms().stan_code()
    for form in ("log1m(x)", "log1p_exp(x)", "log_inv_logit(x)", "log1m_exp(", "log_sum_exp(x)", "poisson_log("):
        assert form in text, text


def test_links_and_glm():
    x = np.linspace(-1, 1, 12).reshape(6, 2)
    m = ss.Model()
    m.b = ss.Normal(0, 1, shape=2)
    m.a = ss.Normal(0, 1)
    m.y = ss.Poisson(ss.exp(x @ m.b + m.a)).observe([1, 0, 2, 1, 0, 3])
    assert "y ~ poisson_log_glm(data_1, a, b);" in m.stan_code()
    assert "poisson_log_glm" not in m.stan_code(glm=False)
    assert "poisson_log(" not in m.stan_code(stable_forms=False)
    for switches in ({}, {"glm": False}, {"stable_forms": False}):
        from scistan.inference.verify import verify

        assert verify(m.instance(), 3, 0, **switches).ok


def test_group_effects_go_inside_a_glm():
    x = np.linspace(-1, 1, 12).reshape(6, 2)
    m = ss.Model()
    m.b = ss.Normal(0, 1, shape=2)
    m.u = ss.Normal(0, 1, shape=3)
    m.s = ss.HalfNormal(1)
    m.y = ss.Normal(m.u[np.array([0, 1, 2, 0, 1, 2])] + x @ m.b - 1.0, m.s).observe(np.zeros(6))
    assert "normal_id_glm(data_1, u[index_1] - 1.0, b, s)" in m.stan_code()
    assert m.verify(points=3).ok


def test_centred_turns_non_centring_off():
    def build(**option):
        m = ss.Model()
        m.tau = ss.HalfNormal(1)
        m.x = ss.Normal(0, m.tau, shape=4, **option)
        m.y = ss.Normal(m.x, 1).observe(np.zeros(4))
        return m

    assert "multiplier=tau" in build().stan_code()
    assert "multiplier" not in build(centred=True).stan_code()
    assert "multiplier" not in build(centered=True).stan_code()
    assert "multiplier" not in build().stan_code(noncenter=False)


def test_unknown_pass():
    with pytest.raises(ss.ModelError, match="no pass `gml`"):
        iid().stan_code(gml=False)


def test_explanation():
    explanation = MODELS["logistic"]().explain()
    assert ("glm", "y") in [(row[0], row[1]) for row in explanation.rows]
    assert "BernoulliLogitGLM" in repr(explanation)
    assert "<table>" in explanation._repr_html_()
    assert "vectorize" in explanation.idle


def test_stages_share_the_instance():
    instance = elementwise_regression().instance()
    stages = run_passes(instance.graph)
    assert isinstance(instance.on(stages.fused), Instance)
