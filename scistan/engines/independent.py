"""The engine for a few numbers: draws that are proposed about the mode, and accepted by the exact density.

The density is asked at hundreds of points at once. Climbs from several starts find its mode, draws look how far it
reaches, and Student's t is fitted to it; where that fits, a chain of such draws forgets where it was in a step or two.
Where it does not fit the run is declined before it begins, and where it turns out not to have fitted, afterwards.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from scistan.engines.assemble import keep_complete
from scistan.engines.climbs import climb
from scistan.engines.interrupt import Interruption, heed_interrupts
from scistan.engines.loading import version_of
from scistan.engines.options import settings_for
from scistan.engines.progress import open_progress
from scistan.engines.proposal import Proposal, adapted
from scistan.engines.protocol import Chains, Draws, Request
from scistan.engines.registry import ENGINES
from scistan.engines.tries import ROUND, Walk, acceptance, log_weights
from scistan.importance import smoothed_weights
from scistan.messages import few as messages
from scistan.messages import sampling
from scistan.targets.scipy.streams import stream
from scistan.transforms.rows import RowsDensity

__all__ = ["Fitted", "IndependentEngine", "fit_proposal"]

_STARTS, _CLIMBS, _RADIUS = 64, 6, 2.0  # points that are asked, climbs from some of them, how far from 0 they lie
_APART, _MATTERS = 3.0, 7.0  # deviations from which on a mode is another; log mass by which it may be smaller
_LOOKS = 1000  # draws that judge a proposal
_FORGOTTEN = 5  # rounds of a chain before its first draw
_TRIES = (1, 2, 4, 8)  # draws for a step of a chain
# About what a call costs beside its draws, a step beside the density, and each number that is computed: nanoseconds.
_CALL, _STEP, _NUMBER = 6e7, 2e3, 1.5
_STRETCH = 5e8  # counted nanoseconds between two looks at the clock


@dataclass(frozen=True, slots=True)
class Fitted:
    """A proposal, what a draw of it is worth, the tail of its weights, and how many tries a step takes."""

    proposal: Proposal
    worth: float
    tail: float
    tries: int


class IndependentEngine:
    """Draws the few numbers of a model; it takes no program, so the model must have been lowered in this process."""

    name = "independent"

    def sample(self, request: Request) -> Draws:
        """Draw from the posterior."""
        settings_for(self.name, request.options)
        density = request.lowered
        if not isinstance(density, RowsDensity):
            raise sampling.needs_this_process(self.name)
        if density.dimension > ENGINES[self.name].few:
            raise messages.too_many(density.dimension, ENGINES[self.name].few)
        started = time.perf_counter()
        with heed_interrupts(request.time_limit) as wish:
            fitted = fit_proposal(density, request.seed, request.draws * request.chains)
            ready = time.perf_counter()
            walks = _walked(density, fitted, request, wish)
            interrupted, limit = bool(wish), wish.passed
        tail = _tail(np.concatenate([walk.log_weights for walk in walks]))
        if tail > messages.HEAVIEST:
            raise messages.heavy_weights(tail)
        chains = _chains(density, fitted, walks, request.draws)
        timing = {"build": ready - started, "sample": time.perf_counter() - ready}
        draws = Draws(chains, self.name, {"numpy": version_of("numpy")}, timing, tuple(_numbers(request)))
        return keep_complete(draws, [chains.shape[1]] * request.chains, {}, interrupted, request.draws, limit)


def fit_proposal(density: RowsDensity, seed: int, wanted: int) -> Fitted:
    """Find the mode and fit a proposal there; decline where the density has several, none, or reaches further."""
    rng = stream(seed, "proposal")
    starts = rng.uniform(-_RADIUS, _RADIUS, (_STARTS, density.dimension))
    starts[0] = 0.0
    found = density.log_densities(starts)
    inside = np.flatnonzero(np.isfinite(found))
    if not len(inside):
        raise messages.no_start(_STARTS)
    highest = int(inside[np.argmax(found[inside])])
    modes = climb(density.log_densities, starts[list(dict.fromkeys([highest, *inside[:_CLIMBS].tolist()]))])
    if not modes:
        raise messages.no_mode()
    best = modes[0]
    if any(best.apart(other) > _APART and other.mass > best.mass - _MATTERS for other in modes[1:]):
        raise messages.several_modes()
    proposal = adapted(Proposal(best.centre, best.root), density.log_densities, rng)
    rows = proposal.draw(rng, _LOOKS)
    logs = log_weights(density.log_densities(rows), rows, proposal)
    weights = np.exp(logs - logs.max()) if np.isfinite(logs).any() else np.zeros(_LOOKS)
    worth = float(weights.sum() ** 2 / max((weights**2).sum(), np.finfo(float).tiny) / _LOOKS)
    tail = _tail(logs)
    if worth < messages.LEAST_WORTH or tail > messages.HEAVIEST:
        raise messages.poor_proposal(worth, tail)
    return Fitted(proposal, worth, tail, _tries_for(weights, density.work * wanted, rng))


def _tail(logs: np.ndarray) -> float:
    """Give the shape of the weights' tail, Pareto k."""
    return smoothed_weights(logs)[1] if np.isfinite(logs).any() else np.inf


