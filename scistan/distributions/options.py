"""The options that every distribution takes: shape, dims, bounds, a constraint, and centring."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scistan.constrained import CONSTRAINTS
from scistan.distributions.constraints import unknown_depends_on
from scistan.distributions.declaration import constant_value
from scistan.distributions.unnamed import Unnamed
from scistan.distributions.within import check_bare_bounds
from scistan.given import as_switch
from scistan.messages import arguments as messages
from scistan.messages import bounds, constraints
from scistan.messages.values import as_given
from scistan.ops.coerce import as_node, read_dims
from scistan.shapes import Size, values_of

__all__ = ["MOST_ELEMENTS", "OPTIONS", "set_options"]

_NO_BOUND = {"lower": -math.inf, "upper": math.inf}
MOST_ELEMENTS = 2**31 - 1  # what Stan can count, and 17 GB of numbers
OPTIONS = ("shape", "dims", "lower", "upper", "constraint", "centred", "centered")


def set_options(made: Unnamed, options: dict[str, Any]) -> None:
    """Check the options and enter them."""
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
        raise constraints.bad_constraint(d.title, constraint, CONSTRAINTS)
    if made.lower is not None or made.upper is not None:
        raise constraints.constraint_and_bounds(d.title, constraint)
    support = d.domain(made.args)
    bounded = support.lower is not None or support.upper is not None
    if bounded and (support.lower != 0 or support.upper is not None or constraint == "sum_to_zero"):
        raise constraints.constraint_and_support(d.title, constraint, support.words)
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
    raise messages.illegal_constant(name, "shape", "whole numbers", as_given(value))
