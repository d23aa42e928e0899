"""nutpie's NUTS with a low-rank metric, on stanli's kernels through their BridgeStan interface."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.engines.assemble import cores_for, keep_complete
from scistan.engines.interrupt import Interruption, heed_interrupts
from scistan.engines.loading import version_of
from scistan.engines.nutpie_call import is_panic, make_sampler, make_settings, ready_model, said_by_rust, what_it_says
from scistan.engines.options import settings_for
from scistan.engines.progress import Progress, open_progress
from scistan.engines.protocol import Draws, Request
from scistan.engines.trace import combine_traces
from scistan.messages import sampling as messages

__all__ = ["NutpieEngine", "chain_seed"]

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
        model = ready_model(request)
        ready = time.perf_counter()
        cores = cores_for(request.chains, settings.pop("parallel_chains", None))
        save_warmup = settings.pop("save_warmup", False)
        chains = [_Chain(request, number, dict(settings)) for number in _numbers(request)]
        with heed_interrupts() as wish, open_progress(request.progress, request.iterations, "nutpie") as bar:
            _run(chains, model, cores, bar, wish)
        timing = {"build": ready - started, "sample": time.perf_counter() - ready}
        failures = {k: chain.error for k, chain in enumerate(chains) if chain.error}
        if len(failures) == len(chains):
            raise messages.cannot_sample(chains[0].error)
        kept, warmup, lengths = combine_traces([c.trace for c in chains], request.draws, request.warmup)
        draws = Draws(
            kept,
            self.name,
            {"nutpie": version_of("nutpie"), "stanli": version_of("stanli")},
            timing,
            tuple(_numbers(request)),
            warmup if save_warmup else None,
        )
        return keep_complete(draws, lengths, failures, bool(wish), request.draws)


def _numbers(request: Request) -> range:
    return range(request.first_chain, request.first_chain + request.chains)


def chain_seed(seed: int, number: int) -> int:
    """Give a chain's own seed: nutpie counts chains within a sampler, and each of ours has its own."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])


@dataclass(slots=True, eq=False)
class _Chain:
    """One chain: a sampler while it runs, a trace or an error afterwards."""

    request: Request
    number: int
    settings: dict[str, Any]
    sampler: Any = None
    trace: Any = None
    error: str = ""
    state: tuple[int, int, float] = (0, 0, 0.0)

    def start(self, model: Any) -> None:
        metric = self.settings.pop("metric", "low_rank")
        counts = {"num_tune": self.request.warmup, "num_draws": self.request.draws}
        settings = make_settings(metric, chain_seed(self.request.seed, self.number), **counts, **self.settings)
        self.sampler = make_sampler(settings, model, self._hear if self.request.progress else None)

    def _hear(self, text: str) -> None:
        done, diverging, step = text.rstrip(";").split()
        self.state = (int(done), int(diverging), float(step))

    def ended(self, seconds: float) -> bool:
        """Wait a moment; a panic in nutpie's Rust ends this chain and nothing else."""
        try:
            self.sampler.wait(seconds)
            self.trace = self.sampler.take_results()
        except TimeoutError:
            return False
        except BaseException as error:
            self._fail(error)
        return True

    def stop(self) -> None:
        """End this chain and keep what it has drawn."""
        try:
            self.sampler.abort()
            self.trace = self.sampler.take_results()
        except BaseException as error:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        """Keep what nutpie says went wrong with this chain; any other error is not this chain's alone."""
        if not said_by_rust(error):
            raise error
        self.error = messages.panicked(what_it_says(error)) if is_panic(error) else what_it_says(error)


def _run(chains: list[_Chain], model: Any, cores: int, bar: Progress, wish: Interruption) -> None:
    """Run up to `cores` chains at a time; none is left running, whatever happens."""
    waiting, running = deque(chains), deque[_Chain]()
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
        for chain in running:
            chain.stop()
