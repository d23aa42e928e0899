"""blackjax's NUTS over all chains at once, stretch by stretch: in between one can look, and stop.

The warm-up is Stan's: dual averaging of the step size, and windows that double in which the metric is learned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.engines.loading import load_blackjax
from scistan.targets.jax import JaxDensity
from scistan.targets.jax.backend import import_jax

__all__ = ["STRETCH", "NutsSettings", "Stretch", "run_chains"]

Array = Any
STRETCH = 50  # steps between two looks
_FAST, _SLOW, _SAMPLING = 0, 1, 2  # what a step adapts: the step size, the metric as well, nothing


@dataclass(frozen=True, slots=True)
class NutsSettings:
    """What of the sampler can be set."""

    delta: float = 0.8
    max_depth: int = 10
    metric: str = "diag"
    step_size: float = 1.0


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some steps of all chains (chain, step, …): where they were, and the statistics by ArviZ's names."""

    positions: np.ndarray
    statistics: dict[str, np.ndarray]


def run_chains(
    density: JaxDensity, starts: np.ndarray, seed: int, numbers: range, warmup: int, draws: int, settings: NutsSettings
) -> Iterator[Stretch]:
    """Run the chains from their starts (chain, coordinate), in double precision, which the caller sees to.

    A chain's random numbers depend on the seed and its number alone.
    """
    jax = import_jax()
    keys = jax.vmap(lambda number: jax.random.fold_in(jax.random.key(seed), number))(np.array(numbers))
    begin, move = density.once(settings, lambda: _functions(density, settings))
    state = begin(starts, density.data)
    schedule = _schedule(warmup, draws)
    for first in range(0, warmup + draws, STRETCH):
        part = np.zeros((STRETCH, 2), dtype=np.int32)
        count = min(STRETCH, warmup + draws - first)
        part[:count] = schedule[first : first + count]
        state, held = move(state, keys, first, count, part, density.data)
        found = {name: np.moveaxis(np.asarray(array)[:count], 0, 1) for name, array in held.items()}
        positions = found.pop("position")
        depth = np.floor(np.log2(found["n_steps"] + 1.0))  # full doublings, as Stan counts them
        yield Stretch(positions, {**found, "tree_depth": depth})


def _schedule(warmup: int, draws: int) -> list[tuple[int, int]]:
    """Say of each step what it adapts, and whether a window of the metric ends with it."""
    windows = load_blackjax().adaptation.staged_adaptation.build_schedule(warmup) if warmup else []
    return [(int(stage), int(end)) for stage, end in windows] + [(_SAMPLING, 0)] * draws


def _functions(density: JaxDensity, settings: NutsSettings) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Compile what makes the chains' states of their starts, and what moves them a stretch on."""
    jax, blackjax = import_jax(), load_blackjax()
    xp, adaptation = jax.numpy, blackjax.adaptation
    kernel = blackjax.nuts.build_kernel()
    step_init, step_update, step_final = adaptation.step_size.dual_averaging_adaptation(settings.delta)
    metric_init, metric_update, metric_final = adaptation.mass_matrix.mass_matrix_adaptation(settings.metric == "diag")

    def begin(start: Array, data: Any) -> Any:
        state = blackjax.nuts.init(start, lambda q: density.traced(q, data))
        made = state, step_init(settings.step_size), metric_init(density.dimension)
        return jax.tree.map(settled, made)

    def settled(x: Array) -> Array:
        # A type that is weak, or narrower than what a step makes of it, would have the second stretch compiled anew.
        return xp.asarray(x, dtype=xp.float64 if xp.issubdtype(xp.result_type(x), xp.floating) else xp.int64)

    def step(chain: Any, key: Array, part: Array, data: Any) -> Any:
        state, size, metric = chain
        stage, window_ends = part
        used = xp.where(stage == _SAMPLING, step_final(size), xp.exp(size.log_step_size))
        state, info = kernel(
            key, state, lambda q: density.traced(q, data), used, metric.inverse_mass_matrix, settings.max_depth
        )
        rate = info.acceptance_rate
        size = jax.lax.cond(stage == _SAMPLING, lambda s: s, lambda s: step_update(s, rate), size)
        metric = jax.lax.cond(stage == _SLOW, lambda m: metric_update(m, state.position), lambda m: m, metric)
        size, metric = jax.lax.cond(
            window_ends, lambda s, m: (step_init(step_final(s)), metric_final(m)), lambda s, m: (s, m), size, metric
        )
        statistics = {
            "lp": state.logdensity, "acceptance_rate": rate, "step_size": used, "energy": info.energy,
            "n_steps": info.num_integration_steps, "diverging": info.is_divergent,
        }
        return (state, size, metric), {"position": state.position, **statistics}

    together = jax.vmap(step, in_axes=(0, 0, None, None))

    def move(chains: Any, keys: Array, first: Array, count: Array, parts: Array, data: Any) -> Any:
        def one(k: Array, carried: Any) -> Any:
            chains, held = carried
            own = jax.vmap(lambda key: jax.random.fold_in(key, first + k))(keys)
            chains, found = together(chains, own, (parts[k, 0], parts[k, 1] == 1), data)
            chains = jax.tree.map(settled, chains)
            return chains, jax.tree.map(lambda rows, row: rows.at[k].set(row), held, found)

        shapes = jax.eval_shape(together, chains, keys, (parts[0, 0], parts[0, 1] == 1), data)[1]
        held = jax.tree.map(lambda s: xp.zeros((STRETCH, *s.shape), s.dtype), shapes)
        return jax.lax.fori_loop(0, count, one, (chains, held))

    return jax.jit(jax.vmap(begin, in_axes=(0, None))), jax.jit(move)
