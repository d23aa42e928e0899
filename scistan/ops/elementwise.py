"""The elementwise ops, one row each."""

from __future__ import annotations

import math
import operator
from typing import Any

from scistan.domains import NON_NEGATIVE, OPEN_UNIT, POSITIVE, between
from scistan.ops import special_formulas
from scistan.ops.declaration import Call, Chosen, Infix, Never, NotYet, Op, Template, declare
from scistan.ops.expression import Expression, build
from scistan.ops.libraries import apart, fixed, log_add_exp, special

_JUMPS = Never("it jumps, and is flat between its jumps")
_SHARED = "where(x == y, 0.5, 1)"  # half of the slope each where the two are equal, as in torch
_OF_BASE = "where(y == 0, where(x == 0, 0.0, y * x ** (y - 1)), y * x ** (y - 1))"  # 0 at 0 ** 0, as in torch
_T = "maximum(-x, 20.0)"
_MILLS = (  # the density over the probability; far down by its continued fraction, or the exponents cancel
    f"where(x < -20.0, {_T} + 1 / ({_T} + 2 / ({_T} + 3 / ({_T} + 4 / ({_T} + 5 / {_T})))), "
    "0.3989422804014327 * exp(-0.5 * x ** 2 - out))"
)


# -- arithmetic ----------------------------------------------------------------------------------
add = declare("add", "Add.", arity=2, numpy="add", torch="add", commutes=True, integer=True,
              stan=Infix("+", "+", 6), python="__add__", answers=("add",), latex="{0} + {1}", gradient=("1", "1"))
subtract = declare("subtract", "Subtract the second from the first.", arity=2, numpy="subtract", torch="subtract",
                   integer=True, stan=Infix("-", "-", 6), python="__sub__", answers=("subtract",),
                   latex="{0} - {1}", gradient=("1", "-1"))
multiply = declare("multiply", "Multiply elementwise.", arity=2, numpy="multiply", torch="multiply", commutes=True,
                   integer=True, stan=Infix("*", ".*", 7), python="__mul__", answers=("multiply",), latex="{0} \\, {1}",
                   gradient=("y", "x"))
divide = declare("divide", "Divide, always as real numbers.", arity=2, numpy="true_divide", torch="true_divide",
                 stan=Infix("/", "./", 7, scalar_left=False), python="__truediv__",
                 answers=("divide", "true_divide"), latex="\\frac{{{0}}}{{{1}}}", gradient=("1 / y", "-out / y"))
power = declare("power", "Raise the first to the power of the second.", arity=2,
                numpy=lambda xp, x, y: xp.power(x * 1.0, y),  # whole numbers have no negative powers
                torch=lambda xp, x, y: xp.pow(x, y),
                jax=lambda xp, x, y: apart(xp, (x == 0) & (y == 0), 1.0, xp.power, x * 1.0, y),
                stan=Infix("^", ".^", 9, scalar_right=False, scalar_left=False), python="__pow__",
                answers=("power", "float_power"), latex="{{{0}}}^{{{1}}}",
                gradient=(_OF_BASE, "where(x == 0, 0.0, out * log(x))"))
negative = declare("negative", "Change the sign.", numpy="negative", torch="negative", integer=True,
                   stan=Template("-{0}", vectorizes=True), python="__neg__", answers=("negative",), latex="-{0}",
                   gradient="-1")


# -- comparisons: 1 where true, 0 where false -----------------------------------------------------
def _compare(name: str, doc: str, symbol: str, python: str) -> Op:
    compare = getattr(operator, python.strip("_"))  # torch.equal is something else

    return declare(name, doc, arity=2, numpy=lambda xp, x, y: compare(x, y) * 1,
                   torch=lambda xp, x, y: compare(x, y).to(x.dtype), integer=True,
                   stan=Template(f"({{0}} {symbol} {{1}})"), python=python, answers=(name,),
                   latex=f"[{{0}} {symbol} {{1}}]", gradient=_JUMPS)


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
                numpy=_where, torch=_where, integer=True, stan=Template("({0} ? {1} : {2})"), answers=("where",),
                gradient=(_JUMPS, Chosen("condition != 0"), Chosen("condition == 0")))


def _held(xp: Any, taken: Any, x: Any) -> Any:
    return xp.where(taken != 0, x, fixed(xp, x))


