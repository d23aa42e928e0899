"""One replication of simulation-based calibration: draw latents and data, fit, and rank the truth among the draws.

The latents that made the data are a draw of their own posterior: their ranks among independent posterior draws are
uniform (Talts et al. 2018). So is that of the log likelihood, by which a posterior that is the prior is found out
(Modrák et al. 2023).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scistan.diagnostics.statistics import measure
from scistan.distributions.rule import rule_of
from scistan.engines.encoding import to_json
from scistan.engines.protocol import Draws, Request
from scistan.engines.registry import run_request
from scistan.graph.instance import Instance
from scistan.graph.node import Data
from scistan.inference.generated import derived_quantities, log_likelihood
from scistan.inference.inits import starting_values
from scistan.inference.judge.carried import GRAPH_WORK, Carried
from scistan.inference.judge.tasks import task_seed
from scistan.inference.refusal import in_users_terms
from scistan.inference.states import draw_states
from scistan.inference.summed import summed
from scistan.messages import judge as messages
from scistan.shapes import Size
from scistan.targets.scipy import ancestral_draws

__all__ = ["Settings", "Simulated", "blank", "replicate", "simulated"]

_FEWEST = 20  # draws that a rank must be among; an element with fewer independent ones tells nothing


@dataclass(frozen=True, slots=True)
class Settings:
    """What every replication does alike."""

    seed: int
    draws: int
    warmup: int
    chains: int
    engine: str
    names: tuple[str, ...]  # whose ranks are taken
    likelihood: str  # the name under which the log likelihood is ranked; empty for not at all
    inits: Any
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """Latents and derived quantities that were drawn, and the model on the data that they made."""

    truth: Mapping[str, np.ndarray]
    instance: Instance


def blank(instance: Instance) -> Instance:
    """Forget what was observed; lengths stay, and series that go on from elements that are given."""
    rules = {t.value: rule_of(t.law) for t in instance.graph.observed}
    observed = {value for value, rule in rules.items() if rule is None or not rule.given}
    seen = {leaf: array for leaf, array in instance.values.items() if leaf in observed}
    lengths = [(size, Size(n)) for leaf, array in seen.items() for size, n in zip(leaf.shape, array.shape, strict=True)]
    values = {leaf: array for leaf, array in instance.values.items() if leaf not in seen}
    return replace(instance, values=values, given=(*instance.given, *lengths))


def simulated(instance: Instance, seed: int) -> Simulated:
    """Draw everything once from a model without observations, and observe it."""
    drawn, _ = ancestral_draws(instance, 1, seed)
    truth = {name: np.asarray(array[0]) for name, array in drawn.items()}
    values: dict[Data, np.ndarray] = dict(instance.values)
    for term in instance.graph.observed:
        array = truth.pop(term.name)
        if not np.isfinite(array).all():
            raise messages.simulated_not_finite(term.name, float(array[~np.isfinite(array)][0]))
        if isinstance(term.value, Data):
            values[term.value] = array.astype(np.int64 if term.law.distribution.discrete else np.float64)
    return Simulated(truth, replace(instance, values=values))


def replicate(carried: Carried, settings: Settings, number: int) -> dict[str, np.ndarray]:
    """Simulate, fit and rank: for each element its rank, among how many draws, and its place between 0 and 1."""
    started = time.perf_counter()
    seed = task_seed(settings.seed, number)
    with GRAPH_WORK:
        made = simulated(blank(carried.instance), seed)
        data = to_json(carried.program.data(made.instance))
        lowered = carried.lowered(settings.engine, made.instance)
        starts = starting_values(
            summed(made.instance), carried.program, settings.inits, settings.chains, seed, data,
            plain=lowered is not None,
        )
    options = settings.options if lowered is not None else {"parallel_chains": 1, **settings.options}
    request = Request(
        carried.text, data, settings.draws, settings.warmup, settings.chains, seed, 1, starts, False, options,
        lowered=lowered,
    )
    with in_users_terms(carried.program):
        found = run_request(settings.engine, request)
    if not found.complete:
        raise messages.replication_cut_short("; ".join(found.notes))
    with GRAPH_WORK:
        truth, drawn = _quantities(made, found, settings, seed)
    ranks = _ranked(truth, drawn, np.random.default_rng([seed, 1]))
    diverging = found.statistics.get("diverging", np.zeros(1))
    seconds = np.asarray(time.perf_counter() - started)
    return {**ranks, "divergences": np.asarray(int(diverging.sum())), "seconds": seconds}


def _quantities(
    made: Simulated, found: Draws, settings: Settings, seed: int
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Give the true values and the draws of all that is ranked."""
    instance, shape, sampled = made.instance, found.kept.shape, summed(made.instance)
    latents = {
        t.name: _shaped(found, t.name, (*shape, *instance.shape(t.law.shape))) for t in sampled.graph.latents
    }
    latents |= draw_states(sampled, latents, settings.seed)
    derived = [name for name in settings.names if name in instance.graph.derived]
    other = int(np.random.SeedSequence([seed, 2]).generate_state(1)[0])  # than that of the true values
    drawn = {**latents, **derived_quantities(instance, latents, derived, shape, seed=other)}
    truth = {name: made.truth[name] for name in settings.names}
    drawn = {name: drawn[name] for name in settings.names}
    if settings.likelihood:
        true_latents = {t.name: made.truth[t.name][None, None] for t in instance.graph.latents}
        truth[settings.likelihood] = _joint_likelihood(instance, true_latents)[0, 0]
        drawn[settings.likelihood] = _joint_likelihood(instance, latents)
    return truth, drawn


