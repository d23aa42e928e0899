"""Wording of the verbs that judge a model: sbc, loo, kfold and check_model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scistan.errors import DataError, ModelError, Place, SamplingError, UnsupportedError
from scistan.graph.places import user_place
from scistan.messages.model import nearest
from scistan.messages.values import as_given

_SHOWN = 5


class JudgeWarning(UserWarning):
    """A judgement of a model that is not reliable as it stands."""


_KEYS = {"verb": "verb", "model": "model", "data": "data", "settings": "settings", "seed": "seed", "format": "format"}


def listed(names: Sequence[object], most: int = _SHOWN) -> str:
    """Show some of many."""
    shown = ", ".join(map(str, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


# -- tasks and their folder -------------------------------------------------------------------------
def other_study(path: object, parts: Sequence[str], held: str, verb: str) -> DataError:
    if "verb" in parts:
        what = f"holds results of {held}, not of {verb}"
    else:
        what = f"holds results of another study: the {' and the '.join(_KEYS[p] for p in parts)} differ"
    return DataError(
        f"the folder {path} {what}.",
        remedy="give another folder, or make the same call as before to go on with it",
        place=user_place(),
    )


def strange_folder(path: object) -> DataError:
    return DataError(
        f"the folder {path} has files in it and no results of ours.",
        remedy="give a new or an empty folder",
        place=user_place(),
    )


def broken_folder(path: object, why: str) -> DataError:
    return DataError(
        f"the folder {path} cannot be gone on with: its `study.json` cannot be read ({why}).",
        remedy="give another folder",
        place=user_place(),
    )


def cannot_keep(path: object, why: str) -> DataError:
    return DataError(
        f"results cannot be written to {path}: {why}.", remedy="name another folder, or make room", place=user_place()
    )


def results_reused(count: int) -> str:
    return f"{count} result{'s' * (count != 1)} taken from the folder"


def tasks_failed(verb: str, failed: Mapping[int, str], asked: int) -> SamplingError:
    number, why = next(iter(failed.items()))
    return SamplingError(
        f"{len(failed)} of {asked} fits of {verb} failed; number {number}: {why}",
        remedy="with `folder=`, the same call makes those alone that are missing",
        place=user_place(),
    )


def no_matplotlib() -> UnsupportedError:
    return UnsupportedError(
        "plots need matplotlib, which is not installed.", remedy="pip install 'scistan[plot]'", place=user_place()
    )


# -- sbc --------------------------------------------------------------------------------------------
def sbc_observes_nothing(model: str) -> ModelError:
    return ModelError(
        f"`{model}` observes nothing: there are no data to simulate and to fit.",
        remedy="make a variable observed; `.observe()` without values and with `shape=` or `dims=` is enough",
        place=user_place(),
    )


def depends_on_itself(verb: str, name: str, place: Place | None) -> UnsupportedError:
    return UnsupportedError(
        f"{verb} cannot take `{name}` apart: its distribution is given by its own values, as in a series.",
        remedy="judge it by `fit.check_model()`, or by data that come later",
        place=place or user_place(),
    )


def nothing_to_rank(name: object, known: Iterable[str]) -> ModelError:
    return ModelError(
        f"`var_names` names `{name}`, which has no ranks: latents and derived quantities have.",
        remedy=nearest(str(name), known),
        place=user_place(),
    )


def simulated_not_finite(name: str, value: float) -> SamplingError:
    return SamplingError(
        f"the prior simulated {value:g} for `{name}`.",
        remedy="look at `m.prior()`: tighten the prior that makes such data possible",
        place=user_place(),
    )


def replication_cut_short(why: str) -> SamplingError:
    return SamplingError(f"not every chain came to its end: {why}", place=user_place())


def every_replication_failed(failed: Mapping[int, str]) -> SamplingError:
    why = next(iter(failed.values()), "")
    return SamplingError(f"no replication could be made; the first: {why}", place=user_place())


def replications_made(made: int, asked: int, interrupted: bool) -> str:
    of = f" of {asked}" if made < asked else ""
    return f"{made}{of} replications{' (interrupted)' if interrupted else ''}"


def sbc_verdict(model: str, made: str, elements: int, bad: Sequence[str], level: float) -> str:
    at = f"(family-wise level {level:g})"
    if bad:
        return f"{model}: NOT calibrated over {made}: the ranks of {listed(bad)} are not uniform {at}"
    quantities = "quantity" if elements == 1 else "quantities"
    return f"{model}: calibrated over {made}: the ranks of {elements} {quantities} are uniform {at}"


def rank_shape(mean: float, spread: float, count: int) -> str:
    """`mean` has the standard error 0.29 / sqrt(count), `spread` about 0.45 / sqrt(count)."""
    told = []
    if abs(mean - 0.5) > 2 * 0.29 / count**0.5:
        told.append(f"draws lie too {'low' if mean > 0.5 else 'high'}")
    if abs(spread - 1) > 2 * 0.45 / count**0.5:
        told.append(f"posterior too {'narrow' if spread > 1 else 'wide'}")
    return ", ".join(told) or "ranks are uneven"


def sbc_divergences(fits: int, of: int) -> str:
    return f"{fits} of {of} fits had divergences: with a higher `adapt_delta`, ranks tell of the model alone"


def sbc_failures(failed: Mapping[int, str], asked: int) -> str:
    number, why = next(iter(failed.items()))
    return f"{len(failed)} of {asked} replications failed and are not among these, number {number}: {why}"


# -- rows that are left out -------------------------------------------------------------------------
_SERIES = "judge it by `fit.check_model()`, or by rows that come after all those fitted"


def refits_by_mcmc(method: str) -> UnsupportedError:
    return UnsupportedError(
        f"`fit.kfold()` refits by `m.mcmc()`, and this fit is by {method}.",
        remedy="sample first: `m.mcmc().kfold()`",
        place=user_place(),
    )


def which_rows(names: Sequence[str]) -> ModelError:
    shown = ", ".join(f"`{name}`" for name in names)
    return ModelError(
        f"the model observes {shown}, and rows of one of them are left out.",
        remedy=f'name it, `fit.kfold(var_name="{names[0]}")`',
        place=user_place(),
    )


def no_rows_to_leave_out(name: str, distribution: str, has_shape: bool, place: Place | None) -> UnsupportedError:
    why = f"its elements have one density together ({distribution})" if has_shape else "it is a single number"
    return UnsupportedError(
        f"`{name}` has no rows that could be left out: {why}.",
        remedy="observe an array whose first axis counts the observations" if not has_shape else _SERIES,
        place=place or user_place(),
    )


def axis_of_one_density(name: str, dim: str, distribution: str, place: Place | None) -> UnsupportedError:
    return UnsupportedError(
        f"`{name}` cannot be parted along `{dim}`: its elements there have one density together ({distribution}).",
        remedy="part it along another dim",
        place=place or user_place(),
    )


def lengths_follow_rows(name: str, place: Place | None) -> UnsupportedError:
    return UnsupportedError(
        f"rows of `{name}` cannot be left out: other lengths of the model follow from how many there are.",
        remedy=_SERIES,
        place=place or user_place(),
    )


def rows_observed_twice(name: str, others: Sequence[str], place: Place | None) -> UnsupportedError:
    shown = ", ".join(f"`{other}`" for other in others) + (" is" if len(others) == 1 else " are")
    return UnsupportedError(
        f"rows of `{name}` cannot be left out alone: along them {shown} observed.",
        remedy="observe them as one, for instance by `ss.MultivariateNormal`, or use `fit.loo(var_name=...)`",
        place=place or user_place(),
    )


def rows_depend(term: str, observed: str, place: Place | None) -> UnsupportedError:
    return UnsupportedError(
        f"rows of `{observed}` cannot be left out: the density of `{term}` at a row depends on other rows.",
        remedy=_SERIES,
        place=place or user_place(),
    )


def latent_ties_rows(latent: str, observed: str, place: Place | None) -> UnsupportedError:
    return UnsupportedError(
        f"rows of `{observed}` cannot be left out: `{latent}` ties them to each other.",
        remedy=_SERIES,
        place=place or user_place(),
    )


def latent_of_rows_improper(latent: str, place: Place | None) -> UnsupportedError:
    return UnsupportedError(
        f"`{latent}` has a flat prior for each row: nothing is known of it for a row that is left out.",
        remedy="give it a proper prior, for instance `ss.Normal(mu, tau)` with latent `mu` and `tau`",
        place=place or user_place(),
    )


def unknown_groups(by: object, known: Iterable[str]) -> ModelError:
    return ModelError(
        f"`by` is {as_given(by)}, which is neither a dim of what is observed nor data of the model.",
        remedy=nearest(str(by), known),
        place=user_place(),
    )


def groups_not_along(by: str, observed: str) -> ModelError:
    return ModelError(
        f"`{by}` has not one label for each row of `{observed}`.",
        remedy=f"give `by` the name of data along the rows of `{observed}`, or one of its dims",
        place=user_place(),
    )


def nothing_to_part(by: str | None, count: int) -> ModelError:
    what = "row" if by is None else f"group of `{by}`"
    return ModelError(
        f"there is {'no' if not count else 'one'} {what}: nothing is left to fit to.",
        remedy="cross-validation needs at least two",
        place=user_place(),
    )


def more_folds_than_groups(k: int, count: int, by: str | None) -> ModelError:
    what = "rows" if by is None else f"groups of `{by}`"
    return ModelError(f"k={k} folds of {count} {what}.", remedy=f"write `k={count}` or less", place=user_place())


def kfold_verdict(model: str, variable: str, k: int, by: str | None, count: int) -> str:
    parts = f"{k} folds" if by is None else f"{k} folds by `{by}`"
    return f"{model}: {count} values of {variable}, each predicted by a fit without it, {parts}"


def folds_ill(ill: Mapping[int, str], k: int) -> str:
    number, verdict = next(iter(ill.items()))
    return f"{len(ill)} of {k} fits are not healthy, fold {number}: {verdict}"


# -- loo --------------------------------------------------------------------------------------------
def loo_matched(labels: Sequence[str], good: float, left: int) -> str:
    rest = f"; {left} of them stay above" if left else ""
    return f"loo: Pareto k was above {good:.2f} for {listed(labels)}: estimated anew by moment matching{rest}"


def loo_unreliable(labels: Sequence[str], worst: float, good: float, moved: bool, why: str, name: str) -> str:
    done = ", after moment matching," if moved else ""
    because = f" (moment matching could not be done: {why})" if why else ""
    return (
        f"loo: Pareto k{done} is up to {worst:.2f} (should be below {good:.2f}) for {listed(labels)}{because}: "
        f"their densities are not reliable. `fit.kfold()` refits without rows; look at these observations, and at a "
        f"distribution with heavier tails for `{name}`"
    )


# -- check_model ------------------------------------------------------------------------------------
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
    return _MENDED.get(statistic, "look at where data and draws differ: `fit.posterior_predictive()`")


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
        "data say little of it."
    )


def mend_prior_alone() -> str:
    return "report the prior with the result, and see whether others that are plausible change the conclusion"


def pit_unreliable(variable: str, count: int) -> str:
    return f"{variable}: {count} place{'s' * (count != 1)} with a large Pareto k, see `fit.loo()`"


def more_sensitivities(count: int) -> str:
    return f"… and {count} more elements that move less, in `.to_dataframe('sensitivity')`"
