"""Sufficient statistics: many independent, identical observations enter through a few sums of the data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from scistan.distributions.declaration import Distribution
from scistan.domains import VECTOR
from scistan.graph.graph import Draw, Graph, Term
from scistan.graph.node import extent
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.shapes import Shape

__all__ = ["use_sufficient_statistics"]

log, square, total, mean, where = (FUNCTIONS[n] for n in ("log", "square", "sum", "mean", "where"))
lgamma, log_inv_logit = FUNCTIONS["lgamma"], FUNCTIONS["log_inv_logit"]
LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)


def _normal(y: Any, n: Any, mu: Any, sigma: Any) -> Any:
    middle = where(n > 0, mean(y), 0.0)  # nothing has no mean
    spread = total(square(y - middle))
    return -0.5 * (spread + n * square(middle - mu)) / square(sigma) - n * (log(sigma) + LOG_SQRT_2PI)


def _poisson(y: Any, n: Any, lambda_: Any) -> Any:
    return FUNCTIONS["multiply_log"](total(y), lambda_) - n * lambda_ - total(lgamma(y + 1.0))


def _poisson_log(y: Any, n: Any, alpha: Any) -> Any:
    return total(y) * alpha - n * FUNCTIONS["exp"](alpha) - total(lgamma(y + 1.0))


def _exponential(y: Any, n: Any, beta: Any) -> Any:
    return n * log(beta) - beta * total(y)


def _bernoulli_logit(y: Any, n: Any, alpha: Any) -> Any:
    return total(y) * log_inv_logit(alpha) + (n - total(y)) * log_inv_logit(-alpha)


# The joint log density of `n` observations, in sums of the data and scalar arguments.
_FORMS: dict[str, Callable[..., Any]] = {
    "Normal": _normal,
    "Poisson": _poisson,
    "PoissonLog": _poisson_log,
    "Exponential": _exponential,
    "BernoulliLogit": _bernoulli_logit,
}


def use_sufficient_statistics(graph: Graph) -> Graph:
    """Rewrite observed vectors whose arguments are the same for every element."""
    return graph.with_draws(_change)


def _change(term: Term) -> Draw:
    draw = term.draw
    scalar = all(not node.shape for node in draw.args)
    if not term.is_observed or not scalar or len(draw.shape) != 1 or draw.truncated or draw.constraint:
        return draw
    if draw.distribution.name not in _FORMS:
        return draw
    return replace(draw, distribution=_joint_form(draw.distribution, draw.shape))


@cache
def _joint_form(d: Distribution, shape: Shape) -> Distribution:
    """Derive the distribution of the whole vector."""

    def log_density(y: Any, *args: Any) -> Any:
        return _FORMS[d.name](y, Expression(extent(shape[0])), *args)

    return d.form(f"{d.name}Sample", support=VECTOR, discrete=False, log_density=log_density)
