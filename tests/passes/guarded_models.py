"""Models at which a pass must hold back: each stands by a guard, and is wrong, or no program, without it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

import scistan as ss

__all__ = ["GUARDED", "SLICED"]

N = 6
X = np.linspace(-1, 1, 2 * N).reshape(N, 2)
Y = np.linspace(-1, 2, N)
COUNTS = np.array([0, 2, 1, 4, 3, 1])
PLACES = np.array([0.0, 0.7, 1.5])
SIGNED = np.array([-1.0, 3.0, 2.0])
Body = Callable[[ss.Model], object]


def _with(observe: Callable[[ss.Model], None]) -> Callable[[], ss.Model]:
    """Give a model of a few latents of every kind of sign and shape, all of which the last observation reads."""

    def build() -> ss.Model:
        m = ss.Model("guarded")
        m.a, m.b = ss.Normal(0.3, 1), ss.Normal(-0.2, 1)
        m.v, m.w, m.one = ss.Normal(0, 1, shape=3), ss.Normal(0, 1, shape=3), ss.Normal(0, 1, shape=1)
        m.M, m.K = ss.Normal(0, 1, shape=(3, 2)), ss.Normal(0, 1, shape=(3, 2))
        m.s = ss.HalfNormal(1)
        m.p, m.q = ss.Beta(2, 3), ss.Beta(3, 2)
        observe(m)
        m.all = ss.Normal(m.a + m.b + ss.sum(m.v) + ss.sum(m.w) + ss.sum(m.one) + ss.sum(m.M) + ss.sum(m.K),
                          m.s + m.p + m.q).observe(0.3)
        return m

    return build


def _value(write: Body) -> Callable[[], ss.Model]:
    """Observe one mean, of any shape."""

    def observe(m: ss.Model) -> None:
        mean = ss.tanh(write(m))
        m.y = ss.Normal(mean, 1.5).observe(np.full(tuple(size.today for size in mean.shape), 0.4))

    return _with(observe)


def _mild(x: object) -> ss.Expression:
    return 0.2 * ss.tanh(x)


STABLE: dict[str, Callable[[], ss.Model]] = {
    "shares of a whole table": _value(lambda m: ss.exp(m.M) / ss.sum(ss.exp(m.M))),
    "shares by column": _value(lambda m: ss.exp(m.M) / ss.sum(ss.exp(m.M), axis=0)),
    "a logarithm of a signed sum": _value(lambda m: ss.log(ss.sum(ss.exp(_mild(m.v)) * SIGNED))),
    "a logarithm of a signed product of vectors": _value(lambda m: ss.log(ss.exp(_mild(m.v)) @ SIGNED)),
    "a logarithm of a matrix by a vector": _value(lambda m: ss.log(ss.exp(m.M) @ ss.exp(m.v[:2]))),
    "a logarithm of a vector by a matrix": _value(lambda m: ss.log(ss.exp(m.v) @ ss.exp(m.M))),
    "a logarithm of a signed prod": _value(lambda m: ss.log(ss.prod(ss.exp(m.v) * np.array([-1.0, -2.0, 1.0])))),
    "a logarithm of signed factors": _value(lambda m: ss.log(m.a * m.a * ss.inv_logit(m.b))),
    "a logarithm of a signed quotient": _value(lambda m: ss.log((-2 - m.s) / (-1 - m.p) * ss.exp(m.b))),
    "a logarithm of a signed summand": _value(lambda m: ss.log(3 * ss.exp(_mild(m.a)) - ss.exp(_mild(m.b)))),
    "a logarithm of a difference": _value(lambda m: ss.log((2 * ss.exp(_mild(m.a)) - ss.exp(_mild(m.b))) * m.p)),
    "odd powers": _value(lambda m: ss.log(m.a**3 * m.a**3 * ss.inv_logit(m.b))),
    "odd powers of data": _value(lambda m: ss.log(ss.prod(ss.exp(m.v) * np.array([-1.0, -1.0, 2.0]) ** 3))),
    "a root of a signed choice": _value(
        lambda m: ss.log(ss.where(m.b > 0, m.s, -m.s) * ss.where(m.b > 0, 1.0, -1.0) * ss.exp(m.a))
    ),
    "elements that are signed, by places that are not": _value(
        lambda m: ss.log(m.v[np.array([0, 1])] * m.v[np.array([0, 1])] * ss.exp(m.a))
    ),
    "one less than a quotient": _value(lambda m: ss.log((1 - m.p / m.q) * (1 - m.p / m.q) * ss.exp(m.a))),
    "one less than a sum": _value(lambda m: ss.log((1 - (m.p + m.q)) * (1 - (m.p + m.q)) * ss.exp(m.a))),
    "half less than a share": _value(lambda m: ss.log((0.5 - m.p) * (0.5 - m.p) * ss.exp(m.a))),
    "one less than a positive": _value(lambda m: ss.log((1 - m.s) * (1 - m.s) * ss.exp(m.a))),
    "a share less a share": _value(lambda m: ss.log((m.q - m.p) * (m.q - m.p) * ss.exp(m.a))),
    "two lengths, one of them 1": _value(lambda m: ss.sum(m.one * m.v)),
    "two lengths, the other 1": _value(lambda m: ss.sum(m.v * m.one)),
    "a number and a vector": _value(lambda m: ss.sum(m.a * m.v)),
    "a sum over a table": _value(lambda m: ss.sum(m.M * m.K)),
    "a sum over a table and a vector": _value(lambda m: ss.sum(m.M * m.v[:2])),
    "a sum that keeps its axis": _value(lambda m: ss.sum(m.v * m.w, keepdims=True)),
    "a sum that keeps its axis, and is joined": _value(lambda m: ss.concatenate([m.one, ss.sum(m.v * m.w, keepdims=True)])),
    "rows of two tables": _value(lambda m: ss.sum(m.M * m.K, axis=-1)),
    "columns of a table and a vector": _value(lambda m: ss.sum(m.M * m.v[:2], axis=0)),
    "rows that keep their axis": _value(lambda m: ss.sum(m.M * m.v[:2], axis=-1, keepdims=True)),
    "rows and one number in a vector": _value(lambda m: ss.sum(m.M * m.one, axis=-1)),
    "a column and a vector": _value(lambda m: ss.sum(m.v[:, None] * m.w, axis=-1)),
    "a product with a transpose": _value(lambda m: m.M @ m.K.T),
    "a product with what was not turned": _value(lambda m: m.v @ m.M.transpose(0, 1)),
}  # fmt: skip


def _whole_numbers(m: ss.Model) -> None:
    m.many, m.times = ss.data(np.array([1, 2, 1])), ss.data(np.array([2, 1, 3]))
    m.k = ss.Binomial(ss.sum(m.many * m.times), m.p).observe(4)


def _signed_latents(m: ss.Model) -> None:
    """Latents with bounds that do not make them positive, nor probabilities."""
    m.u = ss.Uniform(-1, 1)
    m.r = ss.Normal(0, 1, lower=-0.5, upper=0.8)
    m.o = ss.Normal(0, 1, shape=2, constraint="ordered")
    for k, x in enumerate((m.u, m.r, m.o[0], 1 - m.s, 1 - (m.u + 1))):
        m[f"log{k}"] = ss.Normal(ss.tanh(ss.log(x * x * ss.exp(m.a))), 1.5).observe(0.4)


def _softmax_of_columns(m: ss.Model) -> None:
    """Write shares of columns that are shares of rows as well; what is added to a column changes none of them."""
    both = ss.stack([ss.stack([m.a, -m.a]), ss.stack([-m.a, m.a])])
    m.c = ss.Categorical(ss.softmax(both + m.v[:2], axis=0)).observe(np.array([0, 1]))


def _bounded_standard(m: ss.Model) -> None:
    m.z = ss.Normal(0, 1, lower=m.a - 1)
    m.y = ss.Normal(0, 1, upper=m.s + m.z + 3 + abs(m.a)).observe(np.array([-0.3, 0.2]))
    m.n = ss.Normal(1, 1).observe(np.array([0.1, 0.4]))
    m.o = ss.Normal(0, 2).observe(np.array([0.1, 0.4]))


STABLE |= {
    "a sum of whole numbers": _with(_whole_numbers),
    "bounds that are no signs": _with(_signed_latents),
    "a softmax of columns": _with(_softmax_of_columns),
    "a standard normal with bounds": _with(_bounded_standard),
}


def _field(covariance: Body) -> Callable[[], ss.Model]:
    """Observe a Gaussian process."""

    def observe(m: ss.Model) -> None:
        m.x = ss.data(PLACES)
        m.f = ss.MultivariateNormal(np.zeros(3), cov=covariance(m) + 2 * np.eye(3)).observe(np.array([0.2, -0.4, 0.9]))

    return _with(observe)


def _kernel(m: ss.Model, rho: object, half: float = 0.5) -> ss.Expression:
    return ss.exp(-half * ss.square(m.x[:, None] - m.x[None, :]) / rho)


KERNELS: dict[str, Callable[[], ss.Model]] = {
    "a signed height": _field(lambda m: m.a**2 * _kernel(m, m.s**2)),
    "a signed length": _field(lambda m: _kernel(m, m.a**2)),
    "a height that is no square": _field(lambda m: m.s * _kernel(m, m.s**2)),
    "a third power of a height": _field(lambda m: m.s**2 * m.s * _kernel(m, m.s**2)),
    "twice a square": _field(lambda m: 2 * m.s**2 * _kernel(m, m.s**2)),
    "two heights": _field(lambda m: m.p**2 * (m.s**2 * _kernel(m, m.s**2))),
    "a product of heights": _field(lambda m: (m.p**2 * m.s**2) * _kernel(m, m.s**2)),
    "another constant": _field(lambda m: _kernel(m, m.s**2, 1.0)),
    "a length that is no square": _field(lambda m: _kernel(m, m.s)),
    "a length times another": _field(lambda m: _kernel(m, m.s * m.p)),
    "distances, not their squares": _field(
        lambda m: (ss.exp(-0.5 * abs(m.x[:, None] - m.x[None, :]) / m.s**2))
    ),
    "a length for each row and column": _field(
        lambda m: ss.exp(-0.5 * ss.square(m.x[:, None] - m.x[None, :]) / ss.square(ss.outer(m.v, m.v) + 3))
    ),
    "two heights for one kernel": _field(lambda m: ss.outer(m.v, m.v) * _kernel(m, m.s**2)),
    "other points": _value(lambda m: ss.exp(-0.5 * ss.square(_apart(m.v, m.w)) / m.s**2)),
    "the same rows": _value(lambda m: ss.exp(-0.5 * ss.square(m.v[:, None] - m.w[:, None]) / m.s**2)),
    "sums of points": _value(lambda m: ss.exp(-0.5 * ss.square(m.v[:, None] + m.v[None, :]) / m.s**2)),
    "a vector of heights": _value(lambda m: ss.square(m.w) * ss.exp(-0.5 * ss.square(_apart(m.v, m.v)) / m.s**2)),
}


def _apart(x: ss.Expression, z: ss.Expression) -> ss.Expression:
    return x[:, None] - z[None, :]


def _vectors(covariance: Body) -> Callable[[], ss.Model]:
    """Observe vectors by a covariance that is made of a latent factor."""

    def observe(m: ss.Model) -> None:
        m.L, m.H = ss.LKJCholesky(3, 2.0), ss.LKJCholesky(3, 1.0)
        m.u = ss.HalfNormal(1, shape=3)
        m.f = ss.MultivariateNormal(m.w, cov=covariance(m)).observe(np.array([[0.2, -0.4, 0.9], [1.0, 0.1, -0.2]]))
        m.g = ss.MultivariateNormal(m.w, chol=m.L).observe(np.array([0.1, 0.2, -0.4]))
        m.h = ss.MultivariateNormal(m.w * ss.sum(m.u), chol=m.H).observe(np.array([0.1, 0.2, -0.4]))

    return _with(observe)


def _square_of(factor: ss.Expression) -> ss.Expression:
    return factor @ factor.T


def _by_precision(m: ss.Model) -> None:
    m.L = ss.LKJCholesky(3, 2.0)
    m.f = ss.MultivariateNormal(m.w, prec=m.L @ m.L.T).observe(np.array([0.2, -0.4, 0.9]))


FACTORS: dict[str, Callable[[], ss.Model]] = {
    "signed scales of rows": _vectors(lambda m: _square_of(m.v[:, None] * m.L)),
    "signed scales of rows behind": _vectors(lambda m: _square_of(m.L * m.v[:, None])),
    "signed scales on a diagonal": _vectors(lambda m: _square_of(ss.diagonal_matrix(m.v) @ m.L)),
    "a signed scale": _vectors(lambda m: _square_of((m.a - 2) * m.L)),
    "signed scales of columns": _vectors(lambda m: _square_of(m.L * m.v)),
    "signed scales of columns in a row": _vectors(lambda m: _square_of(m.L * m.v[None, :])),
    "positive scales of columns": _vectors(lambda m: _square_of(m.L * m.u)),
    "elements of two factors": _vectors(lambda m: _square_of(m.L * (m.H + np.eye(3)))),
    "scales behind": _vectors(lambda m: _square_of(m.L @ ss.diagonal_matrix(m.v))),
    "a sum of factors": _vectors(lambda m: _square_of(m.L + 0.3)),
    "turned the other way": _vectors(lambda m: m.L.T @ m.L),
    "a product of two factors": _vectors(lambda m: _square_of(m.L @ m.H.T)),
    "two different factors": _vectors(lambda m: _square_of(m.L) + m.H @ m.H.T),
    "by precision": _with(_by_precision),
}


def _not_noncentred(m: ss.Model) -> None:
    """Latents that depend on others, each with something that forbids to write them by a standard one."""
    m.low = ss.Normal(m.a, m.s, lower=-0.2)
    m.high = ss.StudentT(4, m.a, m.s, upper=m.b + 3 + abs(m.a))
    m.sums = ss.Normal(0, m.s, shape=3, constraint="sum_to_zero")
    m.steps = ss.Normal(0, m.s, shape=3, constraint="ordered")
    m.kept = ss.Normal(m.a, m.s, shape=3, centred=True)
    m.y = ss.Normal(m.low + m.high + m.sums + m.steps + m.kept, m.s).observe(np.array([0.1, 0.2, 0.4]))


NONCENTRED = {"truncated, constrained, centred, observed": _with(_not_noncentred)}


def _observed(write: Body) -> Callable[[], ss.Model]:
    def observe(m: ss.Model) -> None:
        m.X = ss.data(X)
        m.y = write(m)

    return _with(observe)


def _latent_regression(m: ss.Model) -> None:
    m.X = ss.data(X)
    m.theta = ss.Normal(m.X @ m.v[:2], m.s)
    m.y = ss.Normal(m.theta, 1).observe(Y)


GLMS: dict[str, Callable[[], ss.Model]] = {
    "a latent with a predictor": _with(_latent_regression),
    "a table of outcomes": _observed(lambda m: ss.Normal(m.X @ m.M.T, m.s).observe(np.outer(Y, [1.0, 0.3, -1.0]))),
    "bounded outcomes": _observed(lambda m: ss.Normal(m.X @ m.v[:2], m.s, lower=-2).observe(Y)),
    "one row for all": _observed(lambda m: ss.Normal(m.X[:1] @ m.v[:2], m.s).observe(Y)),
    "a dispersion for each": _observed(
        lambda m: ss.NegBinomial2Log(m.X @ m.v[:2], m.s + ss.square(X[:, 0])).observe(COUNTS)
    ),
    "one total in a vector": _observed(
        lambda m: ss.Binomial(np.array([5]), ss.inv_logit(m.X @ m.v[:2])).observe(COUNTS)
    ),
    "no place for an intercept": _observed(
        lambda m: ss.OrderedLogistic(m.a + m.X @ m.v[:2], np.array([-1.0, 0.0, 1.0])).observe(COUNTS % 4)
    ),
    "cutpoints for each": _observed(
        lambda m: ss.OrderedLogistic(m.X @ m.v[:2], np.arange(3.0) + X[:, :1]).observe(COUNTS % 4)
    ),
    "intercepts for each row and category": _observed(
        lambda m: ss.CategoricalLogit(ss.outer(X[:, 0], m.v) + m.X @ m.M.T).observe(COUNTS % 3)
    ),
    "one intercept for all categories": _observed(
        lambda m: ss.CategoricalLogit(m.a + m.one + m.X @ m.M.T).observe(COUNTS % 3)
    ),
    "one vector of categories": _observed(lambda m: ss.CategoricalLogit(m.M @ m.v[:2]).observe(COUNTS % 3)),
    "a design of latents": _observed(
        lambda m: ss.Normal((m.a * m.X) @ m.v[:2], m.s).observe(Y)
    ),
    "rows weighted": _observed(lambda m: ss.Normal(Y * (m.X @ m.v[:2]), m.s).observe(Y)),
    "subtracted": _observed(lambda m: ss.Normal(m.a - (m.b - m.X @ m.v[:2]) - 2 * (m.X @ m.w[:2]), m.s).observe(Y)),
    "all of it subtracted": _observed(lambda m: ss.Normal(m.a - m.X @ m.v[:2], m.s).observe(Y)),
    "a quotient": _observed(lambda m: ss.Normal(m.a / (3 + ss.tanh(m.X @ m.v[:2])), m.s).observe(Y)),
}


def _latent_equals(m: ss.Model) -> None:
    m.z = ss.Normal(m.a, m.s, shape=3, centred=True)
    m.y = ss.Normal(m.z, 1).observe(np.array([0.1, -0.4, 0.8]))


SUFFICIENT: dict[str, Callable[[], ss.Model]] = {
    "a table of equals": _observed(lambda m: ss.Normal(m.a, m.s).observe(X)),
    "bounded equals": _observed(lambda m: ss.Normal(m.a, m.s, lower=-2, upper=3).observe(Y)),
    "a mean for each": _observed(lambda m: ss.Normal(m.v[np.arange(N) % 3], m.s).observe(Y)),
    "one mean in a vector": _observed(lambda m: ss.Normal(m.one, m.s).observe(Y)),
    "a rate for each": _observed(lambda m: ss.Poisson(ss.exp(m.v)[np.arange(N) % 3]).observe(COUNTS)),
    "latent equals": _with(_latent_equals),
}


# -- loops: the place of an element counts, and so does what is shared -------------------------------
def _loop(body: Callable[[ss.Model, int], object], rows: int = 3) -> Callable[[], ss.Model]:
    def observe(m: ss.Model) -> None:
        m.T = ss.Normal(0, 1, shape=(3, 3))
        m.line = ss.Normal(0, 1, shape=5)
        for i in range(rows):
            m[f"y_{i}"] = body(m, i)
        m.rest = ss.Normal(ss.sum(m.T) + ss.sum(m.line), 1).observe(0.3)

    return _with(observe)


def _normal(write: Callable[[ss.Model, int], object], rows: int = 3) -> Callable[[], ss.Model]:
    return _loop(lambda m, i: ss.Normal(write(m, i), 1).observe(Y[i]), rows)


def _pairs(m: ss.Model, i: int) -> object:
    at, by = ((m.a, m.s), (m.b, m.s), (m.s, m.s))[i]
    return ss.Normal(at, by).observe(Y[i])


def _places(m: ss.Model, i: int) -> object:
    """Write a value and what is made of it, each at either place: the same nodes in the same order."""
    at, by = ((m.s, ss.exp(m.s)), (ss.exp(m.s), m.s), (m.p, ss.exp(m.p)))[i]
    return ss.Normal(at, by).observe(Y[i])


def _families(m: ss.Model, i: int) -> object:
    family = (ss.Normal, ss.Laplace, ss.Cauchy)[i % 3]
    return family(m.v[i % 3], m.s).observe(Y[i])


def _bounds(m: ss.Model, i: int) -> object:
    bounds = ({}, {"lower": -2}, {"upper": 3}, {"lower": -3}, {"lower": -2, "upper": 4}, {"upper": 5})[i]
    return ss.Normal(m.v[i % 3], m.s, **bounds).observe(Y[i])


def _spread(mean: Callable[[ss.Model, int], object]) -> Callable[[], ss.Model]:
    """Observe vectors of three in a loop."""
    return _loop(lambda m, i: ss.MultivariateNormal(mean(m, i), cov=np.eye(3)).observe(Y[i] * np.arange(3)))


TABLES = np.linspace(-1, 1, 27).reshape(3, 3, 3)
LOOPS: dict[str, Callable[[], ss.Model]] = {
    "permuted": _normal(lambda m, i: m.v[[2, 0, 1][i]]),
    "backwards": _normal(lambda m, i: m.v[2 - i]),
    "repeated": _normal(lambda m, i: m.v[[0, 1, 1][i]]),
    "part of an axis": _normal(lambda m, i: m.line[i]),
    "a later part of an axis": _normal(lambda m, i: m.line[i + 2]),
    "from the end": _normal(lambda m, i: m.line[-1 - i]),
    "round and round": _normal(lambda m, i: m.v[i % 3], rows=6),
    "a diagonal": _normal(lambda m, i: m.T[i, i]),
    "the other diagonal": _normal(lambda m, i: m.T[i, 2 - i]),
    "a row by order, a column by another": _normal(lambda m, i: m.T[i, [2, 0, 1][i]]),
    "two orders at once": _normal(lambda m, i: m.v[i] - m.w[[2, 0, 1][i]]),
    "an axis and its permutation": _normal(lambda m, i: m.v[i] * m.v[[2, 0, 1][i]]),
    "a column": _normal(lambda m, i: ss.sum(m.T[:, i])),
    "permuted columns": _normal(lambda m, i: m.T[:, [2, 0, 1][i]] @ m.v),
    "columns by rows": _normal(lambda m, i: m.T[i] @ m.T[:, i]),
    "permuted rows": _normal(lambda m, i: m.T[[2, 0, 1][i]] @ m.v),
    "an element of an element": _normal(lambda m, i: m.T[i][[2, 0, 1][i]]),
    "shared or not": _loop(_pairs),
    "shared, at other places": _loop(_places),
    "families": _loop(_families, rows=6),
    "bounds": _loop(_bounds, rows=6),
    "products of vectors": _normal(lambda m, i: TABLES[i, 0] @ TABLES[i, 1] * m.a),
    "numbers of Python, 1 and 1.0": _normal(lambda m, i: m.a * (1, 1.0, 2)[i] + (True, 0, 1)[i]),
    "means of rows": _normal(lambda m, i: ss.mean(m.T[[2, 0, 1][i]] * TABLES[i, 0])),
    "vectors by a matrix": _spread(lambda m, i: TABLES[0, i] @ m.T),
    "a matrix by vectors": _spread(lambda m, i: m.T @ TABLES[0, i]),
    "matrices by a vector": _spread(lambda m, i: TABLES[i] @ m.v),
    "a vector by matrices": _spread(lambda m, i: m.v @ TABLES[i]),
    "vectors by matrices, both of the loop": _spread(lambda m, i: m.T[i] @ TABLES[i]),
    "matrices by vectors, both of the loop": _spread(lambda m, i: TABLES[i] @ m.T[[2, 0, 1][i]]),
    "sums of columns": _spread(lambda m, i: ss.sum(TABLES[i] * m.T, axis=0)),
    "sums of rows": _spread(lambda m, i: ss.sum(TABLES[i] * m.T, axis=1)),
    "running sums": _spread(lambda m, i: ss.cumsum(m.T[[2, 0, 1][i]])),
    "shares": _spread(lambda m, i: ss.softmax(m.T[:, i])),
    "a vector and a number": _spread(lambda m, i: m.T[i] * m.v[[2, 0, 1][i]] + m.w),
    "a number and a vector, both of the loop": _spread(lambda m, i: Y[i] * m.v + m.line[i]),
    "turned": _spread(lambda m, i: m.T[i][::-1]),
    "a part of each": _spread(lambda m, i: ss.concatenate([m.T[i][1:], m.one])),
    "stacked of each": _spread(lambda m, i: ss.stack([m.v[i], m.a, m.w[[2, 0, 1][i]]])),
}  # fmt: skip


def _list(write: Body) -> Callable[[], ss.Model]:
    def observe(m: ss.Model) -> None:
        m.T = ss.Normal(0, 1, shape=(3, 3))
        m.d = ss.data(np.array([0.3, -0.4, 1.2]))
        mean = ss.tanh(write(m))
        m.y = ss.Normal(mean, 1.5).observe(np.arange(np.prod([s.today for s in mean.shape])).reshape(
            tuple(s.today for s in mean.shape)) / 10)
        m.rest = ss.Normal(ss.sum(m.T), 1).observe(0.3)

    return _with(observe)


LISTS: dict[str, Callable[[], ss.Model]] = {
    "permuted": _list(lambda m: ss.stack([m.v[k] * m.d[k] for k in (2, 0, 1)])),
    "permuted against each other": _list(lambda m: ss.stack([m.v[i] * m.d[k] for i, k in zip((0, 1, 2), (2, 0, 1), strict=True)])),
    "part of it": _list(lambda m: ss.stack([m.v[k] * m.d[k] for k in (0, 1)])),
    "columns": _list(lambda m: ss.stack([m.T[k] * m.d[k] for k in range(3)], axis=1)),
    "rows": _list(lambda m: ss.stack([m.T[k] * m.d[k] for k in range(3)], axis=0)),
    "columns of columns": _list(lambda m: ss.stack([m.T[:, k] * m.d[k] for k in range(3)], axis=1)),
    "one form and another": _list(lambda m: ss.stack([m.v[0] * m.d[0], m.v[1] + m.d[1], m.v[2] * m.d[2]])),
    "differences": _list(lambda m: ss.stack([m.v[j] - m.v[i] * m.d[i] for i, j in pairwise(range(3))])),
    "vectors in a row": _list(lambda m: ss.concatenate([m.T[k] * m.d[k] for k in range(3)])),
    "pieces of one": _list(lambda m: ss.concatenate([m.v[k : k + 1] * m.d[k] for k in range(3)])),
    "permuted pieces of one": _list(lambda m: ss.concatenate([m.one * m.v[k] * m.d[k] for k in (2, 0, 1)])),
    "the same for all": _list(lambda m: ss.stack([m.a * m.d[1], m.a * m.d[1], m.a * m.d[1]])),
}  # fmt: skip

GUARDED: dict[str, dict[str, Callable[[], ss.Model]]] = {
    "stable_forms": STABLE, "kernels": KERNELS, "cholesky": FACTORS, "noncenter": NONCENTRED, "glm": GLMS,
    "sufficient_statistics": SUFFICIENT, "vectorize": LOOPS, "lists": LISTS,
}  # fmt: skip


# -- terms cut in slices: what needs every row is computed outside ------------------------------------
def _rows(write: Body) -> Callable[[], ss.Model]:
    def observe(m: ss.Model) -> None:
        m.X = ss.data(X)
        m.u, m.U = ss.Normal(0, 1, shape=N), ss.Normal(0, 1, shape=(N, 2))
        m.W = ss.Normal(0, 1, shape=(2, N))
        m.y = ss.StudentT(4, write(m), m.s).observe(Y)
        m.rest = ss.Normal(ss.sum(m.u) + ss.sum(m.U) + ss.sum(m.W), 2).observe(0.1)

    return _with(observe)


SLICED: dict[str, Callable[[], ss.Model]] = {
    "centred by all rows": _rows(lambda m: m.u - ss.mean(m.u)),
    "an axis that was summed": _rows(lambda m: m.u * ss.sum(m.U, axis=0)[0]),
    "the first axis summed": _rows(lambda m: ss.sum(m.W * m.u, axis=0)),
    "the last axis summed": _rows(lambda m: ss.sum(m.U * m.v[:2], axis=-1)),
    "a sum that keeps its axis": _rows(lambda m: ss.sum(m.U, axis=0, keepdims=True)[:, 0] + m.u),
    "running sums": _rows(lambda m: ss.cumsum(m.u)),
    "running sums of columns": _rows(lambda m: ss.cumsum(m.U, axis=1)[:, 1]),
    "running sums of rows": _rows(lambda m: ss.cumsum(m.U, axis=0)[:, 1]),
    "shares of all rows": _rows(lambda m: ss.softmax(m.u)),
    "shares of a column": _rows(lambda m: ss.softmax(m.U, axis=0)[:, 0]),
    "shares of a row": _rows(lambda m: ss.softmax(m.U, axis=1)[:, 0]),
    "turned rows": _rows(lambda m: (m.u * Y)[::-1]),
    "a column of a transpose": _rows(lambda m: (m.W * m.u).T[:, 1]),
    "a row of a table": _rows(lambda m: (m.W * m.u)[1]),
    "its own rows": _rows(lambda m: m.u + m.u[np.arange(N)[::-1]]),
    "a value at two places": _rows(lambda m: m.u * m.u[np.array([1, 0, 3, 2, 5, 4])]),
    "a matrix by the rows": _rows(lambda m: np.eye(N)[::-1] @ m.u),
    "the rows by a matrix": _rows(lambda m: m.u @ np.eye(N)[::-1]),
    "the largest": _rows(lambda m: m.u + ss.max(m.u)),
    "stacked": _rows(lambda m: ss.stack([m.u, m.u * Y])[1]),
    "joined": _rows(lambda m: ss.concatenate([m.u[3:], m.u[:3]])),
    "a length of 1": _rows(lambda m: m.one * m.u + m.one),
}
