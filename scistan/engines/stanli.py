"""The embedded engine: Stan's NUTS on stanli's precompiled kernels, no compiler needed."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from scistan.engines.assemble import cores_for, keep_complete
from scistan.engines.columns import gather
from scistan.engines.interrupt import Interruption, heed_interrupts
from scistan.engines.loading import load_model, load_stanli, text_for_stanli, version_of
from scistan.engines.options import settings_for
from scistan.engines.progress import Progress, open_progress
from scistan.engines.protocol import Chains, Draws, Request
from scistan.engines.stanli_call import Buffers, run_chains
from scistan.engines.statistics import FROM_STAN, typed
from scistan.engines.translate import program_for_stanli
from scistan.messages import sampling as messages
from scistan.profiling import staged

__all__ = ["StanliEngine"]

# How often each chain reports its progress: enough for a smooth bar, too rare to cost anything.
REPORTS = 100


class StanliEngine:
    """Runs a program in this process, chains on threads."""

    name = "stanli"

    def sample(self, request: Request) -> Draws:
        """Draw from the posterior; the draws do not depend on how many chains run at once."""
        settings = settings_for(self.name, request.options)
        started = time.perf_counter()
        threads = settings.pop("threads_per_chain", 1)
        model = prepare(request, threads)
        inits = starts(model, request)
        ready = time.perf_counter()
        cores = cores_for(request.chains, settings.pop("parallel_chains", None), threads)
        shown = open_progress(request.progress, request.iterations, "stanli")
        with heed_interrupts(request.time_limit) as wish, shown as bar:
            buffers = run_chains(
                model,
                seed=request.seed,
                first_chain=request.first_chain,
                chains=request.chains,
                warmup=request.warmup,
                draws=request.draws,
                cores=cores,
                inits=inits,
                watch=lambda steps, so_far: _tell(steps, so_far, bar, wish),
                refresh=max(1, (request.warmup + request.draws) // REPORTS),
                **settings,
            )
            if not buffers.interrupted:
                _tell({0: request.iterations}, buffers, bar, wish)
            limit = wish.passed
        timing = {"build": ready - started, "sample": time.perf_counter() - ready}
        return _settled(request, buffers, settings, timing, limit)


@staged("loading")
def prepare(request: Request, threads: int = 1) -> Any:
    """Make the program ready on its data: milliseconds."""
    import warnings

    if request.loaded is not None and threads == 1:
        return request.loaded
    stanli = load_stanli()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            program = program_for_stanli(text_for_stanli(request.text))
            return load_model(stanli, program, request.data, request.seed, threads)
    except (RuntimeError, ValueError) as error:
        raise messages.program_refused("stanli", str(error)) from None


def starts(model: Any, request: Request) -> np.ndarray | None:
    """Give each chain's unconstrained start, or None for Stan's own uniform draws."""
    if request.inits is None:
        return None
    try:
        return np.stack([np.asarray(model.unconstrain(init)) for init in request.inits])
    except ValueError as error:
        raise messages.cannot_start_there(str(error)) from None


# stanli hands its statistics over at the end of a run: until then the bar counts steps alone.
def _tell(steps: dict[int, int], so_far: Buffers, bar: Progress, wish: Interruption) -> bool:
    latest = [float(so_far.statistics[k, n - 1, _STEP]) for k, n in enumerate(so_far.lengths) if n]
    bar.show(sum(steps.values()), int(np.nansum(so_far.statistics[:, :, _DIVERGENT])) if latest else None, latest)
    return bool(wish)


_STEP, _DIVERGENT = 2, 5  # places in stanli.SAMPLER_COLUMNS, held by a test


def _settled(
    request: Request, buffers: Buffers, settings: dict[str, Any], timing: dict[str, float], limit: float | None
) -> Draws:
    lengths = buffers.lengths
    if buffers.failed and not any(lengths):
        raise messages.cannot_sample(buffers.message)
    thin = settings.get("thin", 1)
    warm = -(-request.warmup // thin) if settings.get("save_warmup") else 0
    names = list(FROM_STAN.values())
    raw = {name: buffers.statistics[:, :, k] for k, name in enumerate(names)}
    values = gather(buffers.columns, buffers.draws)
    whole = max(lengths)
    failures = {k: buffers.message for k, n in enumerate(lengths) if buffers.failed and n < whole}
    draws = Draws(
        _slice(values, raw, warm, None),
        "stanli",
        {"stanli": version_of("stanli")},
        timing,
        tuple(range(request.first_chain, request.first_chain + request.chains)),
        _slice(values, raw, 0, warm) if warm else None,
    )
    wanted = buffers.statistics.shape[1] - warm
    return keep_complete(draws, [n - warm for n in lengths], failures, buffers.interrupted, wanted, limit)


def _slice(values: dict[str, np.ndarray], raw: dict[str, np.ndarray], start: int, stop: int | None) -> Chains:
    return Chains(
        {name: array[:, start:stop] for name, array in values.items()},
        typed({name: array[:, start:stop] for name, array in raw.items()}),
    )
