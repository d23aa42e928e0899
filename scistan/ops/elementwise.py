"""The elementwise ops, one row each."""

from __future__ import annotations

import operator
from typing import Any

from scistan.domains import NON_NEGATIVE, OPEN_UNIT, POSITIVE, between
from scistan.ops import special_torch
from scistan.ops.declaration import Call, Infix, Op, Template, declare

# -- arithmetic ----------------------------------------------------------------------------------
add = declare("add", "Add.", arity=2, numpy="add", torch="add", commutes=True, integer=True,
              stan=Infix("+", "+", 6), python="__add__", answers=("add",), latex="{0} + {1}")
subtract = declare("subtract", "Subtract the second from the first.", arity=2, numpy="subtract", torch="subtract",
                   integer=True, stan=Infix("-", "-", 6), python="__sub__", answers=("subtract",),
                   latex="{0} - {1}")
multiply = declare("multiply", "Multiply elementwise.", arity=2, numpy="multiply", torch="multiply", commutes=True,
                   integer=True, stan=Infix("*", ".*", 7), python="__mul__", answers=("multiply",), latex="{0} \\, {1}")
divide = declare("divide", "Divide, always as real numbers.", arity=2, numpy="true_divide", torch="true_divide",
                 stan=Infix("/", "./", 7, scalar_left=False), python="__truediv__",
                 answers=("divide", "true_divide"), latex="\\frac{{{0}}}{{{1}}}")
power = declare("power", "Raise the first to the power of the second.", arity=2,
                numpy=lambda xp, x, y: xp.power(xp.asarray(x, dtype=float), y),
                torch=lambda xp, x, y: xp.pow(x, y),
                stan=Infix("^", ".^", 9, scalar_right=False, scalar_left=False), python="__pow__",
                answers=("power", "float_power"), latex="{{{0}}}^{{{1}}}")
negative = declare("negative", "Change the sign.", numpy="negative", torch="negative", integer=True,
                   stan=Template("-{0}", vectorizes=True), python="__neg__", answers=("negative",), latex="-{0}")


# -- comparisons: 1 where true, 0 where false -----------------------------------------------------
def _compare(name: str, doc: str, symbol: str, python: str) -> Op:
    compare = getattr(operator, python.strip("_"))  # torch.equal is something else

    return declare(name, doc, arity=2, numpy=lambda xp, x, y: compare(x, y) * 1,
                   torch=lambda xp, x, y: compare(x, y).to(x.dtype), integer=True,
                   stan=Template(f"({{0}} {symbol} {{1}})"), python=python, answers=(name,),
                   latex=f"[{{0}} {symbol} {{1}}]")


less = _compare("less", "1 where the first is less, else 0.", "<", "__lt__")
less_equal = _compare("less_equal", "1 where the first is less or equal, else 0.", "<=", "__le__")
greater = _compare("greater", "1 where the first is greater, else 0.", ">", "__gt__")
greater_equal = _compare("greater_equal", "1 where the first is greater or equal, else 0.", ">=", "__ge__")
equal = _compare("equal", "1 where both are equal, else 0.", "==", "__eq__")
not_equal = _compare("not_equal", "1 where the two differ, else 0.", "!=", "__ne__")


def _where(xp: Any, condition: Any, x: Any, y: Any) -> Any:
    return xp.where(condition != 0, x, y)


where = declare("where", "Choose elementwise: the second where the first is not 0, else the third.", arity=3,
                arguments=("condition", "x", "y"),
                numpy=_where, torch=_where, integer=True, stan=Template("({0} ? {1} : {2})"), answers=("where",))
minimum = declare("minimum", "The smaller of two, elementwise.", arity=2, numpy="minimum", torch="minimum",
                  integer=True, stan=Call("fmin"), answers=("minimum", "fmin"))
maximum = declare("maximum", "The larger of two, elementwise.", arity=2, numpy="maximum", torch="maximum",
                  integer=True, stan=Call("fmax"), answers=("maximum", "fmax"))


