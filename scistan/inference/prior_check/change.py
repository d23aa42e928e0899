"""Put other constants into a graph: everything else stays what it is, object for object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scistan.distributions.resolve import cutting
from scistan.graph.graph import Law, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Data, Literal, Node, literal
from scistan.graph.places import first_place
from scistan.inference.prior_check.constants import Constant, Slot
from scistan.messages import data as data_messages
from scistan.messages import prior_check as messages

__all__ = ["Change", "changed", "changes_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A slot with other numbers; `scale` and `shift` say how they came about where no element was set by itself."""

    slot: Slot
    numbers: np.ndarray
    scale: float
    shift: float


def changes_of(constants: Sequence[Constant], values: Mapping[str, float]) -> dict[Slot, Change]:
    """Gather the values that differ from what was written, by slot."""
    found: dict[Slot, Change] = {}
    for constant in constants:
        value = values.get(constant.name, constant.value)
        if value == constant.value:
            continue
        before = found.get(constant.slot, Change(constant.slot, constant.slot.numbers, 1.0, 0.0))
        found[constant.slot] = _with(before, constant, value)
    return found


def _with(before: Change, constant: Constant, value: float) -> Change:
    if constant.acts == "scale":
        scale, shift, numbers = value, before.shift, before.slot.numbers * value + before.shift
    elif constant.acts == "shift":
        scale, shift, numbers = before.scale, value, before.slot.numbers * before.scale + value
    else:
        scale, shift, numbers = 1.0, 0.0, before.numbers.copy()
        numbers[constant.element] = value
    return Change(before.slot, numbers, scale, shift)


def changed(
    base: Instance, last: Instance, changes: Mapping[Slot, Change], touched: Iterable[Slot]
) -> Instance:
    """Give the instance with these changes to `base`; of `last` is kept what none of the slots `touched` belongs to."""
    touched = list(touched)
    values: dict[Data, np.ndarray] = dict(last.values)
    for slot in touched:
        if isinstance(slot.node, Data):
            values[slot.node] = changes[slot].numbers if slot in changes else base.values[slot.node]
    renewed = {use.variable for slot in touched for use in slot.uses}
    for slot in changes:
        _check(slot, changes[slot])
    terms = []
    for old, term in zip(last.graph.terms, base.graph.terms, strict=True):
        if term.name not in renewed:
            terms.append(old)
            continue
        draw = _draw(term, changes)
        _check_together(term, draw, values)
        terms.append(replace(term, law=draw))
    return replace(last, graph=replace(last.graph, terms=tuple(terms)), values=values)


def _draw(term: Term, changes: Mapping[Slot, Change]) -> Law:
    """Give a term's distribution with other literals; data keep their leaves, whose numbers change elsewhere."""
    args, bounds = list(term.law.args), {"lower": term.law.lower, "upper": term.law.upper}
    for slot, change in changes.items():
        if not isinstance(slot.node, Literal):
            continue
        for use in slot.uses:
            if use.variable != term.name:
                continue
            node = literal(int(change.numbers) if slot.domain.integer else float(change.numbers))
            if use.position is None:
                bounds[use.parameter] = node
            else:
                args[use.position] = node
    own = term.law.distribution
    lower, upper = (cutting(bounds[side], own, tuple(args), side) for side in ("lower", "upper"))
    return replace(term.law, args=tuple(args), lower=lower, upper=upper)


def _check(slot: Slot, change: Change) -> None:
    bad = slot.domain.violations(change.numbers)
    if bad.any():
        event = change.numbers[tuple(np.argwhere(bad)[0])] if bad.ndim else change.numbers
        raise messages.constant_outside(slot.name, slot.domain.words, _shown(event), first_place(slot.node))


def _check_together(term: Term, draw: Law, values: Mapping[Data, np.ndarray]) -> None:
    """Refuse arguments that are each fine and together are not, as the model's own line would."""
    d, place = draw.distribution, first_place(term.value)
    known = [_number(node, values) for node in draw.args]
    if d.relation is not None and all(array is not None for array in known) and not np.all(d.relation.holds(*known)):
        culprit = known[[p.name for p in d.parameters].index(d.relation.parameter)]
        raise data_messages.illegal_argument(
            term.name, d.title, d.relation.parameter, d.relation.words, _shown(culprit), place
        )
    if draw.lower is not None and draw.upper is not None:
        low, high = _number(draw.lower, values), _number(draw.upper, values)
        if low is not None and high is not None and not np.all(low < high):
            raise messages.bounds_crossed(term.name, _shown(low), _shown(high), place)


def _number(node: Node, values: Mapping[Data, np.ndarray]) -> np.ndarray | None:
    if isinstance(node, Literal):
        return np.asarray(node.value)
    return values.get(node) if isinstance(node, Data) else None


def _shown(array: object) -> str:
    return np.array2string(np.asarray(array), precision=4, threshold=6)
