"""GLM fusion: every family, the intercepts it takes, and the ways to write a linear predictor."""

import numpy as np
import pytest

import scistan as ss

N, K, J, C = 20, 3, 4, 4
RNG = np.random.default_rng(4)
X = RNG.normal(size=(N, K))
GROUP = np.concatenate([np.arange(J), RNG.integers(0, J, N - J)])
BINARY, COUNTS, REAL, CLASSES = RNG.integers(0, 2, N), RNG.poisson(2, N), RNG.normal(size=N), RNG.integers(0, C, N)
QUIET = {"log_lik": False, "predictive": False, "log_prior": False}

FAMILIES = {
    "normal": (lambda m, eta: ss.Normal(eta, m.s).observe(REAL), "normal_id_glm(X, {}, s)"),
    "normal, own scales": (
        lambda m, eta: ss.Normal(eta, m.s * np.ones(N)).observe(REAL),
        "normal_id_glm(X, {}, s * data_1)",
    ),
    "Bernoulli": (lambda m, eta: ss.Bernoulli(ss.inv_logit(eta)).observe(BINARY), "bernoulli_logit_glm(X, {})"),
    "binomial": (
        lambda m, eta: ss.Binomial(5, ss.inv_logit(eta)).observe(CLASSES),
        "binomial_logit_glm(rep_array(5, N), X, {})",
    ),
    "binomial, own totals": (
        lambda m, eta: ss.BinomialLogit(np.full(N, 6), eta).observe(CLASSES),
        "binomial_logit_glm(data_1, X, {})",
    ),
    "Poisson": (lambda m, eta: ss.Poisson(ss.exp(eta)).observe(COUNTS), "poisson_log_glm(X, {})"),
    "negative binomial": (
        lambda m, eta: ss.NegBinomial2(ss.exp(eta), m.s).observe(COUNTS),
        "neg_binomial_2_log_glm(X, {}, s)",
    ),
}
PREDICTORS = {
    "one intercept": (lambda m: m.a + m.X @ m.b, "a, b"),
    "a group's intercept": (lambda m: m.X @ m.b + m.alpha[m.g], "alpha[g], b"),
    "no intercept": (lambda m: m.X @ m.b, "0.0, b"),
}
WAYS = {
    "the product last": (lambda m: m.a + m.alpha[m.g] + m.X @ m.b, "X, a + alpha[g], b"),
    "the product first": (lambda m: m.X @ m.b + m.a, "X, a, b"),
    "subtracted": (lambda m: m.a - m.X @ m.b, "X, a, -b"),
    "intercept subtracted": (lambda m: m.X @ m.b - m.a, "X, -a, b"),
    "scaled": (lambda m: 2.0 * (m.X @ m.b) + m.a, "X, a, 2.0 * b"),
    "vector first": (lambda m: m.b @ m.X.T + m.a, "X, a, b"),
    "a sum over columns": (lambda m: ss.sum(m.X * m.b, axis=1) + m.a, "X, a, b"),
    "a computed design": (lambda m: (m.X - ss.mean(m.X, axis=0)) @ m.b + m.a, "subtract_X, a, b"),
    "an offset of data": (lambda m: m.X @ m.b + np.ones(N) + m.a, "X, data_1 + a, b"),
}


def _model() -> ss.Model:
    m = ss.Model("glm")
    m.X = ss.data(X)
    m.g = ss.data(GROUP)
    m.a = ss.Normal(0, 1)
    m.alpha = ss.Normal(0, 1, shape=J)
    m.b = ss.Normal(0, 1, shape=K)
    m.s = ss.HalfNormal(1)
    m.rest = ss.Normal(m.a + ss.sum(m.alpha) + ss.sum(m.b), m.s).observe(0.3)  # so that every latent is used
    return m


def _check(m: ss.Model, expected: str, stanc) -> None:
    text = m.stan_code()
    assert f"y ~ {expected};" in text
    assert not stanc(text)
    assert "_glm" not in m.stan_code(glm=False)
    assert m.verify(points=2).ok


