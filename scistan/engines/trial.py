"""Runs that are begun to be looked at: their first chains, held after their first draws, ready to go on.

Each is the whole run with all its settings, so that the one that is chosen goes on and nothing of it was for nothing.
What is seen of a run is always its first draws, however many more it has made meanwhile: it follows from the model,
the data and the seed, never from the clock or from how busy the machine is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scistan.engines.interrupt import Interruption
from scistan.engines.nutpie_chain import Chain
from scistan.engines.options import settings_for
from scistan.engines.protocol import Request
from scistan.engines.trace import numbers

__all__ = ["Begun", "Part", "Seen", "begin", "draw_on"]

# Chains that a trial looks at: two, so that one that is lost early does not decide alone.
CHAINS = 2
# Seconds between looks: from what a thread's start takes to what nobody notices.
FIRST_LOOK, LAST_LOOK = 0.002, 0.2


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """The first draws of a chain: gradients taken for each, which of them diverged, and the tables they are in."""

    steps: np.ndarray
    diverging: np.ndarray
    drawn: Any

    def values(self, name: str, first: int, last: int) -> np.ndarray:
        """Give the draws from `first` up to `last` of an output's elements, side by side: (draw, element)."""
        if name not in self.drawn.column_names:  # one without elements has no column
            return np.empty((last - first, 0))
        return numbers(self.drawn, name).reshape(len(self.steps), -1)[first:last]


@dataclass(slots=True, eq=False)
class Begun:
    """A run that was begun: its request, and its first chains."""

    engine: str
    request: Request
    model: Any
    chains: list[Chain]
    seen: dict[int, Seen] = field(default_factory=dict)

    @property
    def error(self) -> str:
        """What went wrong with a chain, if something did."""
        return next((chain.error for chain in self.chains if chain.error), "")

    def stop(self) -> None:
        """End all of it; nothing is kept."""
        for chain in self.chains:
            chain.stop()


# How much of what is wanted has been drawn, by what is seen of a run's chain: 1 or more where it is enough.
Part = Callable[[Begun, Seen], float]


def begin(engine: str, request: Request, model: Any) -> Begun:
    """Make the first chains of a run, none of them started."""
    settings = settings_for(engine, request.options)
    for ours in ("parallel_chains", "save_warmup"):
        settings.pop(ours, None)
    first = range(request.first_chain, request.first_chain + min(CHAINS, request.chains))
    return Begun(engine, request, model, [Chain(request, number, settings) for number in first])


def draw_on(runs: Sequence[Begun], part: Part, cores: int, wish: Interruption, expected: float = 0.0) -> None:
    """Draw on with every chain until `part(run, what is seen of it)` is 1 or more, then hold it; `cores` at a time.

    `expected` are the seconds that may take, which is when the first look is worth its cost.
    """
    pause = float(np.clip(expected, FIRST_LOOK, LAST_LOOK))
    waiting = [_Watched(run, chain, pause) for run in runs for chain in run.chains if not _is_far(run, chain, part)]
    running: list[_Watched] = []
    while (waiting or running) and not wish:
        while waiting and len(running) < cores:
            running.append(waiting.pop(0))
            running[-1].start(part)
        running[0].chain.ended(min(one.pause for one in running))  # the time between looks, unless this one ends
        still = []
        for one in running:
            _look(one.run, one.chain)
            if one.chain.over or _is_far(one.run, one.chain, part):
                one.chain.hold()
            else:
                one.look_again(part)
                still.append(one)
        running = still
    for one in running:
        one.chain.hold()


@dataclass(slots=True, eq=False)
class _Watched:
    """A chain that is drawing, and how long to wait until it may be there: the clock paces the looks, no more."""

    run: Begun
    chain: Chain
    pause: float
    began: float = 0.0
    from_part: float = 0.0

    def start(self, part: Part) -> None:
        self.began, self.from_part = time.perf_counter(), self._part(part)
        self.chain.start(self.run.model)

    def look_again(self, part: Part) -> None:
        """Wait as long as the rest will take at this speed; looking costs more than waiting."""
        now = self._part(part)
        speed = (now - self.from_part) / max(time.perf_counter() - self.began, FIRST_LOOK)
        wanted = (1 - now) / speed if speed > 0 else 2 * self.pause
        self.pause = float(np.clip(wanted, FIRST_LOOK, LAST_LOOK))

    def _part(self, part: Part) -> float:
        seen = self.run.seen.get(self.chain.number)
        return 0.0 if seen is None else part(self.run, seen)


def _is_far(run: Begun, chain: Chain, part: Part) -> bool:
    return bool(chain.error) or (chain.number in run.seen and part(run, run.seen[chain.number]) >= 1)


def _look(run: Begun, chain: Chain) -> None:
    chain.ended(0.0)
    tables = chain.so_far()
    if tables is not None:
        (drawn,), (statistics,) = tables
        run.seen[chain.number] = Seen(numbers(statistics, "n_steps"), numbers(statistics, "diverging"), drawn)