def _tries_for(weights: np.ndarray, work: float, rng: np.random.Generator) -> int:
    """Choose how many draws a step takes: those that give the most effective draws for the counted cost of a run."""

    def rate(tries: int) -> float:
        moves = acceptance(weights, tries, rng)
        return moves / (2 - moves) / (_CALL + _points(tries) * work * _NUMBER)

    return max(_TRIES, key=rate)


def _numbers(request: Request) -> range:
    return range(request.first_chain, request.first_chain + request.chains)


def _walked(density: RowsDensity, fitted: Fitted, request: Request, wish: Interruption) -> list[Walk]:
    """Run the chains, a stretch of steps at a time, up to their end or an interrupt."""
    walks = [Walk(fitted.proposal, fitted.tries, stream(request.seed, f"chain {n}")) for n in _numbers(request)]

    def go(rounds: int) -> None:
        picked = [walk.pick(found) for walk, found in zip(walks, asked([w.offer(rounds) for w in walks]), strict=True)]
        for walk, images, found in zip(walks, picked, asked(picked), strict=True):
            walk.go(images, found)

    def asked(rows: list[np.ndarray]) -> list[np.ndarray]:
        return np.split(density.log_densities(np.concatenate(rows)), len(walks))

    go(0)  # to the first place
    go(_FORGOTTEN)
    for walk in walks:
        walk.forget()
    stretch = max(1, int(_STRETCH / (len(walks) * ROUND * (_STEP + _points(fitted.tries) * density.work * _NUMBER))))
    with open_progress(request.progress, request.chains * request.draws, "independent") as bar:
        for done in range(0, request.draws, ROUND * stretch):
            if wish:
                break
            rounds = min(stretch, math.ceil((request.draws - done) / ROUND))
            go(rounds)
            bar.show(min(request.draws, done + ROUND * rounds) * request.chains, None, [])
    return walks


def _points(tries: int) -> float:
    """Give at how many points the density is asked for a draw."""
    return (tries + ROUND - 1) / ROUND


def _chains(density: RowsDensity, fitted: Fitted, walks: list[Walk], draws: int) -> Chains:
    """Give the draws as the model's variables, with what is known of each step."""
    shape = len(walks), min(draws, len(walks[0].points))  # of a round the last may be too many
    values = density.latents(np.concatenate([walk.points[:draws] for walk in walks]))
    statistics = {
        "lp": np.stack([walk.heights[:draws] for walk in walks]),
        "acceptance_rate": np.stack([walk.chances[:draws] for walk in walks]),
        "log_weight": np.stack([walk.weights[:draws] for walk in walks]),
        "n_steps": np.tile(np.where(np.arange(shape[1]) % ROUND, 1, fitted.tries), (len(walks), 1)),
        "diverging": np.zeros(shape, dtype=bool),
    }
    return Chains({name: array.reshape(*shape, *array.shape[1:]) for name, array in values.items()}, statistics)
