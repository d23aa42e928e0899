"""Numbers between bounds, each by itself: the bijection that every target has from here.

Stan Reference Manual, "Constraint transforms".
"""

from __future__ import annotations

from scistan.graph.node import literal
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression

__all__ = ["into_interval", "out_of_interval"]

exp, log, inv_logit, log_inv_logit = (FUNCTIONS[n] for n in ("exp", "log", "inv_logit", "log_inv_logit"))


def into_interval(u: Expression, lower: Expression | None, upper: Expression | None) -> tuple[Expression, Expression]:
    """Give the value at a coordinate and the log Jacobian; a bound may be missing."""
    if lower is not None and upper is not None:
        width = upper - lower
        return lower + width * inv_logit(u), log(width) + log_inv_logit(u) + log_inv_logit(-u)
    if lower is not None:
        return lower + exp(u), u
    if upper is not None:
        return upper - exp(u), u
    return u, Expression(literal(0.0)) * u


def out_of_interval(x: Expression, lower: Expression | None, upper: Expression | None) -> Expression:
    """Give the coordinate of a value."""
    if lower is not None and upper is not None:
        return log(x - lower) - log(upper - x)
    if lower is not None:
        return log(x - lower)
    return x if upper is None else log(upper - x)
