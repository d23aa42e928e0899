"""Wording of the verbs that judge a model: their tasks, calibration and leave-one-out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scistan.errors import DataError, ModelError, SamplingError, UnsupportedError
from scistan.graph.places import user_place
from scistan.messages.arguments import nearest

_SHOWN = 5


class JudgeWarning(UserWarning):
    """A judgement of a model that is not reliable as it stands."""




def listed(names: Sequence[object], most: int = _SHOWN) -> str:
    """Show some of many."""
    shown = ", ".join(map(str, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


# -- tasks and their folder -------------------------------------------------------------------------
def other_study(path: object, parts: Sequence[str], held: str, verb: str) -> DataError:
    if "verb" in parts:
        what = f"holds results of {held}, not of {verb}"
    else:
        what = f"holds results of another study: the {' and the '.join(parts)} differ"
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


# -- loo --------------------------------------------------------------------------------------------
def loo_matched(labels: Sequence[str], good: float, left: int) -> str:
    rest = f"; {left} of them stay{'s' * (left == 1)} above" if left else ""
    return f"loo: Pareto k was above {good:.2f} for {listed(labels)}: estimated anew by moment matching{rest}"


def loo_unreliable(labels: Sequence[str], worst: float, good: float, moved: bool, why: str, name: str) -> str:
    done = ", after moment matching," if moved else ""
    because = f" (moment matching could not be done: {why})" if why else ""
    return (
        f"loo: Pareto k{done} is up to {worst:.2f} (should be below {good:.2f}) for {listed(labels)}{because}: "
        f"their densities are not reliable. `fit.kfold()` refits without rows; look at these observations, and at a "
        f"distribution with heavier tails for `{name}`"
    )


def given_states(name: str, latents: Sequence[str]) -> SamplingError:
    shown = ", ".join(f"`{one}`" for one in latents)
    return SamplingError(f"the log likelihood of `{name}` is that given the draws of {shown}, which cannot be moved.")
