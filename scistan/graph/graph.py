"""A model as data: which variables it has, how each is distributed, and what is derived from them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from scistan.errors import Place
from scistan.graph.body import Body
from scistan.graph.node import Apply, Data, Node, Variable
from scistan.graph.places import copy_places, first_place
from scistan.graph.walk import random_in, rebuild, topological
from scistan.shapes import Equality, Shape, SizeTable

__all__ = ["Graph", "Law", "Term", "bodies_of_law"]


@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """A distribution applied to arguments, with the shape of its value and the bounds set on it."""

    distribution: Any
    args: tuple[Node, ...]
    shape: Shape
    lower: Node | None = None
    upper: Node | None = None
    constraint: str | None = None
    centred: bool | None = None
    noncentred: bool = False
    path: bool = False  # a non-centred series by its path (`distributions/paths.py`) instead of its innovations
    centring: tuple[Data, Data] | None = None  # what data say of each element, where a program was made for them
    beside: tuple[Variable, ...] = ()  # what is added to it wherever it is used: data know of the sum
    equalities: tuple[Equality, ...] = ()

    @property
    def inputs(self) -> tuple[Node, ...]:
        """Every node this law depends on."""
        return self.args + tuple(b for b in (self.lower, self.upper) if b is not None)

    @property
    def written(self) -> Mapping[str, Hashable]:
        """What the text of a graph says of a distribution beside its name: the rule of a series."""
        rule = self.distribution.rule
        found: Mapping[str, Hashable] = {} if rule is None else rule.written
        return found

    @property
    def truncated(self) -> bool:
        return self.lower is not None or self.upper is not None

    @property
    def event_rank(self) -> int:
        """Count the last axes whose elements have one density together; a constraint ties those of one."""
        own: int = self.distribution.event_rank
        return own or int(self.constraint is not None)

    def mapped(self, change: Callable[[Node], Node]) -> Law:
        """Apply `change` to every node this law depends on."""
        return replace(
            self,
            args=tuple(change(arg) for arg in self.args),
            lower=None if self.lower is None else change(self.lower),
            upper=None if self.upper is None else change(self.upper),
        )


def bodies_of_law(law: Law) -> list[Body]:
    """List the bodies that a law holds: that of a series' next element."""
    return [value for value in law.written.values() if isinstance(value, Body)]


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A value of the model under its name, and what it is distributed as.

    `members` names the user's terms that it stands for, where a pass made it.
    """

    name: str
    value: Variable | Data
    law: Law
    members: tuple[str, ...] = ()

    @property
    def is_observed(self) -> bool:
        return isinstance(self.value, Data) and not self.is_potential

    @property
    def is_potential(self) -> bool:
        """Whether it is a term of the density by itself, of no value at all."""
        return bool(self.law.distribution.potential)

    @property
    def users(self) -> tuple[str, ...]:
        """The names of the user's terms that it is, or stands for."""
        return self.members or (self.name,)


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Latents, observations and derived quantities in the order the user wrote them.

    `places` has the line on which each name was given its meaning; two names of one value have two lines.
    """

    terms: tuple[Term, ...] = ()
    derived: Mapping[str, Node] = field(default_factory=dict)
    data_names: Mapping[Data, str] = field(default_factory=dict)
    equalities: tuple[Equality, ...] = ()
    places: Mapping[str, Place] = field(default_factory=dict)

    def place_of(self, term: Term) -> Place | None:
        """Give the line on which the user wrote a term, or the first of those that it stands for."""
        found = (self.places.get(name) for name in term.users)
        return next((place for place in found if place is not None), None) or first_place(term.value)

    @property
    def latents(self) -> list[Term]:
        return [term for term in self.terms if isinstance(term.value, Variable)]

    @property
    def observed(self) -> list[Term]:
        return [term for term in self.terms if term.is_observed]

    @property
    def potentials(self) -> list[Term]:
        return [term for term in self.terms if term.is_potential]

    def without_draws(self) -> Graph:
        """Give the graph without derived quantities that are drawn, or follow from such: no target computes them."""
        derived = {name: node for name, node in self.derived.items() if not random_in([node])}
        return self if len(derived) == len(self.derived) else replace(self, derived=derived)

    def without_potentials(self) -> Graph:
        """Give the graph whose density has no terms but those of its variables."""
        return replace(self, terms=tuple(term for term in self.terms if not term.is_potential))

    @property
    def roots(self) -> list[Node]:
        """Every node from which the rest can be reached."""
        found: list[Node] = []
        for term in self.terms:
            found += [*term.law.inputs, term.value]
        found += self.derived.values()
        found += self.data_names
        return found

    @property
    def nodes(self) -> list[Node]:
        """Every node, arguments before their users."""
        return topological(self.roots)

    @property
    def data(self) -> list[Data]:
        """The data leaves in order of first use."""
        return [node for node in self.nodes if isinstance(node, Data)]

    def sizes(self) -> SizeTable:
        """Solve the equalities of sizes that the model implies."""
        equal = list(self.equalities)
        for node in self.nodes:
            if isinstance(node, Apply):
                equal += node.equalities
        for term in self.terms:
            equal += term.law.equalities
        return SizeTable(equal)

    def mapped(self, rule: Callable[[Node, tuple[Node, ...]], Node]) -> Graph:
        """Rewrite every node by `rule(node, new_args)`; variables and data must map to themselves."""
        memo = rebuild(self.roots, rule)
        for old, new in memo.items():
            if new is not old and isinstance(new, Apply) and first_place(new) is None:
                copy_places(old, new)
        return replace(
            self,
            terms=tuple(replace(t, law=t.law.mapped(memo.__getitem__)) for t in self.terms),
            derived={name: memo[node] for name, node in self.derived.items()},
        )

    def with_draws(self, change: Callable[[Term], Law]) -> Graph:
        """Rewrite every distribution by `change(term)`."""
        return replace(self, terms=tuple(replace(t, law=change(t)) for t in self.terms))
