"""The joint log density at one point of free coordinates, as JAX traces it; data are arguments of the trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.constrained import TYPES
from scistan.distributions.density import pointwise
from scistan.distributions.innovations import standard_law
from scistan.distributions.resolve import value_domain
from scistan.distributions.standard import frame_of
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node, Variable
from scistan.graph.walk import has_latents
from scistan.passes.branches import held_density
from scistan.targets.affine import Affine
from scistan.targets.coordinates import Coordinates
from scistan.targets.evaluate import Evaluator
from scistan.targets.innovated import Innovated
from scistan.targets.interval import Interval
from scistan.targets.jax.backend import JaxBackend
from scistan.targets.jax.still import read_by_latents
from scistan.targets.layout import lay_out
from scistan.targets.support import guards, signs_of
from scistan.targets.values import NUMPY, Lookup, Value

__all__ = ["PointDensity", "Traced"]

Array = Any
Data = tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class Traced:
    """The log density at a point, over values and over standard coordinates of what is non-centred.

    Apart from it the log Jacobians of the constraints, and of non-centring, which is no part of the density.
    """

    log_density: Array
    log_jacobian: Array
    log_scaling: Array


class PointDensity:
    """A model's density at one point; many points are `vmap`'s business.

    What rests on data alone is computed once, by NumPy, and handed to each trace as an argument: a trace that held
    the numbers themselves would be compiled anew for every data set, and slowly for large ones.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.backend = JaxBackend()
        self.blocks = lay_out(instance)
        self.dimension = self.blocks[-1].stop if self.blocks else 0
        self._standard: dict[str, Variable] = {
            b.term.name: Variable(b.term.name, b.term.law.shape, self, None)
            for b in self.blocks if b.term.law.noncentred
        }
        parts = self._parts()
        self._moving = [node for node in parts if has_latents(node)]
        needed = [*parts, *instance.graph.derived.values(), *(n for b in self.blocks for n in _needs(b.term))]
        self._still = read_by_latents(needed)
        numbers = Evaluator(instance, NUMPY)
        with np.errstate(all="ignore"):
            constant = sum(float(np.sum(numbers[node].array)) for node in parts if not has_latents(node))
            self.data: Data = (np.float64(constant), *(np.asarray(numbers[node].array) for node in self._still))

    def _parts(self) -> list[Node]:
        """List what the log density is the sum of, elements and all."""
        parts: list[Node] = []
        signs = signs_of(self.instance)
        for term in self.instance.graph.terms:
            z = self._standard.get(term.name)
            # The density of a standard `z` itself: going through `x` would lose its digits where the scale is tiny.
            part = pointwise(term if z is None else Term(term.name, z, standard_law(term.law)))
            parts += [held_density(term, part), *guards(term, signs)]
        return parts

    def at(self, q: Array, data: Data) -> Traced:
        """Evaluate the density at free coordinates."""
        xp = self.backend.module
        values, jacobian, scaling = self.place(q, data)
        total = data[0]
        for node in self._moving:
            total = total + xp.sum(values[node].array)
        return Traced(total, jacobian, scaling)

    def place(self, q: Array, data: Data) -> tuple[Evaluator, Array, Array]:
        """Set every latent from coordinates; give the values, and the log Jacobians of constraints and non-centring."""
        xp = self.backend.module
        values = self._known(data)
        jacobian = scaling = xp.zeros((), dtype=q.dtype)
        for block in self.blocks:
            u = q[block.start : block.stop].reshape(block.shape)
            affine = self._affine(block.term, values)
            if affine is None:
                value, log_jacobian = self._bijection(block.term, values).constrain(u)
                jacobian = jacobian + xp.sum(log_jacobian)
            else:
                value = affine.value(u)
                scaling = scaling + xp.sum(xp.broadcast_to(affine.log_slope(value), value.shape))
                values.set(self._standard[block.term.name], u, batched=False)
            values.set(block.term.value, value, batched=False)
        return values, jacobian, scaling

    def coordinates(self, latents: Mapping[str, Array], data: Data) -> Array:
        """Give the free coordinates of the latents' values."""
        xp = self.backend.module
        values = self._known(data)
        found = [xp.zeros(0)]
        for block in self.blocks:
            x = latents[block.term.name]
            affine = self._affine(block.term, values)
            u = affine.standard(x) if affine else self._bijection(block.term, values).unconstrain(x)
            values.set(block.term.value, x, batched=False)
            found.append(u.reshape(-1))
        return xp.concatenate(found)

    def _known(self, data: Data) -> Evaluator:
        held = {node: Value(array) for node, array in zip(self._still, data[1:], strict=True)}
        return Evaluator(self.instance, self.backend, held)

    def _affine(self, term: Term, known: Lookup) -> Affine | Innovated | None:
        if term.law.noncentred and term.law.distribution.rule is not None:
            return Innovated(term.law, known, self.instance, self.backend)
        frame = frame_of(term.law) if term.law.noncentred else None
        if frame is None:
            return None
        location, scale = (known[node].array for node in frame.nodes)
        return Affine(location, scale, frame.is_matrix, self.backend)

    def _bijection(self, term: Term, known: Lookup) -> Interval | Coordinates:
        domain = value_domain(term.law)
        if domain.structure:
            event = self.instance.shape(term.law.shape)[len(term.law.shape) - domain.event_rank :]
            return Coordinates(TYPES[domain.structure], event, self.backend)
        lower, upper = (
            known[side].array if isinstance(side, Node) else None if side is None
            else self.backend.constant(float(side))  # type: ignore[arg-type]
            for side in (domain.lower, domain.upper)
        )
        return Interval(lower, upper, self.backend)


def _needs(term: Term) -> tuple[Node, ...]:
    """Give what a latent's own bijection reads."""
    if term.law.noncentred and term.law.distribution.rule is not None:
        return term.law.args
    frame = frame_of(term.law) if term.law.noncentred else None
    if frame is not None:
        return frame.nodes
    domain = value_domain(term.law)
    return tuple(side for side in (domain.lower, domain.upper) if isinstance(side, Node))
