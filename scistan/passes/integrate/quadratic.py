"""The quadratic form of normal layers as values of the model: its entries, from statistics and what is sampled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.node import Node, literal
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.passes.integrate.linear import NotLinear, element
from scistan.passes.integrate.statistics import Statistics, Walk
from scistan.passes.integrate.structure import Structure
from scistan.passes.integrate.tables import Tables

__all__ = ["Gone", "Quadratic", "Steps", "Value", "quadratic_of"]

dot, matmul, square, stack = (FUNCTIONS[n] for n in ("dot", "matmul", "square", "stack"))

# Blocks of a single slot enter by sums of products of columns: of so many columns, that so many precisions weigh.
MOST_WIDE, MOST_MET = 30, 2

Value = Expression | None  # None is 0


@dataclass(frozen=True, slots=True, eq=False)
class Quadratic:
    """h' Q h for h = (slots, others, 1): blocks of Q.

    Vectors over groups for pairs of slots and, in a chain, for slots with those of the group before; for each slot a
    matrix (groups, others) and a vector; the others' own matrix, vector and number.
    """

    within: dict[tuple[int, int], Value]  # from the diagonal on
    before: dict[tuple[int, int], Value]
    slot_others: list[Value]
    slot_known: list[Value]
    others: Value
    others_known: Value
    known: Value
    gone: Gone | None = None
    steps: Steps | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """The steps of a chain of single elements, from the second on: `here * u[t] + before * u[t - 1] + the rest`.

    `precision` is a number or a vector; of the others a matrix (steps, others), of what is known a vector.
    """

    precision: Expression
    here: Expression
    before: Expression
    others: Value
    known: Value


@dataclass(frozen=True, slots=True, eq=False)
class Gone:
    """What is taken off where blocks have a single slot, which needs no matrix over groups: its sums by 1 / within."""

    others: Value
    others_known: Value
    known: Value


def quadratic_of(found: Statistics, structure: Structure, instance: Instance, tables: Tables) -> Quadratic:
    """Write the entries of the form."""
    return _Writer(found, structure, instance, tables).written()


class _Writer:
    def __init__(self, found: Statistics, structure: Structure, instance: Instance, tables: Tables) -> None:
        self._found, self._structure, self._tables = found, structure, tables
        columns = found.columns
        self._slots = [_times_all([scale]) for _, scale in columns.slots]
        self._many = len(columns.others)
        self._spread = self._spread_of(columns.others)
        known = [
            _times_all([None if source is None else element(source, at, instance) if source.shape else source, scale])
            for source, at, scale in columns.known
        ]
        self._sampled = [self._from(number, at) for number, at in zip(known[1:], found.shift.known[1:], strict=True)]

    def _from(self, number: Value, start: float) -> Expression:
        """Measure a sampled number from where the data put it."""
        shift = self._tables.data(np.array(start))
        own = Expression(literal(1.0)) if number is None else number
        return own if shift is None else own - shift

    def _spread_of(self, others: Sequence[tuple[int, Node | None]]) -> Value:
        """Give the matrix that makes columns of elements (columns, elements); None where it changes nothing."""
        scales = list(dict.fromkeys(scale for _, scale in others))
        if scales in ([None], []) and [at for at, _ in others] == list(range(self._structure.count)):
            return None
        made: Value = None
        for scale in scales:
            table = np.zeros((len(others), self._structure.count))
            for row, (at, own) in enumerate(others):
                table[row, at] = float(own is scale)
            made = _plus(made, _times(_times_all([scale]), self._tables.data(table, "columns", "others")))
        return made

    def written(self) -> Quadratic:
        slots = range(self._structure.slots)
        within = {(i, k): self._within(i, k) for i in slots for k in range(i + 1)}
        before = {(i, k): self._before(i, k) for i in slots for k in slots} if self._structure.chained else {}
        kept = slice(self._many)
        others = self._summed(lambda p: self._table(p.beside[kept, kept], "columns", "columns"))
        others_known = self._against_known(lambda p: p.beside[kept, self._many :], "columns")
        if self._structure.count:
            spread = self._spread
            if spread is not None:
                turned = FUNCTIONS["transpose"](spread)
                others = None if others is None else matmul(matmul(turned, others), spread)
                others_known = None if others_known is None else matmul(turned, others_known)
        return Quadratic(
            within, before, [self._slot_others(i) for i in slots], [self._slot_known(i) for i in slots],
            others if self._structure.count else None, others_known if self._structure.count else None, self._known(),
            self._gone(within[0, 0]) if self._structure.slots == 1 and not self._structure.chained else None,
            None if self._found.walk is None else self._steps(self._found.walk),
        )

    def _steps(self, walk: Walk) -> Steps:
        precision: Value = None
        for node, weights in walk.weights.items():
            plain = np.ptp(weights) == 0 and weights[0] == 1
            own = Expression(node)
            precision = _plus(precision, own if plain else _times(own, self._table(weights, "steps")))
        here, before = (self._over_slots(table) for table in (walk.here, walk.before))
        if here is None or before is None or precision is None:
            raise NotLinear(self._structure.blocks)
        others = self._table(walk.beside[:, : self._many], "steps", "columns") if self._structure.count else None
        if others is not None and self._spread is not None:
            others = matmul(others, self._spread)
        known = self._known_columns(walk.beside[:, self._many :], "steps")
        return Steps(precision, here, before, others, known)

    def _over_slots(self, table: np.ndarray) -> Value:
        """Write the multiples of single elements, step by step: a number where all are the same."""
        made: Value = None
        for k, scale in enumerate(self._slots):
            column = table[:, k]
            if column.any():
                same = np.ptp(column) == 0
                value = self._tables.data(column[0]) if same else self._table(column, "steps")
                made = _plus(made, _times(scale, value))
        return made

    # -- one slot: sums over groups of products of columns, each divided by what is within ---------
    def _gone(self, within: Value) -> Gone | None:
        """Write what a slot takes off, in sums over groups; None where it would take too many of them."""
        met: list[tuple[Value, np.ndarray]] = [
            (_product(_number(precision), self._slots[a]), products.across[a])
            for precision, products in self._found.products.items()
            for a in range(len(self._slots))
            if products.across[a].any()
        ]
        width = self._many + len(self._found.columns.known)
        if within is None or len(met) > MOST_MET or width > MOST_WIDE:
            return None
        shares = 1.0 / within
        others = self._pairs(met, shares, others=2)
        others_known = self._pairs(met, shares, others=1)
        known = self._pairs(met, shares, others=0)
        if self._structure.count and self._spread is not None:
            turned = FUNCTIONS["transpose"](self._spread)
            others = None if others is None else matmul(matmul(turned, others), self._spread)
            others_known = None if others_known is None else matmul(turned, others_known)
        return Gone(others, others_known, known)

    def _pairs(self, met: Sequence[tuple[Value, np.ndarray]], shares: Expression, others: int) -> Value:
        """Sum products of two columns over groups, so many of them `others`, the rest known."""
        left, right = (slice(self._many) if k < others else slice(self._many, None) for k in range(2))
        made: Value = None
        for k, (one, here) in enumerate(met):
            for other, there in met[: k + 1]:
                table = here[:, left, None] * there[:, None, right]
                if there is not here:
                    table = table + there[:, left, None] * here[:, None, right]
                factor = _product(one, other) if there is not here else _squared(one)
                made = _plus(made, _times(factor, self._shared(table, shares, others)))
        return made

    def _shared(self, table: np.ndarray, shares: Expression, others: int) -> Value:
        """Sum a table (groups, columns, columns) by shares; what is known is put in for its columns."""
        if others == 2:
            pairs = self._table(table.reshape(len(table), -1).T, "pairs", "groups")
            if pairs is None:
                return None
            size = self._tables.sizes["columns"]
            return FUNCTIONS["reshape"](matmul(pairs, shares), (size, size))
        if others == 1:
            return self._against(lambda k: self._table(table[:, :, k].T, "columns", "groups"), shares)
        numbers: list[Value] = [None, *self._sampled]
        made: Value = None
        for k, one in enumerate(numbers):
            for m in range(k + 1):
                column = table[:, k, m] if m == k else table[:, k, m] + table[:, m, k]
                total = self._table(column, "groups")
                factor = _squared(one) if m == k else _product(one, numbers[m])
                made = _plus(made, None if total is None else _times(factor, dot(total, shares)))
        return made

    def _against(self, part: Callable[[int], Value], shares: Expression) -> Value:
        numbers: list[Value] = [None, *self._sampled]
        made: Value = None
        for k, one in enumerate(numbers):
            table = part(k)
            made = _plus(made, None if table is None else _times(one, matmul(table, shares)))
        return made

    def _summed(self, each: Callable[..., Value]) -> Value:
        """Add up over precisions."""
        made: Value = None
        for precision, products in self._found.products.items():
            made = _plus(made, _times(_number(precision), each(products)))
        return made

    def _table(self, array: np.ndarray, *axes: str) -> Value:
        return self._tables.data(array, *axes)

    def _of_slot(self, slot: int) -> list[int]:
        return [a for a, (own, _) in enumerate(self._found.columns.slots) if own == slot]

    def _within(self, i: int, k: int) -> Value:
        made: Value = None
        for a in self._of_slot(i):
            for b in self._of_slot(k):
                both = _product(self._slots[a], self._slots[b])
                term = self._summed(lambda p, a=a, b=b: self._table(p.within[a, b], "groups"))
                made = _plus(made, _times(both, term))
        return made

    def _before(self, i: int, k: int) -> Value:
        made: Value = None
        for a in self._of_slot(i):
            for b in self._of_slot(k):
                both = _product(self._slots[a], self._slots[b])
                term = self._summed(lambda p, a=a, b=b: self._table(p.before[a, b], "groups"))
                made = _plus(made, _times(both, term))
        return made

    def _slot_others(self, i: int) -> Value:
        if not self._structure.count:
            return None
        made: Value = None
        for a in self._of_slot(i):
            term = self._summed(lambda p, a=a: self._table(p.across[a][:, : self._many], "groups", "columns"))
            made = _plus(made, _times(self._slots[a], term))
        return made if made is None or self._spread is None else matmul(made, self._spread)

    def _slot_known(self, i: int) -> Value:
        made: Value = None
        for a in self._of_slot(i):
            term = self._against_known(lambda p, a=a: p.across[a][:, self._many :], "groups")
            made = _plus(made, _times(self._slots[a], term))
        return made

    def _against_known(self, part: Callable[..., np.ndarray], axis: str) -> Value:
        """Give the products of columns with what is known once all else is sampled: a vector."""

        return self._summed(lambda products: self._known_columns(part(products), axis))

    def _known_columns(self, table: np.ndarray, axis: str) -> Value:
        """Put what is sampled in for columns: a vector."""
        made = self._table(table[:, 0], axis)
        if len(self._sampled) == 1:
            return _plus(made, _times(self._sampled[0], self._table(table[:, 1], axis)))
        if self._sampled:
            rest = self._table(table[:, 1:], axis, "numbers")
            made = _plus(made, None if rest is None else matmul(rest, self._numbers()))
        return made

    def _numbers(self) -> Expression:
        return stack(self._sampled)

    def _known(self) -> Value:
        at = self._many

        def each(products: object) -> Value:
            table = products.beside[at:, at:]  # type: ignore[attr-defined]
            made = self._table(table[0, 0])
            if len(self._sampled) == 1:
                own = self._sampled[0]
                made = _plus(made, _times(2.0 * own, self._table(table[0, 1])))
                return _plus(made, _times(own * own, self._table(table[1, 1])))
            if self._sampled:
                numbers = self._numbers()
                cross = self._table(2 * table[0, 1:], "numbers")
                square = self._table(table[1:, 1:], "numbers", "numbers")
                made = _plus(made, None if cross is None else matmul(cross, numbers))
                made = _plus(made, None if square is None else FUNCTIONS["quadratic_form"](square, numbers))
            return made

        return self._summed(each)


def _number(node: Node | None) -> Value:
    return None if node is None or getattr(node, "value", None) == 1 else Expression(node)


def _times_all(factors: Sequence[Node | None]) -> Value:
    """Multiply sampled numbers; None is the number 1."""
    made: Value = None
    for factor in factors:
        made = _product(made, None if factor is None else Expression(factor))
    return made


def _product(left: Value, right: Value) -> Value:
    """Multiply, where None is the number 1."""
    if left is None or right is None:
        return right if left is None else left
    return left * right


def _squared(value: Value) -> Value:
    return None if value is None else square(value)


def _times(factor: Value, value: Value) -> Value:
    """Multiply a value, of which None is 0, by a factor, of which None is 1."""
    return value if value is None or factor is None else factor * value


def _plus(left: Value, right: Value) -> Value:
    if left is None or right is None:
        return right if left is None else left
    return left + right
