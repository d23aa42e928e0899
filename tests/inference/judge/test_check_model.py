"""`fit.check_model()`: right models pass, wrong ones are told with what is wrong, and the numbers have closed forms."""

import numpy as np
import pytest
from scipy.stats import norm

import scistan as ss
from scistan.diagnostics import Context
from scistan.inference.judge.loo_pit import loo_pit
from scistan.inference.judge.predictive import Statistic, compare
from scistan.inference.judge.sensitivity import sensitivities, top_level
from tests.zoo import eight_schools, logistic

RUN = {"draws": 500, "warmup": 500, "seed": 1, "engine": "stanli", "progress": False}
RNG = np.random.default_rng(5)
X = RNG.normal(size=60)


def line(noise):
    m = ss.Model("line")
    m.a, m.b, m.s = ss.Normal(0, 5), ss.Normal(0, 5), ss.HalfNormal(3)
    m.y = ss.Normal(m.a + m.b * X, m.s).observe(1 + 2 * X + noise)
    return m


def counts(y):
    m = ss.Model("counts")
    m.rate = ss.Gamma(2, 0.2)
    m.y = ss.Poisson(m.rate).observe(y)
    return m


def test_a_right_model_is_not_complained_about():
    found = line(RNG.normal(size=60)).mcmc(**RUN).check_model()
    assert found.ok, found
    assert [c.statistic for c in found.statistics] == ["mean", "sd", "min", "max", "skew"]
    assert all(0 < c.p < 1 and 0 < c.mcse < 0.02 for c in found.statistics)
    assert "line: nothing found" in repr(found)
    assert {m.element for m in found.sensitivity} == {"a", "b", "s"}


def test_counts_with_too_many_zeros_are_told():
    found = counts(np.where(np.arange(80) % 2, 0, 6)).mcmc(**RUN).check_model()
    assert not found.ok
    told = {c.statistic: c for c in found.statistics}
    assert told["zeros"].observed == 0.5
    assert told["zeros"].p < 1e-3
    assert "the share of zeros of the data is 0.5" in repr(found)
    assert found.hint("LOO-PIT").suggestion.startswith("they are too narrow")
    assert "NegBinomial2" in found.hint("predictive check").suggestion


def test_a_scale_that_is_too_large_is_told():
    m = ss.Model("wide")
    m.a = ss.Normal(0, 5)
    m.y = ss.Normal(m.a, 3).observe(RNG.normal(size=60))
    found = m.mcmc(**RUN).check_model()
    assert found.calibration[0].spread < 0.6
    assert found.hint("LOO-PIT").suggestion.startswith("they are too wide")
    assert found.hint("predictive check").variables == ("y",)


def test_a_prior_against_the_data_is_told():
    m = ss.Model("conflict")
    m.a = ss.Normal(8, 0.5)
    m.y = ss.Normal(m.a, 1).observe([0.1, -0.4, 0.3, 0.2])
    found = m.mcmc(**RUN).check_model()
    hint = found.hint("prior sensitivity")
    assert hint.variables == ("a",)
    assert "where the two disagree" in hint.fact
    assert "predictions lie too high" in found.hint("LOO-PIT").suggestion
    assert "too wide" not in found.hint("LOO-PIT").suggestion


def test_data_that_say_nothing_are_told():
    m = ss.Model("weak")
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(m.a, 50).observe([3.0, -7.0])
    hint = m.mcmc(**RUN).check_model().hint("prior sensitivity")
    assert "the prior decides much of it" in hint.fact


def test_sensitivity_has_a_closed_form():
    """Posterior Normal(1, 1); the prior is Normal(0, 2) and the likelihood Normal(c, t): powers give normals again."""
    precision, shift = 1 / 4, 0.0
    data_precision, data_shift = 1 - precision, 1.0
    draws = norm(1, 1).ppf((np.arange(20_000) + 0.5) / 20_000)  # no noise: every quantile once

    def moved(which):
        steps = []
        for power in (0.99, 1.01):
            a, b = (power, 1.0) if which == "prior" else (1.0, power)
            total = a * precision + b * data_precision
            other = norm((a * shift + b * data_shift) / total, total**-0.5)
            z = np.linspace(-9, 11, 400_001)
            sides = []
            for p, q in ((other.cdf(z), norm(1, 1).cdf(z)), (other.sf(z), norm(1, 1).sf(z))):
                middle = (p + q) / 2
                with np.errstate(all="ignore"):
                    apart = np.nansum(p * np.log2(p / middle) + q * np.log2(q / middle))
                inside = (z > draws[0]) & (z < draws[-1])  # where there are draws
                sides.append(np.sqrt(apart / (p + q)[inside].sum()))
            steps.append(max(sides) / abs(np.log2(power)))
        return np.mean(steps)

    log_prior = norm(0, 2).logpdf(draws).reshape(2, -1)
    log_likelihood = norm(data_shift / data_precision, data_precision**-0.5).logpdf(draws).reshape(2, -1)
    (found,) = sensitivities({"a": draws.reshape(2, -1)}, log_prior, log_likelihood, Context())
    assert found.prior == pytest.approx(moved("prior"), rel=0.02)
    assert found.likelihood == pytest.approx(moved("likelihood"), rel=0.02)


