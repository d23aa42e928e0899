"""A distribution with its arguments, before a model gives it a name."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from inspect import Signature
from typing import Any

import numpy as np

from scistan.distributions.constraints import CONSTRAINTS, unknown_depends_on
from scistan.distributions.declaration import Distribution, Parameter, constant_value
from scistan.distributions.density import log_mass_between
from scistan.distributions.signatures import describe, signature_of
from scistan.distributions.within import check_bare_bounds, check_bare_latent, check_bare_relation
from scistan.errors import Place
from scistan.given import as_switch
from scistan.graph.node import Data, Node, extent
from scistan.graph.places import user_place
from scistan.graph.walk import has_latents
from scistan.messages import arguments as arguments_messages
from scistan.messages import bounds, constraints, expressions, neighbours
from scistan.messages import constraints as constraints_messages
from scistan.messages import model as messages
from scistan.messages import observations as observations_messages
from scistan.messages.values import as_given
from scistan.ops import FUNCTIONS
from scistan.ops.coding import coded_leaf
from scistan.ops.coerce import as_node, holds_expressions, read_dims
from scistan.ops.expression import Expression
from scistan.ops.unreadable import looks_like_numbers
from scistan.shapes import GIVEN, Shape, Size, values_of

__all__ = ["MOST_ELEMENTS", "OPTIONS", "Constructor", "Observation", "Unnamed"]

_METHODS = ("observe", "log_density", "log_cdf", "log_ccdf", "cdf", "ccdf")
_NO_BOUND = {"lower": -math.inf, "upper": math.inf}
MOST_ELEMENTS = 2**31 - 1  # what Stan can count, and 17 GB of numbers
OPTIONS = ("shape", "dims", "lower", "upper", "constraint", "centred", "centered")


@dataclass(frozen=True, slots=True)
class Observation:
    """Values that a distribution is the likelihood of; None is a promise kept by `with_data`."""

    values: Data | None
    dims: tuple[str, ...] | None = None


class Unnamed(Expression):
    """What `ss.Normal(0, 1)` gives: a distribution that becomes a variable when a model names it."""

    __slots__ = (
        "args", "centred", "constraint", "dims", "distribution", "lower", "observation", "place", "size", "upper",
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
        observed = Unnamed(self.distribution, self.args)
        for option in ("size", "lower", "upper", "constraint", "centred"):
            setattr(observed, option, getattr(self, option))
        observed.dims = self.dims or names
        observed.observation = Observation(leaf, names or self.dims)
        return observed

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


@dataclass(frozen=True, slots=True)
class Constructor:
    """The public face of a distribution: call it with arguments in Stan's names and order."""

    distribution: Distribution

    @property
    def __name__(self) -> str:
        return self.distribution.title

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        d = self.distribution
        return describe(d.doc, [(p.name, p.domain.words) for p in d.parameters], d)

    @property
    def __signature__(self) -> Signature:
        return signature_of(self.distribution)

    def __call__(self, *args: object, **options: Any) -> Unnamed:
        d = self.distribution
        given = _bind(d, args, options)
        nodes = tuple(_argument(d, p, given[p.name]) for p in d.parameters)
        _check_relation(d, nodes)
        check_bare_relation(d, nodes)
        made = Unnamed(d, nodes)
        _set_options(made, {k: v for k, v in options.items() if k in OPTIONS and k not in given})
        return made

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise expressions.unknown_of_distribution(self.distribution.title, name, ())

    def __repr__(self) -> str:
        return f"ss.{self.distribution.signature}"


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


def refuse_name_first(title: str, args: tuple[object, ...], signature: str) -> None:
    """Refuse a text that stands where PyMC and NumPyro want a variable's name."""
    if args and isinstance(args[0], str) and not looks_like_numbers(args[:1]):
        raise neighbours.name_first(title, args[0], signature)


def _bind(d: Distribution, args: tuple[object, ...], options: dict[str, Any]) -> dict[str, object]:
    names = [p.name for p in d.parameters]
    refuse_name_first(d.title, args, d.signature)
    if len(args) > len(names):
        raise arguments_messages.too_many_arguments(d.title, len(args), d.signature)
    given: dict[str, object] = dict(zip(names, args, strict=False))
    for key, value in options.items():
        if key in OPTIONS and key not in names:
            continue
        if key not in names:
            raise arguments_messages.unknown_argument(d.title, key, [*names, *OPTIONS], d.signature)
        if key in given:
            raise arguments_messages.argument_twice(d.title, key)
        given[key] = value
    missing = [n for n in names if n not in given]
    if missing:
        raise arguments_messages.missing_argument(d.title, missing, d.signature)
    return given


