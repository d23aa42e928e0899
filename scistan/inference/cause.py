"""Why a term has no density at a point: which observation, which argument, and which function of it went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from scistan.diagnostics import Context
from scistan.distributions.declaration import Distribution, Parameter
from scistan.distributions.density import pointwise
from scistan.distributions.resolve import batch_rank, value_domain
from scistan.domains import Domain
from scistan.errors import Place
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.graph.places import first_place
from scistan.graph.walk import topological
from scistan.graph.written import argument_text
from scistan.inference.breakage import Breakage, find_breakage
from scistan.inference.elements import matrix_fault, part_of, shown
from scistan.messages import causes as messages
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy.evaluate import NUMPY

__all__ = ["Cause", "evaluator_at", "find_causes"]

_LATENTS_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Cause:
    """A term that has no density: what is the fact, what to try, and where the user wrote it."""

    term: Term
    fact: str
    remedy: str
    place: Place | None


def evaluator_at(instance: Instance, latents: Mapping[str, np.ndarray]) -> Evaluator:
    """Give what computes the model's values where its latents are known."""
    evaluator = Evaluator(instance, NUMPY)
    for term in instance.graph.latents:
        if term.name in latents:
            evaluator.set(term.value, latents[term.name], batched=False)
    return evaluator


def find_causes(instance: Instance, latents: Mapping[str, np.ndarray]) -> Iterator[Cause]:
    """Go through the terms at a point, and say of each that has no density there why."""
    evaluator = evaluator_at(instance, latents)
    with np.errstate(all="ignore"):
        for term in instance.graph.terms:
            try:
                density = np.asarray(evaluator[pointwise(term)].array)
            except KeyError:  # of latents that are not known
                continue
            except np.linalg.LinAlgError:  # a matrix without a factor: no event has a density
                density = np.full(instance.shape(term.law.shape[: batch_rank(term.law)]), -np.inf)
            bad = ~np.isfinite(density) | _outside_domains(term, evaluator, density.shape)
            if term.is_observed:
                bad = bad | np.broadcast_to(_outside_support(term, evaluator), bad.shape)
            if bad.any():
                at = tuple(int(i) for i in np.argwhere(bad)[0])
                yield _Case(instance, evaluator, term, at, float(density[at])).cause()


def _outside_domains(term: Term, evaluator: Evaluator, shape: tuple[int, ...]) -> np.ndarray:
    """Mark the events with an argument that Stan refuses, also where the formula gives a number: no probabilities."""
    bad = np.zeros(shape, dtype=bool)
    for p, node in zip(term.law.distribution.parameters, term.law.args, strict=True):
        if p.domain.structure == "size" or p.domain.event_rank > 1 or term.law.constraint is not None:
            continue
        try:
            bad |= np.broadcast_to(p.domain.excludes(np.asarray(evaluator[node].array, dtype=float)), shape)
        except np.linalg.LinAlgError:  # then there is no density either
            continue
    return bad


