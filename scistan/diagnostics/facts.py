"""Facts of the graph that tell where a finding comes from: who depends on whom, on which line, and how."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from scistan.distributions.declaration import Distribution
from scistan.distributions.density import log_mass_between
from scistan.distributions.innovations import has_innovations
from scistan.distributions.resolve import value_domain
from scistan.distributions.rule import pieces_of
from scistan.distributions.standard import frame_of
from scistan.domains import Domain
from scistan.errors import Place
from scistan.graph.graph import Law, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Data, Node, Variable
from scistan.graph.places import first_place
from scistan.graph.walk import has_latents, topological
from scistan.ops.expression import Expression
from scistan.shapes import Size
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy import NUMPY, pointwise_log_densities

__all__ = ["Facts", "Latent", "Predictor"]


@dataclass(frozen=True, slots=True, eq=False)
class Latent:
    """A latent of the model: its draw, the latents its distribution depends on, and how it is sampled.

    `scales` are those that its scale is made of, `can_noncentre` says whether location and scale can be taken off.
    """

    name: str
    law: Law
    shape: tuple[int, ...]
    domain: Domain
    parents: frozenset[str]
    scales: frozenset[str]
    noncentred: bool
    can_noncentre: bool

    @property
    def free(self) -> bool:
        """Whether its elements are numbers that nothing ties to each other."""
        return not self.domain.event_rank and self.law.constraint is None

    @property
    def proper(self) -> bool:
        return not self.law.distribution.improper


@dataclass(frozen=True, slots=True, eq=False)
class Predictor:
    """Data that a latent multiplies: a column for each of its elements, or one for all of them."""

    data: str
    latent: str
    values: np.ndarray
    labels: tuple[str, ...] = ()

    def column(self, at: tuple[int, ...]) -> np.ndarray:
        """Give the numbers that an element of the latent multiplies."""
        return self.values[..., at[-1]] if self.values.ndim == 2 and at else self.values


class Facts:
    """The graph of a fit in the checks' terms; each fact is worked out when it is first asked for."""

    def __init__(self, instance: Instance, noncentred: frozenset[str]) -> None:
        self.instance = instance
        self._noncentred = noncentred

    def __deepcopy__(self, _: object) -> Facts:
        return self  # a graph never changes

    def __reduce__(self) -> Any:
        """Travel as nothing: the model that travels with a fit gives its facts again."""
        return type(None), ()

    def line(self, name: str) -> Place | None:
        """Give the user's line of a variable; what is only derived has that of its node."""
        graph = self.instance.graph
        node: Node | None = next((t.value for t in graph.terms if t.name == name), graph.derived.get(name))
        return None if node is None else first_place(node)

    @cached_property
    def latents(self) -> Mapping[str, Latent]:
        """Every latent by its name."""
        named = self._named
        found = {}
        for term in self.instance.graph.latents:
            law = term.law
            scales = frozenset(named[n] for n in topological(_scales(term)) if n in named)
            found[term.name] = Latent(
                term.name,
                law,
                self.instance.shape(law.shape),
                value_domain(law),
                frozenset(named[n] for n in topological(law.inputs) if n in named),
                scales - {term.name},
                term.name in self._noncentred,
                _can_noncentre(law),
            )
        return found

    @cached_property
    def _named(self) -> Mapping[Node, str]:
        return {t.value: t.name for t in self.instance.graph.latents}

    def children(self, name: str) -> list[Latent]:
        """List the latents whose distribution depends on a latent."""
        return [latent for latent in self.latents.values() if name in latent.parents]

    @cached_property
    def scales(self) -> frozenset[str]:
        """The latents that some scale is made of, of a latent or of an observation."""
        named = self._named
        own = topological([scale for t in self.instance.graph.terms for scale in _scales(t)])
        return frozenset(named[n] for n in own if n in named)

    def steps(self, name: str) -> Term:
        """Give what the elements of a latent follow; those of a series behind its first ones."""
        return pieces_of(next(t for t in self.instance.graph.latents if t.name == name))[-1]

    @cached_property
    def touched(self) -> frozenset[str]:
        """The latents on which some observed term depends, directly or through other latents."""
        named, terms = self._named, {t.name: t for t in self.instance.graph.latents}
        queue = [n for t in self.observed for n in topological(t.law.inputs) if n in named]
        found: set[str] = set()
        while queue:
            name = named[queue.pop()]
            if name not in found:
                found.add(name)
                queue += [n for n in topological(terms[name].law.inputs) if n in named]
        return frozenset(found)

    @property
    def observed(self) -> list[Term]:
        """The observed terms that have values, and any."""
        known = self.instance.values
        return [t for t in self.instance.graph.observed if isinstance(t.value, Data) and t.value in known
                and known[t.value].size]

    @cached_property
    def predictors(self) -> tuple[Predictor, ...]:
        """Data that are multiplied with a latent: `x * b`, `b[group] * x`, `x @ b`."""
        found = []
        for node in self.instance.graph.nodes:
            if not isinstance(node, Apply) or node.op.name not in ("multiply", "matmul"):
                continue
            for data, other in (node.args, node.args[::-1]):
                latent = _bare(other)
                if isinstance(data, Data) and latent is not None and data in self.instance.values:
                    values = np.asarray(self.instance.values[data], dtype=float)
                    found.append(Predictor(self._called(data), latent.name, values))
        return tuple(found)

    def predictor(self, name: str) -> Predictor | None:
        """Give the data that a latent multiplies."""
        return next((p for p in self.predictors if p.latent == name), None)

    def _called(self, data: Data) -> str:
        return self.instance.graph.data_names.get(data, data.called)

    @cached_property
    def numbers(self) -> Evaluator:
        """The values of what depends on data alone."""
        return Evaluator(self.instance, NUMPY)

    def frozen(self, latent: Latent) -> Frozen | None:
        """Give the prior's cumulative probabilities, where it is one of single numbers and depends on no latent."""
        law = latent.law
        d: Distribution = law.distribution
        if d.log_cdf is None or d.log_ccdf is None or d.improper or d.event_rank or d.discrete:
            return None
        return None if any(has_latents(node) for node in law.inputs) else Frozen(self.numbers, law)

    def log_density(self, points: Mapping[str, np.ndarray]) -> np.ndarray:
        """Give the joint log density at points of the latents (point, …)."""
        at: dict[Node, np.ndarray] = {t.value: points[t.name] for t in self.instance.graph.latents}
        parts = pointwise_log_densities(self.instance, at, list(self.instance.graph.terms))
        return np.asarray(np.sum([part.reshape(len(part), -1).sum(1) for part in parts.values()], axis=0))

    def values_at(self, node: Node, points: Mapping[str, np.ndarray]) -> np.ndarray:
        """Give a node's value at points of the latents (point, …)."""
        numbers = Evaluator(self.instance, NUMPY)
        for term in self.instance.graph.latents:
            numbers.set(term.value, points[term.name], batched=True)
        with np.errstate(all="ignore"):
            found = numbers[node]
        return np.asarray(found.array) if found.batched else np.asarray(found.array)[None]

    @cached_property
    def widest(self) -> int:
        """The most numbers that one value of the graph has: what a point of the latents costs to compute."""
        return max((math.prod(self.instance.shape(node.shape)) for node in self.instance.graph.nodes), default=1)

    def joined(self, first: str, second: str) -> str:
        """Name the op that joins two latents before anything else does: "add", "multiply" or "" where none does."""
        pair = {first, second}
        for node, below in self._below():
            if pair <= below and node.op.name in _JOINING:
                return _JOINING[node.op.name]
        return ""

    def _below(self) -> Iterator[tuple[Apply, set[str]]]:
        named = self._named
        below: dict[Node, set[str]] = {}
        for node in self.instance.graph.nodes:
            below[node] = {named[node]} if node in named else set().union(*(below[arg] for arg in node.args), set())
            if isinstance(node, Apply):
                yield node, below[node]


