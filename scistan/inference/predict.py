"""`fit.predict`: the observed variables at new inputs, drawn by the SciPy lowering over posterior draws."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.given import as_choice, as_names, as_whole
from scistan.graph.instance import Instance
from scistan.graph.places import warn_at_users_line
from scistan.inference.arviz_data import group, to_inference_data
from scistan.inference.extrapolation import data_given, far_outside
from scistan.inference.freeze import freeze_statistics
from scistan.inference.generated import derived_quantities, predictive
from scistan.inference.levels import NEW_LEVELS, Asked, Latents, latents_at
from scistan.inference.memory import check_fits, sizes_of
from scistan.inference.prior import constant_data
from scistan.messages import declared
from scistan.messages import options as option_messages
from scistan.messages import prediction as words
from scistan.messages import sampling as messages
from scistan.profiling import staged
from scistan.targets.scipy.streams import use_seed

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["Question", "call_seed", "flat_draws", "predict", "rows_of", "used_seed"]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a fit: new data and labels, what to do at labels that are new, and how much to give."""

    data: object = None
    coords: Mapping[str, Sequence[object]] | None = None
    new_levels: str = "refuse"
    do: Mapping[str, object] = field(default_factory=dict)
    var_names: Sequence[str] | None = None
    draws: int | None = None

    def __post_init__(self) -> None:
        as_choice("new_levels", self.new_levels, NEW_LEVELS)
        if not isinstance(self.do, Mapping):
            raise option_messages.bad_option("do", self.do, "a dict of variables and their values", "{'x': 1.0}")
        if self.draws is not None:
            as_whole("draws", self.draws, most=None)


@staged("predict")
def predict(fit: Fit, question: Question, seed: int) -> Any:
    """Give `predictions` (observed and derived quantities) and `predictions_constant_data`."""
    subject = fit._need("prediction")
    if subject.model is None:
        raise messages.needs_model("prediction")
    levels = "refuse" if question.new_levels == "refuse" else "extend"
    instance = subject.model.elsewhere(question.data, question.coords, levels, question.do)
    fitted = subject.written_instance
    instance, frozen = freeze_statistics(fitted, instance)
    for term in instance.graph.latents:
        if term.name not in fit.posterior:
            raise messages.not_kept("prediction")
    names = _names(instance, question.var_names)
    _check_drawable(instance, names)
    chains, length = fit.shape
    rows = rows_of(chains, length, question.draws)
    check_fits(sizes_of(instance, names, rows.size), 1, words.prediction_too_big)
    flat = {t.name: flat_draws(fit.posterior[t.name]) for t in instance.graph.latents}
    # Draws are known by their numbers in the posterior, so that what is computed with both pairs them.
    numbers: dict[str, list[object]] = {"draw": rows[0].tolist()}
    asked = Asked(question.new_levels, int(fit.settings["seed"]), seed, frozenset(question.do))
    latents = latents_at(fitted, instance, flat, rows.ravel(), asked)
    posterior = {n: array.reshape(*rows.shape, *array.shape[1:]) for n, array in latents.draws.items()}
    arrays = _computed(instance, posterior, names, rows.shape, seed)
    for text in frozen:
        fit._note(words.stays_frozen(text))
    attributes = {
        "seed": seed,
        "model": fit.model_name,
        "model_hash": fit.model_hash,
        "engine": "scipy",
        **_told(fitted, instance, latents, question),
        "frozen": json.dumps(frozen),
    }
    return to_inference_data(
        {
            "predictions": group(arrays, instance.dims, {**instance.coords, **numbers}, attributes=attributes),
            "predictions_constant_data": constant_data(instance),
        }
    )


def call_seed(fit_seed: int, calls: int) -> int:
    """Give each call a stream of its own; the posterior predictive draws have the fit's."""
    return int(np.random.SeedSequence([fit_seed, calls]).generate_state(1)[0])


def used_seed(fit: Fit, seed: int | None) -> int:
    """Give the seed of a call: the one asked for, or the fit's next."""
    if seed is not None:
        return use_seed(seed)
    fit._calls += 1
    return call_seed(int(fit.settings["seed"]), fit._calls)


def _names(instance: Instance, asked: Sequence[str] | None) -> list[str]:
    """Give what to compute: all that is observed and derived, or what was asked for, latents too."""
    graph = instance.graph
    usual = [t.name for t in graph.observed] + list(graph.derived)
    if asked is None:
        return usual
    known = usual + [t.name for t in graph.latents]
    wanted = as_names("var_names", asked)
    for name in wanted:
        if name not in known:
            raise words.unknown_prediction(name, known)
    return wanted


def _check_drawable(instance: Instance, names: Sequence[str]) -> None:
    for term in instance.graph.observed:
        if term.name in names and not term.law.distribution.drawable:
            raise declared.no_draw([term.name], term.law.distribution.title, instance.graph.place_of(term))


def rows_of(chains: int, length: int, asked: int | None) -> np.ndarray:
    """Choose draws, as many from each chain, evenly spaced; first axis: chains."""
    each = length if asked is None else max(1, min(length, round(min(asked, chains * length) / chains)))
    within = np.linspace(0, length - 1, each).round().astype(np.intp) if each < length else np.arange(length)
    return np.arange(chains)[:, None] * length + within


def flat_draws(array: np.ndarray) -> np.ndarray:
    """Give chains and draws as one axis."""
    return array.reshape(array.shape[0] * array.shape[1], *array.shape[2:])


def _computed(
    instance: Instance, posterior: Mapping[str, np.ndarray], names: list[str], shape: tuple[int, ...], seed: int
) -> dict[str, np.ndarray]:
    graph = instance.graph
    observed = {t.name for t in graph.observed}
    drawn = predictive(instance, posterior, seed, shape) if observed & set(names) else {}
    derived = derived_quantities(instance, posterior, [n for n in names if n in graph.derived], shape, drawn, seed)
    found = {**posterior, **drawn, **derived}
    return {name: found[name] for name in names}


def _told(fitted: Instance, instance: Instance, latents: Latents, question: Question) -> dict[str, str]:
    """Say how predictions were made: which data were given, which stayed, and which labels are new."""
    given, stayed = data_given(fitted, instance)
    for far in far_outside(fitted, instance):
        warn_at_users_line(words.far_outside(far), words.PredictionWarning)
    new = {dim: [str(label) for label in labels] for dim, labels in latents.new.items()}
    return {
        "data_given": json.dumps(given),
        "data_of_the_fit": json.dumps(stayed),
        "new_levels": json.dumps(new),
        "new_levels_by": question.new_levels,
        "do": json.dumps(sorted(question.do)),
    }