# -- functions of one argument -------------------------------------------------------------------
def _unary(name: str, doc: str, numpy: Any = "", torch: Any = "", stan: str = "", latex: str = "",
           python: str = "", answers: tuple[str, ...] = (), integer: bool = False, **fields: Any) -> Op:
    return declare(name, doc, numpy=numpy or name, torch=torch or name, stan=Call(stan or name),
                   latex=latex, python=python, answers=answers or (name,), integer=integer, **fields)


exp = _unary("exp", "The exponential.", latex="e^{{{0}}}")
log = _unary("log", "The natural logarithm.", latex="\\log {0}", takes=POSITIVE)
log1p = _unary("log1p", "`log(1 + x)`, exact near 0.", takes=between(-1.0, None, open_ends=True))
log2 = _unary("log2", "The logarithm to base 2.", takes=POSITIVE)
log10 = _unary("log10", "The logarithm to base 10.", takes=POSITIVE)
exp2 = _unary("exp2", "2 to the power of x.")
expm1 = _unary("expm1", "`exp(x) - 1`, exact near 0.")
sqrt = _unary("sqrt", "The square root.", latex="\\sqrt{{{0}}}", takes=NON_NEGATIVE)
square = _unary("square", "The square.", latex="{{{0}}}^2")
absolute = _unary("abs", "The absolute value.", numpy="abs", python="__abs__", answers=("absolute", "fabs", "abs"),
                  integer=True, latex="|{0}|")
floor = _unary("floor", "Round down.")
ceil = _unary("ceil", "Round up.")
# Stan rounds halves away from 0; NumPy, torch and so this op to the even neighbour.
round_ = declare("round", "Round to the nearest whole number, halves to even.", numpy="round", torch="round",
                 answers=("rint", "round", "around"),
                 stan=Template("(abs({0} - trunc({0})) == 0.5 ? 2 * round({0} / 2) : round({0}))"))
sin = _unary("sin", "The sine.", latex="\\sin {0}")
cos = _unary("cos", "The cosine.", latex="\\cos {0}")
tan = _unary("tan", "The tangent.", latex="\\tan {0}")
arcsin = _unary("arcsin", "The inverse sine.", stan="asin", takes=between(-1.0, 1.0))
arccos = _unary("arccos", "The inverse cosine.", stan="acos", takes=between(-1.0, 1.0))
arctan = _unary("arctan", "The inverse tangent.", stan="atan")
sinh = _unary("sinh", "The hyperbolic sine.")
cosh = _unary("cosh", "The hyperbolic cosine.")
tanh = _unary("tanh", "The hyperbolic tangent.")
arcsinh = _unary("arcsinh", "The inverse hyperbolic sine.", stan="asinh")
arccosh = _unary("arccosh", "The inverse hyperbolic cosine.", stan="acosh", takes=between(1.0, None))
arctanh = _unary("arctanh", "The inverse hyperbolic tangent.", stan="atanh",
                 takes=between(-1.0, 1.0, open_ends=True))
logit = _unary("logit", "`log(p / (1 - p))`.", numpy="scipy.special:logit", torch="special.logit",
               takes=OPEN_UNIT)
inv_logit = _unary("inv_logit", "`1 / (1 + exp(-x))`.", numpy="scipy.special:expit", torch="sigmoid",
                   answers=("expit",), latex="\\operatorname{{logit}}^{{-1}}({0})")
log_inv_logit = _unary("log_inv_logit", "The logarithm of `inv_logit`.",
                       numpy=lambda xp, x: xp.minimum(x, 0.0) - xp.log1p(xp.exp(-xp.abs(x))),
                       torch="nn.functional.logsigmoid", jax="jax.nn:log_sigmoid", answers=("log_expit",))
softplus = _unary("softplus", "`log(1 + exp(x))`.",
                  numpy=lambda xp, x: xp.maximum(x, 0.0) + xp.log1p(xp.exp(-xp.abs(x))),
                  torch=lambda xp, x: -xp.nn.functional.logsigmoid(-x), jax="jax.nn:softplus", stan="log1p_exp")
