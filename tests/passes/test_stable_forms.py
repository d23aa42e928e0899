"""Stable forms: each rule before and after, and the digits it keeps."""

import numpy as np
import pytest

import scistan as ss
from scistan.graph.text import short_text
from scistan.passes.stable import use_stable_forms


def _model() -> ss.Model:
    m = ss.Model("forms")
    m.x = ss.Normal(0, 1)
    m.y = ss.Normal(0, 1)
    m.p = ss.Beta(2, 2)
    m.q = ss.Beta(2, 2, shape=3)
    m.v = ss.Normal(0, 1, shape=3)
    m.s = ss.HalfNormal(1)
    m.theta = ss.Dirichlet(np.ones(3))
    m.table = ss.Normal(0, 1, shape=(2, 3))
    m.d = ss.data([0.5, 1.0, 2.0])
    return m


# what the user writes, and what becomes of it
RULES = {
    "log1m": (lambda m: ss.log(1 - m.p), "log1m(p)"),
    "log1m of a complement": (lambda m: ss.log1m(1 - m.p), "log(p)"),
    "log1m of inv_logit": (lambda m: ss.log1m(ss.inv_logit(m.x)), "log_inv_logit(negative(x))"),
    "log1m of Phi": (lambda m: ss.log1m(ss.Phi(m.x)), "log_Phi(negative(x))"),
    "log1m of exp": (lambda m: ss.log1m(ss.exp(-m.s)), "log1m_exp(negative(s))"),
    "log1p": (lambda m: ss.log(m.p + 1), "log1p(p)"),
    "softplus": (lambda m: ss.log(1 + ss.exp(m.x)), "softplus(x)"),
    "log1m_exp": (lambda m: ss.log(1 - ss.exp(m.x)), "log1m_exp(x)"),
    "log_inv_logit": (lambda m: ss.log(ss.inv_logit(m.x)), "log_inv_logit(x)"),
    "log of a complement": (lambda m: ss.log(1 - ss.inv_logit(m.x)), "log_inv_logit(negative(x))"),
    "log_Phi": (lambda m: ss.log(ss.Phi(m.x)), "log_Phi(x)"),
    "Phi of the other tail": (lambda m: 1 - ss.Phi(m.x), "Phi(negative(x))"),
    "log_sum_exp": (lambda m: ss.log(ss.sum(ss.exp(m.v))), "logsumexp(v)"),
    "weighted log_sum_exp": (lambda m: ss.log(ss.sum(m.theta * ss.exp(m.v))), "logsumexp((log(theta) + v))"),
    "log of two exps": (lambda m: ss.log(ss.exp(m.x) + ss.exp(m.y)), "logaddexp(x, y)"),
    "mixture of two": (
        lambda m: ss.log(m.p * ss.exp(m.x) + (1 - m.p) * ss.exp(m.y)),
        "logaddexp((log(p) + x), (log1m(p) + y))",
    ),
    "log_softmax": (lambda m: ss.log(ss.softmax(m.v)), "log_softmax(v)"),
    "log of exp": (lambda m: ss.log(ss.exp(m.x)), "x"),
    "product of probabilities": (lambda m: ss.log(m.p * m.q), "(log(p) + log(q))"),
    "product with exp": (lambda m: ss.log(m.s * ss.exp(m.x)), "(log(s) + x)"),
    "ratio of probabilities": (lambda m: ss.log(m.p / m.theta), "(log(p) - log(theta))"),
    "prod of probabilities": (lambda m: ss.log(ss.prod(m.q)), "sum(log(q))"),
    "prod of complements": (lambda m: ss.log(ss.prod(1 - m.q)), "sum(log1m(q))"),
    "inv_logit by hand": (lambda m: 1 / (1 + ss.exp(-m.x)), "inv_logit(x)"),
    "inv_logit by hand, the other way": (lambda m: ss.exp(m.x) / (1 + ss.exp(m.x)), "inv_logit(x)"),
    "softmax by hand": (lambda m: ss.exp(m.v) / ss.sum(ss.exp(m.v)), "softmax(v)"),
    "expm1": (lambda m: ss.exp(m.x) - 1, "expm1(x)"),
    "a Gaussian process": (
        lambda m: m.s**2 * ss.exp(-((m.v[:, None] - m.v[None, :]) ** 2) / (2 * m.p**2)),
        "gp_exp_quad_cov(v, s, p)",
    ),
    "a Gaussian process, another way": (
        lambda m: ss.exp(-0.5 * ss.square((m.v[None, :] - m.v[:, None]) / m.s)),
        "gp_exp_quad_cov(v, 1.0, s)",
    ),
    "dot product": (lambda m: ss.sum(m.v * m.q), "(v @ q)"),
    "products of rows": (lambda m: ss.sum(m.v * m.table, axis=1), "(table @ v)"),
    "a vector in front of a matrix": (lambda m: m.v @ m.table.T, "(table @ v)"),
    "log_sum_exp with one exponent": (lambda m: ss.log(ss.sum(m.theta * ss.exp(m.x))), "logsumexp((log(theta) + x))"),
    "a mark for prediction": (lambda m: m.x * ss.frozen(m.d), "(x * d)"),
    "another mark": (lambda m: m.x * ss.live(m.d), "(x * d)"),
    "twice negative": (lambda m: ss.negative(-m.x), "x"),
}
# what must stay: the rule's condition does not hold
KEPT = {
    "a product of unknown sign": (lambda m: ss.log(m.x * m.y), "log((x * y))"),
    "a product of scales": (lambda m: ss.log(m.s * m.s), "log((s * s))"),
    "a sum of a scale and exp": (lambda m: ss.log(m.s + ss.exp(m.x)), "log((s + exp(x)))"),
    "a prod of unknown sign": (lambda m: ss.log(ss.prod(m.v)), "log(prod(v))"),
}