# What `passes/branches.py` puts into branches of a `where`; Stan has branches that are not computed at all.
held = declare("held", "The second, whose derivatives are felt only where the first is not 0.", arity=2,
               arguments=("taken", "x"), numpy=_held, torch=_held, public=False,
               gradient=(_JUMPS, Chosen("taken != 0")))
minimum = declare("minimum", "The smaller of two, elementwise.", arity=2, numpy="minimum", torch="minimum",
                  integer=True, stan=Call("fmin"), answers=("minimum", "fmin"),
                  gradient=(Chosen("x <= y", _SHARED), Chosen("y <= x", _SHARED)))
maximum = declare("maximum", "The larger of two, elementwise.", arity=2, numpy="maximum", torch="maximum",
                  integer=True, stan=Call("fmax"), answers=("maximum", "fmax"),
                  gradient=(Chosen("x >= y", _SHARED), Chosen("y >= x", _SHARED)))


# -- functions of one argument -------------------------------------------------------------------
def _unary(name: str, doc: str, numpy: Any = "", torch: Any = "", stan: str = "", latex: str = "",
           python: str = "", answers: tuple[str, ...] = (), integer: bool = False, **fields: Any) -> Op:
    return declare(name, doc, numpy=numpy or name, torch=torch or name, stan=Call(stan or name),
                   latex=latex, python=python, answers=answers or (name,), integer=integer, **fields)


def _abs_of_jax(xp: Any, x: Any) -> Any:
    return x * xp.sign(x)  # whose slope at 0 is 0; that of its own `abs` is 1


exp = _unary("exp", "The exponential.", latex="e^{{{0}}}", gradient="out")
log = _unary("log", "The natural logarithm.", latex="\\log {0}", takes=POSITIVE, gradient="1 / x")
log1p = _unary("log1p", "`log(1 + x)`, exact near 0.", takes=between(-1.0, None, open_ends=True),
               gradient="1 / (1 + x)")
log2 = _unary("log2", "The logarithm to base 2.", takes=POSITIVE, gradient="1.4426950408889634 / x")
log10 = _unary("log10", "The logarithm to base 10.", takes=POSITIVE, gradient="0.4342944819032518 / x")
exp2 = _unary("exp2", "2 to the power of x.", gradient="0.6931471805599453 * out")
expm1 = _unary("expm1", "`exp(x) - 1`, exact near 0.", gradient="exp(x)")
sqrt = _unary("sqrt", "The square root.", latex="\\sqrt{{{0}}}", takes=NON_NEGATIVE, gradient="0.5 / out")
square = _unary("square", "The square.", latex="{{{0}}}^2", gradient="2 * x")
absolute = _unary("abs", "The absolute value.", numpy="abs", jax=_abs_of_jax, python="__abs__",
                  answers=("absolute", "fabs", "abs"), integer=True, latex="|{0}|", gradient="(x > 0) - (x < 0)")
floor = _unary("floor", "Round down.", gradient=_JUMPS)
ceil = _unary("ceil", "Round up.", gradient=_JUMPS)
# Stan rounds halves away from 0; NumPy, torch and so this op to the even neighbour.
round_ = declare("round", "Round to the nearest whole number, halves to even.", numpy="round", torch="round",
                 answers=("rint", "round", "around"),
                 stan=Template("(abs({0} - trunc({0})) == 0.5 ? 2 * round({0} / 2) : round({0}))"), gradient=_JUMPS)
sin = _unary("sin", "The sine.", latex="\\sin {0}", gradient="cos(x)")
cos = _unary("cos", "The cosine.", latex="\\cos {0}", gradient="-sin(x)")
tan = _unary("tan", "The tangent.", latex="\\tan {0}", gradient="1 + out ** 2")
arcsin = _unary("arcsin", "The inverse sine.", stan="asin", takes=between(-1.0, 1.0),
                gradient="1 / sqrt((1 - x) * (1 + x))")
arccos = _unary("arccos", "The inverse cosine.", stan="acos", takes=between(-1.0, 1.0),
                gradient="-1 / sqrt((1 - x) * (1 + x))")
