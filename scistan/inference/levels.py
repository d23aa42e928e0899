"""Latents at new inputs: draws matched by label, and the effects of labels that were never fitted."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scistan.distributions.resolve import batch_rank
from scistan.graph.beside import labels_along, labels_beside
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.labels import Labels
from scistan.inference.columns import check_columns
from scistan.inference.replaced import replaced_rows
from scistan.messages import prediction as messages
from scistan.shapes import Size
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy import NUMPY, conditional_mean, draw_term
from scistan.targets.scipy.streams import stream

__all__ = ["NEW_LEVELS", "Asked", "Latents", "latents_at"]

NEW_LEVELS = ("refuse", "draw", "average")
_NEW = -1


@dataclass(frozen=True, slots=True)
class Latents:
    """Draws of the latents at new inputs (first axis: draws), and the labels of each dim that were never fitted."""

    draws: Mapping[str, np.ndarray]
    new: Mapping[str, list[object]]


@dataclass(frozen=True, slots=True)
class Asked:
    """What to do at new elements, the seeds of those with labels and of those without, and what `do` set."""

    policy: str
    fit_seed: int
    seed: int
    done: frozenset[str] = frozenset()  # what `do` set


@dataclass(frozen=True, slots=True)
class _Axis:
    """Where the elements along one axis of a latent come from: a position that was fitted, or none."""

    dim: str
    sources: np.ndarray
    labels: Labels | None  # None: rows without labels, which are new rows
    fitted: tuple[object, ...] = ()  # what was fitted along it, where that has labels

    @property
    def new(self) -> np.ndarray:
        return np.flatnonzero(self.sources == _NEW)


def latents_at(
    fitted: Instance, instance: Instance, posterior: Mapping[str, np.ndarray], rows: np.ndarray, question: Asked
) -> Latents:
    """Match the draws of every latent with the labels of new inputs, at the draws `rows`; new ones as was asked.

    The effect of a new label depends on the fit's seed, the variable and the label alone, so that it is the same in
    every call; the effects of new rows without labels depend on the call's own seed.
    """
    terms = instance.graph.latents  # in the order they were written: parents first
    replaced = replaced_rows(fitted, instance, question.done)
    own = labels_beside(fitted), labels_beside(instance)
    axes = {
        t.name: [_axis(fitted, instance, t, axis, replaced, own) for axis in range(len(t.law.shape))] for t in terms
    }
    check_columns(fitted, instance)
    labelled = [axis for along in axes.values() for axis in along if axis.labels is not None and len(axis.new)]
    # What is new by its label is drawn for all draws, so that it is the same whichever of them are asked for.
    before, after = (slice(None), rows) if labelled else (rows, slice(None))
    evaluator = Evaluator(instance, NUMPY)
    found: dict[str, np.ndarray] = {}
    for term in terms:
        draws, along = posterior[term.name][before], axes[term.name]
        if any(len(axis.new) for axis in along):
            policy = _policy(instance, term, along, question.policy)
            _check(term, along, policy)
            streams = _Streams(question.fit_seed, question.seed, term.name)
            draws = _with_new(instance, term, along, draws, policy, evaluator, streams)
        else:
            draws = _taken(draws, along)
        found[term.name] = draws[after]
        evaluator.set(term.value, draws, batched=True)
    new = {axis.dim: [axis.labels.values[int(k)] for k in axis.new] for axis in labelled if axis.labels is not None}
    return Latents(found, new)


def _axis(
    fitted: Instance, instance: Instance, term: Term, axis: int, replaced: set[Size],
    of_data: tuple[Mapping[Size, tuple[str, Labels]], Mapping[Size, tuple[str, Labels]]],
) -> _Axis:
    dim = instance.dims[term.name][axis]
    size = instance.table.reduce(term.law.shape[axis])
    before, after = fitted.length(size), instance.length(size)
    old, new = (labels_along(one, dim, n) for one, n in ((fitted, before), (instance, after)))
    if old is None and new is None and all(size in known for known in of_data):
        (_, old), (dim, new) = (known[size] for known in of_data)
    if old is not None and new is not None and not (old.implied and new.implied):
        if old == new:
            return _Axis(dim, np.arange(after), new)
        if old.repeated or new.repeated:
            return _Axis(dim, np.full(after, _NEW), None)
        places = [old.places.get(label, _NEW) for label in new.places]  # both are in order, each label once
        return _Axis(dim, np.array(places, dtype=np.intp), new, tuple(old))
    unlabelled = all(one is None or one.implied for one in (old, new))
    if before == after and size not in replaced and unlabelled:
        return _Axis(dim, np.arange(after), None)
    return _Axis(dim, np.full(after, _NEW), None if unlabelled else new)


def _taken(draws: np.ndarray, axes: list[_Axis]) -> np.ndarray:
    """Take the draws of elements that were fitted; those of new ones are filled in later."""
    for k, axis in enumerate(axes, 1):
        if not np.array_equal(axis.sources, np.arange(draws.shape[k])):
            if draws.shape[k] == 0:
                return np.empty((len(draws), *(len(a.sources) for a in axes)))
            draws = np.take(draws, np.maximum(axis.sources, 0), axis=k)
    return draws


def _policy(instance: Instance, term: Term, axes: list[_Axis], asked: str) -> str:
    """Draw a state where a row is new, whatever is asked of levels: it has no mean, and is no effect of a label."""
    if not term.law.distribution.discrete:
        return asked
    rows = {dim for observed in instance.graph.observed for dim in instance.dims[observed.name]}
    new = [axis for axis in axes if len(axis.new)]
    is_row = all(axis.labels is None or axis.dim in rows for axis in new)
    return "draw" if is_row or asked == "average" else asked


def _check(term: Term, axes: list[_Axis], policy: str) -> None:
    """Refuse new elements where that was not asked for, or where they are not free of the others."""
    name = term.name
    first = next(axis for axis in axes if len(axis.new))
    labels = [first.labels.values[int(k)] for k in first.new] if first.labels is not None else []
    if term.law.distribution.rule is not None:
        raise messages.new_times(name, first.dim, len(first.new))
    if policy == "refuse":
        raise messages.new_levels_refused(name, first.dim, labels, len(first.new))
    for axis in axes:
        _check_spelling(axis)
    batch = batch_rank(term.law)
    within = [axis for axis in axes[batch:] if len(axis.new)]
    if within:
        raise messages.new_levels_tied(name, within[0].dim, term.law.distribution.title)
    if term.law.distribution.improper:
        raise messages.new_levels_improper(name, first.dim)


def _check_spelling(axis: _Axis) -> None:
    """Refuse a new label that reads as one that was fitted: '10' for 10 is a slip, and no other site."""
    if axis.labels is None or not len(axis.new):
        return
    fitted = {_read(label): label for label in axis.fitted}
    for k in axis.new:
        label = axis.labels.values[int(k)]
        if _read(label) in fitted:
            raise messages.new_level_reads_alike(axis.dim, label, fitted[_read(label)])


def _read(label: object) -> object:
    """Give what a label reads as, whatever its type: a number, or text."""
    text = str(label)
    try:
        return float(text)
    except ValueError:
        return text


class _Streams:
    """Random numbers for new elements: by label where they have one, else the call's own."""

    def __init__(self, fit_seed: int, seed: int, name: str) -> None:
        self.fit_seed, self.name = fit_seed, name
        self.rows = stream(seed, f"new rows of {name}")

    def of(self, labels: list[object]) -> np.random.Generator:
        """Give the stream of one cell; rows without labels share one, each further on."""
        if not labels:
            return self.rows
        return stream(self.fit_seed, f"{self.name}[{', '.join(map(_spelled, labels))}]")


