"""Every op in Stan, over numbers, vectors and matrices: the program agrees with SciPy and torch."""

import math

import numpy as np
import pytest

import scistan as ss
from scistan.ops import REGISTRY

# Where an argument must lie for an op to be smooth there.
DOMAINS = {
    "log": "positive", "log2": "positive", "log10": "positive", "inv_Phi": "unit", "sqrt": "positive",
    "log1m": "unit", "logit": "unit", "arcsin": "unit", "arccos": "unit",
    "arctanh": "unit", "arccosh": "above_one", "lgamma": "positive", "digamma": "positive", "trigamma": "positive", "lbeta": "positive",
    "log1m_exp": "negative", "log_diff_exp": "falling", "multiply_log": "positive", "power": "positive",
    "log1p": "positive", "gamma_p": "positive", "gamma_q": "positive", "log_gamma_p": "positive",
    "log_gamma_q": "positive", "log_choose": "choose", "inc_beta": "beta", "log_inc_beta": "beta",
    "log_i0": "positive", "owens_t": "positive", "frozen": "data",
}  # fmt: skip
MAKERS = {
    "real": lambda shape, k: ss.Normal(0, 1, shape=shape),
    "positive": lambda shape, k: ss.Gamma(4, 3, shape=shape),
    "unit": lambda shape, k: ss.Beta(2, 3, shape=shape),
    "above_one": lambda shape, k: ss.Gamma(4, 2, lower=1.1, shape=shape),
    "negative": lambda shape, k: ss.Normal(-2, 1, upper=-0.1, shape=shape),
    "falling": lambda shape, k: ss.Normal(0, 1, shape=shape, **({"upper": 0} if k else {"lower": 0.5})),
    "choose": lambda shape, k: ss.Gamma(4, 1, lower=6 - 5 * k, upper=8 - 5 * k, shape=shape),
    "data": lambda shape, k: ss.data(np.linspace(-1, 2, math.prod(shape)).reshape(shape)),
    "beta": lambda shape, k: ss.Beta(2, 3, shape=shape) if k == 2 else ss.Gamma(4, 3, shape=shape),
}
ELEMENTWISE = [name for name, op in REGISTRY.items() if op.elementwise and op.public]


LAYOUTS = {
    "scalar": [()] * 3,
    "vector": [(4,)] * 3,
    "matrix": [(2, 4)] * 3,
    "mixed": [(4,), (), (2, 4)],
    "outer": [(2, 1), (4,), ()],
    "cube": [(2, 3, 4), (3, 1), ()],
}


def layouts(name):
    """Which layouts an op has that differ for it."""
    return [layout for layout in LAYOUTS if REGISTRY[name].arity > 1 or layout not in ("mixed", "outer")]


def arguments(m, name, shapes, prefix="a"):
    """Give a model the latents that an op is applied to."""
    make = MAKERS[DOMAINS.get(name, "real")]
    for k, shape in enumerate(shapes):
        m[f"{prefix}{k}"] = make(shape, k)
    return [m[f"{prefix}{k}"] for k in range(len(shapes))]


def add(m, name, layout):
    """Write an op of one layout into a model, so that many make one program."""
    m[f"{layout}_scale"] = ss.Normal(1, 0.1)
    given = arguments(m, name, LAYOUTS[layout][: REGISTRY[name].arity], f"{layout}_")
    observe(m, getattr(ss, name)(*given) * m[f"{layout}_scale"], f"{layout}_")


def observe(m, value, prefix=""):
    m[f"{prefix}value"] = value
    m[f"{prefix}y"] = ss.Normal(ss.sum(value) if value.ndim else value, 1).observe(0.2)


def check(m):
    agreement = m.verify(points=3)
    assert agreement.ok, f"{agreement}\n{m.stan_code()}"


