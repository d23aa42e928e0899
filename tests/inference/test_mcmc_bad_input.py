"""What cannot be is refused before anything starts, and a chain that cannot start names the culprit."""

import numpy as np
import pytest

import scistan as ss
from tests.zoo import counts, eight_schools, logistic


@pytest.fixture(autouse=True)
def nothing_runs(monkeypatch):
    """Fail if an engine is reached."""
    def never(*_):
        raise AssertionError("an engine was started")

    monkeypatch.setattr("scistan.inference.run.run_everywhere", never)
    monkeypatch.setattr("scistan.inference.run.decide", never)



@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"draws": 0}, "`draws` must be a whole number of at least 1, and is 0"),
        ({"draws": 10.5}, "`draws` must be a whole number"),
        ({"draws": True}, "`draws` must be a whole number"),
        ({"chains": 0}, "`chains` must be a whole number of at least 1"),
        ({"warmup": -1}, "`warmup` must be a whole number of at least 0"),
        ({"seed": -3}, "seed"),
        ({"engine": "jags"}, "there is no engine 'jags'"),
        ({"engine": None}, "there is no engine None"),
        ({"engine": "stanli", "thin": 0}, "`thin` must be a whole number of at least 1"),
        ({"engine": "nutpie", "thin": 2}, "'nutpie' has no option `thin`"),
        ({"engine": "cmdstan", "metric": "low_rank"}, "'cmdstan' has no metric 'low_rank'"),
        ({"adaptdelta": 0.9}, "did you mean `adapt_delta`?"),
        ({"adapt_delta": 1.2}, "`adapt_delta` must be a number between 0 and 1, and is 1.2"),
        ({"metric": "full"}, "'auto' has no metric 'full'"),
        ({"samples": 100}, "it is called `draws` here"),
        ({"tune": 100}, "it is called `warmup` here"),
        ({"cores": 2, "engine": "stanli"}, "it is called `parallel_chains` here"),
        ({"target_accept": 0.9}, "it is called `adapt_delta` here"),
        ({"random_seed": 1}, "it is called `seed` here"),
        ({"draws": -1}, "try: write `draws=1000`"),
        ({"draws": 1e3}, "try: write `draws=1000`"),
        ({"chains": 0}, "try: write `chains=4`"),
        ({"adapt_delta": 1.5}, "try: write `adapt_delta=0.95`"),
        ({"executor": 3}, "`executor` must have a method `submit`"),
    ],
)
def test_settings(settings, words):
    with pytest.raises(ss.ModelError) as caught:
        counts().mcmc(**settings)
    assert words in str(caught.value)
    assert "test_mcmc_bad_input.py" in str(caught.value)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"z": [1.0]}, "z"),
        ({"x": np.zeros((30, 3, 2))}, "x"),
        ({"x": np.zeros((29, 3))}, "29|30"),
        ({"y": np.full(30, 2)}, "y"),
        ({"x": np.full((30, 3), np.nan)}, "NaN"),
    ],
)
def test_data(data, words):
    with pytest.raises(ss.ScistanError, match=words):
        logistic().mcmc(data=data)


def test_promised_data_that_never_came():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1, shape=3).observe()
    with pytest.raises(ss.ScistanError, match="`y`"):
        m.mcmc()


def test_a_model_without_latents():
    m = ss.Model()
    m.y = ss.Normal(0, 1).observe([0.5])
    for model in (m, ss.Model()):
        with pytest.raises(ss.ModelError, match="no latents: there is nothing to sample"):
            model.mcmc()