log1m = _unary("log1m", "`log(1 - x)`.", numpy=lambda xp, x: xp.log1p(-x), torch=lambda xp, x: xp.log1p(-x),
               takes=between(None, 1.0, open_ends=True))
erf = _unary("erf", "The error function.", numpy="scipy.special:erf", torch="special.erf")
erfc = _unary("erfc", "The complementary error function.", numpy="scipy.special:erfc", torch="special.erfc")
Phi = _unary("Phi", "The standard normal cumulative probability.", numpy="scipy.special:ndtr",
             torch=lambda xp, x: xp.special.erfc(x * -0.7071067811865476) / 2,  # torch's ndtr has no lower tail
             answers=("ndtr",), latex="\\Phi({0})", saturates=True)
inverse_phi = _unary("inv_Phi", "The standard normal quantile: the inverse of `Phi`.", numpy="scipy.special:ndtri",
                     torch="special.ndtri", answers=("ndtri",), takes=OPEN_UNIT)
log_Phi = declare("log_Phi", "The logarithm of `Phi`, exact in the tail.", numpy="scipy.special:log_ndtr",  # noqa: N816
                  torch="special.log_ndtr", stan=Template("normal_lcdf({0} | 0, 1)"), answers=("log_ndtr",))
lgamma = _unary("lgamma", "The logarithm of the gamma function.", numpy="scipy.special:gammaln", torch="lgamma",
                answers=("gammaln",), latex="\\log\\Gamma({0})")
digamma = _unary("digamma", "The derivative of `lgamma`.", numpy="scipy.special:digamma", torch="digamma",
                 answers=("psi",))


def _log1m_exp(xp: Any, x: Any) -> Any:
    # log(1 - exp(x)) for x < 0: two forms meet at -log 2 (Mächler 2012). The unused branch must stay
    # finite, or its gradient poisons the other.
    near = x > -0.6931471805599453
    safe_near = xp.where(near, x, -0.5)
    safe_far = xp.where(near, -1.0, x)
    return xp.where(near, xp.log(-xp.expm1(safe_near)), xp.log1p(-xp.exp(safe_far)))


log1m_exp = _unary("log1m_exp", "`log(1 - exp(x))` for `x < 0`.", numpy=_log1m_exp, torch=_log1m_exp,
                   takes=between(None, 0.0, open_ends=True))


# -- functions of two arguments ------------------------------------------------------------------
lbeta = declare("lbeta", "The logarithm of the beta function.", arity=2, numpy="scipy.special:betaln",
                torch=special_torch.lbeta, jax=special_torch.lbeta, stan=Call("lbeta"),
                answers=("betaln",), latex="\\log B({0}, {1})")
log_sum_exp2 = declare("logaddexp", "`log(exp(x) + exp(y))`.", arity=2, numpy="logaddexp", torch="logaddexp",
                       stan=Call("log_sum_exp"), answers=("logaddexp",))


def _log_diff_exp(xp: Any, x: Any, y: Any) -> Any:
    return x + _log1m_exp(xp, y - x)


log_diff_exp = declare("log_diff_exp", "`log(exp(x) - exp(y))` for `x > y`.", arity=2, numpy=_log_diff_exp,
                       torch=_log_diff_exp, stan=Call("log_diff_exp"))
multiply_log = declare("multiply_log", "`x · log(y)`, 0 where `x` is 0.", arity=2, numpy="scipy.special:xlogy",
                       torch="special.xlogy", stan=Call("lmultiply"), answers=("xlogy",))
arctan2 = declare("arctan2", "The angle of the point (`x`, `y`).", arity=2, arguments=("y", "x"), numpy="arctan2",
                  torch="arctan2", stan=Call("atan2"), answers=("arctan2",))


# -- what a statistic of the data means at new inputs: the number itself is the same --------------
def _mark(name: str, doc: str) -> Op:
    same = lambda xp, x: x  # noqa: E731
    return declare(name, doc, numpy=same, torch=same, integer=True, stan=Template("{0}", vectorizes=True), latex="{0}")


frozen = _mark("frozen", "The value as it is in the fit, also where predictions are made for other data.")
live = _mark("live", "The value computed anew where predictions are made for other data.")
