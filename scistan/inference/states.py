"""Discrete latents given back: their probabilities given each draw of the others, and exact draws from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.inference.generated import log_likelihood, over_draws
from scistan.inference.integrated import IntegratedDensity
from scistan.inference.summed import as_written, conditional_terms
from scistan.passes.states import Summed
from scistan.passes.states.eliminate import Step
from scistan.passes.states.hidden import Hidden
from scistan.passes.states.series import ChainStep
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy import JointDensity
from scistan.targets.scipy.chains import Chain
from scistan.targets.scipy.streams import stream
from scistan.targets.values import NUMPY

__all__ = [
    "SummedDensity", "density_of", "draw_states", "log_likelihoods", "most_likely_paths", "state_probabilities",
]

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Which state each row of a latent is in, at each draw, and how probable each state was."""

    states: np.ndarray  # draws, plates
    probabilities: np.ndarray  # draws, states, plates
    chain: Chain | None = None

    @property
    def log_probability(self) -> np.ndarray:
        """The log probability of all its states together, at each draw."""
        if self.chain is not None:
            return np.asarray(self.chain.log_joint(self.states) - self.chain.total)
        with np.errstate(all="ignore"):
            found = np.log(np.take_along_axis(self.probabilities, self.states[:, None], axis=1))
        return np.asarray(found.reshape(len(found), -1).sum(1))


def draw_states(instance: Instance, posterior: Arrays, seed: int) -> dict[str, np.ndarray]:
    """Draw every discrete latent given the draws of all others (chains, draws, …)."""

    def compute(flat: dict[Node, np.ndarray], block: int, draws: int) -> dict[str, np.ndarray]:
        found: dict[str, np.ndarray] = {}
        for one, drawn in _all_drawn(instance, flat, seed, block, draws).items():
            found[one.name] = _values(one, drawn.states)
        return found

    return over_draws(instance, posterior, compute, cells=_widest(instance)) if instance.summed else {}


class SummedDensity:
    """The density without discrete latents by another way: log p(y, θ) = log p(y, z, θ) - log p(z | y, θ) at one z.

    The first is that of the model as it was written, so that it tells whether the states were summed rightly.
    """

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._joint = JointDensity(as_written(instance))

    def at_each(self, points: Sequence[Mapping[Node, np.ndarray]]) -> list[tuple[float, float]]:
        """Give the log density at points, and the sum of its events' absolute values."""
        if not points:
            return []
        flat: dict[Node, np.ndarray] = {leaf: np.array([point[leaf] for point in points]) for leaf in points[0]}
        drawn = _all_drawn(self._instance, flat, 0, 0, len(points))
        states = {one: _values(one, found.states) for one, found in drawn.items()}
        conditional = np.sum([found.log_probability for found in drawn.values()], axis=0)
        whole = [
            {**point, **{one.variable: array[k].astype(float) for one, array in states.items()}}
            for k, point in enumerate(points)
        ]
        joint = self._joint.at_each(whole)
        return [(value - given if np.isfinite(value) else -np.inf, size)
                for (value, size), given in zip(joint, conditional, strict=True)]


def density_of(instance: Instance) -> JointDensity | SummedDensity | IntegratedDensity:
    """Give SciPy's density of a model, from the joint density of all its latents where some are gone from it."""
    if instance.integrated:
        return IntegratedDensity(instance)
    return SummedDensity(instance) if instance.summed else JointDensity(instance)


def log_likelihoods(instance: Instance, posterior: Arrays) -> dict[str, np.ndarray]:
    """Give the log density of each observation at each draw: summed over states where it has a sum of its own.

    Along a chain each is given all observations before it; where a sum spans several in any other way, theirs are given
    the states that were drawn.
    """
    written, conditional = as_written(instance), conditional_terms(instance)
    if instance.integrated:
        return log_likelihood(written, posterior)
    ahead = {group.carrier: group.steps[-1] for group in instance.summed if group.ahead}
    own = [term.name for term in instance.graph.observed if term.name not in (*conditional, *ahead)]
    found = log_likelihood(instance, posterior, own)
    if conditional:
        found |= log_likelihood(written, posterior, conditional)
    for name, step in ahead.items():
        found |= _one_step_ahead(instance, posterior, name, step)
    return {term.name: found[term.name] for term in written.graph.observed if term.name in found}


