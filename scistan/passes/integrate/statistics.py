"""The sums over rows that a density of normal layers needs: products of columns, group by group."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from scistan.graph.node import Node
from scistan.passes.integrate.layers import Form, Layer
from scistan.passes.integrate.part import Part
from scistan.passes.integrate.structure import Structure, groups_of, held

__all__ = ["Columns", "Products", "Shift", "Statistics", "Walk", "gather"]

MOST_CELLS = 200_000_000  # of a table of rows and columns: 1.6 GB
PIECE = 1 << 15  # rows that are summed at a time
MUCH = 100.0  # times more than what is left of it: then what is observed is measured from a fit


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """Numbers from which latents and what is sampled are measured: near their values, so that little cancels."""

    slots: np.ndarray  # groups, slots
    others: np.ndarray
    known: np.ndarray  # one for each column; that of the number 1 is 0

    @classmethod
    def none(cls, structure: Structure, columns: Columns) -> Shift:
        """Measure everything from 0."""
        return cls(
            np.zeros((structure.groups, structure.slots)), np.zeros(structure.count), np.zeros(len(columns.known))
        )


@dataclass(slots=True)
class Columns:
    """What the columns of the statistics are multiples of: a latent's slot or element, or a sampled number, scaled."""

    slots: list[tuple[int, Node | None]] = field(default_factory=list)
    others: list[tuple[int, Node | None]] = field(default_factory=list)
    known: list[tuple[Node | None, int, Node | None]] = field(default_factory=lambda: [(None, 0, None)])

    @property
    def are_still(self) -> bool:
        """Whether nothing that is sampled scales any of them."""
        latents = all(scale is None for _, scale in (*self.slots, *self.others))
        return latents and all(source is None and scale is None for source, _, scale in self.known)


@dataclass(slots=True, eq=False)
class Products:
    """Sums of products of columns: within a group, with the group before it, with what is beside, and of that.

    `beside` has the columns of the other latents first, then those that are known once all else is sampled.
    """

    within: np.ndarray  # slots, slots, groups
    before: np.ndarray  # slots, slots of the group before, groups
    across: np.ndarray  # slots, groups, beside
    beside: np.ndarray  # beside, beside

    def copy(self) -> Products:
        return Products(self.within.copy(), self.before.copy(), self.across.copy(), self.beside.copy())

    def add(self, other: Products) -> None:
        self.within += other.within
        self.before += other.before
        self.across += other.across
        self.beside += other.beside


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """The steps of a chain of single elements, from the second on: one row for each, of 0 where none ties it.

    Their products would lose the digits of small steps, so they stay as they are. Each row is measured by one of the
    precisions, whose weights are 0 for the others.
    """

    weights: Mapping[Node, np.ndarray]  # steps
    here: np.ndarray  # steps, slots
    before: np.ndarray
    beside: np.ndarray  # steps, beside


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """The products for each precision that multiplies them, and the steps of a chain of single elements."""

    columns: Columns
    shift: Shift
    products: dict[Node, Products]
    walk: Walk | None = None


def gather(layers: Sequence[Layer], structure: Structure) -> Statistics | None:
    """Sum over the rows of every layer; None where the table would be too large."""
    columns = _columns(layers, structure)
    width = len(columns.slots) + len(columns.others) + len(columns.known)
    if max((form.rows for layer in layers for form in layer.forms), default=0) * width > MOST_CELLS:
        return None
    if not all(np.isfinite(part.columns).all() for layer in layers for form in layer.forms for part in form.parts):
        return None
    plain = Shift.none(structure, columns)
    observed = _summed([layer for layer in layers if layer.observed], structure, columns, plain)
    walking, rest = _walking(layers, structure)
    shift = _pilot(observed, structure, columns, held(rest, structure))
    if shift is None and not any(layer.observed for layer in walking):  # what was summed of the data serves as it is
        others = _summed([layer for layer in rest if not layer.observed], structure, columns, plain)
        found = _together(observed, others, rest)
    else:
        found = _summed(rest, structure, columns, plain if shift is None else shift)
    walk = _walk(walking, structure, columns, plain if shift is None else shift) if walking else None
    return Statistics(columns, plain if shift is None else shift, found, walk)


