"""Wording of `fit.check_model()`: what it found, and what may mend it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scistan.errors import ModelError
from scistan.graph.places import user_place
from scistan.messages.judge import listed
from scistan.messages.values import as_given


def nothing_to_check(model: str) -> ModelError:
    return ModelError(
        f"`{model}` observes nothing: there are no data to compare its predictions with.",
        remedy="observe some; a prior alone is looked at by `m.prior()`",
        place=user_place(),
    )


def bad_statistic(given: object, known: Iterable[str]) -> ModelError:
    remedy = f"the statistics are {', '.join(known)}; your own are functions of one data set, `{{'range': np.ptp}}`"
    return ModelError(f"`statistics` has {as_given(given)}, which is none.", remedy=remedy, place=user_place())


def statistic_failed(name: str, why: str) -> ModelError:
    return ModelError(
        f"the statistic `{name}` failed: {why}",
        remedy="it is given the data as one row of numbers, and gives a number",
        place=user_place(),
    )


def no_pit(name: str, distribution: str) -> str:
    return f"elements of `{name}` have one density together ({distribution})"


def no_proper_prior() -> str:
    return "every prior is flat"


def densities_not_finite() -> str:
    return "a log density is not finite at some draws"


def fit_is_ill(verdict: str) -> str:
    return f"the fit is not healthy, and what follows rests on its draws: {verdict}; see fit.diagnose() first"


def check_verdict(model: str, checks: Sequence[str]) -> str:
    if not checks:
        return f"{model}: nothing found: predictions look like the data, and the posterior rests on the likelihood"
    return f"{model}: {len(checks)} finding(s): {', '.join(dict.fromkeys(checks))}"


def statistic_off(variable: str, statistic: str, observed: float, low: float, high: float, p: float) -> str:
    name = _STATISTICS.get(statistic, statistic)
    return (
        f"{variable}: the {name} of the data is {observed:.4g}, and of data drawn by the "
        f"fit {low:.4g} to {high:.4g} (90 %); {p:.2%} of them are larger."
    )


_STATISTICS = {"zeros": "share of zeros"}
_MENDED = {
    "mean": "look for a missing intercept, predictor or group, or for a prior that holds the location back",
    "sd": "let the scale be a latent, or take a distribution with a scale of its own (`ss.NegBinomial2` for counts)",
    "min": "look at the smallest observations; consider heavier tails (`ss.StudentT`) or a bound (`lower=`)",
    "max": "look at the largest observations; consider heavier tails (`ss.StudentT`, `ss.NegBinomial2`)",
    "skew": "consider a skewed distribution (`ss.LogNormal`, `ss.Gamma`, `ss.SkewNormal`) or a transformed outcome",
    "zeros": "consider `ss.NegBinomial2`, or a distribution of one's own with a probability of an extra zero",
}


def mend_statistic(statistic: str) -> str:
    return _MENDED.get(statistic, "look at where data and draws differ: `fit.posterior_predictive`")


def pit_off(variable: str, mean: float, spread: float, count: int, p: float) -> str:
    return (
        f"{variable}: places of {count} observations in predictions without them are not uniform (p = {p:.2g}): mean "
        f"{mean:.2f} (should be 0.5), spread {spread:.2f} (should be 1)."
    )


_FAR = 0.25


def mend_calibration(variable: str, mean: float, spread: float, count: int) -> str:
    told = []
    if abs(mean - 0.5) > _FAR:  # where all lie at one end, their spread tells nothing more
        spread = 1.0
    if abs(mean - 0.5) > 2 * 0.29 / count**0.5:
        told.append(f"predictions lie too {'low' if mean > 0.5 else 'high'}: look for what shifts `{variable}`")
    if spread - 1 > 2 * 0.45 / count**0.5:
        told.append("they are too narrow: let the scale be larger, add groups, or take heavier tails")
    if 1 - spread > 2 * 0.45 / count**0.5:
        told.append("they are too wide: look for outliers that inflate the scale, or a predictor that is missing")
    return "; ".join(told) or "look at `.plot()`: the shape of the distribution differs from the data's"


def prior_conflict(elements: Sequence[str], limit: float) -> str:
    return (
        f"the posterior of {listed(elements)} moves with the prior and with the likelihood (above {limit}), as it does "
        "where the two disagree."
    )


def mend_conflict() -> str:
    return "compare prior and data, `m.prior()`; if the prior is not meant to count against the data, widen it"


def prior_alone(elements: Sequence[str], limit: float) -> str:
    return (
        f"the posterior of {listed(elements)} moves with the prior (above {limit}) and hardly with the likelihood: the "
        "prior decides much of it."
    )


def mend_prior_alone() -> str:
    return "report the prior with the result, and see whether others that are plausible change the conclusion"


def pit_unreliable(variable: str, count: int) -> str:
    return f"{variable}: {count} place{'s' * (count != 1)} with a large Pareto k, see `fit.loo()`"


def more_sensitivities(count: int) -> str:
    return f"… and {count} more elements that move less, in `.to_dataframe('sensitivity')`"