def _one_step_ahead(instance: Instance, posterior: Arrays, name: str, step: ChainStep) -> dict[str, np.ndarray]:
    """Give the log density of each time of a chain given all that was seen before it."""

    def compute(flat: dict[Node, np.ndarray], _: int, draws: int) -> dict[str, np.ndarray]:
        chain = chain_of(step, _evaluator(instance, flat), draws)
        return {name: np.diff(chain.totals, axis=-1, prepend=0.0)}

    return over_draws(instance, posterior, compute, cells=_widest(instance))


def most_likely_paths(instance: Instance, posterior: Arrays, name: str) -> np.ndarray:
    """Give the most likely path of a chain at each draw of all others."""
    step = next(s for group in instance.summed for s in group.steps if s.hidden.name == name)

    def compute(flat: dict[Node, np.ndarray], _: int, draws: int) -> dict[str, np.ndarray]:
        return {name: chain_of(step, _evaluator(instance, flat), draws).most_likely + step.hidden.lowest}

    return over_draws(instance, posterior, compute, cells=_widest(instance))[name]


def state_probabilities(instance: Instance, posterior: Arrays, name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the posterior probability of each value of a discrete latent, and the values; the last axis is over them.

    Latents that are summed out after it are at their draws, the very draws that `draw_states` gives.
    """
    one = next(step.hidden for group in instance.summed for step in group.steps if step.hidden.name == name)
    totals: list[np.ndarray] = []
    count = 0

    def compute(flat: dict[Node, np.ndarray], block: int, draws: int) -> dict[str, np.ndarray]:
        nonlocal count
        drawn = _all_drawn(instance, flat, seed, block, draws)[one]
        totals.append(drawn.probabilities.sum(0))
        count += draws
        return {}

    over_draws(instance, posterior, compute, cells=_widest(instance))
    mean = np.sum(totals, axis=0) / count
    return _by_value(one, mean), np.arange(one.lowest, one.highest + 1)


def _widest(instance: Instance) -> int:
    """Count the cells of the largest table."""
    steps = [step for group in instance.summed for step in group.steps]
    return max((int(np.prod(instance.shape(step.table.shape), dtype=float)) for step in steps), default=1)


def _evaluator(instance: Instance, flat: Mapping[Node, np.ndarray]) -> Evaluator:
    evaluator = Evaluator(instance, NUMPY)
    for leaf, array in flat.items():
        evaluator.set(leaf, array, batched=True)
    return evaluator


def _all_drawn(
    instance: Instance, flat: dict[Node, np.ndarray], seed: int, block: int, draws: int
) -> dict[Hidden, _Drawn]:
    evaluator = _evaluator(instance, flat)
    found: dict[Hidden, _Drawn] = {}
    with np.errstate(all="ignore"):
        for group in instance.summed:
            _draw_group(instance, group, evaluator, seed, block, draws, found)
    return found


def _draw_group(
    instance: Instance, group: Summed, evaluator: Evaluator, seed: int, block: int, draws: int,
    found: dict[Hidden, _Drawn],
) -> None:
    """Draw the latents of a group, those that were summed out last first: the others were summed given them."""
    for step in reversed(group.steps):
        one = step.hidden
        if isinstance(step, ChainStep):
            chain = chain_of(step, evaluator, draws)
            rng = stream(seed, one.name if block == 0 else f"{one.name}, block {block}")
            found[one] = _Drawn(chain.draw(rng), np.moveaxis(chain.smoothed, -1, 1), chain)
            continue
        table = _given(instance, step, evaluator, draws, found)
        top = table.max(axis=1, keepdims=True)
        weights = np.exp(table - np.where(np.isfinite(top), top, 0.0))
        probabilities = weights / weights.sum(axis=1, keepdims=True)
        rng = stream(seed, one.name if block == 0 else f"{one.name}, block {block}")
        uniform = rng.random((draws, 1, *probabilities.shape[2:]))
        passed = np.cumsum(probabilities, axis=1)
        states = (uniform * passed[:, -1:] >= passed[:, :-1]).sum(axis=1)
        found[one] = _Drawn(states, probabilities)


def chain_of(step: ChainStep, evaluator: Evaluator, draws: int) -> Chain:
    """Give a chain at every draw."""

    def over_all(node: Node) -> np.ndarray:
        value = evaluator[node]
        array = np.asarray(value.array)
        return array if value.batched else np.broadcast_to(array, (draws, *array.shape))

    return Chain(over_all(step.start), over_all(step.step), over_all(step.seen))


def _given(
    instance: Instance, step: Step, evaluator: Evaluator, draws: int, found: Mapping[Hidden, _Drawn]
) -> np.ndarray:
    """Give the table of a latent (draws, states, plates) where the latents that were drawn before are what they are."""
    value = evaluator[step.table]
    plates = instance.shape(tuple(step.hidden.variable.shape[axis] for axis in step.hidden.plates))
    states = tuple(instance.length(one.size) for one in step.states)
    array = value.array if value.batched else value.array[None]
    lead = array.shape[1 : array.ndim - len(plates)]
    table = np.broadcast_to(array, (draws, *lead, *plates))
    table = np.broadcast_to(table, (draws, *states, *plates))
    for k, one in enumerate(step.states):
        if one is not step.hidden:
            at = _on_table(instance, one, step.paths[one.variable], found[one].states, evaluator, len(plates))
            index = at.reshape(draws, *(1,) * len(states), *at.shape[1:])
            table = np.take_along_axis(table, np.broadcast_to(index, _with(table.shape, k + 1)), axis=k + 1)
    own = step.states.index(step.hidden)
    gone = tuple(k + 1 for k in range(len(states)) if k != own)
    return np.squeeze(table, axis=gone) if gone else table


def _with(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*shape[:axis], 1, *shape[axis + 1 :])


def _on_table(
    instance: Instance, one: Hidden, paths: object, states: np.ndarray, evaluator: Evaluator, rank: int
) -> np.ndarray:
    """Put the states of a latent, drawn on its own plates, on those of a table: row by row, or by groups."""
    axes: list[int] = []
    for k, axis in enumerate(one.plates):
        along = paths[axis]  # type: ignore[index]
        if along.by is not None:
            positions = np.asarray(evaluator[along.by].array).astype(np.intp)
            states = np.take(states, positions, axis=k + 1)
        axes.append(along.axis)
    order = np.argsort(axes)
    states = np.transpose(states, (0, *(k + 1 for k in order)))
    shape = [1] * rank
    for size, axis in zip(states.shape[1:], sorted(axes), strict=True):
        shape[axis] = size
    return states.reshape(len(states), *shape)


def _values(one: Hidden, states: np.ndarray) -> np.ndarray:
    """Give the latent's values in its own axes."""
    if one.table is None:
        return np.asarray(states + one.lowest)
    values = one.table[states]  # draws, plates, joint axes
    order = [*one.plates, *one.joint]
    back = [1 + order.index(axis) for axis in range(len(order))]
    return np.ascontiguousarray(np.transpose(values, (0, *back)))


def _by_value(one: Hidden, probabilities: np.ndarray) -> np.ndarray:
    """Give the probability of each value, last, for each element, from that of each state, first."""
    if one.table is None:
        return np.moveaxis(probabilities, 0, -1)
    numbers = np.arange(one.lowest, one.highest + 1)
    is_value = (one.table[..., None] == numbers).astype(float)  # states, joint axes, values
    found = np.tensordot(probabilities, is_value, axes=(0, 0))  # plates, joint axes, values
    order = [*one.plates, *one.joint]
    back = [order.index(axis) for axis in range(len(order))]
    return np.transpose(found, (*back, len(order)))