@pytest.mark.parametrize("predictor", PREDICTORS)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_with_every_intercept(family, predictor, stanc):
    m, (observe, form), (eta, inside) = _model(), FAMILIES[family], PREDICTORS[predictor]
    m.y = observe(m, eta(m))
    _check(m, form.format(inside), stanc)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_write_it(way, stanc):
    m, (eta, inside) = _model(), WAYS[way]
    m.y = ss.Poisson(ss.exp(eta(m))).observe(COUNTS)
    _check(m, f"poisson_log_glm({inside})", stanc)


def _classes() -> ss.Model:
    m = _model()
    m.A = ss.Normal(0, 1, shape=C)
    m.B = ss.Normal(0, 1, shape=(K, C))
    m.more = ss.Normal(ss.sum(m.A), 1.0).observe(0.1)
    return m


@pytest.mark.parametrize(
    ("eta", "inside"),
    [(lambda m: m.A + m.X @ m.B, "A, B"), (lambda m: m.X @ m.B, "rep_vector(0, K_B), B")],
    ids=["intercepts", "none"],
)
def test_categories(eta, inside, stanc):
    m = _classes()
    m.y = ss.Categorical(ss.softmax(eta(m))).observe(CLASSES)
    _check(m, f"categorical_logit_glm(X, {inside})", stanc)


def test_categories_with_groups_have_no_fused_form(stanc):
    m = _classes()
    m.G = ss.Normal(0, 1, shape=(J, C))
    m.y = ss.CategoricalLogit(m.G[m.g] + m.X @ m.B).observe(CLASSES)
    assert "_glm" not in m.stan_code()
    stanc(m.stan_code())
    assert m.verify(points=2).ok


def test_ordered_categories(stanc):
    m = _model()
    m.c = ss.Normal(0, 2, shape=C - 1, constraint="ordered")
    m.y = ss.OrderedLogistic(m.X @ m.b, m.c).observe(CLASSES)
    _check(m, "ordered_logistic_glm(X, b, c)", stanc)
    m = _model()
    m.c = ss.Normal(0, 2, shape=C - 1, constraint="ordered")
    m.y = ss.OrderedLogistic(m.X @ m.b + m.alpha[m.g], m.c).observe(CLASSES)
    assert "y ~ ordered_logistic(X * b + alpha[g], c);" in m.stan_code()  # Stan's fused form has no intercept
    assert m.verify(points=2).ok


SINGLE = {
    "one row": lambda m: ss.Normal(m.row @ m.b, m.s).observe(REAL),
    "one row, ordered": lambda m: ss.OrderedLogistic(m.row @ m.b, [-1.0, 0.0, 1.0]).observe(CLASSES),
    "one row of categories": lambda m: ss.Categorical(ss.softmax(m.A + m.row @ m.B)).observe(CLASSES),
    "one vector of categories": lambda m: ss.Categorical(ss.softmax(m.W @ m.b)).observe(CLASSES),
    "one intercept of length 1": lambda m: ss.Categorical(ss.softmax(m.one + m.X @ m.B)).observe(CLASSES),
    "one total of length 1": lambda m: ss.Binomial(np.array([5]), ss.inv_logit(m.X @ m.b)).observe(CLASSES),
}


@pytest.mark.parametrize("single", SINGLE)
def test_lengths_of_one_are_repeated(single, stanc):
    """The fused forms repeat nothing: a single row or vector for all observations is written without them."""
    m = _classes()
    m.row, m.W, m.one = ss.data(X[:1]), ss.data(X[:C]), ss.Normal(0, 1, shape=1)
    m.y = SINGLE[single](m)
    m.last = ss.Normal(m.one + ss.sum(m.B), 1.0).observe([0.1])
    stanc(m.stan_code())
    assert ("_glm" in m.stan_code()) == (single == "one intercept of length 1")
    assert m.verify(points=2).ok
