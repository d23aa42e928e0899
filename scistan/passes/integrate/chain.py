"""Normal latents integrated out along a chain: element by element, or block by block, each tied to the one before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scistan.ops import FUNCTIONS
from scistan.ops.coerce import as_node
from scistan.ops.expression import Expression
from scistan.passes.integrate.factor import Factor, Taken, both, factored, minus_all
from scistan.passes.integrate.quadratic import Quadratic, Steps, Value
from scistan.passes.integrate.structure import Structure

__all__ = ["along", "walk"]

concatenate, dot, log, matmul, scan, total, transpose = (
    FUNCTIONS[n] for n in ("concatenate", "dot", "log", "matmul", "scan", "sum", "transpose")
)


# -- single elements -------------------------------------------------------------------------------
def walk(form: Quadratic, steps: Steps) -> Taken:
    """Integrate single elements out, one after the other, as a filter does: nothing cancels where steps are small.

    The carried state is the form `d u² + 2 u h` of the last element, with `h` for what is known and for the others.
    """
    within, known, others = form.within[0, 0], form.slot_known[0], form.slot_others[0]
    has_known = known is not None or steps.known is not None
    has_others = others is not None or steps.others is not None
    tie = steps.precision * steps.before * steps.before
    pull = steps.precision * steps.here
    first = {"d": _at(within, 0)}
    moving = {"tie": tie, "pull": pull, "here": steps.here, "before": steps.before, "within": _rest(within)}
    if has_known:
        first["known"] = _at(known, 0)
        moving |= {"known": _rest(known), "known_step": steps.known}
    if has_others:
        first["others"] = others[0] if others is not None else 0.0 * steps.others[0]  # type: ignore[index]
        moving |= {"others": _rest(others), "others_step": steps.others}
    over = {name: value for name, value in moving.items() if value is not None and len(value.shape) > 0}
    fixed = {name: value for name, value in moving.items() if name not in over}

    def step(state: dict[str, Expression], *elements: Expression) -> dict[str, Expression]:
        here = {**fixed, **dict(zip(over, elements, strict=True))}
        d = state["d"]
        ratio = here["pull"] / (d + here["tie"])
        found = {"d": _plus(ratio * here["here"] * d, here["within"])}
        for name in ("known", "others"):
            if name in state:
                moved = -(here["before"] * state[name])
                if here[f"{name}_step"] is not None:
                    moved = moved + d * here[f"{name}_step"]
                found[name] = _plus(ratio * moved, here[name])
        return found

    later = scan(step, first, over=tuple(over.values()))
    # The state before each step, and after the last.
    last = {name: later[name][-1] for name in first}
    before = {name: _joined(first[name], later[name]) for name in first}
    pivot = before["d"] + tie
    logarithm = 0.5 * (total(log(pivot)) + log(last["d"]))
    gone = _Gone(steps, before, last, pivot)
    return Taken(
        logarithm,
        gone.between("others", "others") if has_others else None,
        gone.between("others", "known") if has_others and has_known else None,
        gone.between("known", "known") if has_known else None,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Gone:
    """What the elements of a chain take off: (h h' + w b (h m' + m h') - w d m m') / pivot for each, m being its step.

    The last is followed by none.
    """

    steps: Steps
    before: Mapping[str, Expression]
    last: Mapping[str, Expression]
    pivot: Expression

    def between(self, left: str, right: str) -> Expression:
        steps, d = self.steps, self.before["d"]
        h, k = self.before[left], self.before[right]
        m, n = (getattr(steps, name) for name in (left, right))
        tie = steps.precision * steps.before / self.pivot
        made = _product(h, 1.0 / self.pivot, k)
        for one, other in ((h, n), (m, k)):
            if one is not None and other is not None:
                made = made + _product(one, tie, other)
        if m is not None and n is not None:
            made = made - _product(m, steps.precision * d / self.pivot, n)
        return made + _outer(self.last[left], self.last[right]) / self.last["d"]


def _product(left: Expression, weight: Expression, right: Expression) -> Expression:
    """Sum products over steps: a number, or of matrices (steps, others) what they make of vectors and matrices."""
    if len(left.shape) == 1:
        return dot(left * weight, right)
    weighed = transpose(left) * weight
    return matmul(weighed, right)


def _outer(left: Expression, right: Expression) -> Expression:
    return FUNCTIONS["outer"](left, right) if len(left.shape) == 1 == len(right.shape) else left * right


def _at(value: Value, k: int) -> object:
    return 0.0 if value is None else value[k]


def _rest(value: Value) -> Value:
    return None if value is None else value[1:]


def _plus(left: Expression, right: Value) -> Expression:
    return left if right is None else left + right


def _joined(first: object, later: Expression) -> Expression:
    """Put the first state in front of all later ones but the last."""
    start = first if isinstance(first, Expression) else Expression(as_node(first))
    return concatenate([start[None], later[:-1]])


# -- blocks ------------------------------------------------------------------------------------------
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

    later: Mapping[str, Expression] = scan(step, shaped.first, over=tuple(moving.values()))  # type: ignore[assignment]
    return shaped.read(later)


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
