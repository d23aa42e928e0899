"""What one name of a model means."""

from __future__ import annotations

from dataclasses import dataclass

from scistan.errors import Place
from scistan.graph.graph import Law
from scistan.graph.node import Data, Node
from scistan.model.facts import Dims, Keys
from scistan.ops.levels import is_factor
from scistan.shapes import Equality

__all__ = ["Entry", "Identity"]


@dataclass(frozen=True, slots=True, eq=False)
class Identity:
    """Which model a latent belongs to; a model on other data is the same one."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One name of a model: a latent or observed value with its law, data, or a derived quantity."""

    name: str
    node: Node
    law: Law | None
    dims: Dims
    place: Place | None
    keys: Keys
    equalities: tuple[Equality, ...] = ()

    @property
    def role(self) -> str:
        if self.law is not None and self.law.distribution.potential:
            return "potential"
        if self.law is not None:
            return "observed" if isinstance(self.node, Data) else "latent"
        return "data" if isinstance(self.node, Data) else "derived"

    @property
    def shown(self) -> Node:
        """What its name stands for in an expression: of a term of the density the term, for it has no value."""
        return self.law.args[0] if self.role == "potential" and self.law is not None else self.node

    @property
    def held_dims(self) -> set[str]:
        """The dims that it gives a length: those it runs along, and that of a factor's levels."""
        own = {self.name} if self.role == "data" and is_factor(self.node) else set()
        return own | {dim for dim in self.dims if dim is not None}

    @property
    def roots(self) -> list[Node]:
        return [self.node, *(self.law.inputs if self.law else ())]