arctan = _unary("arctan", "The inverse tangent.", stan="atan", gradient="1 / (1 + x ** 2)")
sinh = _unary("sinh", "The hyperbolic sine.", gradient="cosh(x)")
cosh = _unary("cosh", "The hyperbolic cosine.", gradient="sinh(x)")
tanh = _unary("tanh", "The hyperbolic tangent.", gradient="4 * inv_logit(2 * x) * inv_logit(-2 * x)")
arcsinh = _unary("arcsinh", "The inverse hyperbolic sine.", stan="asinh", gradient="1 / sqrt(1 + x ** 2)")
arccosh = _unary("arccosh", "The inverse hyperbolic cosine.", stan="acosh", takes=between(1.0, None),
                 gradient="1 / sqrt((x - 1) * (x + 1))")
arctanh = _unary("arctanh", "The inverse hyperbolic tangent.", stan="atanh",
                 takes=between(-1.0, 1.0, open_ends=True), gradient="1 / ((1 - x) * (1 + x))")
logit = _unary("logit", "`log(p / (1 - p))`.", numpy="scipy.special:logit", torch="special.logit",
               takes=OPEN_UNIT, gradient="1 / (x * (1 - x))")
inv_logit = _unary("inv_logit", "`1 / (1 + exp(-x))`.", numpy="scipy.special:expit", torch="sigmoid",
                   answers=("expit",), latex="\\operatorname{{logit}}^{{-1}}({0})", gradient="out * inv_logit(-x)")
log_inv_logit = _unary("log_inv_logit", "The logarithm of `inv_logit`.",
                       numpy=lambda xp, x: xp.minimum(x, 0.0) - xp.log1p(xp.exp(-xp.abs(x))),
                       torch="nn.functional.logsigmoid", jax="jax.nn:log_sigmoid", answers=("log_expit",),
                       gradient="inv_logit(-x)")
softplus = _unary("softplus", "`log(1 + exp(x))`.",
                  numpy=lambda xp, x: xp.maximum(x, 0.0) + xp.log1p(xp.exp(-xp.abs(x))),
                  torch=lambda xp, x: -xp.nn.functional.logsigmoid(-x), jax="jax.nn:softplus", stan="log1p_exp",
                  gradient="inv_logit(x)")
log1m = _unary("log1m", "`log(1 - x)`.", numpy=lambda xp, x: xp.log1p(-x), torch=lambda xp, x: xp.log1p(-x),
               takes=between(None, 1.0, open_ends=True), gradient="-1 / (1 - x)")
erf = _unary("erf", "The error function.", numpy="scipy.special:erf", torch="special.erf",
             gradient="1.1283791670955126 * exp(-(x ** 2))")
erfc = _unary("erfc", "The complementary error function.", numpy="scipy.special:erfc", torch="special.erfc",
              gradient="-1.1283791670955126 * exp(-(x ** 2))")
Phi = _unary("Phi", "The standard normal cumulative probability.", numpy="scipy.special:ndtr",
             torch=lambda xp, x: xp.special.erfc(x * -0.7071067811865476) / 2,  # torch's ndtr has no lower tail
             answers=("ndtr",), latex="\\Phi({0})", saturates=True, gradient="0.3989422804014327 * exp(-0.5 * x ** 2)")
inverse_phi = _unary("inv_Phi", "The standard normal quantile: the inverse of `Phi`.", numpy="scipy.special:ndtri",
                     torch="special.ndtri", answers=("ndtri",), takes=OPEN_UNIT,
                     gradient="2.5066282746310002 * exp(0.5 * out ** 2)")
log_Phi = declare("log_Phi", "The logarithm of `Phi`, exact in the tail.", numpy="scipy.special:log_ndtr",  # noqa: N816
                  torch="special.log_ndtr", stan=Template("normal_lcdf({0} | 0, 1)"), answers=("log_ndtr",),
                  gradient=_MILLS)
lgamma = _unary("lgamma", "The logarithm of the gamma function.", numpy="scipy.special:gammaln", torch="lgamma",
                answers=("gammaln",), latex="\\log\\Gamma({0})", gradient="digamma(x)")
digamma = _unary("digamma", "The derivative of `lgamma`.", numpy="scipy.special:digamma", torch="digamma",
                 answers=("psi",), gradient="trigamma(x)")


def _trigamma(xp: Any, x: Any) -> Any:
    return special(xp).polygamma(1, x)


def _tetragamma(xp: Any, x: Any) -> Any:
    return special(xp).polygamma(2, x)


def _tetragamma_at(_: Expression, x: Expression) -> Expression:
    return build(tetragamma, x)


