"""Prior draws at one choice of constants, and the way from there to another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from scistan.given import is_number
from scistan.graph.instance import Instance
from scistan.inference.prior_check.change import Change, changed, changes_of
from scistan.inference.prior_check.checks import Found, PriorTest, measured
from scistan.inference.prior_check.constants import Constant, Slot, constants_of, find_slots
from scistan.inference.prior_check.summary import rows_of
from scistan.messages import prior_check as messages
from scistan.targets.scipy.redraw import Drawn, draw_all, redraw

__all__ = ["State", "constant_to_change", "first_state"]

_TRIED = 20  # constants that are halved and doubled in search of the one that matters


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Draws of a model: `start` with the constants as written, `drawn` with `values` of some of them."""

    start: Drawn
    drawn: Drawn
    constants: tuple[Constant, ...]
    values: Mapping[str, float] = field(default_factory=dict)

    @property
    def changes(self) -> dict[Slot, Change]:
        """The slots that are not as they were written."""
        return changes_of(self.constants, self.values)

    def at(self, values: Mapping[str, object]) -> State:
        """Give the draws at other constants, those left out as written; only what hangs on a change is drawn again."""
        now = self._read(values)
        slots = {c.slot for c in self.constants if now.get(c.name, c.value) != self.values.get(c.name, c.value)}
        if not slots:
            return replace(self, values=now, drawn=replace(self.drawn, fresh=frozenset()))
        changes = changes_of(self.constants, now)
        # In the order of the constants, so that the same call meets the same mistake first.
        touched = [slot for slot in dict.fromkeys(c.slot for c in self.constants) if slot in slots]
        instance = changed(self.start.instance, self.drawn.instance, changes, touched)
        return replace(self, values=now, drawn=redraw(self.drawn, instance))

    def _read(self, values: Mapping[str, object]) -> dict[str, float]:
        known = {c.name: c for c in self.constants}
        read: dict[str, float] = {}
        for name, value in values.items():
            if name not in known:
                raise messages.unknown_constant(name, known)
            if not is_number(value):
                raise messages.no_number(name, value)
            read[name] = float(value)  # type: ignore[arg-type]
        return {name: value for name, value in read.items() if value != known[name].value}


def first_state(instance: Instance, draws: int, seed: int) -> State:
    """Draw a model as it is written."""
    drawn = draw_all(instance, draws, seed)
    constants = [constant for slot in find_slots(instance) for constant in constants_of(slot)]
    return State(drawn, drawn, tuple(constants))


def constant_to_change(state: State, check: PriorTest, found: Found) -> str:
    """Halve and double constants of the latents above a variable; say which of them lowers a number most."""
    positive = [c for c in state.constants if c.log and c.variable in found.others][:_TRIED]
    best: tuple[float, Constant, float] | None = None
    for constant in positive:
        now = state.values.get(constant.name, constant.value)
        for factor in (0.5, 2.0):
            there = state.at({**state.values, constant.name: now * factor}).drawn
            rows = [row for row in rows_of(there) if row.name == found.variable]
            value = next((f.value for f in measured(check, there, rows)), found.value)
            if best is None or value < best[0]:
                best = value, constant, factor
    if best is None or best[0] >= 0.9 * found.value:
        return ""
    after, constant, factor = best
    was = f"{state.values.get(constant.name, constant.value):g}"
    shown = [f"{value:.0%}" if check.threshold < 1 else f"{value:.3g}" for value in (found.value, after)]
    return messages.constant_to_change(constant.name, was, factor, check.name, *shown)
