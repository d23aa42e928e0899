"""`m.capabilities()`: what can be done with one model here, and the reason for each no; nothing is built or sampled."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from scistan.engines.registry import ENGINES
from scistan.errors import Place, ScistanError
from scistan.graph.instance import Instance
from scistan.graph.places import first_place, user_place
from scistan.inference.capabilities.backends import SAMPLING
from scistan.inference.capabilities.probe import Probe
from scistan.inference.capabilities.show import Record, Shown
from scistan.inference.subject import Fitted
from scistan.messages import capabilities as messages
from scistan.targets.registry import TARGETS

__all__ = ["Ability", "Capabilities", "capabilities_of"]


@dataclass(frozen=True, slots=True)
class Ability:
    """Whether a verb can be called on a model with a target, engine and device, and if not, why and where."""

    verb: str
    target: str
    engine: str
    device: str
    able: bool
    why: str = ""
    place: Place | None = None
    remedy: str = ""

    def __bool__(self) -> bool:
        return self.able

    def record(self) -> Record:
        """Give it as a row; a DataFrame has the remedy too."""
        return {
            "verb": self.verb, "target": self.target, "engine": self.engine, "device": self.device,
            "able": "yes" if self.able else "no", "why": self.why, "where": messages.where(self.place),
            "remedy": self.remedy,
        }  # fmt: skip


class Capabilities(Shown):
    """What can be done with a model here; `m.capabilities()("map")` tells whether anything can do that."""

    def __init__(self, found: Sequence[Ability]) -> None:
        self.found = tuple(found)

    def records(self) -> Sequence[Record]:
        return [ability.record() for ability in self.found]

    def columns(self) -> Sequence[str]:
        return ["verb", "target", "engine", "device", "able", "why", "where"]

    def __call__(self, verb: str, engine: str = "", device: str = "") -> bool:
        """Tell whether a verb can be called, with some engine and device or with these."""
        return any(one.able for one in self.of(verb) if engine in ("", one.engine) and device in ("", one.device))

    def of(self, verb: str) -> list[Ability]:
        """Give the rows of a verb."""
        return [ability for ability in self.found if ability.verb == verb]


def capabilities_of(instance: Instance, model: Fitted | None = None) -> Capabilities:
    """Ask each target and engine about a model: for real where that takes milliseconds, else its declaration."""
    probe = Probe(instance, model)
    return Capabilities([_placed(one, instance) for one in (*_of_targets(probe), *_of_engines(probe))])


def _placed(ability: Ability, instance: Instance) -> Ability:
    """Point to the line of the variable that is the cause, not to the one that asked."""
    if ability.place is None or ability.place != user_place():
        return ability
    named = re.findall(r"`(\w+)`", ability.why)
    cause = next((term.value for term in instance.graph.terms if term.name in named), None)
    return replace(ability, place=None if cause is None else first_place(cause))


def _of_targets(probe: Probe) -> Iterator[Ability]:
    for name, target in TARGETS.items():
        for task in target.tasks:
            for device in target.devices:
                yield _asked(task, name, "", device, partial(probe.target, name, task, device))


def _of_engines(probe: Probe) -> Iterator[Ability]:
    for name, engine in ENGINES.items():
        for task in (SAMPLING, *engine.methods):
            yield _asked(task, engine.target, name, "cpu", partial(probe.engine, name, task))


def _asked(verb: str, target: str, engine: str, device: str, ask: Callable[[], str]) -> Ability:
    """Ask; an error is a no with its reason, a text is something to know of a yes."""
    try:
        return Ability(verb, target, engine, device, True, ask())
    except ScistanError as error:
        return Ability(verb, target, engine, device, False, messages.reason(error), error.place, error.remedy)