def _after(write) -> str:
    m = _model()
    m.result = write(m)
    graph = use_stable_forms(m.to_graph())
    names = {term.value: term.name for term in graph.terms} | dict(graph.data_names)
    return short_text(graph.derived["result"], names)


@pytest.mark.parametrize("name", [*RULES, *KEPT])
def test_before_and_after(name):
    write, expected = {**RULES, **KEPT}[name]
    assert _after(write) == expected


def test_targets_agree_on_every_form(stanc):
    m = _model()
    for k, (write, _) in enumerate(RULES.values()):
        if "1 - exp" not in _after(write):
            m[f"r{k}"] = write(m)
    quantities = [ss.sum(m[f"r{k}"]) for k, name in enumerate(RULES) if name != "log1m_exp"]
    m.out = ss.Normal(sum(quantities[1:], quantities[0]), 10.0).observe(0.3)
    stanc(m.stan_code())
    assert m.verify(points=4).ok


def test_products_of_many_probabilities_do_not_underflow():
    m = ss.Model("many")
    m.q = ss.Beta(1, 1, shape=400)
    m.r = ss.log(ss.prod(m.q))
    m.y = ss.Normal(m.r, 1.0).observe(-800.0)
    text = m.stan_code()
    assert "sum(log(q))" in text
    # 0.1 ** 400 is 0 in double precision, so only the rewritten form has a finite density there.
    graph = use_stable_forms(m.to_graph())
    from scistan.targets.scipy import joint_log_density

    instance = m.instance()
    point = {instance.graph.latents[0].value: np.full(400, 0.1)}
    assert np.isfinite(joint_log_density(instance.on(graph), point))


def test_axes_in_their_own_order_are_no_transpose():
    m = ss.Model("square")
    m.x, m.b = ss.data(np.arange(9.0).reshape(3, 3)), ss.Normal(0, 1, shape=3)
    m.y = ss.Normal(m.b @ ss.transpose(m.x, (0, 1)), 1).observe([0.1, 0.2, 0.3])
    assert m.verify(points=3).ok


@pytest.mark.parametrize("form", [lambda m: m.v[:, None] / 0, lambda m: m.v[None, :] * (1e200 * m.s) ** 2])
def test_numbers_beyond_all_bounds_are_no_kernel(form):
    m = _model()
    m.k = ss.exp(form(m))
    assert "gp_exp_quad_cov" not in m.stan_code(log_lik=False, predictive=False)
