"""Centring per element, learnt from draws: what its own data say of it, beside its prior.

In `theta ~ Normal(mu, tau)` let `k` be the curvature of the rest of the log density along one element: the information
that its data have beside the prior's `1 / tau^2`, with the share `s = k / (k + 1 / tau^2)`; and let `y` be where they
have it. Were all of it normal, the element would have the mean `(1 - s) · mu + s · y` and the variance `(1 - s) · tau^2`
given `mu` and `tau`, and what is left when these are taken off would depend on neither. So that is what is sampled: the
standard normal of a non-centred latent where `tau` is small, the element itself where the data say more, and nowhere a
funnel. `k` and `k · y`, the pull, are numbers of the program; whatever they are, the posterior is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scistan.distributions.declaration import REGISTRY
from scistan.distributions.standard import frame_of
from scistan.engines.embedded import Density, open_density
from scistan.engines.encoding import to_json
from scistan.errors import ScistanError
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.instance import Instance
from scistan.graph.walk import topological
from scistan.inference.subject import NOTHING_GENERATED, Subject
from scistan.messages import sampling as messages
from scistan.passes.centring import learnable, set_centring
from scistan.targets.evaluate import NUMPY, Evaluator
from scistan.targets.stan.program import StanProgram, lower_to_stan

__all__ = ["Centring", "centring_of", "shares", "told", "with_centring"]

Centring = Mapping[str, np.ndarray]  # for each latent (2, …): the information that data have on each element, the pull
Point = Mapping[str, np.ndarray]

POINTS = 16  # draws that curvatures are taken at: each costs two gradients
STEP = 1e-4  # of the prior's scale


def centring_of(subject: Subject, draws: Mapping[str, np.ndarray], seed: int = 0) -> dict[str, np.ndarray]:
    """Give what the data say of each element of each latent, by draws of all latents (draw, …).

    Empty where there is nothing to learn, or an embedded engine has no gradients. It costs 32 gradients for each group
    of latents with one location and scale; the same draws and seed give the same answer.
    """
    sampled = subject.sampled or subject.instance
    points = _points(subject, draws)
    found: dict[str, np.ndarray] = {}
    for level in _levels(learnable(sampled.graph), sampled):
        try:
            rest = _Rest.of(set_centring(sampled, found), level, seed)
            for group in _groups(level):
                found |= rest.learn(group, points)
        except (ScistanError, RuntimeError):  # stanli refuses the program, or has no gradient there
            continue
    return {name: pair for name, pair in found.items() if pair.any()}


def with_centring(subject: Subject, centring: Centring) -> Subject:
    """Give the subject with latents centred as far as this says; the posterior is the same."""
    sampled = set_centring(subject.sampled or subject.instance, centring)
    program = lower_to_stan(sampled.graph, **NOTHING_GENERATED)
    return replace(subject, written=program, sampled=sampled)


def shares(subject: Subject, centring: Centring, draws: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Give the share of what is known of each element that its data have, at the middle of the draws (draw, …)."""
    middle = {name: np.median(np.asarray(draws[name]), axis=0).reshape(subject.shape(name)) for name in subject.latents}
    terms = {term.name: term for term in subject.instance.graph.latents}
    relative = {n: pair[0] * np.square(_scale(subject.instance, terms[n], middle)) for n, pair in centring.items()}
    return {name: k / (1 + k) for name, k in relative.items()}