def _spelled(label: object) -> str:
    """Write a label so that equal ones are written alike: 50 and 50.0, a day in whatever unit."""
    if isinstance(label, np.datetime64 | np.timedelta64):
        return str(label.astype(f"{label.dtype.kind}8[ns]"))
    plain = label.item() if isinstance(label, np.generic) else label
    return repr(int(plain) if isinstance(plain, float) and plain.is_integer() else plain)


def _with_new(
    instance: Instance, term: Term, axes: list[_Axis], draws: np.ndarray, policy: str, evaluator: Evaluator,
    streams: _Streams,
) -> np.ndarray:
    """Fill in the elements that were never fitted, cell by cell of the labelled axes."""
    result = np.array(_taken(draws, axes))
    labelled = {k: axis.labels for k, axis in enumerate(axes[: batch_rank(term.law)]) if axis.labels is not None}
    unlabelled_new = [k for k, axis in enumerate(axes) if axis.labels is None and len(axis.new)]
    for cell in itertools.product(*(range(len(axes[k].sources)) for k in labelled)):
        at = dict(zip(labelled, cell, strict=True))
        if not unlabelled_new and not any(axes[k].sources[position] == _NEW for k, position in at.items()):
            continue
        names = [] if unlabelled_new else [labelled[k].values[position] for k, position in at.items()]
        if policy == "draw":
            made = draw_term(instance, term, len(result), streams.of(names), evaluator, at)
        else:
            mean = conditional_mean(instance, term, len(result), evaluator, at)
            if mean is None:
                raise messages.no_conditional_mean(term.name, term.law.distribution.title)
            made = mean
        key = tuple(slice(at[k], at[k] + 1) if k in at else slice(None) for k in range(len(axes)))
        result[(slice(None), *key)] = made
    return result
