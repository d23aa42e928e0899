"""One chain of nutpie's: a sampler that can be looked at, held and let go on while it runs; a trace afterwards.

A chain's draws follow from its seed and settings: that it was looked at or held changes none of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scistan.engines.nutpie_call import is_panic, make_sampler, make_settings, said_by_rust, what_it_says
from scistan.engines.protocol import Request
from scistan.messages import sampling as messages

__all__ = ["Chain", "chain_seed"]


def chain_seed(seed: int, number: int) -> int:
    """Give a chain's own seed: nutpie counts chains within a sampler, and each of ours has its own."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])


@dataclass(slots=True, eq=False)
class Chain:
    """One chain: a sampler while it runs, tables of draws and statistics or an error afterwards."""

    request: Request
    number: int
    settings: dict[str, Any]
    sampler: Any = None
    tables: Any = None
    error: str = ""
    held: bool = False
    stopped: bool = False
    state: tuple[int, int, float] = field(default=(0, 0, 0.0))

    @property
    def over(self) -> bool:
        """Whether it has come to its end, or failed."""
        return self.tables is not None or bool(self.error)

    @property
    def finished(self) -> bool:
        """Whether nobody ended it before its time."""
        return self.over and not self.stopped

    def start(self, model: Any) -> None:
        """Begin the whole run, or go on with what was begun."""
        if self.sampler is not None:
            self.let_go()
            return
        settings = dict(self.settings)
        metric = settings.pop("metric", "low_rank")
        counts = {"num_tune": self.request.warmup, "num_draws": self.request.draws}
        made = make_settings(metric, chain_seed(self.request.seed, self.number), **counts, **settings)
        self.sampler = make_sampler(made, model, self._hear if self.request.progress else None)

    def _hear(self, text: str) -> None:
        done, diverging, step = text.rstrip(";").split()
        self.state = (int(done), int(diverging), float(step))

    def ended(self, seconds: float) -> bool:
        """Wait a moment; a panic in nutpie's Rust ends this chain and nothing else."""
        if self.over:
            return True
        try:
            self.sampler.wait(seconds)
            self.tables = self.sampler.take_results().get_arrow_trace()
        except TimeoutError:
            return False
        except BaseException as error:
            self._fail(error)
        return True

    def so_far(self) -> Any:
        """Give the tables of what was drawn until now, or None where nothing was."""
        if self.over:
            return self.tables
        try:
            drawn, statistics = self.sampler.inspect().get_arrow_trace()
        except BaseException as error:
            self._fail(error)
            return None
        return (drawn, statistics) if statistics else None

    def hold(self) -> None:
        """Have it stop after the draw at hand, until it is let go."""
        if not self.over and not self.held:
            self.sampler.pause()
            self.held = True

    def let_go(self) -> None:
        """Have it go on."""
        if not self.over and self.held:
            self.sampler.resume()
        self.held = False

    def stop(self) -> None:
        """End this chain and keep what it has drawn."""
        if self.over:
            return
        self.stopped = True
        if self.sampler is None:
            return
        try:
            self.sampler.abort()
            self.tables = self.sampler.take_results().get_arrow_trace()
        except BaseException as error:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        """Keep what nutpie says went wrong with this chain; any other error is not this chain's alone."""
        if not said_by_rust(error):
            raise error
        self.error = messages.panicked(what_it_says(error)) if is_panic(error) else what_it_says(error)
