"""The special functions of statistics, one row each: incomplete gamma and beta, Bessel, Owen's T."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scistan.ops import special_formulas as tails
from scistan.ops.declaration import REGISTRY, Call, Template, declare
from scistan.ops.expression import Expression, build
from scistan.ops.libraries import special
from scistan.ops.slopes import declare_slopes
from scistan.ops.special_stan import LOG_GAMMA_TAIL

_UNDERFLOWS = 1e-290
_GAMMA = {name: declare_slopes(name, formula, ("a", "x"), wrt=("a",))["a"] for name, formula in (
    ("gamma_p", tails.gamma_p), ("gamma_q", tails.gamma_q), ("log_gamma_p", tails.log_gamma_p),
    ("log_gamma_q", tails.log_gamma_q))}
_BETA = {name: declare_slopes(name, formula, ("a", "b", "x"), wrt=("a", "b")) for name, formula in (
    ("inc_beta", tails.inc_beta), ("log_inc_beta", tails.log_inc_beta))}


def _bessel_ratio(_: Expression, x: Expression) -> Expression:
    return build(REGISTRY["bessel_ratio"], x)


def _log_probability(name: str, complement: str, tail: Callable[..., Any]) -> Any:
    """Take the logarithm of a SciPy probability, of its complement, or of the tail: whichever is exact."""

    def implementation(xp: Any, *args: Any) -> Any:
        from scipy import special

        args = xp.broadcast_arrays(*(xp.asarray(arg, dtype=float) for arg in args))
        value, rest = getattr(special, name)(*args), getattr(special, complement)(*args)
        with xp.errstate(all="ignore"):
            result = xp.where(value < 0.5, xp.log(value), xp.log1p(-rest))
            deep = (value < _UNDERFLOWS) & xp.isfinite(args[-1]) & (args[-1] > 0)
            if deep.any():
                result = xp.where(deep, tail(xp, *(xp.where(deep, arg, 0.5) for arg in args))[1], result)
        return result

    return implementation


def _log_i0(xp: Any, x: Any) -> Any:
    x = xp.abs(xp.asarray(x, dtype=float))
    half = xp.minimum(x, 1.0) / 2  # log(i0e(x)) + x cancels for small x; log1p of the series does not
    series = xp.zeros_like(x)
    for k in range(12, 0, -1):
        series = half * half / (k * k) * (1 + series)
    return xp.where(x < 1, xp.log1p(series), xp.log(special(xp).i0e(x)) + x)


def _log_choose(xp: Any, n: Any, k: Any) -> Any:
    n, k = xp.asarray(n, dtype=float), xp.asarray(k, dtype=float)
    return -xp.log1p(n) - special(xp).betaln(n - k + 1, k + 1)


gamma_p = declare("gamma_p", "The regularized lower incomplete gamma function of shape `a` at `x`.", arity=2,
                  arguments=("a", "x"),
                  numpy="scipy.special:gammainc", torch=tails.gamma_p, jax=tails.gamma_p,
                  stan=Template("exp(log_gamma_tail({0}, {1}, 0))", functions=LOG_GAMMA_TAIL),
                  answers=("gammainc",), latex="P({0}, {1})",
                  gradient=(_GAMMA["gamma_p"], "exp((a - 1) * log(x) - x - lgamma(a))"))
gamma_q = declare("gamma_q", "The regularized upper incomplete gamma function of shape `a` at `x`.", arity=2,
                  arguments=("a", "x"),
                  numpy="scipy.special:gammaincc", torch=tails.gamma_q, jax=tails.gamma_q,
                  stan=Template("exp(log_gamma_tail({0}, {1}, 1))", functions=LOG_GAMMA_TAIL),
                  answers=("gammaincc",), latex="Q({0}, {1})",
                  gradient=(_GAMMA["gamma_q"], "-exp((a - 1) * log(x) - x - lgamma(a))"))
inc_beta = declare("inc_beta", "The regularized incomplete beta function of shapes `a`, `b` at `x`.", arity=3,
                   arguments=("a", "b", "x"),
                   numpy="scipy.special:betainc", torch=tails.inc_beta, jax=tails.inc_beta,
                   stan=Template("beta_cdf({2} | {0}, {1})"),
                   answers=("betainc",),
                   latex="I_{{{2}}}({0}, {1})",
                   gradient=(*_BETA["inc_beta"].values(), "exp((a - 1) * log(x) + (b - 1) * log1m(x) - lbeta(a, b))"))
log_gamma_p = declare("log_gamma_p", "The logarithm of `gamma_p`, exact in the tails.", arity=2,
                      arguments=("a", "x"),
                      numpy=_log_probability("gammainc", "gammaincc", tails.gamma_tail),
                      torch=tails.log_gamma_p, jax=tails.log_gamma_p,
                      stan=Template("log_gamma_tail({0}, {1}, 0)", functions=LOG_GAMMA_TAIL),
                      gradient=(_GAMMA["log_gamma_p"], "exp((a - 1) * log(x) - x - lgamma(a) - out)"))
log_gamma_q = declare("log_gamma_q", "The logarithm of `gamma_q`, exact in the tails.", arity=2,
                      arguments=("a", "x"),
                      numpy=_log_probability("gammaincc", "gammainc", tails.gamma_tail),
                      torch=tails.log_gamma_q, jax=tails.log_gamma_q,
                      stan=Template("log_gamma_tail({0}, {1}, 1)", functions=LOG_GAMMA_TAIL),
                      gradient=(_GAMMA["log_gamma_q"], "-exp((a - 1) * log(x) - x - lgamma(a) - out)"))
log_inc_beta = declare("log_inc_beta", "The logarithm of `inc_beta`, exact in the tails.", arity=3,
                       arguments=("a", "b", "x"),
                       numpy=_log_probability("betainc", "betaincc", tails.beta_tail),
                       torch=tails.log_inc_beta, jax=tails.log_inc_beta,
                       stan=Template("beta_lcdf({2} | {0}, {1})"),
                       gradient=(*_BETA["log_inc_beta"].values(),
                                 "exp((a - 1) * log(x) + (b - 1) * log1m(x) - lbeta(a, b) - out)"))
log_i0 = declare("log_i0", "The logarithm of the modified Bessel function of the first kind and order 0.",
                 numpy=_log_i0, torch=tails.log_i0, jax=tails.log_i0, latex="\\log I_0({0})",
                 stan=Template("log_modified_bessel_first_kind(0, abs({0}))", vectorizes=True),
                 gradient=(_bessel_ratio,))


def _bessel(xp: Any, x: Any) -> Any:
    return special(xp).i1e(x) / special(xp).i0e(x)


# Near 0 the parts of its slope 1 - out / x - out² cancel; there the series of both Bessel functions has the digits.
BESSEL_RATIO = declare("bessel_ratio", "The slope of `log_i0`: the Bessel functions of orders 1 and 0, divided.",
                       numpy=_bessel, torch=_bessel, public=False,
                       stan=Template("(({0} < 0 ? -1 : 1) * exp(log_modified_bessel_first_kind(1, abs({0}))"
                                     " - log_modified_bessel_first_kind(0, abs({0}))))"),
                       gradient="where(abs(x) < 0.01, 0.5 - 0.1875 * x ** 2 + 5 / 96 * x ** 4, "
                                "1 - out / where(abs(x) < 0.01, 1.0, x) - out ** 2)")
owens_t = declare("owens_t", "Owen's T: the normal probability of `X > h` and `0 < Y < a X`.", arity=2,
                  arguments=("h", "a"),
                  numpy="scipy.special:owens_t", torch=tails.owens_t, jax=tails.owens_t, stan=Call("owens_t"),
                  answers=("owens_t",), latex="T({0}, {1})",
                  gradient=("-exp(-0.5 * h ** 2) * erf(a * h * 0.7071067811865476) * 0.19947114020071635",
                            "exp(-0.5 * h ** 2 * (1 + a ** 2)) / (6.283185307179586 * (1 + a ** 2))"))
log_choose = declare("log_choose", "The logarithm of the number of ways to choose `k` of `n`.", arity=2,
                     arguments=("n", "k"),
                     numpy=_log_choose, torch=tails.log_choose, jax=tails.log_choose, stan=Call("lchoose"),
                     latex="\\log \\binom{{{0}}}{{{1}}}",
                     gradient=("digamma(n + 1) - digamma(n - k + 1)", "digamma(n - k + 1) - digamma(k + 1)"))
