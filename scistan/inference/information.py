"""What data say of the elements of latents: the curvature and the slope of all but their prior, at draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scistan.distributions.declaration import REGISTRY
from scistan.distributions.standard import frame_of
from scistan.engines.embedded import Density, open_density
from scistan.engines.encoding import to_json
from scistan.errors import ScistanError
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Apply
from scistan.inference.subject import NOTHING_GENERATED
from scistan.passes.beside import besides
from scistan.passes.centring import learnable
from scistan.targets.evaluate import Evaluator
from scistan.targets.stan.program import StanProgram, lower_to_stan
from scistan.targets.values import NUMPY, aligned

__all__ = ["Draws", "Rest", "open_rest", "scales_of"]

Draws = Mapping[str, np.ndarray]  # of every latent (draw, …)
STEP = 1e-4  # of the prior's scale


@dataclass(frozen=True, slots=True, eq=False)
class Rest:
    """The model without the priors of some latents: what data and children say of them, and in which coordinates."""

    plain: Instance
    instance: Instance
    program: StanProgram
    density: Density
    at: Mapping[str, np.ndarray]  # the coordinate that each element of each of these latents is
    seed: int

    def points(self, draws: Draws) -> list[np.ndarray]:
        """Give the coordinates of each draw."""
        count = len(next(iter(draws.values())))
        given = [self.program.inits({n: array[k] for n, array in draws.items()}, self.instance) for k in range(count)]
        return [self.density.unconstrain(values) for values in given]

    def learn(self, names: Sequence[str], draws: Draws, points: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
        """Give the information that data have on each element, and their pull, fitted to all draws together.

        `points` are the draws' coordinates. The curvature along every element at once is taken by random signs: exact
        where elements meet in no term, else without bias. Where it is not positive, or there is no gradient, the data
        hold nothing.
        """
        names = [name for name in names if name in self.at]
        scales = {name: scales_of(self.plain, name, draws) for name in names}
        looked = enumerate(points if names else ())
        seen = {k: here for k, q in looked if (here := self._seen(scales, q, k)) is not None}
        if not seen:
            return {}
        gradients, bends = (np.array(part) for part in zip(*seen.values(), strict=True))
        kept = list(seen)
        found: dict[str, np.ndarray] = {}
        beside = besides(self.plain, learnable(self.plain.graph))
        for name in names:
            at, draw = self.at[name], draws[name][kept]
            for number in beside.get(name, ()):
                draw = draw + draws[number.name][kept].reshape(-1, *(1 for _ in self.at[name].shape))
            bent = bends[:, at].sum(axis=0) / np.square(scales[name][kept]).sum(axis=0)
            information = np.where(np.isfinite(bent) & (bent > 0), bent, 0.0)
            pull = (gradients[:, at] + information * draw).mean(axis=0)
            found[name] = np.stack([information, np.where(information > 0, pull, 0.0)])
        return found

    def _seen(self, scales: Draws, q: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Give the gradient at a draw, and how the log density bends along each element in steps of its scale."""
        signs = np.random.default_rng([self.seed, k]).choice([-1.0, 1.0], q.size)
        step = np.zeros(q.size)
        for name, scale in scales.items():
            step[self.at[name]] = scale[k]
        step *= STEP * signs
        try:
            after, before = (self.density.log_density_gradient(q + side * step)[1] for side in (1, -1))
        except RuntimeError:  # there is no density at this draw's side
            return None
        slope, bend = (after + before) / 2, (before - after) * step / (2 * STEP**2)
        return (slope, bend) if np.isfinite(slope).all() and np.isfinite(bend).all() else None


def open_rest(instance: Instance, level: Sequence[Term], seed: int) -> Rest | None:
    """Lower the model with flat priors for these latents, whose elements are coordinates then; None if none runs it."""
    flat = instance.on(_flattened(instance.graph, {term.name for term in level}))
    program = lower_to_stan(flat.graph, **NOTHING_GENERATED)
    try:
        density = open_density(program.text, to_json(program.data(flat)), seed)
        marks = np.linspace(-0.5, 0.5, density.dimension)  # elements that are coordinates bear one of them
        seen = density.constrain(marks)
    except (ScistanError, RuntimeError):  # the engine says why where the model itself is run
        return None
    shapes = {term.name: instance.shape(term.law.shape) for term in level}
    at = {n: np.searchsorted(marks, seen[n].reshape(shape)) for n, shape in shapes.items() if all(shape)}
    return Rest(instance, flat, program, density, at, seed)


def _flattened(graph: Graph, names: set[str]) -> Graph:
    flat = REGISTRY["Flat"]

    def change(term: Term) -> Law:
        return Law(flat, (), term.law.shape, equalities=term.law.equalities) if term.name in names else term.law

    # Lengths may follow from what is no longer there.
    before = [e for node in graph.nodes if isinstance(node, Apply) for e in node.equalities]
    return replace(graph.with_draws(change), equalities=(*graph.equalities, *before))


def scales_of(instance: Instance, name: str, draws: Draws) -> np.ndarray:
    """Give the scale of each element of a latent at draws of all latents (draw, …)."""
    law = next(term.law for term in instance.graph.latents if term.name == name)
    frame = frame_of(law)
    if frame is None:
        raise TypeError(f"{name} has no scale")
    numbers = Evaluator(instance, NUMPY)
    count = len(next(iter(draws.values())))
    for latent in instance.graph.latents:
        shape = instance.shape(latent.law.shape)
        numbers.set(latent.value, draws[latent.name].reshape(count, *shape), batched=True)
    own, shape = frame.scale.shape, instance.shape(law.shape)
    array = aligned(numbers[frame.scale], len(own), len(shape))
    return np.broadcast_to(array, (count, *shape))
