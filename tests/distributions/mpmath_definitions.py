"""Every distribution from its textbook definition, with fifty digits: the opinion that owes nothing to us."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath

mp = mpmath.mp.clone()
mp.dps = 50

mpf, log, exp, pi = mp.mpf, mp.log, mp.exp, mp.pi


def _lgamma(x: Any) -> Any:
    return mp.loggamma(x).real


def _lbeta(a: Any, b: Any) -> Any:
    return _lgamma(a) + _lgamma(b) - _lgamma(a + b)


def _log_choose(n: Any, k: Any) -> Any:
    return _lgamma(n + 1) - _lgamma(k + 1) - _lgamma(n - k + 1)


def _times(k: Any, f: Callable[[], Any]) -> Any:
    return mpf(0) if k == 0 else k * f()


# -- log densities of single numbers ----------------------------------------------------------------
def _normal(x: Any, mu: Any, s: Any) -> Any:
    return -((x - mu) ** 2) / (2 * s**2) - log(s * mp.sqrt(2 * pi))


def _student(x: Any, nu: Any, mu: Any, s: Any) -> Any:
    scale = _lgamma((nu + 1) / 2) - _lgamma(nu / 2) - log(nu * pi) / 2 - log(s)
    return scale - (nu + 1) / 2 * log(1 + ((x - mu) / s) ** 2 / nu)


def _cauchy(x: Any, mu: Any, s: Any) -> Any:
    return -log(pi * s * (1 + ((x - mu) / s) ** 2))


def _logistic(x: Any, mu: Any, s: Any) -> Any:
    z = (x - mu) / s
    return -z - log(s) - 2 * log(1 + exp(-z))


def _gumbel(x: Any, mu: Any, b: Any) -> Any:
    z = (x - mu) / b
    return -log(b) - z - exp(-z)


def _phi(z: Any) -> Any:
    return mp.erfc(-z / mp.sqrt(2)) / 2


def _skew_normal(x: Any, xi: Any, w: Any, a: Any) -> Any:
    return log(2) + _normal(x, xi, w) + log(_phi(a * (x - xi) / w))


def _exp_mod_normal(x: Any, mu: Any, s: Any, lam: Any) -> Any:
    u = (mu + lam * s**2 - x) / (mp.sqrt(2) * s)
    return log(lam / 2) + lam / 2 * (2 * mu + lam * s**2 - 2 * x) + log(mp.erfc(u))


def _gamma(x: Any, a: Any, b: Any) -> Any:
    return a * log(b) - _lgamma(a) + (a - 1) * log(x) - b * x


def _inv_gamma(x: Any, a: Any, b: Any) -> Any:
    return a * log(b) - _lgamma(a) - (a + 1) * log(x) - b / x


def _weibull(x: Any, a: Any, s: Any) -> Any:
    return log(a / s) + (a - 1) * log(x / s) - (x / s) ** a


def _frechet(x: Any, a: Any, s: Any) -> Any:
    return log(a / s) - (a + 1) * log(x / s) - (x / s) ** (-a)


def _log_logistic(x: Any, a: Any, b: Any) -> Any:
    return log(b / a) + (b - 1) * log(x / a) - 2 * log(1 + (x / a) ** b)


def _lomax(x: Any, lam: Any, a: Any) -> Any:
    return log(a / lam) - (a + 1) * log(1 + x / lam)


def _beta(x: Any, a: Any, b: Any) -> Any:
    return (a - 1) * log(x) + (b - 1) * log(1 - x) - _lbeta(a, b)


def _von_mises(x: Any, mu: Any, k: Any) -> Any:
    return k * mp.cos(x - mu) - log(2 * pi * mp.besseli(0, k))


def _binomial(x: Any, n: Any, p: Any) -> Any:
    failures = _times(n - x, lambda: log(1 - p) if p < 1 else -mp.inf)
    return _log_choose(n, x) + _times(x, lambda: log(p) if p > 0 else -mp.inf) + failures


def _poisson(x: Any, rate: Any) -> Any:
    return _times(x, lambda: log(rate) if rate > 0 else -mp.inf) - rate - _lgamma(x + 1)


def _neg_binomial(x: Any, a: Any, b: Any) -> Any:
    return _lgamma(x + a) - _lgamma(a) - _lgamma(x + 1) + a * log(b / (b + 1)) - x * log(b + 1)


def _hypergeometric(x: Any, n: Any, a: Any, b: Any) -> Any:
    return _log_choose(a, x) + _log_choose(b, n - x) - _log_choose(a + b, n)


def _ordered(y: Any, eta: Any, c: list[Any]) -> Any:
    above = [1 / (1 + exp(cut - eta)) for cut in c]
    chances = [p - q for p, q in zip([mpf(1), *above], [*above, mpf(0)], strict=True)]
    return log(chances[int(y)])


def _softmax(v: list[Any]) -> list[Any]:
    weights = [exp(x) for x in v]
    return [w / sum(weights) for w in weights]


def _expit(x: Any) -> Any:
    return 1 / (1 + exp(-x))


# -- of vectors and matrices --------------------------------------------------------------------------
def _dirichlet(x: list[Any], a: list[Any]) -> Any:
    return _lgamma(sum(a)) - sum(map(_lgamma, a)) + sum((k - 1) * log(p) for k, p in zip(a, x, strict=True))


def _multinomial(x: list[Any], n: Any, theta: list[Any]) -> Any:
    ways = _lgamma(n + 1) - sum(_lgamma(k + 1) for k in x)
    return ways + sum(_times(k, lambda p=p: log(p)) for k, p in zip(x, theta, strict=True))


def _quadratic(P: Any, x: list[Any], mu: list[Any]) -> Any:
    d = mp.matrix([a - b for a, b in zip(x, mu, strict=True)])
    return (d.T * P * d)[0]


def _multi_normal(x: list[Any], mu: list[Any], cov: list[list[Any]]) -> Any:
    S = mp.matrix(cov)
    return -_quadratic(S**-1, x, mu) / 2 - log(mp.det(S)) / 2 - mpf(len(mu)) / 2 * log(2 * pi)


def _multi_student(x: list[Any], nu: Any, mu: list[Any], sigma: list[list[Any]]) -> Any:
    S, k = mp.matrix(sigma), mpf(len(mu))
    scale = _lgamma((nu + k) / 2) - _lgamma(nu / 2) - k / 2 * log(nu * pi) - log(mp.det(S)) / 2
    return scale - (nu + k) / 2 * log(1 + _quadratic(S**-1, x, mu) / nu)


def _lkj_volume(k: int, eta: Any) -> Any:
    # The vine: K - j partial correlations in tree j, each a stretched beta (Lewandowski et al. 2009).
    result = mpf(0)
    for j in range(1, k):
        b = eta + mpf(k - 1 - j) / 2
        result += (k - j) * ((2 * b - 1) * log(2) + _lbeta(b, b))
    return result


def _lkj(R: list[list[Any]], k: Any, eta: Any) -> Any:
    return (eta - 1) * log(mp.det(mp.matrix(R))) - _lkj_volume(len(R), eta)


def _lkj_cholesky(L: list[list[Any]], k: Any, eta: Any) -> Any:
    n = len(L)
    jacobian = sum((n - 1 - i) * log(L[i][i]) for i in range(n))
    return 2 * (eta - 1) * sum(log(L[i][i]) for i in range(n)) + jacobian - _lkj_volume(n, eta)


def _multigamma(k: int, a: Any) -> Any:
    return mpf(k * (k - 1)) / 4 * log(pi) + sum(_lgamma(a - mpf(j) / 2) for j in range(k))


def _wishart(x: Any, nu: Any, sigma: Any) -> Any:
    X, S, k = mp.matrix(x), mp.matrix(sigma), len(sigma)
    trace = sum((S**-1 * X)[i, i] for i in range(k))
    top = (nu - k - 1) / 2 * log(mp.det(X)) - trace / 2
    return top - nu * k / 2 * log(2) - nu / 2 * log(mp.det(S)) - _multigamma(k, nu / 2)


def _inv_wishart(x: Any, nu: Any, sigma: Any) -> Any:
    X, S, k = mp.matrix(x), mp.matrix(sigma), len(sigma)
    trace = sum((S * X**-1)[i, i] for i in range(k))
    top = nu / 2 * log(mp.det(S)) - (nu + k + 1) / 2 * log(mp.det(X)) - trace / 2
    return top - nu * k / 2 * log(2) - _multigamma(k, nu / 2)


def _product(L: list[list[Any]]) -> list[list[Any]]:
    M = mp.matrix(L)
    return (M * M.T).tolist()


LOG_DENSITY: dict[str, Callable[..., Any]] = {
    "Normal": _normal,
    "StdNormal": lambda x: _normal(x, 0, 1),
    "HalfNormal": lambda x, s: log(2) + _normal(x, 0, s),
    "StudentT": _student,
    "HalfStudentT": lambda x, nu, s: log(2) + _student(x, nu, 0, s),
    "Cauchy": _cauchy,
    "HalfCauchy": lambda x, s: log(2) + _cauchy(x, 0, s),
    "Laplace": lambda x, mu, s: -abs(x - mu) / s - log(2 * s),
    "SkewDoubleExponential": lambda x, mu, s, t: (
        log(2 * t * (1 - t) / s) - 2 / s * ((1 - t) * (mu - x) if x < mu else t * (x - mu))
    ),
    "Logistic": _logistic,
    "Gumbel": _gumbel,
    "SkewNormal": _skew_normal,
    "ExpModNormal": _exp_mod_normal,
    "LogNormal": lambda x, mu, s: _normal(log(x), mu, s) - log(x),
    "Gamma": _gamma,
    "InvGamma": _inv_gamma,
    "ChiSquare": lambda x, nu: _gamma(x, nu / 2, mpf(1) / 2),
    "InvChiSquare": lambda x, nu: _inv_gamma(x, nu / 2, mpf(1) / 2),
    "ScaledInvChiSquare": lambda x, nu, s: _inv_gamma(x, nu / 2, nu * s**2 / 2),
    "Exponential": lambda x, b: log(b) - b * x,
    "Weibull": _weibull,
    "Frechet": _frechet,
    "Rayleigh": lambda x, s: log(x / s**2) - x**2 / (2 * s**2),
    "LogLogistic": _log_logistic,
    "Pareto": lambda x, m, a: log(a * m**a / x ** (a + 1)),
    "Lomax": _lomax,
    "Beta": _beta,
    "BetaProportion": lambda x, mu, k: _beta(x, mu * k, (1 - mu) * k),
    "Uniform": lambda x, a, b: -log(b - a),
    "VonMises": _von_mises,
    "Flat": lambda x: mpf(0),
    "Bernoulli": lambda x, p: _binomial(x, 1, p),
    "BernoulliLogit": lambda x, a: _binomial(x, 1, _expit(a)),
    "Binomial": _binomial,
    "BinomialLogit": lambda x, n, a: _binomial(x, n, _expit(a)),
    "BetaBinomial": lambda x, n, a, b: _log_choose(n, x) + _lbeta(x + a, n - x + b) - _lbeta(a, b),
    "Categorical": lambda x, theta: log(theta[int(x)]),
    "CategoricalLogit": lambda x, beta: log(_softmax(beta)[int(x)]),
    "OrderedLogistic": _ordered,
    "Poisson": _poisson,
    "PoissonLog": lambda x, a: _poisson(x, exp(a)),
    "NegBinomial": _neg_binomial,
    "NegBinomial2": lambda x, mu, phi: _neg_binomial(x, phi, phi / mu),
    "NegBinomial2Log": lambda x, eta, phi: _neg_binomial(x, phi, phi / exp(eta)),
    "HyperGeometric": _hypergeometric,
    "DiscreteRange": lambda x, a, b: -log(b - a + 1),
    "Dirichlet": _dirichlet,
    "Multinomial": _multinomial,
    "MultinomialLogit": lambda x, n, g: _multinomial(x, n, _softmax(g)),
    "MultinomialLogTheta": lambda x, n, t: _multinomial(x, n, [exp(v) for v in t]),
    "MultivariateNormalCov": _multi_normal,
    "MultivariateNormalPrec": lambda x, mu, P: _multi_normal(x, mu, (mp.matrix(P) ** -1).tolist()),
    "MultivariateNormalChol": lambda x, mu, L: _multi_normal(x, mu, _product(L)),
    "MultivariateStudentT": _multi_student,
    "LKJCorr": _lkj,
    "LKJCholesky": _lkj_cholesky,
    "Wishart": _wishart,
    "InvWishart": _inv_wishart,
    "ExpExponential": lambda x, b: log(b) - b * exp(x) + x,
    "ExpGamma": lambda x, a, b: _gamma(exp(x), a, b) + x,
    "ExpLomax": lambda x, lam, a: _lomax(exp(x), lam, a) + x,
    "ExpDirichlet": lambda x, a: _dirichlet([exp(v) for v in x], a) + sum(x[:-1]),
}


# -- both tails of single numbers ---------------------------------------------------------------------
Tails = tuple[Any, Any]


def _normal_tails(z: Any) -> Tails:
    return _phi(z), _phi(-z)


def _gamma_tails(a: Any, x: Any) -> Tails:
    if x <= 0:
        return mpf(0), mpf(1)
    return mp.gammainc(a, 0, x, regularized=True), mp.gammainc(a, x, mp.inf, regularized=True)


def _beta_tails(a: Any, b: Any, x: Any) -> Tails:
    below = mp.betainc(a, b, 0, x, regularized=True)
    # 1 - x loses an x below the working precision; 1 - below is exact unless below is near 1.
    return below, 1 - below if below < 0.9 else mp.betainc(b, a, 0, 1 - x, regularized=True)


def _swap(tails: Tails) -> Tails:
    return tails[1], tails[0]


def _student_tails(t: Any, nu: Any) -> Tails:
    outside = mp.betainc(nu / 2, mpf(1) / 2, 0, nu / (nu + t**2), regularized=True) / 2
    return (outside, 1 - outside) if t < 0 else (1 - outside, outside)


def _folded(tails: Tails) -> Tails:
    return 1 - 2 * tails[1], 2 * tails[1]


def _symmetric(lower: Callable[[Any], Any], z: Any) -> Tails:
    return lower(z), lower(-z)


def _power_tails(log_upper: Any) -> Tails:
    return -mp.expm1(log_upper), exp(log_upper)


def _skew_tails(z: Any, a: Any) -> Tails:
    side = -1 if z > 0 else 1
    with mp.workdps(20):
        z, a = side * z, side * a
        width, steps = mpf(14), [z]
        while width > 1 / ((1 + abs(z)) * (1 + a**2)):  # finer and finer towards z, where the tail is
            steps.insert(-1, z - width)
            width /= 3
        tail = mp.quad(lambda t: mp.npdf(t) * mp.erfc(-a * t / mp.sqrt(2)), steps)
    return (tail, 1 - tail) if side > 0 else (1 - tail, tail)


def _exp_mod_tails(x: Any, mu: Any, s: Any, lam: Any) -> Tails:
    z = (x - mu) / s
    rest = exp(-lam * (x - mu) + (lam * s) ** 2 / 2) * _phi(z - lam * s)
    return _phi(z) - rest, _phi(-z) + rest


def _von_mises_tails(x: Any, mu: Any, k: Any) -> Tails:
    # The Fourier series; the ratios of Bessel functions from the far end, where they are nothing.
    with mp.workdps(130):
        terms = 40 + int(3 * k)
        ratios = [mpf(0)] * (terms + 2)
        for n in range(terms, 0, -1):
            ratios[n] = 1 / (2 * n / k + ratios[n + 1])
        share, weight = (x + mp.pi) / (2 * mp.pi), mpf(1)
        for n in range(1, terms):
            weight *= ratios[n]
            share += weight / n * (mp.sin(n * (x - mu)) + mp.sin(n * (mp.pi + mu))) / mp.pi
        return share, 1 - share


def _skew_exponential_tails(away: Any, s: Any, t: Any) -> Tails:
    if away < 0:
        below = t * exp(2 * (1 - t) * away / s)
        return below, 1 - below
    above = (1 - t) * exp(-2 * t * away / s)
    return 1 - above, above


def _sums(name: str, x: Any, first: int, last: int, args: tuple[Any, ...]) -> Tails:
    pmf = [exp(LOG_DENSITY[name](mpf(k), *args)) for k in range(first, last + 1)]
    cut = max(0, int(x) - first + 1)
    return mp.fsum(pmf[:cut]), mp.fsum(pmf[cut:])


TAILS: dict[str, Callable[..., Tails]] = {
    "Normal": lambda x, mu, s: _normal_tails((x - mu) / s),
    "StdNormal": _normal_tails,
    "HalfNormal": lambda x, s: (mp.erf(x / s / mp.sqrt(2)), mp.erfc(x / s / mp.sqrt(2))),
    "StudentT": lambda x, nu, mu, s: _student_tails((x - mu) / s, nu),
    "HalfStudentT": lambda x, nu, s: _folded(_student_tails(x / s, nu)),
    "Cauchy": lambda x, mu, s: _symmetric(lambda z: mpf(1) / 2 + mp.atan(z) / pi, (x - mu) / s),
    "HalfCauchy": lambda x, s: (2 / pi * mp.atan(x / s), 2 / pi * mp.acot(x / s)),
    "Laplace": lambda x, mu, s: _symmetric(lambda z: exp(z) / 2 if z < 0 else 1 - exp(-z) / 2, (x - mu) / s),
    "SkewDoubleExponential": lambda x, mu, s, t: _skew_exponential_tails(x - mu, s, t),
    "Logistic": lambda x, mu, s: _symmetric(_expit, (x - mu) / s),
    "Gumbel": lambda x, mu, b: _swap(_power_tails(-exp((mu - x) / b))),
    "SkewNormal": lambda x, xi, w, a: _skew_tails((x - xi) / w, a),
    "ExpModNormal": _exp_mod_tails,
    "LogNormal": lambda x, mu, s: _normal_tails((log(x) - mu) / s),
    "Gamma": lambda x, a, b: _gamma_tails(a, b * x),
    "InvGamma": lambda x, a, b: _swap(_gamma_tails(a, b / x)),
    "ChiSquare": lambda x, nu: _gamma_tails(nu / 2, x / 2),
    "InvChiSquare": lambda x, nu: _swap(_gamma_tails(nu / 2, 1 / (2 * x))),
    "ScaledInvChiSquare": lambda x, nu, s: _swap(_gamma_tails(nu / 2, nu * s**2 / (2 * x))),
    "Exponential": lambda x, b: _power_tails(-b * x),
    "Weibull": lambda x, a, s: _power_tails(-((x / s) ** a)),
    "Frechet": lambda x, a, s: _swap(_power_tails(-((x / s) ** (-a)))),
    "Rayleigh": lambda x, s: _power_tails(-(x**2) / (2 * s**2)),
    "LogLogistic": lambda x, a, b: (1 / (1 + (x / a) ** (-b)), 1 / (1 + (x / a) ** b)),
    "Pareto": lambda x, m, a: _power_tails(a * log(m / x)),
    "Lomax": lambda x, lam, a: _power_tails(-a * log(1 + x / lam)),
    "Beta": lambda x, a, b: _beta_tails(a, b, x),
    "BetaProportion": lambda x, mu, k: _beta_tails(mu * k, (1 - mu) * k, x),
    "Uniform": lambda x, a, b: ((x - a) / (b - a), (b - x) / (b - a)),
    "VonMises": _von_mises_tails,
    "Bernoulli": lambda x, p: _sums("Bernoulli", x, 0, 1, (p,)),
    "Binomial": lambda x, n, p: _sums("Binomial", x, 0, int(n), (n, p)),
    "BetaBinomial": lambda x, n, a, b: _sums("BetaBinomial", x, 0, int(n), (n, a, b)),
    "DiscreteRange": lambda x, a, b: _sums("DiscreteRange", x, int(a), int(b), (a, b)),
    "Poisson": lambda x, rate: _swap(_gamma_tails(x + 1, rate)),
    "NegBinomial": lambda x, a, b: _beta_tails(a, x + 1, b / (b + 1)),
    "NegBinomial2": lambda x, mu, phi: _beta_tails(phi, x + 1, phi / (phi + mu)),
    "ExpExponential": lambda x, b: _power_tails(-b * exp(x)),
    "ExpGamma": lambda x, a, b: _gamma_tails(a, b * exp(x)),
    "ExpLomax": lambda x, lam, a: _power_tails(-a * log(1 + exp(x) / lam)),
}


def exactly(value: Any) -> Any:
    """Take a float or an array of floats into mpmath without rounding."""
    listed = value.tolist() if hasattr(value, "tolist") else value
    return [exactly(v) for v in listed] if isinstance(listed, list) else mpf(listed)