def told(share: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """Say of each latent how many elements are sampled centred, and why, by the shares that their data have."""
    whole = {name: array for name, array in share.items() if array.size}
    return tuple(messages.centring_learnt(n, int((s > 0.5).sum()), s.size, float(s.max())) for n, s in whole.items())


def _points(subject: Subject, draws: Mapping[str, np.ndarray]) -> list[Point]:
    """Pick draws that are far from each other."""
    total = len(next(iter(draws.values())))
    picks = np.unique(np.linspace(0, total - 1, POINTS).astype(int))
    return [{name: np.asarray(draws[name][k]).reshape(subject.shape(name)) for name in subject.latents} for k in picks]


def _levels(terms: Sequence[Term], instance: Instance) -> Iterator[list[Term]]:
    """Give latents in levels, children first: what is known of a parent comes through them, centred as they are."""
    above: dict[Term, int] = {}
    for term in reversed(terms):  # a term stands behind all that it depends on
        users = [other for other in above if term.value in topological(other.law.inputs)]
        above[term] = 1 + max((above[user] for user in users), default=0)
    for height in sorted(set(above.values())):
        found = [term for term in terms if above[term] == height]
        if any(all(instance.shape(term.law.shape)) for term in found):
            yield found


def _groups(level: Sequence[Term]) -> list[list[Term]]:
    """Put latents of one location and scale together, such as those written in a loop."""
    groups: dict[object, list[Term]] = {}
    for term in level:
        frame = frame_of(term.law)
        groups.setdefault(frame.nodes if frame else term, []).append(term)
    return list(groups.values())


@dataclass(frozen=True, slots=True, eq=False)
class _Rest:
    """The model without the priors of some latents: what data and children say of them, and in which coordinates."""

    instance: Instance
    program: StanProgram
    density: Density
    at: Mapping[str, np.ndarray]  # the coordinate that each element of each of these latents is
    seed: int

    @classmethod
    def of(cls, instance: Instance, level: Sequence[Term], seed: int) -> _Rest:
        """Lower the model with flat priors for these latents, whose elements are coordinates then."""
        names = {term.name for term in level}
        instance = instance.on(_flattened(instance.graph, names))
        program = lower_to_stan(instance.graph, **NOTHING_GENERATED)
        density = open_density(program.text, to_json(program.data(instance)), seed)
        marks = np.linspace(-0.5, 0.5, density.dimension)  # elements that are coordinates bear one of them
        seen = density.constrain(marks)
        shapes = {term.name: instance.shape(term.law.shape) for term in level}
        at = {n: np.searchsorted(marks, seen[n].reshape(shape)) for n, shape in shapes.items() if all(shape)}
        return cls(instance, program, density, at, seed)

    def learn(self, group: Sequence[Term], points: Sequence[Point]) -> dict[str, np.ndarray]:
        """Give the information that data have on each element, and their pull, fitted to all points together.

        The curvature along every element at once is taken by random signs: exact where elements meet in no term, else
        without bias. Where it is not positive the data hold nothing.
        """
        group = [term for term in group if term.name in self.at]
        scales = [{t.name: _scale(self.instance, t, point) for t in group} for point in points]
        seen = [self._seen(scale, k, points[k]) for k, scale in enumerate(scales)] if group else []
        found: dict[str, np.ndarray] = {}
        for name in (term.name for term in group):
            squares = np.sum([np.square(scale[name]) for scale in scales], axis=0)
            bent = np.sum([bend[self.at[name]] for _, bend in seen], axis=0) / squares
            information = np.where(np.isfinite(bent) & (bent > 0), bent, 0.0)
            slopes = [gradient[self.at[name]] for gradient, _ in seen]
            pull = np.mean([s + information * point[name] for s, point in zip(slopes, points, strict=True)], axis=0)
            found[name] = np.stack([information, np.where(information > 0, pull, 0.0)])
        return found

    def _seen(self, scales: Point, k: int, point: Point) -> tuple[np.ndarray, np.ndarray]:
        """Give the gradient at a point, and how the log density bends along each element in steps of its scale."""
        q = self.density.unconstrain(self.program.inits(point, self.instance))
        signs = np.random.default_rng([self.seed, k]).choice([-1.0, 1.0], q.size)
        step = np.zeros(q.size)
        for name, scale in scales.items():
            step[self.at[name]] = scale
        step *= STEP * signs
        after, before = (self.density.log_density_gradient(q + side * step)[1] for side in (1, -1))
        return (after + before) / 2, (before - after) * step / (2 * STEP**2)


def _flattened(graph: Graph, names: set[str]) -> Graph:
    flat = REGISTRY["Flat"]

    def change(term: Term) -> Law:
        return Law(flat, (), term.law.shape, equalities=term.law.equalities) if term.name in names else term.law

    # Lengths may follow from what is no longer there.
    equalities = (*graph.equalities, *(e for node in graph.nodes for e in getattr(node, "equalities", ())))
    return replace(graph.with_draws(change), equalities=equalities)


def _scale(instance: Instance, term: Term, point: Point) -> np.ndarray:
    """Give the scale of each element of a latent at a point."""
    frame = frame_of(term.law)
    if frame is None:
        raise TypeError(f"{term.name} has no scale")
    numbers = Evaluator(instance, NUMPY)
    for latent in instance.graph.latents:
        numbers.set(latent.value, point[latent.name], batched=False)
    return np.broadcast_to(numbers[frame.scale].array, instance.shape(term.law.shape))
