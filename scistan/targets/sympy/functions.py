"""What each elementwise op is in SymPy, and which have no form there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from scistan.messages import packages
from scistan.ops.slopes import SLOPES

__all__ = ["GAPS", "elementwise", "import_sympy"]

Function = Callable[..., Any]
GAPS: Mapping[str, str] = {
    "owens_t": "SymPy has no such function",
    "beta_binomial_log_cdf": "it has no closed form",
    "beta_binomial_log_ccdf": "it has no closed form",
    "skew_normal_log_cdf": "it has no closed form",
    "von_mises_log_cdf": "it has no closed form",
    "von_mises_log_ccdf": "it has no closed form",
    **dict.fromkeys(SLOPES, "it is computed from the formula it is a slope of, and has none of its own"),
}
"""The elementwise ops that SymPy cannot write, and why."""


def import_sympy() -> Any:
    """Import SymPy when it is first needed, or say how to get it."""
    try:
        return import_module("sympy")
    except ImportError:
        raise packages.target_missing("SymPy", "sympy") from None


@cache
def elementwise() -> Mapping[str, Function]:
    """Give the functions of one element by the names of their ops; SymPy cancels nothing, so none needs a stable form.

    A comparison is 1 where it is true, as in every target.
    """
    sp = import_sympy()

    def told(relation: Function) -> Function:
        return lambda x, y: sp.Piecewise((1, relation(x, y)), (0, True))

    def log(x: Any) -> Any:
        return -sp.oo if x == 0 else sp.log(x)  # SymPy's own is that of complex numbers, without a sign at 0

    def normal(x: Any) -> Any:
        return sp.erfc(-x / sp.sqrt(2)) / 2

    def lower(a: Any, x: Any) -> Any:
        return sp.lowergamma(a, x) / sp.gamma(a)

    def upper(a: Any, x: Any) -> Any:
        return sp.uppergamma(a, x) / sp.gamma(a)

    def logistic(x: Any) -> Any:
        return 1 / (1 + sp.exp(-x))

    def log_beta(a: Any, b: Any) -> Any:
        return sp.loggamma(a) + sp.loggamma(b) - sp.loggamma(a + b)

    same = {"exp": sp.exp, "log": log, "sqrt": sp.sqrt, "abs": sp.Abs, "floor": sp.floor, "ceil": sp.ceiling,
            "sin": sp.sin, "cos": sp.cos, "tan": sp.tan, "arcsin": sp.asin, "arccos": sp.acos, "arctan": sp.atan,
            "sinh": sp.sinh, "cosh": sp.cosh, "tanh": sp.tanh, "arcsinh": sp.asinh, "arccosh": sp.acosh,
            "arctanh": sp.atanh, "erf": sp.erf, "erfc": sp.erfc, "lgamma": sp.loggamma, "digamma": sp.digamma,
            "trigamma": sp.trigamma,
            "tetragamma": lambda x: sp.polygamma(2, x),
            "minimum": sp.Min, "maximum": sp.Max, "arctan2": sp.atan2, "Phi": normal, "inv_logit": logistic,
            "gamma_p": lower, "gamma_q": upper, "lbeta": log_beta}
    return {
        **same,
        "add": lambda x, y: x + y,
        "subtract": lambda x, y: x - y,
        "multiply": lambda x, y: x * y,
        "divide": lambda x, y: sp.sympify(x) / y,
        "power": lambda x, y: sp.sympify(x) ** y,
        "negative": lambda x: -x,
        "square": lambda x: x**2,
        "less": told(sp.Lt), "less_equal": told(sp.Le), "greater": told(sp.Gt), "greater_equal": told(sp.Ge),
        "equal": told(sp.Eq), "not_equal": told(sp.Ne),
        "where": lambda condition, x, y: sp.Piecewise((x, sp.Ne(condition, 0)), (y, True)),
        "log1p": lambda x: log(1 + x), "log1m": lambda x: log(1 - x), "expm1": lambda x: sp.exp(x) - 1,
        "log2": lambda x: sp.log(x, 2), "log10": lambda x: sp.log(x, 10), "exp2": lambda x: sp.Integer(2) ** x,
        "round": lambda x: sp.floor(sp.sympify(x) + sp.Rational(1, 2)) - sp.Piecewise(
            (1, sp.And(sp.Eq(x - sp.floor(x), sp.Rational(1, 2)), sp.Eq(sp.Mod(sp.floor(x), 2), 0))), (0, True)),
        "logit": lambda p: log(p / (1 - p)),
        "log_inv_logit": lambda x: -log(1 + sp.exp(-x)),
        "softplus": lambda x: log(1 + sp.exp(x)),
        "log_Phi": lambda x: log(normal(x)),
        "inv_Phi": lambda p: sp.sqrt(2) * sp.erfinv(2 * p - 1),
        "log1m_exp": lambda x: log(1 - sp.exp(x)),
        "logaddexp": lambda x, y: log(sp.exp(x) + sp.exp(y)),
        "log_diff_exp": lambda x, y: log(sp.exp(x) - sp.exp(y)),
        "multiply_log": lambda x, y: sp.Integer(0) if x == 0 else x * log(y),
        "log_gamma_p": lambda a, x: log(lower(a, x)),
        "log_gamma_q": lambda a, x: log(upper(a, x)),
        "inc_beta": lambda a, b, x: sp.betainc_regularized(a, b, 0, x),
        "log_inc_beta": lambda a, b, x: log(sp.betainc_regularized(a, b, 0, x)),
        "log_i0": lambda x: log(sp.besseli(0, x)),
        "bessel_ratio": lambda x: sp.besseli(1, x) / sp.besseli(0, x),
        "log_choose": lambda n, k: sp.loggamma(n + 1) - sp.loggamma(k + 1) - sp.loggamma(n - k + 1),
        "frozen": lambda x: x, "live": lambda x: x, "held": lambda taken, x: x,
    }  # fmt: skip
