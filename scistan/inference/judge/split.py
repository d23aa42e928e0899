"""Some rows of a model's data: the same model on those rows alone, and whether its rows can be parted at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Data, Gathered, Node
from scistan.graph.places import first_place
from scistan.graph.walk import topological
from scistan.inference.freeze import freeze_statistics
from scistan.messages import leaving_out as messages
from scistan.shapes import Shape, Size, SizeConflict
from scistan.targets.scipy import pointwise_log_densities

__all__ = ["Rows", "check_rows_part", "rows_of"]

_ROUNDING = 1e-8  # of a log density, relative: what differs by more is computed from other rows


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of an observed variable: one of its axes, and all else that runs along it."""

    instance: Instance
    term: Term
    axis: int
    size: Size

    @property
    def count(self) -> int:
        return self.instance.length(self.size)

    def axes(self, shape: Shape) -> list[int]:
        """List which axes of a shape are these rows."""
        return [k for k, size in enumerate(shape) if self.instance.table.reduce(size) == self.size]

    def of(self, array: np.ndarray, shape: Shape, positions: np.ndarray, before: int = 0) -> np.ndarray:
        """Take rows of an array that has `before` further axes in front."""
        for axis in self.axes(shape):
            array = np.take(array, positions, axis=axis + before)
        return array

    def taken(self, positions: np.ndarray) -> Instance:
        """Give the model on these rows alone; statistics of the data stay as they were on all rows."""
        whole, row = self.instance, self.size
        values: dict[Data, np.ndarray] = {
            leaf: self.of(array, leaf.shape, positions)
            for leaf, array in whole.values.items()
            if not isinstance(leaf, Gathered)
        }
        own = self._dims()
        coords = {
            dim: [labels[k] for k in positions] if dim in own and len(labels) == self.count else labels
            for dim, labels in whole.coords.items()
        }
        given = tuple(
            (left, Size(len(positions)) if whole.table.reduce(left) == row else right) for left, right in whole.given
        )
        try:
            part = replace(whole, values=values, coords=coords, given=given)
            return freeze_statistics(whole, part)[0]
        except SizeConflict:
            raise messages.lengths_follow_rows(self.term.name, first_place(self.term.value)) from None

    def _dims(self) -> set[str]:
        """List the names under which the model knows these rows."""
        shapes: dict[str, Shape] = {t.name: t.law.shape for t in self.instance.graph.terms}
        shapes |= {name: node.shape for name, node in self.instance.graph.derived.items()}
        shapes |= {name: leaf.shape for leaf, name in self.instance.graph.data_names.items()}
        return {
            self.instance.dims[name][axis]
            for name, shape in shapes.items()
            for axis in self.axes(shape)
            if axis < len(self.instance.dims.get(name, ()))
        }


def rows_of(instance: Instance, term: Term, axis: int) -> Rows:
    """Find the rows along an axis of an observed variable, or say why it has none that can be left out."""
    name, place = term.name, first_place(term.value)
    batch = len(term.law.shape) - term.law.event_rank
    if not batch:
        raise messages.no_rows_to_leave_out(name, term.law.distribution.title, bool(term.law.shape), place)
    if axis >= batch:
        raise messages.axis_of_one_density(name, instance.dims[name][axis], term.law.distribution.title, place)
    size = instance.table.reduce(term.law.shape[axis])
    if len(size.terms) != 1 or size.constant or size.terms[0][1] != 1 or size.terms[0][0].rule is not None:
        raise messages.lengths_follow_rows(name, place)
    if term.value in topological(term.law.inputs):
        raise messages.depends_on_itself("fit.kfold()", name, place)
    rows = Rows(instance, term, axis, size)
    others = [t.name for t in instance.graph.observed if t is not term and rows.axes(t.law.shape)]
    if others:
        raise messages.rows_observed_twice(name, others, place)
    return rows


def check_rows_part(rows: Rows, draws: Mapping[str, np.ndarray]) -> None:
    """Refuse rows that depend on each other given the latents: on some of them alone, densities would be others.

    `draws` are a few of the latents' draws (first axis), at which both are computed.
    """
    for term in _along(rows):
        if any(axis >= len(term.law.shape) - term.law.event_rank for axis in rows.axes(term.law.shape)):
            raise messages.latent_ties_rows(term.name, rows.term.name, first_place(term.value))
        if term.law.distribution.improper:
            raise messages.latent_of_rows_improper(term.name, first_place(term.value))
    every = np.arange(rows.count)
    # The last alone sees sums over rows, every second one what lies side by side, all turned round what runs along.
    for positions in (every[-1:], every[1::2], every[::-1]):
        if len(positions):
            _check_alike(rows, draws, positions)


def _along(rows: Rows) -> list[Term]:
    """List the latents that have rows themselves."""
    return [t for t in rows.instance.graph.latents if rows.axes(t.law.shape)]


def _check_alike(rows: Rows, draws: Mapping[str, np.ndarray], positions: np.ndarray) -> None:
    """Compare densities on some rows alone with those of the same rows among all."""
    instance, part = rows.instance, rows.taken(positions)
    latents = instance.graph.latents
    whole: dict[Node, np.ndarray] = {t.value: draws[t.name] for t in latents}
    fewer: dict[Node, np.ndarray] = {
        t.value: rows.of(draws[t.name], t.law.shape, positions, before=1) for t in latents
    }
    terms = {t.name: t for t in (*_along(rows), rows.term)}
    expected = pointwise_log_densities(instance, whole, list(terms.values()))
    own = {t.name: t for t in part.graph.terms}
    try:
        found = pointwise_log_densities(part, fewer, [own[name] for name in terms])
    except (IndexError, ValueError):  # positions of rows that are no longer there
        raise messages.rows_depend(rows.term.name, rows.term.name, first_place(rows.term.value)) from None
    for name, term in terms.items():
        shape = term.law.shape[: len(term.law.shape) - term.law.event_rank]
        alike = rows.of(expected[name], shape, positions, before=1)
        if alike.shape != found[name].shape or not _equal(alike, found[name]):
            raise messages.rows_depend(name, rows.term.name, first_place(term.value))


def _equal(left: np.ndarray, right: np.ndarray) -> bool:
    return bool(np.allclose(left, right, rtol=_ROUNDING, atol=_ROUNDING, equal_nan=True))
