"""Pieces of log densities that several families share, written in SciStan's own ops.

Each keeps the branch of a `where` that is not taken finite: its gradient would poison the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scistan.graph.node import Literal, Node
from scistan.ops import FUNCTIONS

__all__ = [
    "IMPOSSIBLE", "TINY", "Quantity", "bound_of", "functions", "log_choose", "log_half_or_less", "log_inv_cloglog",
    "times_log", "times_log1m",
]

Quantity = Any
"""An expression, or a number where one is written; an expression's operators are installed as it is declared."""


def functions(*names: str) -> tuple[Callable[..., Quantity], ...]:
    """Give ops by their names in `ss`."""
    return tuple(FUNCTIONS[name] for name in names)


exp, log, log1m, log1p, log1m_exp = functions("exp", "log", "log1m", "log1p", "log1m_exp")
lbeta, where, maximum, minimum = functions("lbeta", "where", "maximum", "minimum")

IMPOSSIBLE = float("-inf")
"""The logarithm of the probability of what cannot be."""

TINY = 2.2250738585072014e-308
"""The smallest number with all its digits: stands for 0 where its logarithm or inverse is taken."""


def times_log(k: Any, p: Any) -> Quantity:
    """Give `k · log(p)`, and 0 with a finite gradient where `k` is 0, whatever `p` is."""
    some = k > 0
    return where(some, k * log(where(some, p, 1.0)), 0.0)


def times_log1m(k: Any, p: Any) -> Quantity:
    """Give `k · log(1 - p)`, and 0 with a finite gradient where `k` is 0, whatever `p` is."""
    some = k > 0
    return where(some, k * log1m(where(some, p, 0.0)), 0.0)


def log_choose(n: Any, k: Any) -> Quantity:
    """Give the logarithm of the number of ways to choose `k` of `n`."""
    # Through the beta function: differences of large log gammas would lose digits.
    return -log1p(n) - lbeta(n - k + 1.0, k + 1.0)


def log_inv_cloglog(w: Any) -> Quantity:
    """Give `log(1 - exp(-exp(w)))`, the log of the inverse complementary log-log, for `w` of any size."""
    small = w < -30.0  # 1 - exp(-u) = u (1 - u / 2 + …), and u² is below the rounding of u
    u = exp(where(small, -30.0, minimum(w, 700.0)))
    return where(small, w, log1m_exp(-u))


def log_half_or_less(is_lower_tail: Any, tail: Any) -> Quantity:
    """Give the log of a tail of at most ½ where it is the one wanted, else that of its complement."""
    return where(is_lower_tail, log(tail), log1m(tail))


def bound_of(node: Node) -> float | Node:
    """Give a bound that a domain can check now: a number where one is written, else the node."""
    return node.value if isinstance(node, Literal) else node
