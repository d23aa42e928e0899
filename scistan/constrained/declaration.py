"""What a constrained type is: one declaration says where its values live and how they come from free coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from scistan.domains import Domain
from scistan.graph.node import Data, Node
from scistan.ops.expression import Expression
from scistan.shapes import Size

if TYPE_CHECKING:
    from scistan.distributions.declaration import Distribution

__all__ = [
    "TYPES", "Conditioned", "ConstrainedType", "Lengths", "Range", "StanMade", "StanType", "constant", "declare",
    "len_of",
]

Lengths = tuple[int, ...]
Range = tuple[float, float]
ANYWHERE: Range = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class StanType:
    """Stan has the type, under this name."""

    name: str


@dataclass(frozen=True, slots=True)
class StanMade:
    """Stan lacks the type: a value is made of a free vector that is one element shorter.

    `value` is the expression for it, with `{free}` for the vector; `functions` defines what it calls. With
    `jacobian`, the last element of each vector is added to the log density.
    """

    value: str
    functions: Mapping[str, str] = field(default_factory=dict)
    jacobian: bool = False


@dataclass(frozen=True, slots=True)
class Conditioned:
    """What a type does to elements that are drawn one by one and kept only where they have it.

    `log_normalizer(distribution, arguments, size)` is what that adds to the log density of each vector, None where it
    has no exact form; `matters(distribution, parameter, argument)` tells what an unknown one depends on;
    `underflows` that it holds a cumulative probability, which Stan may round to 0.
    `draw(free, distribution, size, arguments)` draws such vectors, given how to draw elements freely; None where it
    cannot.
    """

    log_normalizer: Callable[[Distribution, tuple[Node, ...], Size], Expression | None]
    matters: Callable[[Distribution, str, Node], bool]
    draw: Callable[[Callable[..., np.ndarray], Distribution, Lengths, list[np.ndarray]], np.ndarray | None]
    underflows: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ConstrainedType:
    """Vectors or matrices whose elements are tied to each other.

    Coordinates are vectors of free numbers: `free` counts them for an event's lengths. `constrain(u, lengths)` gives
    the value at coordinates and the log Jacobian (of its free elements), `unconstrain(x, lengths)` goes back; both are
    written in SciStan's own ops for one event, so that every target has them. `middle` is a value well inside,
    `element` where each element lies,
    `diagonal` where those on the diagonal of a matrix do. `edges` tells whether coordinates that run to -∞ and to +∞
    come to a boundary of the type, `is_also` names another type that each of its values has too; a vector of
    one number has a type that `orders` whenever that number lies where elements do.
    """

    domain: Domain
    free: Callable[[Lengths], int]
    constrain: Callable[[Expression, Lengths], tuple[Expression, Expression]]
    unconstrain: Callable[[Expression, Lengths], Expression]
    middle: Callable[[Lengths], np.ndarray]
    stan: StanType | StanMade
    element: Range = ANYWHERE
    diagonal: Range | None = None
    edges: tuple[bool, bool] = (False, False)
    is_also: str = ""
    orders: bool = False
    triangular: bool = False
    public_name: str = ""  # what declarations of users call it; "" where they cannot
    conditioned: Conditioned | None = None

    @property
    def name(self) -> str:
        return self.domain.structure

    def range_of_elements(self, value: np.ndarray) -> tuple[np.ndarray | float, np.ndarray | float]:
        """Give between which numbers each element of a value lies for certain."""
        if self.diagonal is None:
            return self.element
        eye = np.eye(value.shape[-1], dtype=bool)
        low, high = (np.where(eye, *ends) for ends in zip(self.diagonal, self.element, strict=True))
        return low, high


TYPES: dict[str, ConstrainedType] = {}


def declare(domain: Domain, **fields: object) -> Domain:
    """Declare a type and enter it in the registry, from which everything else is derived; give its domain."""
    TYPES[domain.structure] = ConstrainedType(domain=domain, **fields)  # type: ignore[arg-type]
    return domain


def constant(array: np.ndarray | list[float]) -> Expression:
    """Give numbers that belong to a formula."""
    array = np.asarray(array)
    return Expression(Data(array, tuple(map(Size, array.shape)), integer=array.dtype.kind in "iu"))


def len_of(vector: Expression) -> int:
    """Give the length of a vector in a formula, whose lengths are numbers."""
    return vector._scistan_node_.shape[0].today