# -- chains that cannot start ---------------------------------------------------------------------------
class TestCulprits:
    """The term that is not finite, at which observation, with the numbers that make it so."""

    @pytest.fixture(autouse=True)
    def nothing_runs(self):
        return

    @pytest.mark.parametrize("engine", ["stanli", "nutpie", "auto"])
    def test_an_observation_that_cannot_be(self, engine):
        m = ss.Model()
        m.rate = ss.HalfNormal(1)
        m.shift = ss.data([0.0, 0.0, 3.0])
        m.y = ss.Exponential(m.rate * 0 - m.shift + 1).observe([1.0, 2.0, 0.5])
        with pytest.raises(ss.SamplingError) as caught:
            m.mcmc(engine=engine, draws=10, warmup=10, seed=1, progress=False)
        words = str(caught.value)
        assert "`beta` of Exponential must be positive, and is -2 for `y[2]`, observed as 0.5, where rate = " in words
        assert "m.y = ss.Exponential" in words

    def test_a_latent_that_cannot_be(self):
        m = ss.Model()
        m.a = ss.Normal(0, 1)
        m.b = ss.Normal(0, -ss.exp(m.a), centred=True)
        m.y = ss.Normal(m.b, 1).observe([1.0])
        with pytest.raises(ss.SamplingError, match="`sigma` of Normal must be positive, and is -.* for `b`, where a = "):
            m.mcmc(engine="stanli", seed=1, progress=False)

    @pytest.mark.parametrize(
        ("given", "shown"),
        [
            (lambda S: {"cov": S}, "`cov` of MultivariateNormal must be a positive-definite matrix, and is a matrix whose "
             "smallest eigenvalue is 0"),
            (lambda S: {"chol": S}, "`chol` of MultivariateNormal must be a Cholesky factor of a covariance matrix"),
            (lambda S: {"chol": ss.cholesky(S)}, "`chol` of MultivariateNormal cannot be computed for `y[0]`"),
        ],
    )
    def test_a_matrix_without_a_factor(self, given, shown):
        m = ss.Model()
        m.a = ss.HalfNormal(1)
        m.y = ss.MultivariateNormal(np.zeros(2), **given(m.a * np.array([[0.0, 0.0], [0.0, 1.0]]))).observe(np.ones((3, 2)))
        with pytest.raises(ss.SamplingError, match=r"for `y\[0\]`, observed as \[1. 1.\], where a = ") as caught:
            m.mcmc(engine="stanli", seed=1, progress=False)
        assert shown in str(caught.value)

    def test_a_start_that_cannot_be(self):
        m = ss.Model()
        m.a = ss.Normal(0, 1)
        m.y = ss.Poisson(1.0 * m.a).observe([3])
        with pytest.raises(ss.SamplingError, match=r"`lambda_` of Poisson must be not negative, and is -1 for `y\[0\]`"):
            m.mcmc(engine="stanli", inits={"a": -1.0}, seed=1, progress=False)

    @pytest.mark.parametrize(
        ("family", "words"),
        [
            (lambda m: ss.Poisson(ss.exp(m.a) * m.effort), "under Poisson is not finite at the value 0 with lambda_ = 0"),
            (lambda m: ss.PoissonLog(m.a + ss.log(m.effort)), "at the value 0 with alpha = -inf"),
        ],
    )
    def test_a_gradient_that_is_not_finite(self, family, words):
        m = ss.Model()
        m.a = ss.Normal(0, 1)
        m.effort = ss.data([1.0, 0.0, 2.0])
        m.z = ss.Normal(m.a, 1).observe([0.5])
        m.y = family(m).observe([1, 0, 2])
        assert m.log_density({"a": 0.3}) == pytest.approx(m.log_density({"a": 0.3}, target="torch"))
        assert np.isfinite(m.log_density({"a": 0.3}))
        with pytest.raises(ss.SamplingError) as caught:
            m.mcmc(engine="stanli", seed=1, progress=False)
        assert "Stan's gradient of the log density of `y`[1]" in str(caught.value)
        assert words in str(caught.value)
        assert "leave out the observations with" in str(caught.value)

    def test_data_far_beyond_the_prior_are_no_culprit(self):
        m = eight_schools().with_data(y=np.full(8, 1e6))
        fit = m.mcmc(engine="stanli", draws=20, warmup=20, chains=1, seed=1, progress=False)
        assert fit.shape == (1, 20)
