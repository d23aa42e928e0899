"""Random models: a recipe is plain data, so that one model can be built twice; hypothesis draws the recipe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import scistan as ss
from scistan.errors import ModelError
from scistan.ops import Expression

__all__ = ["Recipe", "build", "recipes"]

ROWS, GROUPS, COLUMNS = 6, 3, 2
SHAPES: dict[str, dict[str, object]] = {
    "number": {},
    "group": {"dims": "group"},
    "column": {"shape": COLUMNS},
    "one": {"shape": 1},
    "table": {"shape": (GROUPS, COLUMNS)},
}


@dataclass(frozen=True)
class Recipe:
    """What to write: latents (family, shape, whose child), expressions (op, arguments), observations (family, of).

    `looped` are observations in a Python loop (family, order of the rows, of).
    """

    latents: tuple[tuple[str, str, int, int], ...]
    steps: tuple[tuple[str, int, int, int], ...]
    observed: tuple[tuple[str, int], ...]
    named: tuple[int, ...]
    looped: tuple[tuple[str, str, int], ...] = ()


def _mild(x: Expression) -> Expression:
    """Bring any number near 0, so that no function of it overflows."""
    return ss.tanh(x / 3.0)


def _order(x: Expression, k: int) -> list[int]:
    """List the places along the first axis: in order, from the end, or from somewhere in between."""
    count = x.shape[0].today if x.shape else 0
    forward = list(range(count))
    return (forward, forward[::-1], forward[1:] + forward[:1])[k % 3]


# -- latents: a function of a location, a scale and the options of shape ----------------------------
Maker = Callable[..., object]
COVARIANCE = np.array([[2.0, 0.5], [0.5, 1.0]])
LATENTS: dict[str, Maker] = {
    "Normal": lambda at, by, **o: ss.Normal(at, by, **o),
    "centred": lambda at, by, **o: ss.Normal(at, by, centred=True, **o),
    "StudentT": lambda at, by, **o: ss.StudentT(5, at, by, **o),
    "Cauchy": lambda at, by, **o: ss.Cauchy(at, by, **o),
    "Laplace": lambda at, by, **o: ss.Laplace(at, by, **o),
    "Logistic": lambda at, by, **o: ss.Logistic(at, by, **o),
    "Gumbel": lambda at, by, **o: ss.Gumbel(at, by, **o),
    "SkewNormal": lambda at, by, **o: ss.SkewNormal(at, by, 1.5, **o),
    "truncated": lambda at, by, **o: ss.Normal(at, by, lower=-1, upper=2.5, **o),
    "below": lambda at, by, **o: ss.StudentT(4, at, by, upper=by + 1, **o),
    "HalfNormal": lambda at, by, **o: ss.HalfNormal(by, **o),
    "HalfCauchy": lambda at, by, **o: ss.HalfCauchy(by, **o),
    "LogNormal": lambda at, by, **o: ss.LogNormal(at, by, **o),
    "Gamma": lambda at, by, **o: ss.Gamma(by + 1, by, **o),
    "InvGamma": lambda at, by, **o: ss.InvGamma(by + 2, by, **o),
    "Exponential": lambda at, by, **o: ss.Exponential(by, **o),
    "Weibull": lambda at, by, **o: ss.Weibull(by + 1, by, **o),
    "Beta": lambda at, by, **o: ss.Beta(by + 1, 2, **o),
    "Uniform": lambda at, by, **o: ss.Uniform(-1, by, **o),
    "Dirichlet": lambda at, by, shape=(), **o: ss.Dirichlet(np.array([1.0, 2.0, 3.0]), shape=shape),
    "LKJCholesky": lambda at, by, **o: ss.LKJCholesky(2, 1.5),
    "MultivariateNormal": lambda at, by, **o: ss.MultivariateNormal(np.zeros(2), cov=COVARIANCE),
    "vectors": lambda at, by, **o: ss.MultivariateNormal(
        np.ones(2) * at, chol=by * np.linalg.cholesky(COVARIANCE), shape=3
    ),
    "ordered": lambda at, by, **o: ss.Normal(0, 2.0, shape=3, constraint="ordered"),
    "sum_to_zero": lambda at, by, **o: ss.Normal(0, 1.5, shape=3, constraint="sum_to_zero"),
}

# -- expressions: a function of two expressions and a small whole number -----------------------------
STEPS: dict[str, Maker] = {
    "add": lambda x, y, k: x + y,
    "subtract": lambda x, y, k: x - y,
    "multiply": lambda x, y, k: x * _mild(y),
    "divide": lambda x, y, k: x / (1 + ss.square(_mild(y))),
    "power": lambda x, y, k: _mild(x) ** (k % 3 + 1),
    "literal": lambda x, y, k: (2.5, -1, 1e-3)[k % 3] * x + k,
    "negative": lambda x, y, k: -x,
    "abs": lambda x, y, k: abs(x),
    "exp": lambda x, y, k: ss.exp(_mild(x)),
    "log": lambda x, y, k: ss.log1p(ss.square(x)),
    "sqrt": lambda x, y, k: ss.sqrt(ss.softplus(_mild(x))),
    "inv_logit": lambda x, y, k: ss.inv_logit(x),
    "sin": lambda x, y, k: np.sin(_mild(x)),
    "where": lambda x, y, k: ss.where(_mild(x) > 0.1, x, _mild(y)),
    "minimum": lambda x, y, k: np.minimum(x, y),
    "lgamma": lambda x, y, k: ss.lgamma(1.5 + ss.square(_mild(x))),
    "sum": lambda x, y, k: ss.sum(x, axis=(None, 0, -1)[k % 3], keepdims=k % 2 == 1),
    "mean": lambda x, y, k: np.mean(x, axis=(0, -1)[k % 2]),
    "logsumexp": lambda x, y, k: ss.logsumexp(_mild(x), axis=(0, -1)[k % 2]),
    "cumsum": lambda x, y, k: ss.cumsum(x, axis=(0, -1)[k % 2]),
    "softmax": lambda x, y, k: ss.softmax(_mild(x)),
    "first": lambda x, y, k: x[0],
    "last": lambda x, y, k: x[..., -1],
    "reversed": lambda x, y, k: x[::-1],
    "part": lambda x, y, k: x[1:],
    "gather": lambda x, y, k: x[np.array([0, 1, 0, 1])],
    "new_axis": lambda x, y, k: x[:, None],
    "transpose": lambda x, y, k: x.T,
    "flat": lambda x, y, k: x.reshape(-1),
    "stack": lambda x, y, k: ss.stack([x, y], axis=(0, -1)[k % 2]),
    "concatenate": lambda x, y, k: ss.concatenate([x, y]),
    "matmul": lambda x, y, k: _mild(x) @ _mild(y),
    "outer": lambda x, y, k: ss.outer(_mild(x), _mild(y)),
    # shapes and signs at which a pass must hold back
    "sum_product": lambda x, y, k: ss.sum(_mild(x) * _mild(y), keepdims=k % 2 == 1),
    "sum_rows": lambda x, y, k: ss.sum(_mild(x) * _mild(y), axis=(-1, 0)[k % 2]),
    "shares": lambda x, y, k: ss.exp(_mild(x)) / ss.sum(ss.exp(_mild(x)), axis=(None, 0, -1)[k % 3]),
    "log_odd_powers": lambda x, y, k: ss.log((_mild(x) - 2) ** 3 * (_mild(y) - 2) ** (2 * (k % 2) + 1) * ss.exp(_mild(x))),
    "log_signed_sum": lambda x, y, k: ss.log(ss.sum(ss.exp(_mild(x)) * (_mild(y) - 2)) * -1.0),
    "log_signed_prod": lambda x, y, k: ss.log(ss.square(ss.prod(ss.exp(_mild(x)) * (_mild(y) - 2)))),
    "permuted": lambda x, y, k: x[np.array([2, 0, 1])],
    "list": lambda x, y, k: ss.stack([x[i] * (1.5 + i) for i in _order(x, k)], axis=(0, -1)[k % 2]),
    "list_of_two": lambda x, y, k: ss.stack([x[i] - _mild(y[j]) for i, j in zip(_order(x, 0), _order(y, k), strict=False)]),
}

# -- observations: a function of a predictor for every row --------------------------------------------
COUNTS = np.array([0, 2, 1, 4, 3, 1])
OBSERVED: dict[str, Maker] = {
    "Normal": lambda eta: ss.Normal(eta, 1.5).observe(np.linspace(-1, 1, ROWS)),
    "StudentT": lambda eta: ss.StudentT(4, eta, 2).observe(np.linspace(-1, 1, ROWS)),
    "truncated": lambda eta: ss.Normal(eta, 1, lower=-2).observe(np.linspace(-1, 1, ROWS)),
    "Gamma": lambda eta: ss.Gamma(2, ss.exp(eta)).observe(np.linspace(0.5, 3, ROWS)),
    "Poisson": lambda eta: ss.Poisson(ss.exp(eta)).observe(COUNTS),
    "PoissonLog": lambda eta: ss.PoissonLog(eta).observe(COUNTS),
    "NegBinomial2": lambda eta: ss.NegBinomial2(ss.exp(eta), 3.0).observe(COUNTS),
    "BernoulliLogit": lambda eta: ss.BernoulliLogit(eta).observe(COUNTS % 2),
    "Binomial": lambda eta: ss.Binomial(np.full(ROWS, 5), ss.inv_logit(eta)).observe(COUNTS),
    "OrderedLogistic": lambda eta: ss.OrderedLogistic(eta, np.array([-1.0, 0.0, 1.0])).observe(COUNTS % 4),
}


# -- observations one by one: a function of the predictor of one row, and its number ---------------------
ORDERS = {"in order": range(ROWS), "backwards": range(ROWS)[::-1], "permuted": (2, 0, 1, 5, 3, 4), "twice": (0, 1, 1, 3, 4, 4)}
LOOPED: dict[str, Maker] = {
    "Normal": lambda eta, i: ss.Normal(eta, 1.5).observe(i / 3 - 1),
    "two scales": lambda eta, i: ss.Normal(eta, (1.5, 0.7)[i % 2]).observe(i / 3 - 1),
    "some bounded": lambda eta, i: ss.Normal(eta, 1.5, **({"lower": -2} if i % 2 else {})).observe(i / 3 - 1),
    "families": lambda eta, i: (ss.Laplace if i % 2 else ss.Normal)(eta, 1.5).observe(i / 3 - 1),
    "Poisson": lambda eta, i: ss.Poisson(ss.exp(eta)).observe(int(COUNTS[i])),
}


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    """Draw a recipe of one to five latents, up to eight expressions and one or two observations."""
    small, position = st.integers(0, 5), st.integers(0, 30)
    latents = st.tuples(st.sampled_from(sorted(LATENTS)), st.sampled_from(sorted(SHAPES)), position, position)
    steps = st.tuples(st.sampled_from(sorted(STEPS)), position, position, small)
    observed = st.tuples(st.sampled_from(sorted(OBSERVED)), position)
    looped = st.tuples(st.sampled_from(sorted(LOOPED)), st.sampled_from(sorted(ORDERS)), position)
    return Recipe(
        tuple(draw(st.lists(latents, min_size=1, max_size=5))),
        tuple(draw(st.lists(steps, max_size=8))),
        tuple(draw(st.lists(observed, min_size=1, max_size=2))),
        tuple(draw(st.lists(position, max_size=2))),
        tuple(draw(st.lists(looped, max_size=1))),
    )


def build(recipe: Recipe, name: str = "random") -> ss.Model:
    """Write the model of a recipe; a step whose shapes do not go together is left out."""
    m = ss.Model(name, coords={"group": ["a", "b", "c"]})
    m.x = ss.data(np.linspace(-1, 1, ROWS), dims="row")
    m.design = ss.data(np.linspace(-1, 1, ROWS * COLUMNS).reshape(ROWS, COLUMNS), dims=("row", "column"))
    m.member = ss.data(np.array([0, 1, 2, 0, 1, 2]), dims="row")
    pool: list[Expression] = [m.x, m.design]
    for k, (family, shape, at, by) in enumerate(recipe.latents):
        location, scale = _number(pool, at), ss.exp(_number(pool, by))
        m[f"latent_{k}"] = LATENTS[family](location, scale, **SHAPES[shape])
        pool.append(m[f"latent_{k}"])
    for op, left, right, number in recipe.steps:
        try:
            made = STEPS[op](pool[left % len(pool)], pool[right % len(pool)], number)
        except ModelError:
            continue
        if len(made.shape) <= 3 and 0 < np.prod([size.today for size in made.shape]) <= 500:
            pool.append(made)
    for k, which in enumerate(recipe.named):
        m[f"derived_{k}"] = pool[which % len(pool)] * 1.0
    # Every latent has a part in the first observation, or the density would be refused.
    total = sum((_row(m, e) for e in pool[2:]), start=_row(m, pool[0]))
    for k, (family, which) in enumerate(recipe.observed):
        eta = total if k == 0 else _row(m, pool[which % len(pool)])
        m[f"y_{k}"] = OBSERVED[family](_mild(eta))
    for k, (family, order, which) in enumerate(recipe.looped):
        eta = _row(m, pool[which % len(pool)])
        for i, place in enumerate(ORDERS[order]):
            m[f"loop{k}_{i}"] = LOOPED[family](_mild(eta[place]), i)
    return m


def _number(pool: list[Expression], which: int) -> Expression | float:
    """Make one mild number of an expression: what latents depend on."""
    if which % 3 == 0 or len(pool) < 3:
        return 0.5
    return _mild(ss.sum(_mild(pool[2 + which % (len(pool) - 2)])))


def _row(m: ss.Model, e: Expression) -> Expression:
    """Make one number per row of an expression of any shape."""
    lengths = tuple(size.today for size in e.shape)
    if lengths == (ROWS,):
        return _mild(e)
    if lengths == (GROUPS,):
        return _mild(e[m.member])
    if lengths == (COLUMNS,):
        return _mild(m.design @ e)
    return _mild(ss.sum(_mild(e))) * m.x
