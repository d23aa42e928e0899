"""The JAX engine: the model's density in JAX, sampled by blackjax's NUTS, all chains at once."""

from __future__ import annotations

import time
from dataclasses import fields

import numpy as np
import orjson

from scistan.engines.assemble import keep_complete
from scistan.engines.interrupt import heed_interrupts
from scistan.engines.jax_nuts import STRETCH, NutsSettings, Stretch, run_chains
from scistan.engines.loading import version_of
from scistan.engines.options import settings_for
from scistan.engines.progress import open_progress
from scistan.engines.protocol import Chains, Draws, Request
from scistan.engines.statistics import typed
from scistan.messages import sampling as messages
from scistan.targets.jax import JaxDensity
from scistan.targets.jax.backend import double_precision, import_jax

__all__ = ["JaxEngine"]

_TRIES = 100  # starts that are tried for each chain, as Stan does
_RADIUS = 2.0  # how far from 0 they may lie, as Stan's


class JaxEngine:
    """Runs the model as JAX compiles it; it takes no program, so the model must have been lowered in this process."""

    name = "jax"

    def sample(self, request: Request) -> Draws:
        """Draw from the posterior."""
        settings = settings_for(self.name, request.options)
        density = request.lowered
        if not isinstance(density, JaxDensity):
            raise messages.needs_this_process(self.name)
        save_warmup, radius = settings.pop("save_warmup", False), settings.pop("init_radius", _RADIUS)
        known = {field.name for field in fields(NutsSettings)}
        nuts = NutsSettings(**{name: value for name, value in settings.items() if name in known})
        started = time.perf_counter()
        with double_precision():
            starts = _starts(density, request, radius)
            ready = time.perf_counter()
            found, interrupted = _run(density, starts, request, nuts)
            values = _latents(density, found)
        timing = {"build": ready - started, "sample": time.perf_counter() - ready}
        return _settled(request, values, found, save_warmup, interrupted, timing)


def _starts(density: JaxDensity, request: Request, radius: float) -> np.ndarray:
    """Take the starts that were asked for, or draw each chain's until density and gradient are finite there."""
    if request.inits is not None:
        return _given(density, request.inits)
    streams = [np.random.default_rng([request.seed, number]) for number in _numbers(request)]
    starts = np.full((request.chains, density.dimension), np.nan)
    waiting = list(range(request.chains))
    for _ in range(_TRIES):
        for k in list(waiting):
            q = streams[k].uniform(-radius, radius, density.dimension)
            value, gradient = density.value_and_gradient(q)
            if np.isfinite(value) and np.isfinite(gradient).all():
                starts[k] = q
                waiting.remove(k)
        if not waiting:
            return starts
    raise messages.cannot_sample(f"no start with a finite log density and gradient in {_TRIES} tries")


def _given(density: JaxDensity, inits: tuple[str, ...]) -> np.ndarray:
    """Read the latents' values of each chain."""
    starts = []
    for text in inits:
        read = orjson.loads(text)
        values = {name: np.reshape(read[name], shape) for name, shape in density.shapes.items()}
        starts.append(np.asarray(density.unconstrain(values)))
        value, gradient = density.value_and_gradient(starts[-1])
        if not np.isfinite(value) or not np.isfinite(gradient).all():
            raise messages.cannot_sample("the starting values given have no finite log density and gradient")
    return np.stack(starts)


def _numbers(request: Request) -> range:
    return range(request.first_chain, request.first_chain + request.chains)


def _run(
    density: JaxDensity, starts: np.ndarray, request: Request, settings: NutsSettings
) -> tuple[list[Stretch], bool]:
    """Run the chains; give what they did up to their end, or up to an interrupt."""
    found: list[Stretch] = []
    with heed_interrupts() as wish, open_progress(request.progress, request.iterations, "jax") as bar:
        stretches = run_chains(
            density, starts, request.seed, _numbers(request), request.warmup, request.draws, settings
        )
        done = divergences = 0
        for stretch in stretches:
            found.append(stretch)
            steps = stretch.statistics["step_size"]
            kept = max(0, done + steps.shape[1] - request.warmup)
            divergences += int(stretch.statistics["diverging"][:, steps.shape[1] - min(kept, steps.shape[1]) :].sum())
            done += steps.shape[1]
            bar.show(done * request.chains, divergences, steps[:, -1].tolist())
            if wish:
                break
        return found, bool(wish)


def _latents(density: JaxDensity, found: list[Stretch]) -> dict[str, np.ndarray]:
    """Give the latents at every step of every chain, some steps at a time."""
    jax = import_jax()
    many = density.once(
        "latents", lambda: jax.jit(jax.vmap(jax.vmap(density.traced_latents, in_axes=(0, None)), in_axes=(0, None)))
    )
    parts = [many(_filled(stretch.positions), density.data) for stretch in found]
    lengths = [stretch.positions.shape[1] for stretch in found]
    return {
        name: np.concatenate([np.asarray(part[name])[:, :n] for part, n in zip(parts, lengths, strict=True)], axis=1)
        for name in density.names
    }


def _filled(positions: np.ndarray) -> np.ndarray:
    """Repeat the last step up to a full stretch: one shape is compiled once."""
    return np.concatenate([positions, np.repeat(positions[:, -1:], STRETCH - positions.shape[1], axis=1)], axis=1)


def _settled(
    request: Request,
    values: dict[str, np.ndarray],
    found: list[Stretch],
    save_warmup: bool,
    interrupted: bool,
    timing: dict[str, float],
) -> Draws:
    statistics = {
        name: np.concatenate([stretch.statistics[name] for stretch in found], axis=1)
        for name in found[0].statistics
    }

    def cut(start: int, stop: int | None) -> Chains:
        return Chains(
            {name: array[:, start:stop] for name, array in values.items()},
            typed({name: array[:, start:stop] for name, array in statistics.items()}),
        )

    kept = cut(request.warmup, None)
    draws = Draws(
        kept,
        "jax",
        {package: version_of(package) for package in ("jax", "blackjax")},
        timing,
        tuple(_numbers(request)),
        cut(0, request.warmup) if save_warmup else None,
    )
    return keep_complete(draws, [kept.shape[1]] * request.chains, {}, interrupted, request.draws)
