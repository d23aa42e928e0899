"""What ties the elements of a variable to each other: where they live, and what that does to their density.

Elements drawn freely and kept only where they keep the constraint have a density that is divided by the probability
of keeping it. This normalizer is declared once, in SciStan's own ops, and every target takes it from here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from scistan.distributions.declaration import Distribution
from scistan.domains import ORDERED, POSITIVE_ORDERED, SUM_TO_ZERO, Domain
from scistan.graph.graph import Law
from scistan.graph.node import Literal, Node, extent, literal
from scistan.graph.walk import has_latents
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.shapes import ONE, Size

__all__ = ["CONSTRAINTS", "NORMALS", "Constraint", "is_known", "log_normalizer", "unknown_depends_on"]

log, square, total, lgamma = (FUNCTIONS[n] for n in ("log", "square", "sum", "lgamma"))
LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)

# Families whose elements are normal, by mean and standard deviation or with none to give.
NORMALS = ("Normal", "StdNormal")


@dataclass(frozen=True, slots=True)
class Constraint:
    """A relation between the elements of the last axis.

    `log_normalizer(distribution, arguments, size)` is what it adds to the log density of each vector, None where
    that has no exact form; `matters(distribution, parameter, argument)` tells what an unknown one depends on.
    """

    domain: Domain
    log_normalizer: Callable[[Distribution, tuple[Node, ...], Size], Expression | None]
    matters: Callable[[Distribution, str, Node], bool]
    underflows: bool = False  # it holds a cumulative probability, which Stan may round to 0


def is_common(node: Node) -> bool:
    """Tell whether an argument is the same for all elements of a vector."""
    return not node.shape or node.shape[-1] == ONE


def _each(node: Node) -> Expression:
    """Give an argument once for each vector where its elements share it, else element by element."""
    whole = Expression(node)
    return whole[..., 0] if node.shape and is_common(node) else whole


def _added(value: Expression, node: Node, count: Expression) -> Expression:
    """Add what `node` gives over a vector's elements: `count` times where they share it."""
    return count * value if is_common(node) else total(value, -1)


def _ordered(d: Distribution, args: tuple[Node, ...], size: Size) -> Expression | None:
    # Exchangeable elements have K! orders, each as probable as the others.
    return lgamma(Expression(extent(size)) + 1.0) if all(map(is_common, args)) else None


def _positive_ordered(d: Distribution, args: tuple[Node, ...], size: Size) -> Expression | None:
    orders = _ordered(d, args, size)
    if orders is None or d.domain(args).lower is not None:
        return orders
    if d.log_ccdf is None:
        return None
    count = Expression(extent(size))
    return orders - count * d.log_ccdf(Expression(literal(0.0)), *map(_each, args))


def _sum_to_zero(d: Distribution, args: tuple[Node, ...], size: Size) -> Expression | None:
    """Divide by the integral of independent normals over the plane of sum 0, measured on an orthonormal basis of it.

    That is the density at 0 of their sum over √K, the coordinate at right angles to the plane.
    """
    if d.name not in NORMALS:
        return None
    count = Expression(extent(size))
    mu, sigma = args or (literal(0.0), literal(1.0))
    if is_common(mu) and is_common(sigma):
        added = _each(literal(LOG_SQRT_2PI)) if _is(sigma, 1) else log(_each(sigma)) + LOG_SQRT_2PI
        return added if _is(mu, 0) else added + 0.5 * count * square(_each(mu) / _each(sigma))
    variance = _added(square(_each(sigma)), sigma, count)
    added = 0.5 * log(variance / count) + LOG_SQRT_2PI
    return added if _is(mu, 0) else added + 0.5 * square(_added(_each(mu), mu, count)) / variance


def _is(node: Node, number: float) -> bool:
    return isinstance(node, Literal) and node.value == number


def _always(d: Distribution, parameter: str, node: Node) -> bool:
    return True


def _unless_common_location(d: Distribution, parameter: str, node: Node) -> bool:
    """Leave out a location that all elements share: moved together they stay in order."""
    return not (d.location_scale and parameter == d.location_scale[0] and is_common(node))


CONSTRAINTS: dict[str, Constraint] = {
    "ordered": Constraint(ORDERED, _ordered, _unless_common_location),
    "positive_ordered": Constraint(POSITIVE_ORDERED, _positive_ordered, _always, underflows=True),
    "sum_to_zero": Constraint(SUM_TO_ZERO, _sum_to_zero, _always),
}


def log_normalizer(law: Law) -> Expression | None:
    """Give what a constraint adds to the log density of each vector; None without one, or where it is unknown."""
    if law.constraint is None or law.distribution.improper:
        return None
    return CONSTRAINTS[law.constraint].log_normalizer(law.distribution, law.args, law.shape[-1])


def is_known(constraint: str, d: Distribution, args: tuple[Node, ...]) -> bool:
    """Tell whether a constraint's normalizer has an exact form; an improper prior needs none."""
    return d.improper or CONSTRAINTS[constraint].log_normalizer(d, args, Size.new(2)) is not None


def unknown_depends_on(constraint: str, d: Distribution, args: tuple[Node, ...]) -> list[str]:
    """List the parameters by which an unknown normalizer depends on latents: without it the prior is another."""
    if is_known(constraint, d, args):
        return []
    matters = CONSTRAINTS[constraint].matters
    named = zip((p.name for p in d.parameters), args, strict=True)
    return [name for name, node in named if matters(d, name, node) and has_latents(node)]
