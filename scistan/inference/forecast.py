"""`fit.forecast`: every series run on beyond its end, by its own law, at the draws of the posterior."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.given import as_names, as_whole
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Data, Node
from scistan.inference.arviz_data import group, to_inference_data
from scistan.inference.later import labels_after
from scistan.inference.memory import check_fits
from scistan.inference.predict import flat_draws, rows_of
from scistan.messages import forecast as words
from scistan.messages import sampling as messages
from scistan.profiling import staged
from scistan.shapes import Shape, Size
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy import NUMPY, draw_term
from scistan.targets.scipy.series import draw_series
from scistan.targets.scipy.streams import stream

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["axes_of_time", "forecast"]

_LABEL = 100.0  # bytes that a number, and its place in two lists, may take in Python
_MOST = 10**18  # steps that a float counts without running over


@dataclass(frozen=True, slots=True)
class _Ahead:
    """The model with all that runs along time made longer: by how much, and what time was and is."""

    fitted: Instance
    later: Instance
    times: frozenset[Size]
    steps: int

    def axis(self, shape: Shape) -> int | None:
        """Give the axis of a shape that is time, if it has one."""
        return _time_axis(self.fitted, self.times, shape)


@staged("forecast")
def forecast(
    fit: Fit, steps: int, data: object, var_names: Sequence[str] | None, draws: int | None, seed: int
) -> Any:
    """Give `predictions`: every quantity along time, for the steps behind the last."""
    subject = fit._need("a forecast")
    if subject.model is None:
        raise messages.needs_model("a forecast")
    steps = as_whole("steps", steps, most=None)
    if draws is not None:
        as_whole("draws", draws, most=None)
    rows = rows_of(*fit.shape, draws)
    _check_size(subject.written_instance, rows.size, steps)
    ahead = _ahead(subject.written_instance, subject.model, data, steps)
    for term in ahead.fitted.graph.latents:
        if term.name not in fit.posterior:
            raise messages.not_kept("a forecast")
    names = _names(ahead, var_names)
    flat = {t.name: flat_draws(fit.posterior[t.name])[rows.ravel()] for t in ahead.fitted.graph.latents}
    found = _run_on(ahead, flat, names, rows.size, seed)
    shaped = {name: array.reshape(*rows.shape, *array.shape[1:]) for name, array in found.items()}
    coords = {**_tail_coords(ahead), "draw": rows[0].tolist()}
    made_by = {"model": fit.model_name, "model_hash": fit.model_hash, "engine": "scipy"}
    attributes = {"seed": seed, **made_by, "steps": steps}
    return to_inference_data({"predictions": group(shaped, ahead.later.dims, coords, attributes=attributes)})


def _check_size(fitted: Instance, rows: int, steps: int) -> None:
    """Refuse a forecast that does not fit into memory: all that runs along time is held from its first step on."""
    shapes, times = _shapes(fitted), _times(fitted)
    long = float(min(steps, _MOST)) + max(fitted.length(time) for time in times)
    sizes = {
        name: 8.0 * rows * long * math.prod(fitted.shape(shapes[name][:axis] + shapes[name][axis + 1 :]))
        for name, axis in _along_time(fitted, times).items()
    }
    # Twice: the whole of it, and what lies ahead. The labels of the steps are Python's own objects.
    check_fits({**sizes, "labels": _LABEL * long}, 2, partial(words.too_long, steps))


def axes_of_time(fit: Fit) -> dict[str, int]:
    """Give every variable that runs along the time of a series, and which of its axes that is."""
    fitted = fit._need("a forecast").written_instance
    return _along_time(fitted, _times(fitted))


def _series(fitted: Instance) -> list[Term]:
    found = [t for t in fitted.graph.terms if t.law.distribution.rule is not None]
    if not found:
        raise words.no_series()
    return found


def _times(fitted: Instance) -> frozenset[Size]:
    return frozenset(fitted.table.reduce(t.law.shape[0]) for t in _series(fitted))


def _along_time(fitted: Instance, times: frozenset[Size]) -> dict[str, int]:
    found = {name: _time_axis(fitted, times, shape) for name, shape in _shapes(fitted).items()}
    return {name: axis for name, axis in found.items() if axis is not None}


def _shapes(fitted: Instance) -> dict[str, Shape]:
    graph = fitted.graph
    own = {t.name: t.law.shape for t in graph.terms if not t.is_potential}
    return own | {name: node.shape for name, node in graph.derived.items()}


# -- the model, longer ------------------------------------------------------------------------------
def _ahead(fitted: Instance, model: Any, data: object, steps: int) -> _Ahead:
    series = _series(fitted)
    times = _times(fitted)
    along = {leaf: axis for leaf in fitted.values if (axis := _time_axis(fitted, times, leaf.shape)) is not None}
    observed = {t.value for t in fitted.graph.observed}
    wanted = {leaf: fitted.graph.data_names.get(leaf, "") for leaf in along if leaf not in observed}
    there = None if data is None else model.elsewhere(data, None, "extend", {})
    given = _future(fitted, there, along, wanted, steps)
    values = {
        leaf: np.concatenate([array, given.get(leaf, _repeated(array, along[leaf], steps))], axis=along[leaf])
        if leaf in along else array
        for leaf, array in fitted.values.items()
    }
    lengths = tuple(
        (one, Size(fitted.length(one) + steps)) if fitted.table.reduce(one) in times else (one, other)
        for one, other in fitted.given
    )
    dims = {fitted.dims[t.name][0] for t in series}
    coords = {
        dim: [*labels, *_labels(dim, labels, there, steps)] if dim in dims else labels
        for dim, labels in fitted.coords.items()
    }
    return _Ahead(fitted, replace(fitted, values=values, given=lengths, coords=coords), times, steps)


def _time_axis(fitted: Instance, times: frozenset[Size], shape: Shape) -> int | None:
    return next((k for k, size in enumerate(shape) if fitted.table.reduce(size) in times), None)


def _future(
    fitted: Instance, there: Instance | None, along: Mapping[Data, int], wanted: Mapping[Data, str], steps: int
) -> dict[Data, np.ndarray]:
    """Give the data of the steps ahead; what the model needs of them and was not given is asked for by name."""
    found: dict[Data, np.ndarray] = {}
    for leaf in wanted:
        array = None if there is None else there.values.get(leaf)
        if array is not None and array is not fitted.values[leaf] and array.shape[along[leaf]] == steps:
            found[leaf] = array
        elif array is not None and array is not fitted.values[leaf]:
            raise words.other_length(wanted[leaf], array.shape[along[leaf]], steps)
    missing = [name for leaf, name in wanted.items() if leaf not in found]
    if missing:
        raise words.future_needed([name for name in missing if name], len(missing), steps)
    return found


def _repeated(array: np.ndarray, axis: int, steps: int) -> np.ndarray:
    """Stand in for what is going to be drawn."""
    return np.repeat(np.take(array, [-1], axis=axis), steps, axis=axis)


def _labels(dim: str, labels: Sequence[object], there: Instance | None, steps: int) -> Sequence[object]:
    own = there.coords.get(dim) if there is not None and dim not in there.counted else None
    if own is not None and len(own) == steps and list(own) != list(labels):
        return own
    return labels_after(labels, steps)


def _tail_coords(ahead: _Ahead) -> dict[str, list[object]]:
    """Give the labels of the steps ahead; times without labels are counted on."""
    fitted = ahead.fitted.coords
    found: dict[str, list[object]] = {
        dim: labels[len(fitted[dim]) :] if len(labels) != len(fitted[dim]) else labels
        for dim, labels in ahead.later.coords.items()
    }
    shapes = _shapes(ahead.fitted)
    for name, axis in _along_time(ahead.fitted, ahead.times).items():
        length = ahead.fitted.shape(shapes[name])[axis]
        found.setdefault(ahead.later.dims[name][axis], list(range(length, length + ahead.steps)))
    return found


# -- running it on ----------------------------------------------------------------------------------
def _names(ahead: _Ahead, asked: Sequence[str] | None) -> list[str]:
    known = list(_along_time(ahead.fitted, ahead.times))
    if asked is None:
        return known
    wanted = as_names("var_names", asked)
    for name in wanted:
        if name not in known:
            raise words.not_along_time(name, known)
    return wanted


def _run_on(
    ahead: _Ahead, flat: Mapping[str, np.ndarray], names: list[str], draws: int, seed: int
) -> dict[str, np.ndarray]:
    later, graph = ahead.later, ahead.later.graph
    evaluator = Evaluator(later, NUMPY)
    found: dict[str, np.ndarray] = {}
    with np.errstate(all="ignore"):
        for term in graph.terms:
            if term.is_potential:
                continue
            array = _extended(ahead, term, flat, draws, evaluator, seed)
            if array is not None:
                evaluator.set(term.value, array, batched=True)
                found[term.name] = array
        nodes: dict[str, Node] = {name: graph.derived[name] for name in names if name in graph.derived}
        for name, node in nodes.items():
            value = evaluator[node]
            found[name] = value.array if value.batched else np.broadcast_to(
                value.array, (draws, *later.shape(node.shape)))
    shapes = {t.name: t.law.shape for t in graph.terms} | {name: node.shape for name, node in nodes.items()}
    return {name: _tail(found[name], ahead.axis(shapes[name]), ahead.steps) for name in names}


def _tail(array: np.ndarray, axis: int | None, steps: int) -> np.ndarray:
    """Take the steps ahead along the axis of time; the first axis runs over draws."""
    along = 1 + (axis or 0)
    return np.take(array, range(array.shape[along] - steps, array.shape[along]), axis=along)


def _extended(
    ahead: _Ahead, term: Term, flat: Mapping[str, np.ndarray], draws: int, evaluator: Evaluator, seed: int
) -> np.ndarray | None:
    """Give a variable at all times: what was fitted or observed, and behind it what its law says."""
    axis = ahead.axis(term.law.shape)
    if term.is_observed and axis is None:
        return None
    if term.is_observed:
        own = ahead.fitted.values[term.value]  # type: ignore[index]
        known = np.broadcast_to(own, (draws, *own.shape))
    else:
        known = flat[term.name]
    if axis is None:
        return known
    rng = stream(seed, term.name)
    if term.law.distribution.rule is not None:
        return draw_series(ahead.later, term, draws, rng, evaluator, known)
    if axis >= len(term.law.shape) - term.law.event_rank:
        raise words.tied_over_time(term.name, term.law.distribution.title)
    whole = np.array(draw_term(ahead.later, term, draws, rng, evaluator))
    before = [slice(None)] * whole.ndim
    before[1 + axis] = slice(0, known.shape[1 + axis])
    whole[tuple(before)] = known
    return whole
