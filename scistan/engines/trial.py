"""Runs that are begun to be looked at: their first chains, held after their first draws, ready to go on.

Each is the whole run with all its settings, so that the one that is chosen goes on and nothing of it was for nothing.
What is seen of a run is always its first draws, however many more it has made meanwhile: it follows from the model,
the data and the seed, never from the clock or from how busy the machine is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scistan.engines.interrupt import Interruption
from scistan.engines.nutpie_chain import Chain
from scistan.engines.options import settings_for
from scistan.engines.protocol import Request
from scistan.engines.trace import numbers

__all__ = ["Begun", "Seen", "begin", "draw_on"]

# Chains that a trial looks at: two, so that one that is lost early does not decide alone.
CHAINS = 2
# Seconds between looks: from what a thread's start takes to what nobody notices.
FIRST_LOOK, LAST_LOOK = 0.002, 0.02


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


def begin(engine: str, request: Request, model: Any) -> Begun:
    """Make the first chains of a run, none of them started."""
    settings = settings_for(engine, request.options)
    for ours in ("parallel_chains", "save_warmup"):
        settings.pop(ours, None)
    first = range(request.first_chain, request.first_chain + min(CHAINS, request.chains))
    return Begun(engine, request, model, [Chain(request, number, settings) for number in first])


def draw_on(runs: Sequence[Begun], far: Callable[[Begun, Seen], bool], cores: int, wish: Interruption) -> None:
    """Draw on with every chain until `far(run, what is seen of it)`, then hold it; up to `cores` at a time."""
    waiting = [(run, chain) for run in runs for chain in run.chains if not _is_far(run, chain, far)]
    running: list[tuple[Begun, Chain]] = []
    pause = FIRST_LOOK
    while (waiting or running) and not wish:
        while waiting and len(running) < cores:
            run, chain = waiting.pop(0)
            chain.start(run.model)
            running.append((run, chain))
        running[0][1].ended(pause)  # where nothing has ended, this is the time between looks
        still = []
        for run, chain in running:
            _look(run, chain)
            if chain.error or chain.over or _is_far(run, chain, far):
                chain.hold()
            else:
                still.append((run, chain))
        pause = FIRST_LOOK if len(still) < len(running) else min(1.5 * pause, LAST_LOOK)
        running = still
    for _, chain in running:
        chain.hold()


def _is_far(run: Begun, chain: Chain, far: Callable[[Begun, Seen], bool]) -> bool:
    return bool(chain.error) or (chain.number in run.seen and far(run, run.seen[chain.number]))


def _look(run: Begun, chain: Chain) -> None:
    chain.ended(0.0)
    tables = chain.so_far()
    if tables is not None:
        (drawn,), (statistics,) = tables
        run.seen[chain.number] = Seen(numbers(statistics, "n_steps"), numbers(statistics, "diverging"), drawn)
