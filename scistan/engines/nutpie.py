"""nutpie's NUTS with a low-rank metric, on stanli's kernels through their BridgeStan interface."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.engines.assemble import cores_for, settle
from scistan.engines.interrupt import Interruption, heed_interrupts
from scistan.engines.loading import load_nutpie, load_stanli, version_of
from scistan.engines.options import settings_for
from scistan.engines.progress import Progress, open_progress
from scistan.engines.protocol import Draws, Request
from scistan.engines.trace import combine_traces
from scistan.messages import sampling as messages

__all__ = ["NutpieEngine", "chain_seed", "ready_model"]

TICK = 0.002
# What nutpie fills in and hands to our callback; its own bars go past Python's streams.
_TEMPLATE = (
    "{% for chain in chains %}{{ chain.finished_draws }} {{ chain.divergences }} {{ chain.step_size }};{% endfor %}"
)


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
        return settle(draws, lengths, failures, bool(wish), request.draws)


def _numbers(request: Request) -> range:
    return range(request.first_chain, request.first_chain + request.chains)


def ready_model(request: Request) -> Any:
    """Make the program ready: it travels inside the data, under stanli's reserved key."""
    import orjson

    stanli, nutpie = load_stanli(), load_nutpie()
    try:
        manifest = {"build_id": stanli.build_id(), "mir": stanli.stan_to_mir(request.text), "name": "model"}
        spliced = orjson.dumps({"__stanli": manifest}).decode()[:-1]
        rest = request.data.lstrip()[1:]
        payload = spliced + ("," if rest.strip() != "}" else "") + rest
        library = nutpie.StanLibrary(str(stanli._runtime_lib_path()))
        return nutpie.StanModel(library, {}, {}, {}, request.seed, payload, None)
    except (RuntimeError, ValueError) as error:
        raise messages.program_refused("nutpie", _first_line(error)) from None


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
        nutpie = load_nutpie()
        seed = chain_seed(self.request.seed, self.number)
        kinds = {"low_rank": nutpie.PyNutsSettings.LowRank, "diag": nutpie.PyNutsSettings.Diag}
        settings = kinds[self.settings.pop("metric", "low_rank")](seed)
        settings.num_tune, settings.num_draws, settings.num_chains = self.request.warmup, self.request.draws, 1
        for name, value in self.settings.items():
            setattr(settings, name, value)
        kind, shown = nutpie.ProgressType, self.request.progress
        progress = kind.template_callback(100, _TEMPLATE, 1, self._hear) if shown else kind.none()
        self.sampler = nutpie.PySampler.from_stan(settings, 1, model, progress, nutpie.PyStorage.arrow())

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
        except Exception as error:
            self.error = _first_line(error)
        except BaseException as error:  # pyo3's PanicException is no Exception
            if type(error).__name__ != "PanicException":
                raise
            self.error = messages.panicked(_first_line(error))
        return True

    def stop(self) -> None:
        """End this chain and keep what it has drawn."""
        try:
            self.sampler.abort()
            self.trace = self.sampler.take_results()
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            self.error = _first_line(error)


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


def _first_line(error: BaseException) -> str:
    """Give what a Rust error says, without its stack."""
    text = str(error).split("Stack backtrace")[0]
    return " ".join(text.split())