def _walking(layers: Sequence[Layer], structure: Structure) -> tuple[list[Layer], list[Layer]]:
    """Part layers into rows that make a chain of single elements, one at most for each step, and all others."""
    if not structure.chained or structure.slots != 1:
        return [], list(layers)
    tying, rest = [], []
    steps: list[np.ndarray] = []
    for layer in layers:
        ends = [groups_of(form, structure.blocks) for form in layer.forms]
        ties = np.any([low < high for low, high in ends], axis=0)
        if not ties.any():
            rest.append(layer)
            continue
        if len(ends) > 1:
            return [], list(layers)
        tying.append(layer.rows(np.flatnonzero(ties)))
        rest += [] if ties.all() else [layer.rows(np.flatnonzero(~ties))]
        steps.append(ends[0][1][ties])
    met = np.concatenate(steps)
    return (tying, rest) if len(np.unique(met)) == len(met) else ([], list(layers))


def _walk(layers: Sequence[Layer], structure: Structure, columns: Columns, shift: Shift) -> Walk:
    count, beside = structure.groups - 1, len(columns.others) + len(columns.known)
    walk = Walk({}, *(np.zeros((count, n)) for n in (len(columns.slots), len(columns.slots), beside)))
    weights: dict[Node, np.ndarray] = {}
    for layer in layers:
        rows = _rows(layer.forms[0], structure, columns, shift)
        at = rows.group - 1
        weights.setdefault(layer.precision[0, 0], np.zeros(count))[at] = layer.weights
        walk.here[at], walk.before[at], walk.beside[at] = rows.here, rows.before, rows.beside
    return replace(walk, weights=weights)


def _pilot(
    observed: Mapping[Node, Products], structure: Structure, columns: Columns, still: tuple[set[int], set[int]]
) -> Shift | None:
    """Fit what is observed by least squares, by what can be moved; None where that explains too little of it.

    What is `still` stays around 0, and so does what is scaled: in the fit it would take a share of what is far away.
    """
    if not observed:
        return None
    first, *rest = observed.values()
    total = first.copy()
    for part in rest:
        total.add(part)
    tied = structure.kernel is not None  # and its covariance is that around 0
    free = [] if tied else _movable(columns.slots, still[0])
    groups, many = structure.groups, len(columns.others)
    others = _movable(columns.others, still[1])
    beside = [*others, *range(many + 1, many + len(columns.known))]
    within = np.moveaxis(total.within[np.ix_(free, free)], -1, 0)
    within = within + _ridge(within.diagonal(axis1=1, axis2=2).max(initial=1.0)) * np.eye(len(free))
    across = np.moveaxis(total.across[free], 0, 1)  # groups, slots, beside
    solved = np.linalg.solve(within, across) if free else np.zeros((groups, 0, across.shape[-1]))
    dense = total.beside - np.einsum("gam,gan->mn", across, solved)
    matrix = dense[np.ix_(beside, beside)]
    matrix = matrix + np.diag(_ridge(total.beside.diagonal()[beside]))
    numbers = -np.linalg.lstsq(matrix, dense[beside, many], rcond=None)[0]
    left = dense[many, many] + numbers @ dense[beside, many]
    if not np.all(np.isfinite(numbers)) or total.beside[many, many] <= MUCH * max(left, 0.0):
        return None
    whole = np.zeros(many + len(columns.known))
    whole[beside] = numbers
    whole[many] = 1.0
    shift = Shift.none(structure, columns)
    shift.slots[:, [columns.slots[k][0] for k in free]] = -solved @ whole  # groups, slots
    shift.others[[columns.others[k][0] for k in others]] = numbers[: len(others)]
    shift.known[1:] = numbers[len(others) :]
    return shift