def test_places_without_each_observation_have_a_closed_form():
    """mu ~ Normal(0, 2) and y ~ Normal(mu, 1): predictions are normal with an observation and without."""
    rng, y = np.random.default_rng(6), np.array([0.0, 0.3, -0.2, 2.5])
    mu = rng.normal(y.sum() / (4 + 1 / 4), (4 + 1 / 4) ** -0.5, size=(4, 10_000, 1))
    found = loo_pit("y", y, rng.normal(mu, 1, size=(4, 10_000, 4)), norm(mu, 1).logpdf(y), seed=1)
    for k, place in enumerate(found.places):
        rest = np.delete(y, k)
        precision = len(rest) + 1 / 4
        expected = norm(rest.sum() / precision, np.sqrt(1 + 1 / precision)).cdf(y[k])
        error = np.sqrt(expected * (1 - expected) / (40_000 / 4))  # weights cost less than three draws in four
        assert abs(place - expected) < 5 * error
    inside = norm(y.sum() / 4.25, np.sqrt(1 + 1 / 4.25)).cdf(y[3])
    assert found.places[3] - inside > 0.02  # so that the two are told apart
    assert found.unreliable == 0


def test_only_priors_that_depend_on_no_latent_are_scaled():
    assert [t.name for t in top_level(eight_schools().instance())] == ["mu", "tau"]


def test_ties_count_half():
    same = compare("y", Statistic("first", lambda x: x[:, 0]), np.array([2.0, 1.0]), np.full((2, 10, 2), 2.0))
    assert (same.p, same.low, same.high) == (0.5, 2.0, 2.0)


def test_statistics_of_ones_own():
    fit = line(RNG.normal(size=60)).mcmc(**RUN)
    found = fit.check_model(statistics={"range": np.ptp, "first": lambda y: y[0]})
    assert [c.statistic for c in found.statistics] == ["range", "first"]
    values = np.asarray(fit.subject.whole.data["y"])
    assert found.statistics[0].observed == pytest.approx(np.ptp(values))
    assert [c.statistic for c in fit.check_model(statistics=["max", np.median]).statistics] == ["max", "median"]
    with pytest.raises(ss.ModelError, match="the statistic `bad` failed: ZeroDivisionError"):
        fit.check_model(statistics={"bad": lambda y: 1 / 0})
    with pytest.raises(ss.ModelError, match="'median', which is none"):
        fit.check_model(statistics=["median"])
    with pytest.raises(ss.ModelError, match="level"):
        fit.check_model(level=0)


def test_kinds_of_outcomes():
    assert [c.statistic for c in logistic().mcmc(**RUN).check_model().statistics] == ["mean"]
    m = ss.Model("ordinal")
    m.b = ss.Normal(0, 1)
    m.cut = ss.Normal(0, 2, shape=2, constraint="ordered")
    m.y = ss.OrderedLogistic(m.b * X, m.cut).observe(RNG.integers(0, 3, 60))
    assert [c.statistic for c in m.mcmc(**RUN).check_model().statistics] == ["share of 0", "share of 1", "share of 2"]
    m = ss.Model("together")
    m.mu = ss.Normal(0, 1, shape=2)
    m.y = ss.MultivariateNormal(m.mu, cov=np.eye(2), shape=10).observe(RNG.normal(size=(10, 2)))
    found = m.mcmc(**RUN).check_model()
    assert found.calibration == ()
    assert "LOO-PIT not assessed: elements of `y` have one density together" in repr(found)
    flat = ss.Model("flat")
    flat.a = ss.Flat()
    flat.y = ss.Normal(flat.a, 1).observe(RNG.normal(size=10))
    assert "every prior is flat" in repr(flat.mcmc(**RUN).check_model())
    alone = ss.Model("alone")
    alone.a = ss.Normal(0, 1)
    with pytest.warns(UserWarning, match="nothing is observed"):
        fit = alone.mcmc(**RUN)
    with pytest.raises(ss.ModelError, match="`alone` observes nothing"):
        fit.check_model()


def test_tables_and_pictures():
    found = counts(np.where(np.arange(40) % 2, 0, 6)).mcmc(**RUN).check_model(draws=400)
    assert found.draws == 400
    assert list(found.to_dataframe()["statistic"]) == ["mean", "sd", "max", "skew", "zeros"]
    assert list(found.to_dataframe("calibration")["variable"]) == ["y"]
    assert list(found.to_dataframe("sensitivity")["element"]) == ["rate"]
    assert set(found.to_dataframe("hints")["check"]) == {"predictive check", "LOO-PIT"}
    assert "<table>" in found._repr_html_()
    assert len(found.plot().axes) == 2
    with pytest.raises(ss.ModelError, match="table"):
        found.to_dataframe("all")


@pytest.mark.filterwarnings("ignore::scistan.messages.sampling.ChainWarning")
def test_draws_that_are_ill_are_told_first():
    fit = counts([3, 1, 4]).mcmc(**{**RUN, "draws": 20, "warmup": 20})
    assert repr(fit.check_model()).splitlines()[1].startswith("  the fit is not healthy")
    assert "the fit is not healthy" in fit.check_model()._repr_html_()
    assert "the fit of all rows is not healthy" in repr(fit.kfold(k=3, seed=1, progress=False))


@pytest.mark.long
def test_false_alarms_are_as_rare_as_promised():
    """Over 200 data sets that the model made itself; `level` is 0.01 for statistics and 0.01 for calibration."""
    m = line(np.zeros(60))
    alarms = 0
    for seed in range(200):
        y = m.simulate(seed=seed)["y"]
        fit = m.with_data(y=y).mcmc(draws=500, warmup=500, seed=seed, engine="stanli", progress=False)
        alarms += any(h.check != "prior sensitivity" for h in fit.check_model().hints)
    assert alarms <= 12  # P(Binomial(200, 0.02) > 12) = 4e-4, and predictive p-values are conservative