@pytest.mark.parametrize(("name", "layout"), [(name, layout) for name in ELEMENTWISE for layout in layouts(name)])
def test_elementwise(name, layout):
    m = ss.Model()
    add(m, name, layout)
    check(m)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_stanc_takes_every_layout(name, stanc):
    m = ss.Model()
    for layout in layouts(name):
        add(m, name, layout)
    stanc(m.stan_code())


def vector(m, name="v", n=4):
    m[name] = ss.Normal(0, 1, shape=n)
    return m[name]


def matrix(m, name="M", shape=(3, 4)):
    m[name] = ss.Normal(0, 1, shape=shape)
    return m[name]


def definite(m):
    a = matrix(m, "A", (3, 3))
    return a @ a.T + 0.5 * np.eye(3)


STRUCTURED = {
    "sum": lambda m: ss.sum(matrix(m)),
    "sum rows": lambda m: ss.exp(ss.sum(matrix(m), axis=1)),
    "sum columns": lambda m: ss.exp(ss.sum(matrix(m), axis=0, keepdims=True)),
    "mean": lambda m: ss.mean(matrix(m), axis=-1),
    "prod": lambda m: ss.prod(vector(m)),
    "prod rows": lambda m: ss.prod(matrix(m), axis=1),
    "min": lambda m: ss.min(matrix(m), axis=0),
    "max": lambda m: ss.max(vector(m)),
    "logsumexp": lambda m: ss.logsumexp(matrix(m), axis=1),
    "logsumexp all": lambda m: ss.logsumexp(matrix(m)),
    "var": lambda m: ss.var(matrix(m), axis=0),
    "std": lambda m: ss.std(vector(m)),
    "cumsum": lambda m: ss.square(ss.cumsum(vector(m))),
    "cumsum rows": lambda m: ss.square(ss.cumsum(matrix(m), axis=1)),
    "cumsum columns": lambda m: ss.square(ss.cumsum(matrix(m), axis=0)),
    "softmax": lambda m: ss.square(ss.softmax(vector(m))),
    "softmax rows": lambda m: ss.square(ss.softmax(matrix(m), axis=1)),
    "log_softmax columns": lambda m: ss.square(ss.log_softmax(matrix(m), axis=0)),
    "normalize": lambda m: ss.square(ss.normalize(ss.exp(vector(m)))),
    "prod all": lambda m: ss.prod(matrix(m)),
    "prod all, kept": lambda m: ss.prod(matrix(m), keepdims=True),
    "prod of three axes": lambda m: ss.prod(matrix(m, shape=(2, 3, 4))),
    "prod of products": lambda m: ss.prod(matrix(m) @ matrix(m, "O", (4, 2))),
    "logsumexp of three axes": lambda m: ss.logsumexp(matrix(m, shape=(2, 3, 4))),
    "largest of three axes": lambda m: ss.max(matrix(m, shape=(2, 3, 4)), axis=0),
    "mean of three axes": lambda m: ss.mean(matrix(m, shape=(2, 3, 4))),
    "mean all": lambda m: ss.mean(matrix(m)),
    "min all": lambda m: ss.min(matrix(m)),
    "max all": lambda m: ss.max(matrix(m)),
    "sum of three axes": lambda m: ss.sum(matrix(m, shape=(2, 3, 4))),
    "sum of two of three axes": lambda m: ss.square(ss.sum(matrix(m, shape=(2, 3, 4)), axis=(0, 2))),
    "middle axis": lambda m: ss.square(ss.mean(matrix(m, shape=(2, 3, 4)), axis=1)),
    "matmul": lambda m: ss.square(matrix(m) @ vector(m)),
    "vector matmul": lambda m: ss.square(vector(m, n=3) @ matrix(m)),
    "matrix matmul": lambda m: ss.square(matrix(m) @ matrix(m, "O", (4, 2))),
    "dot": lambda m: vector(m) @ vector(m, "w"),
    "outer": lambda m: ss.square(ss.outer(vector(m), vector(m, "w", 3))),
    "transpose": lambda m: ss.square(matrix(m).T),
    "transpose cube": lambda m: ss.square(ss.transpose(matrix(m, shape=(2, 3, 4)), (2, 0, 1))),
    "reshape": lambda m: ss.cumsum(ss.square(ss.reshape(matrix(m), (4, 3))), axis=1),
    "reshape flat": lambda m: ss.cumsum(ss.reshape(matrix(m), (-1,))),
    "reshape vector": lambda m: ss.cumsum(ss.reshape(vector(m), (2, 2)), axis=0),
    "stack": lambda m: ss.cumsum(ss.stack([vector(m)[0], 2.0, vector(m, "w")[1]])),
    "stack rows": lambda m: ss.cumsum(ss.stack([vector(m), vector(m, "w")]), axis=1),
    "stack columns": lambda m: ss.cumsum(ss.stack([vector(m), vector(m, "w")], axis=1), axis=1),
    "concatenate": lambda m: ss.cumsum(ss.concatenate([vector(m), vector(m, "w", 2)])),
    "concatenate columns": lambda m: ss.cumsum(ss.concatenate([matrix(m), matrix(m, "O", (3, 2))], axis=1), axis=1),
    "broadcast_to": lambda m: ss.cumsum(ss.broadcast_to(vector(m), (3, 4)), axis=0),
    "diagonal": lambda m: ss.square(ss.diagonal(matrix(m, shape=(3, 3)))),
    "diagonal_matrix": lambda m: ss.diagonal_matrix(vector(m, n=3)) @ matrix(m, shape=(3, 3)),
    "inverse": lambda m: ss.inverse(definite(m)),
    "cholesky": lambda m: ss.cholesky(definite(m)),
    "log_determinant": lambda m: ss.log_determinant(definite(m)),
    "solve": lambda m: ss.solve(definite(m), vector(m, n=3)),
    "solve matrix": lambda m: ss.solve(definite(m), matrix(m, shape=(3, 2))),
    "solve_lower": lambda m: ss.solve_lower(ss.cholesky(definite(m)), vector(m, n=3)),
    "quadratic_form": lambda m: ss.quadratic_form(definite(m), vector(m, n=3)),
    "gp_exp_quad_cov": lambda m: ss.gp_exp_quad_cov(vector(m), ss.exp(vector(m, "w")[0]), ss.exp(vector(m, "w")[1])),
    "index": lambda m: ss.exp(vector(m)[2]),
    "index last": lambda m: ss.exp(vector(m)[-1]),
    "slice": lambda m: ss.cumsum(vector(m)[1:]) - ss.cumsum(vector(m, "w")[:-1]),
    "slice step": lambda m: ss.cumsum(vector(m)[::2]),
    "slice back": lambda m: ss.cumsum(vector(m)[::-1]),
    "gather": lambda m: ss.cumsum(vector(m)[np.array([0, 3, 3, 2, 1])]),
    "gather by a table": lambda m: ss.cumsum(vector(m)[np.array([[0, 3], [1, 1], [2, 0]])], axis=1),
    "row": lambda m: ss.cumsum(matrix(m)[1]),
    "column": lambda m: ss.cumsum(matrix(m)[:, -2]),
    "rows": lambda m: ss.cumsum(matrix(m)[np.array([2, 0, 2])], axis=0),
    "columns": lambda m: ss.cumsum(matrix(m)[:, np.array([2, 0])], axis=0),
    "block": lambda m: ss.cumsum(matrix(m)[1:, :2], axis=0),
    "pairs": lambda m: ss.cumsum(matrix(m)[np.array([0, 1, 2]), np.array([3, 0, 3])]),
    "element": lambda m: ss.exp(matrix(m)[1, 2]),
    "mask": lambda m: ss.cumsum(vector(m)[np.array([True, False, True, True])]),
    "new axis": lambda m: ss.square(vector(m)[:, None] - vector(m, "w", 3)[None, :]),
    "cube row": lambda m: ss.cumsum(matrix(m, shape=(2, 3, 4))[1, 2]),
    "cube slice": lambda m: ss.cumsum(matrix(m, shape=(2, 3, 4))[:, 1], axis=1),
    "pick": lambda m: ss.pick(matrix(m), np.array([0, 3, 1])),
    "pick from one": lambda m: ss.pick(vector(m), np.array([0, 3, 1])),
    "positions": lambda m: ss.positions(vector(m)) * vector(m, "w"),
    "clip": lambda m: ss.clip(vector(m), -0.7, 0.9),
    "where": lambda m: ss.where(vector(m) > 0, ss.exp(vector(m, "w")), 2.0 * vector(m, "u")),
    "length": lambda m: ss.exp(vector(m)[0] / ss.length(vector(m))),
    "logistic growth": lambda m: ss.logistic_growth(np.linspace(0, 3, 4), 2.0, ss.exp(vector(m, n=1)[0]), 1.5),
    "convolve": lambda m: ss.convolve_sequence(matrix(m, shape=(2, 4)), np.array([0, 3, 1, 2, 2])),
    "simplexes as a matrix": lambda m: _simplexes(m) @ vector(m, n=3),
    "rows of simplexes": lambda m: ss.log(_simplexes(m)[np.array([1, 1, 0])]),
}  # fmt: skip

