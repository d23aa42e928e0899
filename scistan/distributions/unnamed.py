"""A distribution with its arguments, before a model gives it a name."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from scistan.distributions.declaration import Distribution, constant_value
from scistan.distributions.density import log_mass_between
from scistan.errors import Place
from scistan.graph.node import Data, Node
from scistan.graph.places import user_place
from scistan.messages import arguments as arguments_messages
from scistan.messages import derived_draws as draws_messages
from scistan.messages import expressions
from scistan.messages import observations as observations_messages
from scistan.ops import FUNCTIONS
from scistan.ops.coding import coded_leaf
from scistan.ops.coerce import as_node, holds_expressions, read_dims
from scistan.ops.expression import Expression
from scistan.shapes import Shape, Size

__all__ = ["Observation", "Unnamed"]

_METHODS = ("observe", "draw", "log_density", "log_cdf", "log_ccdf", "cdf", "ccdf")


@dataclass(frozen=True, slots=True)
class Observation:
    """Values that a distribution is the likelihood of; None is a promise kept by `with_data`."""

    values: Data | None
    dims: tuple[str, ...] | None = None


class Unnamed(Expression):
    """What `ss.Normal(0, 1)` gives: a distribution that becomes a variable when a model names it."""

    __slots__ = (
        "args", "centred", "constraint", "dims", "distribution", "is_draw", "lower", "observation", "place", "size",
        "upper",
    )

    def __init__(self, distribution: Distribution, args: tuple[Node, ...]) -> None:
        self.distribution = distribution
        self.args = args
        self.size: Shape | None = None
        self.dims: tuple[str, ...] | None = None
        self.lower: Node | None = None
        self.upper: Node | None = None
        self.constraint: str | None = None
        self.centred: bool | None = None
        self.observation: Observation | None = None
        self.is_draw = False  # of what it depends on: a derived quantity
        self.place: Place | None = user_place()

    @property
    def _scistan_node_(self) -> Node:
        raise arguments_messages.unnamed_distribution(self.distribution.title)

    @property
    def _node(self) -> Node:  # type: ignore[override]  # a slot of expressions, which an unnamed one never fills
        raise arguments_messages.unnamed_distribution(self.distribution.title)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in self.__slots__:
            raise AttributeError(name)
        raise expressions.unknown_of_distribution(self.distribution.title, name, _METHODS)

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{p.name}={Expression(a)!r}" for p, a in zip(self.distribution.parameters, self.args, strict=True)
        )
        return f"<unnamed {self.distribution.title}({shown})>"

    def observe(self, values: object = None, *, dims: str | tuple[str, ...] | None = None) -> Unnamed:
        """Make this distribution the likelihood of `values`; without values, of data given later."""
        names = None if dims is None else read_dims(self.distribution.title, dims)
        leaf = None if values is None else _observed_leaf(self.distribution.title, values, self.dims or names)
        observed = self._copied()
        observed.dims = self.dims or names
        observed.observation = Observation(leaf, names or self.dims)
        return observed

    @property
    def length(self) -> Size | None:
        """How long the first axis is, where the distribution itself says so."""
        return None

    def formed(self, name: str, whole: Shape | None) -> Unnamed:  # noqa: ARG002  # others have to wait for them
        """Give the distribution of a value of this shape: itself, unless it was waiting to know the shape."""
        return self

    def draw(self) -> Unnamed:
        """Make this a random draw that follows from the model's variables: drawn with them, and in no density.

        >>> import scistan as ss
        >>> m = ss.Model("schools")
        >>> m.mu, m.tau = ss.Normal(0, 5), ss.HalfNormal(5)
        >>> m.new = ss.Normal(m.mu, m.tau).draw()
        >>> m.variables["new"]
        'derived'
        """
        if self.observation is not None:
            raise draws_messages.observed_draw(self.distribution.title)
        if self.distribution.improper or not self.distribution.drawable:
            raise draws_messages.nothing_to_draw(self.distribution.title)
        made = self._copied()
        made.dims, made.is_draw = self.dims, True
        return made

    def _copied(self) -> Unnamed:
        copied = Unnamed(self.distribution, self.args)
        for option in ("size", "lower", "upper", "constraint", "centred"):
            setattr(copied, option, getattr(self, option))
        return copied

    def log_density(self, value: object) -> Expression:
        """Give the log density at `value` as an expression."""
        at, d = self._argument(value), self.distribution
        beyond = self._beyond(at)
        if beyond and d.stan.one_based:  # a category that is none has no probability to be picked
            support = d.domain(self.args)
            at = FUNCTIONS["clip"](at, *(Expression(_node_of(end)) for end in (support.lower, support.upper)))
        density = d.log_density(at, *self._parameters)
        if self._bounds and not d.improper:
            density = density - log_mass_between(d, self._parameters, *self._ends)
        return FUNCTIONS["where"](reduce(FUNCTIONS["logical_or"], beyond), -math.inf, density) if beyond else density

    def log_cdf(self, value: object) -> Expression:
        """Give the logarithm of the probability of at most `value`, as an expression."""
        return self._cumulative("log_cdf", value)

    def log_ccdf(self, value: object) -> Expression:
        """Give the logarithm of the probability of more than `value`, as an expression."""
        return self._cumulative("log_ccdf", value)

    def cdf(self, value: object) -> Expression:
        """Give the probability of at most `value`, as an expression."""
        return FUNCTIONS["exp"](self.log_cdf(value))

    def ccdf(self, value: object) -> Expression:
        """Give the probability of more than `value`, as an expression."""
        return FUNCTIONS["exp"](self.log_ccdf(value))

    @property
    def _parameters(self) -> tuple[Expression, ...]:
        return tuple(map(Expression, self.args))

    @property
    def _ends(self) -> tuple[Expression | None, Expression | None]:
        lower, upper = (None if bound is None else Expression(bound) for bound in (self.lower, self.upper))
        return lower, upper

    @property
    def _bounds(self) -> list[tuple[Callable[..., Expression], Expression]]:
        """The bounds there are, each with the op that tells what is beyond it."""
        beyond = zip((FUNCTIONS["less"], FUNCTIONS["greater"]), self._ends, strict=True)
        return [(op, bound) for op, bound in beyond if bound is not None]

    def _beyond(self, at: Expression) -> list[Expression]:
        """Tell what is outside the bounds, and outside the support unless the numbers at hand are known to be in."""
        found = [op(at, bound) for op, bound in self._bounds]
        support = self.distribution.domain(self.args)
        numbers = constant_value(at._scistan_node_)
        latent_ends = isinstance(support.lower, Node) or isinstance(support.upper, Node)
        inside = numbers is not None and not latent_ends and not np.any(support.violations(numbers))
        if support.event_rank or inside:
            return found
        if support.integer and not at._scistan_node_.integer:
            found.append(FUNCTIONS["not_equal"](at, FUNCTIONS["floor"](at)))
        ends = zip((FUNCTIONS["less"], FUNCTIONS["greater"]), (support.lower, support.upper), strict=True)
        return found + [op(at, Expression(_node_of(end))) for op, end in ends if end is not None]

    def _argument(self, value: object) -> Expression:
        """Check what a density or probability is asked at: elements tied by a constraint have none of their own."""
        if self.constraint is not None:
            raise arguments_messages.no_density_of_one(self.distribution.title, self.constraint)
        return Expression(as_node(value))

    def _cumulative(self, kind: str, value: object) -> Expression:
        d = self.distribution
        if d.log_cdf is None or d.log_ccdf is None:
            raise arguments_messages.no_cdf(d.title)
        at = self._argument(value)
        if d.discrete and not at._scistan_node_.integer:
            at = FUNCTIONS["floor"](at)  # at most 1.5 events are at most 1
        if not self._bounds:
            result: Expression = getattr(d, kind)(at, *self._parameters)
            return result
        lower, upper = self._ends
        at = FUNCTIONS["clip"](at, lower, upper)
        part = (lower, at) if kind == "log_cdf" else (at, upper)
        whole = log_mass_between(d, self._parameters, lower, upper)
        return log_mass_between(d, self._parameters, *part) - whole


def _node_of(end: object) -> Node:
    """Give the end of a support as a node: it is one already where it is a quantity of the model."""
    return end if isinstance(end, Node) else as_node(end)


def _observed_leaf(name: str, values: object, dims: tuple[str, ...] | None) -> Data:
    """Give the leaf of observed values; named data keep theirs, so that swapping them swaps what is observed."""
    if not isinstance(values, Expression):
        if holds_expressions(values):
            raise observations_messages.not_observable(name)
        named = dims is not None and getattr(values, "ndim", None) == len(dims)
        return coded_leaf(values, dims if named else None)
    node = values._scistan_node_
    if not isinstance(node, Data):
        raise observations_messages.not_observable(name)
    return node