def _movable(columns: Sequence[tuple[int, Node | None]], still: Collection[int]) -> list[int]:
    """List the columns of what is nowhere scaled, and not still."""
    scaled = {at for at, scale in columns if scale is not None}
    return [k for k, (at, _) in enumerate(columns) if at not in scaled and at not in still]


def _ridge(size: Any) -> Any:
    return 1e-10 * np.maximum(size, 1e-300)


def _summed(
    layers: Sequence[Layer], structure: Structure, columns: Columns, shift: Shift
) -> dict[Node, Products]:
    found: dict[Node, Products] = {}
    for layer in layers:
        if not layer.forms:
            continue
        # Without groups a piece of the rows leaves one small matrix, and memory never holds a table of all of them.
        count = layer.forms[0].rows
        size = max(1, count) if structure.slots else PIECE
        for first in range(0, max(1, count), size):
            _sum_rows(found, layer, slice(first, first + size), structure, columns, shift)
    return found


def _sum_rows(
    found: dict[Node, Products], layer: Layer, which: slice, structure: Structure, columns: Columns, shift: Shift
) -> None:
    """Add the products of some rows of a layer."""
    rows = [_rows(form.part(which), structure, columns, shift) for form in layer.forms]
    group = np.max([one.group for one in rows], axis=0)
    weights = layer.weights[which]
    for (i, k), precision in layer.precision.items():
        made = _products(rows[i], rows[k], group, weights, structure)
        if i != k:
            made.add(_products(rows[k], rows[i], group, weights, structure))
        if precision in found:
            found[precision].add(made)
        else:
            found[precision] = made


def _together(
    observed: Mapping[Node, Products], others: Mapping[Node, Products], layers: Sequence[Layer]
) -> dict[Node, Products]:
    """Add what was summed apart, in the order in which the layers have their precisions."""
    found: dict[Node, Products] = {}
    for precision in dict.fromkeys(node for layer in layers if layer.forms for node in layer.precision.values()):
        parts = [part[precision] for part in (observed, others) if precision in part]
        for more in parts[1:]:
            parts[0].add(more)
        found[precision] = parts[0]
    return found


def _columns(layers: Sequence[Layer], structure: Structure) -> Columns:
    """List the columns in order of first use."""
    found = Columns()
    for layer in layers:
        for form in layer.forms:
            for part in form.parts:
                if part.source is not None and part.source in structure.blocks:
                    slots = np.unique(structure.blocks[part.source].slot[_met(part)])
                    _extend(found.slots, [(int(k), part.scale) for k in slots])
                elif part.source is not None and part.source in structure.others:
                    at = structure.others[part.source] + _met(part)
                    _extend(found.others, [(int(k), part.scale) for k in at])
                else:
                    elements = [0] if part.source is None else _met(part)
                    _extend(found.known, [(part.source, int(k), part.scale) for k in elements])
    return found


def _met(part: Part) -> np.ndarray:
    """List the elements of its source that a part meets, in order."""
    return _distinct(part.positions) if part.shared is None else np.unique(part.shared)


def _distinct(positions: np.ndarray) -> np.ndarray:
    """List the elements that are met, in order: they are few, and rows may be millions."""
    return np.flatnonzero(np.bincount(positions.ravel()))