def _bounds(domain: Domain, evaluator: Evaluator) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Give the ends of a domain as numbers."""

    def number(bound: object) -> np.ndarray | None:
        if isinstance(bound, Node):
            return np.asarray(evaluator[bound].array)
        return np.asarray(float(bound)) if isinstance(bound, int | float) else None

    return number(domain.lower), number(domain.upper)


def _outside_support(term: Term, evaluator: Evaluator) -> np.ndarray:
    """Mark the elements outside what the arguments leave; fixed supports were checked with the data."""
    domain = value_domain(term.law)
    if domain.event_rank or term.law.event_rank:
        return np.asarray(False)
    value = np.asarray(evaluator[term.value].array)
    low, high = _bounds(domain, evaluator)
    bad = np.zeros(value.shape, dtype=bool)
    bad = bad if low is None else bad | (value < low)
    return np.asarray(bad if high is None else bad | (value > high))


@dataclass(frozen=True, slots=True)
class _Case:
    """One event of a term at a point."""

    instance: Instance
    evaluator: Evaluator
    term: Term
    at: tuple[int, ...]
    density: float

    def cause(self) -> Cause:
        for number, (p, node) in enumerate(zip(self.family.parameters, self.term.law.args, strict=True)):
            found = self._of_argument(number, p, node)
            if found is not None:
                return self._told(*found)
        fact, remedy = self._of_value()
        return self._told(fact, remedy)

    # -- the arguments ----------------------------------------------------------------------------
    def _of_argument(self, number: int, p: Parameter, node: Node) -> tuple[str, str, Place | None] | None:
        """Give fact, remedy and line of an argument that is not what it must be."""
        title = self.family.title
        breakage = find_breakage(self.evaluator, node)
        if breakage is not None and breakage.raised:
            return self._of_breakage(p, breakage, messages.not_computed(title, p.name, breakage.reason, self.where))
        part = self._part(p, node)
        if breakage is not None and not np.isfinite(part).all():
            fact = messages.not_a_number(title, p.name, shown(part), breakage.reason, self.where)
            return self._of_breakage(p, breakage, fact)
        if p.domain.structure == "size" or not bool(np.any(p.domain.violations(part))):
            return None
        told = matrix_fault(part) if p.domain.square and p.domain.structure in ("cov", "corr") else ""
        fact = messages.outside(title, p.name, p.domain.words, told or shown(part), self.where)
        written, others = argument_text(self.place, title, number, p.name)
        return fact, messages.into_domain(self.family, p.name, p.domain, written, others), None

    def _of_breakage(self, p: Parameter, breakage: Breakage, fact: str) -> tuple[str, str, Place | None]:
        linked = self.family.link_form if p.name == self.family.linked_parameter else ""
        return fact, breakage.remedy(linked), first_place(breakage.node)

    def _part(self, p: Parameter, node: Node) -> np.ndarray:
        tied = min(len(node.shape), int(self.term.law.constraint is not None))
        return part_of(self.evaluator[node], len(node.shape), p.domain.event_rank or tied, self.at)

    # -- the value ----------------------------------------------------------------------------------
    def _of_value(self) -> tuple[str, str]:
        title, value = self.family.title, shown(self._value())
        domain = value_domain(self.term.law)
        if self.term.is_observed and not domain.event_rank and not self.term.law.event_rank:
            if bool(np.broadcast_to(_outside_support(self.term, self.evaluator), self._shape)[self.at]):
                words = self._support_words(domain)
                movable = any(isinstance(bound, Node) for bound in (domain.lower, domain.upper))
                fact = messages.outside_support(self.element, value, title, words, messages.at_point(self.point))
                return fact, messages.into_support(movable)
            at_end = self._argument_at_end()
            if at_end is not None and self.density == -np.inf:
                fact = messages.impossible(self.element, value, title, self.arguments, messages.at_point(self.point))
                return fact, messages.keep_away(*at_end)
        observed = self.term.is_observed
        where = messages.at_point(self.point)
        fact = messages.vanishes(self.element, value, observed, title, self.density, self.arguments, where)
        return fact, messages.nearer()

    def _support_words(self, domain: Domain) -> str:
        low, high = (
            None if b is None else float(np.broadcast_to(b, self._shape)[self.at])
            for b in _bounds(domain, self.evaluator)
        )
        if low is None or high is None:
            return f"above {low:.4g}" if high is None else f"below {high:.4g}"
        return f"between {low:.4g} and {high:.4g}"

    def _argument_at_end(self) -> tuple[str, float] | None:
        for p, node in zip(self.family.parameters, self.term.law.args, strict=True):
            ends = [float(b) for b in (p.domain.lower, p.domain.upper) if isinstance(b, int | float)]
            part = self._part(p, node)
            if part.ndim == 0 and float(part) in ends:
                return p.name, float(part)
        return None

    # -- how things are called ------------------------------------------------------------------------
    @property
    def family(self) -> Distribution:
        found: Distribution = self.term.law.distribution
        return found

    @property
    def place(self) -> Place | None:
        return self.instance.graph.place_of(self.term)

    @property
    def _shape(self) -> tuple[int, ...]:
        return self.instance.shape(self.term.law.shape)

    @property
    def element(self) -> str:
        """The event by the labels of its coords."""
        context = Context(self.instance.dims, self.instance.coords)
        name, dims = self.term.name, self.instance.dims.get(self.term.name, ())
        batch = Context({name: dims[: len(self.at)]}, context.coords)
        return batch.element(name, self.at, self._shape[: len(self.at)])

    @property
    def where(self) -> str:
        event = messages.for_event(self.element, shown(self._value()), self.term.is_observed)
        return event + messages.at_point(self.point)

    @property
    def point(self) -> list[str]:
        """The latents that the term depends on, and where they are."""
        below = set(topological([*self.term.law.inputs, self.term.value]))
        latents = [t for t in self.instance.graph.latents if t.value in below and t.value in self.evaluator]
        said = [f"{t.name} = {shown(np.asarray(self.evaluator[t.value].array))}" for t in latents[:_LATENTS_SHOWN]]
        return [*said, "…"] if len(latents) > _LATENTS_SHOWN else said

    @property
    def arguments(self) -> str:
        pairs = zip(self.family.parameters, self.term.law.args, strict=True)
        return ", ".join(f"{p.name} = {shown(self._part(p, node))}" for p, node in pairs)

    def _value(self) -> np.ndarray:
        value = self.evaluator[self.term.value]
        return part_of(value, len(self.term.law.shape), self.term.law.event_rank, self.at)

    def _told(self, fact: str, remedy: str, place: Place | None = None) -> Cause:
        return Cause(self.term, fact, remedy, place or self.place)
