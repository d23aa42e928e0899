"""nutpie's NUTS with a low-rank metric, on stanli's kernels through their BridgeStan interface."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from scistan.engines.assemble import cores_for, keep_complete
from scistan.engines.interrupt import Interruption, heed_interrupts
from scistan.engines.loading import version_of
from scistan.engines.nutpie_call import ready_model
from scistan.engines.nutpie_chain import Chain
from scistan.engines.options import settings_for
from scistan.engines.progress import Progress, open_progress
from scistan.engines.protocol import Draws, Request
from scistan.engines.trace import combine_traces
from scistan.messages import sampling as messages

__all__ = ["NutpieEngine"]

TICK = 0.002


class NutpieEngine:
    """Runs a program in this process, each chain as a sampler of its own: one that fails takes no other along."""

    name = "nutpie"

    def sample(self, request: Request) -> Draws:
        """Draw from the posterior; the draws do not depend on how many chains run at once."""
        settings = settings_for(self.name, request.options)
        if request.inits is not None:
            raise messages.own_starts(self.name)
        started = time.perf_counter()
        model = ready_model(request) if request.begun is None else request.begun.model
        ready = time.perf_counter()
        cores = cores_for(request.chains, settings.pop("parallel_chains", None))
        save_warmup = settings.pop("save_warmup", False)
        begun = {} if request.begun is None else {chain.number: chain for chain in request.begun.chains}
        chains = [begun.get(number) or Chain(request, number, settings) for number in _numbers(request)]
        shown = open_progress(request.progress, request.iterations, "nutpie")
        with heed_interrupts(request.time_limit) as wish, shown as bar:
            _run(chains, model, cores, bar, wish)
            stopped, limit = not all(chain.finished for chain in chains), wish.passed
        timing = {"build": ready - started, "sample": time.perf_counter() - ready}
        failures = {k: chain.error for k, chain in enumerate(chains) if chain.error}
        if len(failures) == len(chains):
            raise messages.cannot_sample(chains[0].error)
        kept, warmup, lengths = combine_traces([c.tables for c in chains], request.draws, request.warmup)
        draws = Draws(
            kept,
            self.name,
            {"nutpie": version_of("nutpie"), "stanli": version_of("stanli")},
            timing,
            tuple(_numbers(request)),
            warmup if save_warmup else None,
        )
        return keep_complete(draws, lengths, failures, stopped, request.draws, limit)


def _numbers(request: Request) -> range:
    return range(request.first_chain, request.first_chain + request.chains)


def _run(chains: list[Chain], model: Any, cores: int, bar: Progress, wish: Interruption) -> None:
    """Run up to `cores` chains at a time; none is left running, whatever happens."""
    waiting, running = deque(chains), deque[Chain]()
    try:
        while (waiting or running) and not wish:
            while waiting and len(running) < cores:
                waiting[0].start(model)
                running.append(waiting.popleft())
            if running[0].ended(TICK):
                running.popleft()
            else:
                running.rotate(-1)
            states = [chain.state for chain in chains]
            bar.show(sum(s[0] for s in states), sum(s[1] for s in states), [s[2] for s in states])
    finally:
        for chain in chains:
            chain.stop()