trigamma = _unary("trigamma", "The derivative of `digamma`.", numpy=_trigamma, torch=_trigamma,
                  gradient=(_tetragamma_at,))
tetragamma = declare("tetragamma", "The derivative of `trigamma`.", numpy=_tetragamma, torch=_tetragamma, public=False,
                     gradient=NotYet("there is no fourth derivative of `lgamma`"))


def _log1m_exp(xp: Any, x: Any) -> Any:
    # log(1 - exp(x)) for x < 0: two forms meet at -log 2 (Mächler 2012). The unused branch must stay
    # finite, or its gradient poisons the other.
    near = x > -0.6931471805599453
    safe_near = xp.where(near, x, -0.5)
    safe_far = xp.where(near, -1.0, x)
    return xp.where(near, xp.log(-xp.expm1(safe_near)), xp.log1p(-xp.exp(safe_far)))


log1m_exp = _unary("log1m_exp", "`log(1 - exp(x))` for `x < 0`.", numpy=_log1m_exp, torch=_log1m_exp,
                   takes=between(None, 0.0, open_ends=True), gradient="exp(x) / expm1(x)")


# -- functions of two arguments ------------------------------------------------------------------
lbeta = declare("lbeta", "The logarithm of the beta function.", arity=2, numpy="scipy.special:betaln",
                torch=special_formulas.lbeta, jax=special_formulas.lbeta, stan=Call("lbeta"),
                answers=("betaln",), latex="\\log B({0}, {1})",
                gradient=("digamma(x) - digamma(x + y)", "digamma(y) - digamma(x + y)"))


def _part(out: Expression, ahead: Expression) -> Expression:
    """Give the part that one of two numbers has in their sum, by how far ahead its logarithm is; 0 where both are 0."""
    return build(where, build(greater, out, -math.inf), build(inv_logit, ahead), 0.0)


log_sum_exp2 = declare("logaddexp", "`log(exp(x) + exp(y))`.", arity=2, numpy=log_add_exp, torch=log_add_exp,
                       stan=Call("log_sum_exp"), answers=("logaddexp",),
                       gradient=(lambda out, x, y: _part(out, x - y), lambda out, x, y: _part(out, y - x)))


def _log_diff_exp(xp: Any, x: Any, y: Any) -> Any:
    return x + _log1m_exp(xp, y - x)


log_diff_exp = declare("log_diff_exp", "`log(exp(x) - exp(y))` for `x > y`.", arity=2, numpy=_log_diff_exp,
                       torch=_log_diff_exp, stan=Call("log_diff_exp"),
                       gradient=("-1 / expm1(y - x)", "exp(y - x) / expm1(y - x)"))


def _multiply_log(xp: Any, x: Any, y: Any) -> Any:
    return apart(xp, (x == 0) & (y <= 0), 0.0, special(xp).xlogy, x, y)


multiply_log = declare("multiply_log", "`x · log(y)`, 0 where `x` is 0.", arity=2, numpy="scipy.special:xlogy",
                       torch=_multiply_log, jax=_multiply_log, stan=Call("lmultiply"), answers=("xlogy",),
                       gradient=("where((x == 0) * (y <= 0), 0.0, log(y))", "where((x == 0) * (y == 0), 0.0, x / y)"))
arctan2 = declare("arctan2", "The angle of the point (`x`, `y`).", arity=2, arguments=("y", "x"), numpy="arctan2",
                  torch="arctan2", jax=lambda xp, y, x: apart(xp, (x == 0) & (y == 0), 0.0, xp.arctan2, y, x),
                  stan=Call("atan2"), answers=("arctan2",),
                  gradient=("where((x == 0) * (y == 0), 0.0, x / (x ** 2 + y ** 2))",
                            "where((x == 0) * (y == 0), 0.0, -y / (x ** 2 + y ** 2))"))


# -- what a statistic of the data means at new inputs: the number itself is the same --------------
def _mark(name: str, doc: str) -> Op:
    same = lambda xp, x: x  # noqa: E731
    return declare(name, doc, numpy=same, torch=same, integer=True, stan=Template("{0}", vectorizes=True), latex="{0}",
                   gradient="1")


frozen = _mark("frozen", "The value as it is in the fit, also where predictions are made for other data.")
live = _mark("live", "The value computed anew where predictions are made for other data.")