def _extend(known: list, more: list) -> None:  # type: ignore[type-arg]
    known += [one for one in more if one not in known]


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The columns of a form: in its last group, in the one before, and beside."""

    group: np.ndarray
    here: np.ndarray
    before: np.ndarray
    beside: np.ndarray


def _rows(form: Form, structure: Structure, columns: Columns, shift: Shift) -> _Rows:
    _, group = groups_of(form, structure.blocks)
    here = np.zeros((form.rows, len(columns.slots)))
    before = np.zeros_like(here) if structure.chained else here[:, :0]
    others = len(columns.others)
    beside = np.zeros((form.rows, others + len(columns.known)))
    rows = np.arange(form.rows)
    for part in form.parts:
        shared = _shared_places(part, structure, columns)
        if shared is not None:
            beside[:, shared] += part.columns
            continue
        for k in range(part.columns.shape[1]):
            values, positions = part.columns[:, k], part.positions[:, k]
            if part.source is not None and part.source in structure.blocks:
                layout = structure.blocks[part.source]
                for slot in np.unique(layout.slot[_distinct(positions)]):
                    at = columns.slots.index((int(slot), part.scale))
                    mine = np.where(layout.slot[positions] == slot, values, 0.0)
                    now = layout.group[positions] == group
                    here[:, at] += np.where(now, mine, 0.0)
                    if structure.chained:
                        before[:, at] += np.where(now, 0.0, mine)
                continue
            if part.source is not None and part.source in structure.others:
                first = structure.others[part.source]
                elements = _distinct(positions)
                places = np.array([columns.others.index((first + int(e), part.scale)) for e in elements])
            else:
                elements = np.zeros(1, int) if part.source is None else _distinct(positions)
                places = np.array([others + columns.known.index((part.source, int(e), part.scale)) for e in elements])
            if len(places) == 1:
                beside[:, places[0]] += values
            else:
                beside[rows, places[np.searchsorted(elements, positions)]] += values  # each row once
    unscaled = [shift.others[at] if scale is None else 0.0 for at, scale in columns.others]
    known = beside @ np.concatenate([unscaled, shift.known])
    for k, (slot, scale) in enumerate(columns.slots):
        if scale is None:
            known += here[:, k] * shift.slots[group, slot]
            if structure.chained:
                known += before[:, k] * shift.slots[group - 1, slot]
    beside[:, others] += known
    return _Rows(group, here, before, beside)


def _shared_places(part: Part, structure: Structure, columns: Columns) -> np.ndarray | slice | None:
    """Give the places beside the groups of a part whose rows all meet the same elements, each once; else None."""
    shared, source = part.shared, part.source
    if shared is None or source is None or source in structure.blocks or len(np.unique(shared)) < len(shared):
        return None
    if source in structure.others:
        first = structure.others[source]
        places = [columns.others.index((first + int(e), part.scale)) for e in shared]
    else:
        places = [len(columns.others) + columns.known.index((source, int(e), part.scale)) for e in shared]
    in_turn = places == list(range(places[0], places[0] + len(places)))
    return slice(places[0], places[0] + len(places)) if in_turn else np.array(places)


def _products(left: _Rows, right: _Rows, group: np.ndarray, weights: np.ndarray, structure: Structure) -> Products:
    slots, wide = left.here.shape[1], left.beside.shape[1]
    met = group >= 0
    now = group[met]
    groups = structure.groups
    within, before = np.zeros((slots, slots, groups)), np.zeros((slots, slots, groups if structure.chained else 0))
    across = np.zeros((slots, groups, wide))

    def summed(at: np.ndarray, values: np.ndarray) -> np.ndarray:
        return np.bincount(at, values, minlength=groups)

    for a, b in _pairs(slots):
        within[a, b] += summed(now, (left.here[:, a] * right.here[:, b] * weights)[met])
    for a in range(slots):
        mine = (left.here[:, a] * weights)[met]
        if mine.any():
            for k in range(wide):
                across[a, :, k] += summed(now, mine * right.beside[met, k])
    if structure.chained:
        has_before = met & (left.before.any(axis=1) | right.before.any(axis=1))
        last = group[has_before]
        for a, b in _pairs(slots):
            within[a, b] += summed(last - 1, (left.before[:, a] * right.before[:, b] * weights)[has_before])
            before[a, b] += summed(last, (left.here[:, a] * right.before[:, b] * weights)[has_before])
        for a in range(slots):
            mine = (left.before[:, a] * weights)[has_before]
            if mine.any():
                for k in range(wide):
                    across[a, :, k] += summed(last - 1, mine * right.beside[has_before, k])
    weighed = left.beside if np.all(weights == 1) else left.beside * weights[:, None]
    return Products(within, before, across, weighed.T @ right.beside)


def _pairs(count: int) -> Iterator[tuple[int, int]]:
    return ((a, b) for a in range(count) for b in range(count))
