"""The joint log density over a flat vector of unconstrained coordinates, one row per start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from math import inf
from typing import Any

import numpy as np

from scistan.constrained import TYPES
from scistan.distributions.density import pointwise, total
from scistan.distributions.paths import standard_term
from scistan.distributions.resolve import value_domain
from scistan.distributions.standard import frame_of
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node, Variable
from scistan.passes.branches import held_density, hold_branches
from scistan.passes.signs import Signs
from scistan.targets.affine import Affine
from scistan.targets.coordinates import Coordinates
from scistan.targets.evaluate import Evaluator
from scistan.targets.innovated import Innovated
from scistan.targets.interval import Interval
from scistan.targets.joint import joint
from scistan.targets.layout import LatentBlock, lay_out
from scistan.targets.support import guards, signs_of
from scistan.targets.torch.backend import TorchBackend
from scistan.targets.torch.convert import to_numpy
from scistan.targets.torch.scalars import ScalarGroup, group_scalars
from scistan.targets.torch.schedule import Schedule, Stage, Values
from scistan.targets.torch.structured import structured
from scistan.targets.torch.sums import Summand, Sums, split_sum
from scistan.targets.values import Lookup, aligned

__all__ = ["LatentBlock", "TorchDensity", "joint_log_density"]

Tensor = Any


@dataclass(frozen=True, slots=True)
class _Program:
    """A schedule, and the summands of the density that it computes: those counted once, and those of the batch.

    `constant` is what does not depend on the latents, summed.
    """

    schedule: Schedule
    once: Sums
    of_batch: Sums
    constant: Tensor


class TorchDensity:
    """A model's log density in torch; constants and data are converted once.

    `inputs` are data leaves that come with each evaluation instead, and `batch` names the observed
    terms that run along them. `apart` names latents whose coordinates may come as a vector of their own, and `kept`
    those whose distribution belongs to the likelihood: random effects.
    """

    def __init__(
        self,
        instance: Instance,
        device: str = "cpu",
        dtype: str = "float64",
        *,
        inputs: Iterable[Node] = (),
        batch: Iterable[str] = (),
        apart: Iterable[str] = (),
        kept: Iterable[str] = (),
    ) -> None:
        self.instance = instance = instance.on(hold_branches(instance.graph))
        self.backend = TorchBackend(device, dtype)
        self.torch = self.backend.module
        self.blocks = lay_out(instance)
        self.dimension = self.blocks[-1].stop if self.blocks else 0
        self._inputs = tuple(inputs)
        self._batch = frozenset(batch)
        self._apart = frozenset(apart)
        self._kept = frozenset(kept)
        self._programs: dict[bool, _Program] = {}
        self._bijections: dict[str, Interval | Coordinates] = {}

    # -- between coordinates and values -----------------------------------------------------------
    def constrain(self, q: Tensor) -> tuple[Evaluator, Tensor, Tensor]:
        """Set every latent from coordinates `q` (…, dimension).

        Gives the evaluator, the log Jacobian of the constraints, and apart from it that of non-centring.
        """
        evaluator = Evaluator(self.instance, self.backend)
        lead = tuple(q.shape[:-1])
        jacobian, scaling = self.backend.zeros(*lead), self.backend.zeros(*lead)
        for block, u in zip(self.blocks, self._cut(q), strict=True):
            value, log_jacobian, log_scale = self._placed(block, u, lead, evaluator)
            jacobian, scaling = jacobian + log_jacobian, scaling + log_scale
            evaluator.set(block.term.value, value, batched=q.ndim == 2)
        return evaluator, jacobian, scaling

    def _placed(
        self, block: LatentBlock, u: Tensor, lead: tuple[int, ...], known: Lookup
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Give a latent's value at its coordinates, and the log Jacobians of its constraint and of its non-centring."""
        zero = self.backend.zeros(*lead)
        affine = self.affine(block.term, known)
        if affine is None:
            value, log_jacobian = self.bijection(block.term, known).constrain(u)
            return value, _sum_events(log_jacobian, len(lead)), zero
        value = affine.value(u)
        return value, zero, _sum_events(affine.log_slope(value).expand_as(value), len(lead))

    @staticmethod
    def coordinates(block: LatentBlock, q: Tensor) -> Tensor:
        """Cut a latent's coordinates out of the flat vector."""
        return q[..., block.start : block.stop].reshape((*q.shape[:-1], *block.shape))

    def _cut(self, q: Tensor) -> list[Tensor]:
        """Cut every latent's coordinates out of the flat vector at once.

        The gradient of a slice is as long as the vector, so that n slices would cost n² numbers; that of a split is one
        concatenation, and single numbers in a row come apart in one step.
        """
        lead = tuple(q.shape[:-1])
        pieces = self.torch.split(q, [stop - start for start, stop, _ in self._runs], -1)
        found: list[Tensor] = []
        for piece, (_, _, shapes) in zip(pieces, self._runs, strict=True):
            found += piece.unbind(-1) if len(shapes) > 1 or not shapes[0] else [piece.reshape((*lead, *shapes[0]))]
        return found

    @property
    def runs(self) -> list[tuple[int, int]]:
        """From where to where the coordinates go that belong together."""
        return [(start, stop) for start, stop, _ in self._runs]

    @cached_property
    def _runs(self) -> list[tuple[int, int, list[tuple[int, ...]]]]:
        """Where the flat vector is cut: a latent with axes by itself, single numbers in a row together."""
        runs: list[tuple[int, int, list[tuple[int, ...]]]] = []
        for block in self.blocks:
            if runs and not block.shape and not runs[-1][2][-1]:
                start, _, shapes = runs.pop()
                runs.append((start, block.stop, [*shapes, block.shape]))
            else:
                runs.append((block.start, block.stop, [block.shape]))
        return runs

    @cached_property
    def _groups(self) -> tuple[ScalarGroup, ...]:
        """The single numbers whose bounds are known, by these."""
        alike = []
        for block in self.blocks:
            domain = value_domain(block.term.law)
            alone = block.shape or block.term.law.noncentred or block.term.name in self._apart
            if not (alone or domain.structure or self._needs(block.term)):
                alike.append((block.term.value, block.start, (domain.lower, domain.upper)))
        return group_scalars(alike, self._between, self.dimension, self.backend)

    @cached_property
    def _single(self) -> dict[LatentBlock, None]:
        """The latents that are set one by one."""
        grouped = {leaf for group in self._groups for leaf in group.leaves}
        return {block: None for block in self.blocks if block.term.value not in grouped}

    def unconstrain(self, values: Mapping[Node, np.ndarray]) -> Tensor:
        """Give the coordinates of values; a first axis over draws is kept when `values` have one."""
        evaluator = Evaluator(self.instance, self.backend)
        parts: list[Tensor] = []
        for block in self.blocks:
            x = self.backend.constant(np.asarray(values[block.term.value]))
            batched = x.ndim > len(block.term.law.shape)
            affine = self.affine(block.term, evaluator)
            u = affine.standard(x) if affine else self.bijection(block.term, evaluator).unconstrain(x)
            evaluator.set(block.term.value, x, batched=batched)
            parts.append(u.reshape((*x.shape[:1], -1)) if batched else u.reshape(-1))
        return self.torch.cat(parts, -1) if parts else self.backend.zeros(0)

    def affine(self, term: Term, known: Lookup) -> Affine | Innovated | None:
        """Give the map that a non-centred latent comes by; None for any other."""
        if term.law.noncentred and term.law.distribution.rule is not None:
            return Innovated(term.law, known, self.instance, self.backend)
        frame = frame_of(term.law) if term.law.noncentred else None
        if frame is None:
            return None
        rank = len(term.law.shape)
        location, scale = (
            aligned(known[n], len(n.shape), r) for n, r in zip(frame.nodes, (rank, rank + frame.is_matrix), strict=True)
        )
        return Affine(location, scale, frame.is_matrix, self.backend)

    def bijection(self, term: Term, known: Lookup) -> Interval | Coordinates:
        """Give the map from coordinates to a latent's domain."""
        made = self._bijections.get(term.name)
        if made is None:
            made = self._bijection(term, known)
            if not self._needs(term):
                self._bijections[term.name] = made
        return made

    def _bijection(self, term: Term, known: Lookup) -> Interval | Coordinates:
        domain = value_domain(term.law)
        rank = len(term.law.shape)
        if domain.structure:
            event = self.instance.shape(term.law.shape)[rank - domain.event_rank :]
            return structured(TYPES[domain.structure], event, self.backend)

        def bound(side: object) -> Tensor | None:
            return aligned(known[side], len(side.shape), rank) if isinstance(side, Node) else self._side(side)

        return Interval(bound(domain.lower), bound(domain.upper), self.backend)

    def _between(self, lower: object, upper: object) -> Interval:
        return Interval(self._side(lower), self._side(upper), self.backend)

    def _side(self, side: object) -> Tensor | None:
        return None if side is None else self.backend.constant(float(side))  # type: ignore[arg-type]

    # -- densities over coordinates -----------------------------------------------------------------
    def log_density(
        self,
        q: Tensor,
        *,
        jacobian: bool = False,
        likelihood_only: bool = False,
        inputs: Mapping[Node, Tensor] | None = None,
        weight: float = 1.0,
        share: float = 1.0,
        apart: Tensor = None,
    ) -> Tensor:
        """Give the log density at `q` over the sampled coordinates, or the observed terms alone.

        The constraints' Jacobian is left out unless asked for. A batch's terms count `weight` times, the rest `share`.
        `apart` is another flat vector, for the latents that are kept apart: so a gradient in these takes no way through
        what others are computed from.
        """
        program = self._program(likelihood_only)
        jacobians: list[Tensor] | None = [] if jacobian else None
        values = program.schedule.run(self._setters(q, jacobians, apart), q.ndim == 2, inputs)
        start = program.constant if q.ndim == 1 else program.constant.expand(len(q))
        result = program.once.added(values, start)
        if share != 1.0:
            result = share * result
        if program.of_batch.summands:
            result = result + weight * program.of_batch.added(values, self.backend.zeros(*q.shape[:-1]))
        return result + sum(jacobians) if jacobians else result

    def _setters(
        self, q: Tensor, jacobians: list[Tensor] | None, apart: Tensor = None
    ) -> list[Callable[[Values], Tensor]]:
        """Give, for each stage, what sets its leaf; the constraints' Jacobians are collected if there is a list."""

        lead = tuple(q.shape[:-1])

        def value_of(block: LatentBlock, u: Tensor, known: Values) -> Tensor:
            if jacobians is None:
                return self._value(block, u, known)
            value, log_jacobian, _ = self._placed(block, u, lead, known)
            jacobians.append(log_jacobian)
            return value

        def coordinates_of(u: Tensor, _: Values) -> Tensor:
            return u

        def row_of(group: ScalarGroup, _: Values) -> Tensor:
            u = group.cut(q)
            if jacobians is None:
                return group.bijection.value(u)
            value, log_jacobian = group.bijection.constrain(u)
            jacobians.append(log_jacobian.sum(-1))
            return value

        setters: list[Callable[[Values], Tensor]] = [partial(row_of, group) for group in self._groups]
        pieces = self._cut(q)
        if apart is not None:
            names = [block.term.name for block in self.blocks]
            both = zip(names, pieces, self._cut(apart), strict=True)
            pieces = [other if name in self._apart else own for name, own, other in both]
        cut = [pair for pair in zip(self.blocks, pieces, strict=True) if pair[0] in self._single]
        setters += [partial(value_of, block, u) for block, u in cut]
        return setters + [partial(coordinates_of, u) for block, u in cut if block.term.law.noncentred]

    def _value(self, block: LatentBlock, u: Tensor, known: Lookup) -> Tensor:
        affine = self.affine(block.term, known)
        return affine.value(u) if affine else self.bijection(block.term, known).value(u)

    def _program(self, likelihood_only: bool) -> _Program:
        if likelihood_only not in self._programs:
            self._programs[likelihood_only] = self._compile(likelihood_only)
        return self._programs[likelihood_only]

    def _compile(self, likelihood_only: bool) -> _Program:
        stages = [Stage(group.row) for group in self._groups]
        stages += [Stage(b.term.value, self._needs(b.term)) for b in self._single]
        standard = {b.term.name: Variable(b.term.name, b.term.law.shape, self, None)
                    for b in self.blocks if b.term.law.noncentred}
        # The density of a standard `z` itself: going through `x` would lose its digits where the scale is tiny.
        once: list[Summand] = []
        of_batch: list[Summand] = []
        signs = signs_of(self.instance, self._inputs)
        for term in self.instance.graph.terms:
            if term.is_observed or not likelihood_only or term.name in self._kept:
                z = standard.get(term.name)
                node = pointwise(term if z is None else standard_term(term, z))
                for part in (held_density(term, node), *guards(term, signs)):
                    (of_batch if term.name in self._batch else once).extend(split_sum(part, self.instance))
        stages += [Stage(z) for z in standard.values()]
        grouped = {leaf for group in self._groups for leaf in group.leaves}  # summed in their rows
        roots = [node for summand in (*once, *of_batch) for node in summand.reads if node not in grouped]
        schedule = Schedule(self.instance, self.backend, stages, roots, self._inputs, self._groups)
        sorted_out: dict[bool, list[Summand]] = {True: [], False: []}
        for each in once:
            sorted_out[all(map(schedule.is_fixed, each.reads))].append(each)
        fixed, moving, batch = (
            Sums(p, self.instance, self.backend, self._groups) for p in (*sorted_out.values(), of_batch)
        )
        return _Program(schedule, moving, batch, fixed.added(schedule.constants, self.backend.zeros()))

    def _needs(self, term: Term) -> tuple[Node, ...]:
        if term.law.noncentred and term.law.distribution.rule is not None:
            return term.law.args
        frame = frame_of(term.law) if term.law.noncentred else None
        if frame is not None:
            return frame.nodes
        domain = value_domain(term.law)
        return tuple(side for side in (domain.lower, domain.upper) if isinstance(side, Node))

    def events(self, q: Tensor) -> tuple[dict[str, Tensor], Tensor]:
        """Give the log density of each event of every term at rows of coordinates (S, events), and the log Jacobian.

        All together add up to the log density with its Jacobian: non-centred latents count by their coordinates.
        """
        evaluator, jacobian, _ = self.constrain(q)
        found: dict[str, Tensor] = {}
        standard = {b.term.name: u for b, u in zip(self.blocks, self._cut(q), strict=True)
                    if b.term.law.noncentred}
        for term in self.instance.graph.terms:
            node = pointwise(term)
            if term.name in standard:
                z = Variable(term.name, term.law.shape, self, None)
                evaluator.set(z, standard[term.name], batched=True)
                node = pointwise(standard_term(term, z))
            value = evaluator[node]
            array = value.array if value.batched else value.array.expand(len(q), *value.array.shape)
            found[term.name] = array.reshape(len(q), -1)
        return found, jacobian

    # -- densities over values ------------------------------------------------------------------------
    @cached_property
    def _signs(self) -> Signs:
        return signs_of(self.instance)

    def term_density(self, term: Term, evaluator: Evaluator) -> Tensor:
        """Give a term's log density at the values that `evaluator` holds; -∞ outside, whatever the formula says."""
        array = evaluator[total(term)].array
        for guard in guards(term, self._signs, bijected=False):
            at = evaluator[guard]
            least = at.array.reshape(*at.array.shape[: int(at.batched)], -1).amin(-1)
            array = self.torch.where(least < 0, least, array)
        return array


def _sum_events(tensor: Tensor, lead: int) -> Tensor:
    return tensor.reshape((*tensor.shape[:lead], -1)).sum(-1)


def joint_log_density(instance: Instance, latents: Mapping[Node, np.ndarray]) -> float:
    """Give the joint log density at one point of constrained values; `-inf` outside the support."""
    backend = TorchBackend()
    evaluator = Evaluator(instance, backend)
    for leaf, array in latents.items():
        evaluator.set(leaf, backend.constant(array), batched=False)

    def numbers(node: Node) -> np.ndarray:
        return to_numpy(evaluator[node].array)

    try:
        return joint(instance.graph.terms, numbers, lambda term: float(numbers(total(term))))
    except backend.module.linalg.LinAlgError:  # a matrix without a factor is not positive definite
        return -inf
