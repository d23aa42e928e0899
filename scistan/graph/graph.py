"""A model as data: which variables it has, how each is distributed, and what is derived from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from scistan.graph.node import Apply, Data, Node, Variable
from scistan.graph.walk import rebuild, topological
from scistan.shapes import Equality, Shape, SizeTable

__all__ = ["Law", "Graph", "Term"]


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
    equalities: tuple[Equality, ...] = ()

    @property
    def inputs(self) -> tuple[Node, ...]:
        """Every node this draw depends on."""
        return self.args + tuple(b for b in (self.lower, self.upper) if b is not None)

    @property
    def truncated(self) -> bool:
        return self.lower is not None or self.upper is not None

    @property
    def event_rank(self) -> int:
        """Count the last axes whose elements have one density together; a constraint ties those of one."""
        own: int = self.distribution.event_rank
        return own or int(self.constraint is not None)

    def mapped(self, change: Callable[[Node], Node]) -> Law:
        """Apply `change` to every node this draw depends on."""
        return replace(
            self,
            args=tuple(change(arg) for arg in self.args),
            lower=None if self.lower is None else change(self.lower),
            upper=None if self.upper is None else change(self.upper),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A value of the model under its name, and what it is distributed as."""

    name: str
    value: Variable | Data
    law: Law

    @property
    def is_observed(self) -> bool:
        return isinstance(self.value, Data)


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Latents, observations and derived quantities in the order the user wrote them."""

    terms: tuple[Term, ...] = ()
    derived: Mapping[str, Node] = field(default_factory=dict)
    data_names: Mapping[Data, str] = field(default_factory=dict)
    equalities: tuple[Equality, ...] = ()

    @property
    def latents(self) -> list[Term]:
        return [term for term in self.terms if not term.is_observed]

    @property
    def observed(self) -> list[Term]:
        return [term for term in self.terms if term.is_observed]

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
        return replace(
            self,
            terms=tuple(replace(t, law=t.law.mapped(memo.__getitem__)) for t in self.terms),
            derived={name: memo[node] for name, node in self.derived.items()},
        )

    def with_draws(self, change: Callable[[Term], Law]) -> Graph:
        """Rewrite every distribution by `change(term)`."""
        return replace(self, terms=tuple(replace(t, law=change(t)) for t in self.terms))
