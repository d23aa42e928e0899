"""The density that is left when normal latents are integrated out of a quadratic form: a Cholesky factor, slot by slot.

Every step is taken for all groups at once; in a chain, group by group, with the factor of the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.passes.integrate.quadratic import Quadratic, Value
from scistan.passes.integrate.structure import Structure

__all__ = ["log_marginal"]

cholesky, diagonal, dot, log, matmul, scan, solve_lower, sqrt, square, total, transpose = (
    FUNCTIONS[n] for n in (
        "cholesky", "diagonal", "dot", "log", "matmul", "scan", "solve_lower", "sqrt", "square", "sum", "transpose",
    )
)


def log_marginal(form: Quadratic, structure: Structure) -> Expression:
    """Give log ∫ exp(-½ h' Q h) over all slots and others, but for a constant: ½ log 2π for each of them."""
    known, others_known, others = form.known, form.others_known, form.others
    logarithms: list[Expression] = []
    if form.gone is not None:
        logarithms.append(0.5 * total(log(form.within[0, 0])))
        known = minus_all(known, [form.gone.known])
        others, others_known = minus_all(others, [form.gone.others]), minus_all(others_known, [form.gone.others_known])
    elif structure.slots:
        factor = along(form, structure) if structure.chained else _at_once(form)
        logarithms += [total(log(pivot)) for pivot in factor.pivots]
        known = minus_all(known, [dot(r, r) for r in factor.known if r is not None])
        if structure.count:
            pairs = list(zip(factor.others, factor.known, strict=True))
            others = minus_all(others, [matmul(transpose(x), x) for x in factor.others if x is not None])
            others_known = minus_all(
                others_known, [matmul(transpose(x), r) for x, r in pairs if x is not None and r is not None]
            )
    if structure.count:
        lower = cholesky(others)
        logarithms.append(total(log(diagonal(lower))))
        if others_known is not None:
            solved = solve_lower(lower, others_known)
            known = minus_all(known, [dot(solved, solved)])
    quadratic = [] if known is None else [0.5 * known]
    return minus_all(None, [*logarithms, *quadratic])  # type: ignore[return-value]


def _at_once(form: Quadratic) -> Factor:
    return factored(form.within, form.slot_others, form.slot_known, lambda value: value[:, None])


@dataclass(slots=True)
class Factor:
    """The Cholesky factor of a block: its diagonal, what is below it, and what it makes of the columns beside."""

    pivots: list[Expression] = field(default_factory=list)
    lower: dict[tuple[int, int], Value] = field(default_factory=dict)
    others: list[Value] = field(default_factory=list)
    known: list[Value] = field(default_factory=list)


def factored(
    within: Mapping[tuple[int, int], Value], others: Sequence[Value], known: Sequence[Value],
    by: Callable[[Expression], Expression],
) -> Factor:
    """Factor one block, or all at once; `by` gives a number of each block the axes to meet a row of the others."""
    made = Factor()
    for i in range(len(others)):
        for k in range(i + 1):
            entry = minus_all(within[i, k], [both(made.lower[i, j], made.lower[k, j]) for j in range(k)])
            if i == k:
                pivot = sqrt(entry)
                made.pivots.append(pivot)
            else:
                made.lower[i, k] = None if entry is None else entry / made.pivots[k]
        rows = minus_all(others[i], [both(_on(made.lower[i, j], by), made.others[j]) for j in range(i)])
        left = minus_all(known[i], [both(made.lower[i, j], made.known[j]) for j in range(i)])
        made.others.append(None if rows is None else rows / by(pivot))
        made.known.append(None if left is None else left / pivot)
    return made


def _on(value: Value, by: Callable[[Expression], Expression]) -> Value:
    return None if value is None else by(value)


def both(left: Value, right: Value) -> Value:
    """Multiply two values, of which None is 0."""
    return None if left is None or right is None else square(left) if left is right else left * right


def minus_all(value: Value, less: Sequence[Value]) -> Value:
    """Subtract values, of which None is 0."""
    for one in less:
        if one is not None:
            value = -one if value is None else value - one
    return value


# -- along a chain ---------------------------------------------------------------------------------
def along(form: Quadratic, structure: Structure) -> Factor:
    """Factor block by block, each tied to the one before it."""
    pieces: dict[tuple[str, int, int], Value] = {}
    for kind, entries in (("within", form.within), ("before", form.before)):
        pieces |= {(kind, i, k): value for (i, k), value in entries.items()}
    pieces |= {("others", i, 0): value for i, value in enumerate(form.slot_others)}
    pieces |= {("known", i, 0): value for i, value in enumerate(form.slot_known)}
    moving = {key: value for key, value in pieces.items() if value is not None}
    slots, shaped = range(structure.slots), _Shaped(form, structure)

    def step(state: dict[str, Expression], *elements: Expression) -> dict[str, Expression]:
        here: dict[tuple[str, int, int], Value] = dict.fromkeys(pieces)
        here |= dict(zip(moving, elements, strict=True))
        last = shaped.read(state)
        tied: dict[tuple[int, int], Value] = {}
        for i in slots:
            for k in slots:
                entry = minus_all(here["before", i, k], [both(tied[i, j], last.lower[k, j]) for j in range(k)])
                tied[i, k] = None if entry is None else entry / last.pivots[k]
        within = {
            (i, k): minus_all(here["within", i, k], [both(tied[i, j], tied[k, j]) for j in slots])
            for i in slots for k in range(i + 1)
        }
        others = [minus_all(here["others", i, 0], [both(tied[i, j], last.others[j]) for j in slots]) for i in slots]
        known = [minus_all(here["known", i, 0], [both(tied[i, j], last.known[j]) for j in slots]) for i in slots]
        return shaped.written(factored(within, others, known, lambda value: value))

    return shaped.read(scan(step, shaped.first, over=tuple(moving.values())))


class _Shaped:
    """A factor as the state of a recurrence: which of its parts are there, and what they are before the first step."""

    def __init__(self, form: Quadratic, structure: Structure) -> None:
        slots = range(structure.slots)
        self._slots = slots
        self._below = [(i, k) for i in slots for k in range(i)]
        row = next((value[0] for value in form.slot_others if value is not None), None)
        self._others = row is not None
        self._known = any(value is not None for value in form.slot_known)
        self.first: dict[str, object] = {f"pivot_{i}": 1.0 for i in slots}
        self.first |= {f"lower_{i}_{k}": 0.0 for i, k in self._below}
        self.first |= {f"others_{i}": 0.0 * row for i in slots} if row is not None else {}
        self.first |= {f"known_{i}": 0.0 for i in slots} if self._known else {}

    def read(self, state: Mapping[str, Expression]) -> Factor:
        slots = self._slots
        return Factor(
            [state[f"pivot_{i}"] for i in slots],
            {(i, k): state[f"lower_{i}_{k}"] for i, k in self._below},
            [state[f"others_{i}"] if self._others else None for i in slots],
            [state[f"known_{i}"] if self._known else None for i in slots],
        )

    def written(self, made: Factor) -> dict[str, Expression]:
        found: dict[str, Expression] = {f"pivot_{i}": made.pivots[i] for i in self._slots}
        found |= {f"lower_{i}_{k}": _or_zero(made.lower[i, k], made.pivots[i]) for i, k in self._below}
        if self._others:
            row = next(value for value in made.others if value is not None)
            found |= {f"others_{i}": _or_zero(made.others[i], row) for i in self._slots}
        if self._known:
            found |= {f"known_{i}": _or_zero(made.known[i], made.pivots[i]) for i in self._slots}
        return found


def _or_zero(value: Value, like: Expression) -> Expression:
    return 0.0 * like if value is None else value