def _scales(term: Term) -> list[Node]:
    """Give the scales that a term's elements have; those of a series, piece by piece."""
    frames = [frame_of(piece.law) for piece in pieces_of(term)]
    return [frame.scale for frame in frames if frame is not None]


def _can_noncentre(law: Law) -> bool:
    if law.distribution.rule is not None:
        return has_innovations(law)
    return frame_of(law) is not None and not law.truncated and law.constraint is None


_JOINING = {"add": "add", "subtract": "add", "multiply": "multiply", "divide": "multiply", "matmul": "add"}


class Frozen:
    """A prior of single numbers that depends on no latent, between bounds where it has any: by its declaration."""

    def __init__(self, numbers: Evaluator, law: Law) -> None:
        self._numbers, self._draw = numbers, law

    def below_and_above(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Give the probabilities below and above `x`; each keeps its digits in its own tail."""
        law = self._draw
        d: Distribution = law.distribution
        args = tuple(map(Expression, law.args))
        at = Expression(Data(np.asarray(x, dtype=float), tuple(Size(n) for n in np.shape(x)), integer=False))
        lower, upper = (None if end is None else Expression(end) for end in (law.lower, law.upper))
        with np.errstate(all="ignore"):
            if lower is None and upper is None and d.log_cdf is not None and d.log_ccdf is not None:
                parts = d.log_cdf(at, *args), d.log_ccdf(at, *args)
                whole = np.zeros(())
            else:
                parts = log_mass_between(d, args, lower, at), log_mass_between(d, args, at, upper)
                whole = self._number(log_mass_between(d, args, lower, upper))
            below, above = (np.exp(self._number(part) - whole) for part in parts)
        shape = np.shape(x)
        # What cannot be told is in no tail.
        known = [np.broadcast_to(np.nan_to_num(part, nan=1.0), shape) for part in (below, above)]
        return known[0], known[1]

    def _number(self, value: Expression) -> np.ndarray:
        return np.asarray(self._numbers[value._scistan_node_].array, dtype=float)


def _bare(node: Node) -> Variable | None:
    """Give the latent that a node is, or picks elements of."""
    while isinstance(node, Apply) and node.op.name in ("index", "pick"):
        node = node.args[0]
    return node if isinstance(node, Variable) else None