KEYS = {"all": slice(None), "some": slice(1, None), "first": 0, "last": -1, "picked": np.array([1, 0, 1])}
STACKS = {
    "matrix": lambda m: matrix(m, "p"),
    "simplexes": lambda m: _simplexes(m),
    "ordered": lambda m: _ordered(m),
    "covariances": lambda m: _covariances(m),
}


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("first", KEYS)
def test_any_two_keys(stack: str, first: str) -> None:
    """Stan keeps vectors with a constraint as an array: what two indices give of it has the type that is written."""
    m = ss.Model()
    p = STACKS[stack](m)
    total = 0
    for k, (second, key) in enumerate(KEYS.items()):
        if first == second == "picked":
            key = np.array([0, 1, 1])
        m[f"q{k}"] = ss.exp(p[KEYS[first], key])
        total = total + ss.sum(ss.square(m[f"q{k}"]) * (k + 1))
    m.y = ss.Normal(total, 1).observe(0.2)
    check(m)


def _ordered(m):
    m.p = ss.Normal(0, 1, shape=(2, 3), constraint="ordered")
    return m.p


def _covariances(m):
    m.p = ss.LKJCholesky(2, 1.5, shape=3)
    return m.p


def _simplexes(m):
    m.p = ss.Dirichlet(np.ones(3), shape=2)
    return m.p


@pytest.mark.parametrize("name", STRUCTURED)
def test_structured(name, stanc):
    m = ss.Model()
    observe(m, STRUCTURED[name](m))
    stanc(m.stan_code())
    check(m)


@pytest.mark.parametrize("axis", [0, 1, 2, -4])
@pytest.mark.parametrize("function", ["cumsum", "softmax", "log_softmax", "normalize", "logsumexp", "std"])
def test_any_axis_of_a_stack(function: str, axis: int) -> None:
    """Stan has these for vectors: along any axis of a stack of matrices they are written position by position."""
    rank = 4 if axis == -4 else 3
    m = ss.Model()
    m.a = ss.LogNormal(0, 0.3, shape=(2, 2, 3, 4)[-rank:])
    weights = np.random.default_rng(1).normal(size=(2, 2, 3, 4)[-rank:])
    m.out = getattr(ss, function)(m.a, axis=axis)
    kept = m.out if function in ("logsumexp", "std") else m.out * weights
    m.y = ss.Normal(ss.sum(kept), 1).observe(0.5)
    assert m.verify(points=3).ok