def _shaped(found: Draws, name: str, shape: tuple[int, ...]) -> np.ndarray:
    return found.values[name].reshape(shape) if name in found.values else np.empty(shape)


def _joint_likelihood(instance: Instance, latents: Mapping[str, np.ndarray]) -> np.ndarray:
    parts = log_likelihood(instance, latents).values()
    total: np.ndarray = np.sum([part.reshape(*part.shape[:2], -1).sum(-1) for part in parts], axis=0)
    return total


def _ranked(
    truth: Mapping[str, np.ndarray], drawn: Mapping[str, np.ndarray], rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Rank each element of the truth among draws thinned to independent ones; constants have no rank."""
    moving = {name: array for name, array in drawn.items() if array.size and np.ptp(array) > 0}
    health = measure(moving)
    result: dict[str, np.ndarray] = {}
    for name, array in drawn.items():
        flat, true = array.reshape(*array.shape[:2], -1), np.ravel(truth[name])
        rank, among, place = np.full(true.size, -1), np.zeros(true.size, dtype=int), np.full(true.size, np.nan)
        if name in moving:
            ess = np.fmin(health[name].bulk_ess, health[name].tail_ess).ravel()
            for k in range(true.size):
                if np.ptp(flat[..., k]) > 0:
                    rank[k], among[k], place[k] = _place(true[k], flat[..., k], float(ess[k]), rng)
        shape = array.shape[2:]
        for kind, found in (("rank", rank), ("among", among), ("place", place)):
            result[f"{kind}/{name}"] = found.reshape(shape)
    return result


def _place(truth: float, draws: np.ndarray, ess: float, rng: np.random.Generator) -> tuple[int, int, float]:
    """Give the rank of the truth, among how many draws, and its place; ties are broken by chance."""
    total = draws.size
    step = max(1, int(np.ceil(total / ess))) if np.isfinite(ess) and ess > 0 else total
    # Chains that hardly moved are not thinned to nothing: their ranks tell that they are wrong.
    kept = draws[:, :: max(1, min(step, total // _FEWEST))].ravel()
    below, equal = int((kept < truth).sum()), int((kept == truth).sum())
    rank = below + int(rng.integers(0, equal + 1))
    return rank, kept.size, float((rank + rng.random()) / (kept.size + 1))
