"""The one call into stanli's C interface: draws written into our own buffers, so that an interrupt loses none.

stanli's own `Model.sample` makes the same call and drops its buffers when it is interrupted or a chain fails.
The structures are stanli's; the version is pinned.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.engines.loading import has_tape, load_stanli

__all__ = ["Buffers", "run_chains"]

METRICS = ("unit_e", "diag_e", "dense_e")


@dataclass(slots=True, eq=False)
class Buffers:
    """What the chains wrote by the end of the run, or until they were interrupted; NaN where nothing was."""

    columns: list[str]
    draws: np.ndarray
    statistics: np.ndarray
    failed: int = 0
    message: str = ""
    interrupted: bool = False

    @property
    def lengths(self) -> list[int]:
        """How many draws each chain has written."""
        return [int(n) for n in (~np.isnan(self.statistics[:, :, 0])).sum(1)]


def run_chains(
    model: Any,
    *,
    seed: int,
    first_chain: int,
    chains: int,
    warmup: int,
    draws: int,
    cores: int,
    inits: np.ndarray | None,
    watch: Callable[[dict[int, int], Buffers], bool],
    refresh: int,
    thin: int = 1,
    delta: float = 0.8,
    max_depth: int = 10,
    save_warmup: bool = False,
    init_radius: float = 2.0,
    metric: str = "diag_e",
    inv_metric: Any = None,
    step_size: float = 1.0,
    adapt_engaged: bool = True,
) -> Buffers:
    """Run chains on threads; `watch(steps by chain, buffers)` is called now and then and says whether to stop."""
    wanted, own_cores = chains, cores
    if not has_tape():
        # Two chains on two threads of stanli's own; of a lone chain the second is thrown away.
        chains, cores = max(2, chains), max(2, own_cores)
    stanli = load_stanli()
    library, address = stanli._lib, stanli._dptr
    options = stanli._SampleOpts()
    library.stanli_sample_opts_init(ctypes.byref(options))
    options.seed, options.chain_id, options.chains = seed, first_chain, chains
    options.warmup, options.samples, options.thin = warmup, draws, thin
    options.delta, options.max_depth, options.init_radius = delta, max_depth, init_radius
    options.save_warmup, options.num_threads = int(save_warmup), cores
    starts = None if inits is None else np.ascontiguousarray(np.resize(inits, (chains, inits.shape[1])), dtype=float)
    if starts is not None:
        options.inits = address(starts)
    adaptation, held = _metric_options(stanli, model, metric, inv_metric, step_size, adapt_engaged, chains)

    stored = library.stanli_n_stored_draws(ctypes.byref(options))
    columns, _ = model._column_names()
    raw = np.empty((chains, stored, model.n_unconstrained))
    buffers = Buffers(
        list(columns),
        np.full((chains, stored, len(columns)), np.nan),
        np.full((chains, stored, len(stanli.SAMPLER_COLUMNS)), np.nan),
    )
    steps: dict[int, int] = {}
    on_progress = stanli._SampleProgressCallback(lambda chain, done, _total, _warm, _: steps.__setitem__(chain, done))
    on_poll = stanli._SamplePollCallback(lambda _: int(watch(steps, buffers)))
    interrupted, message = ctypes.c_int(0), ctypes.create_string_buffer(4096)
    reports = (stanli._SampleReport * chains)()
    buffers.failed = library.stanli_sample_multi_metric(
        model._m,
        ctypes.byref(options),
        ctypes.byref(adaptation),
        refresh,
        address(raw),
        address(buffers.statistics),
        address(buffers.draws),
        on_progress,
        None,
        on_poll,
        None,
        ctypes.byref(interrupted),
        reports,
        message,
        len(message),
    )
    del starts, held  # borrowed by the call until here
    buffers.message = message.value.decode(errors="replace")
    buffers.interrupted = bool(interrupted.value)
    buffers.draws, buffers.statistics = buffers.draws[:wanted], buffers.statistics[:wanted]
    return buffers


def _metric_options(
    stanli: Any, model: Any, metric: str, inv_metric: Any, step_size: float, adapt_engaged: bool, chains: int
) -> tuple[Any, Any]:
    """Give the adaptation's structure and the array that it borrows."""
    adaptation = stanli._MetricOpts()
    stanli._lib.stanli_metric_opts_init(ctypes.byref(adaptation))
    adaptation.metric = METRICS.index(metric)
    adaptation.step_size, adaptation.adapt_engaged = step_size, int(adapt_engaged)
    held = None
    if inv_metric is not None:
        held = stanli._inv_metric_buffer(inv_metric, metric, chains, model.n_unconstrained)
        adaptation.inv_metric = stanli._dptr(held)
    return adaptation, held