def _argument(d: Distribution, parameter: Parameter, value: object) -> Node:
    name, domain = parameter.name, parameter.domain
    if domain.structure == "size":
        return _size_argument(d, name, value)
    node = as_node(value)
    numbers = constant_value(node)
    if len(node.shape) < domain.event_rank or (domain.square and node.shape[-1].today != node.shape[-2].today):
        raise arguments_messages.illegal_constant(d.title, name, domain.words, f"of shape {values_of(node.shape)}", d.signature)
    if domain.integer and d.stan.name and not node.integer and has_latents(node):
        raise arguments_messages.illegal_constant(d.title, name, domain.words, "computed from latents", d.signature)
    if numbers is not None:
        bad = domain.violations(numbers)
        if bad.any():
            event = numbers[np.unravel_index(int(np.argmax(bad)), bad.shape)] if bad.ndim else numbers
            shown = np.array2string(np.asarray(event), threshold=6)
            raise arguments_messages.illegal_constant(d.title, name, domain.words, shown, d.signature)
    check_bare_latent(d, parameter, node)
    return node


def _check_relation(d: Distribution, nodes: tuple[Node, ...]) -> None:
    numbers = d.named(tuple(map(constant_value, nodes)))
    if d.relation is None or any(n is None for n in numbers.values()):
        return
    if not np.all(d.relation.holds(*numbers.values())):
        shown = np.array2string(np.asarray(numbers[d.relation.parameter]), threshold=6)
        raise arguments_messages.illegal_constant(d.title, d.relation.parameter, d.relation.words, shown, d.signature)


def _size_argument(d: Distribution, name: str, value: object) -> Node:
    if isinstance(value, Size):
        size = value
    elif isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 1:
        size = Size.new(int(value), rank=GIVEN)
    else:
        raise arguments_messages.illegal_constant(d.title, name, "a whole number above 0", as_given(value), d.signature)
    return extent(size)


def _set_options(made: Unnamed, options: dict[str, Any]) -> None:
    name = made.distribution.title
    shape, dims = options.get("shape"), options.get("dims")
    if shape is not None:
        lengths = shape if isinstance(shape, tuple | list) else (shape,)
        made.size = tuple(_length(name, n, axis) for axis, n in enumerate(lengths))
        if math.prod(values_of(made.size)) > MOST_ELEMENTS:
            raise bounds.shape_too_large(name, values_of(made.size))
    if dims is not None:
        made.dims = read_dims(name, dims)
    for side in ("lower", "upper"):
        bound = options.get(side)
        if bound is None or (isinstance(bound, float) and bound == _NO_BOUND[side]):
            continue
        if isinstance(bound, float) and math.isinf(bound):
            raise bounds.bound_at_infinity(name, side, bound)
        if made.distribution.discrete or made.distribution.event_rank:
            raise bounds.no_bounds(name)
        if not made.distribution.truncatable:
            raise bounds.no_truncation(name)
        setattr(made, side, as_node(bound))
    _check_bounds(made)
    check_bare_bounds(made.distribution, made.distribution.domain(made.args), made.lower, made.upper)
    made.constraint = _constraint(made, options.get("constraint"))
    centred = options.get("centred", options.get("centered"))
    made.centred = None if centred is None else as_switch("centred", centred)


def _check_bounds(made: Unnamed) -> None:
    low, high = (None if b is None else constant_value(b) for b in (made.lower, made.upper))
    if low is not None and high is not None and np.any(low >= high):
        raise bounds.bounds_crossed(made.distribution.title, low, high)
    support = made.distribution.domain(made.args)
    if low is not None and isinstance(support.upper, int | float) and np.any(low >= support.upper):
        raise bounds.bound_outside(made.distribution.title, "lower", low, support.words)
    if high is not None and isinstance(support.lower, int | float) and np.any(high <= support.lower):
        raise bounds.bound_outside(made.distribution.title, "upper", high, support.words)


def _constraint(made: Unnamed, constraint: Any) -> str | None:
    """Check a constraint against the support; positive numbers in order are a positive_ordered vector."""
    d = made.distribution
    if constraint is None:
        return None
    if not isinstance(constraint, str) or constraint not in CONSTRAINTS or d.event_rank or d.discrete:
        raise constraints_messages.bad_constraint(d.title, constraint, CONSTRAINTS)
    if made.lower is not None or made.upper is not None:
        raise constraints_messages.constraint_and_bounds(d.title, constraint)
    support = d.domain(made.args)
    bounded = support.lower is not None or support.upper is not None
    if bounded and (support.lower != 0 or support.upper is not None or constraint == "sum_to_zero"):
        raise constraints_messages.constraint_and_support(d.title, constraint, support.words)
    kind = "positive_ordered" if bounded else constraint
    latent = unknown_depends_on(kind, d, made.args)
    if latent:
        raise constraints.unknown_mass(d.title, kind, latent)
    return kind


def _length(name: str, value: object, axis: int) -> Size:
    if isinstance(value, Size):
        return value
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 0:
        return Size.new(int(value), axis=axis)
    raise arguments_messages.illegal_constant(name, "shape", "whole numbers", as_given(value))


