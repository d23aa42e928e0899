"""What every declared op is tested on: where its arguments may lie, and what NumPy or SciPy says it is.

An elementwise op needs at most a row in `PLACES` (where its arguments lie, all numbers by default) and in
`REFERENCES` (NumPy's function of its name by default); any other op has cases of its own below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.special as sp

import scistan as ss
from scistan.ops import REGISTRY, Expression, user
from scistan.ops.expression import function_of

PUBLIC = {name for name, op in REGISTRY.items() if op.public} - user._declared_here
"""The ops of the language; distributions test the private ones they declare."""

Place = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
Shapes = Callable[[np.random.Generator], Sequence[tuple[int, ...]]]


def real(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.uniform(-2, 2, shape)


def positive(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.uniform(0.2, 4, shape)


def negative(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return -positive(rng, shape)


def unit(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.uniform(0.05, 0.95, shape)


def above_one(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.uniform(1.2, 4, shape)


def above_four(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.uniform(4.2, 9, shape)


PLACES: dict[str, tuple[Place, ...]] = {
    "divide": (real, positive),
    "power": (positive, real),
    "arcsin": (unit,),
    "arccos": (unit,),
    "arctanh": (unit,),
    "arccosh": (above_one,),
    "logit": (unit,),
    "inv_Phi": (unit,),
    "log1m": (unit,),
    "log1m_exp": (negative,),
    "log_diff_exp": (above_four, positive),
    "multiply_log": (real, positive),
    "gamma_p": (positive, positive),
    "gamma_q": (positive, positive),
    "log_gamma_p": (positive, positive),
    "log_gamma_q": (positive, positive),
    "inc_beta": (positive, positive, unit),
    "log_inc_beta": (positive, positive, unit),
    "log_choose": (above_four, positive),
    **dict.fromkeys(("log", "log2", "log10", "log1p", "sqrt", "lgamma", "digamma", "trigamma"), (positive,)),
    "lbeta": (positive, positive),
}

REFERENCES: dict[str, Callable[..., Any]] = {
    "frozen": lambda x: x,
    "live": lambda x: x,
    "logit": sp.logit,
    "inv_logit": sp.expit,
    "log_inv_logit": sp.log_expit,
    "softplus": lambda x: np.logaddexp(0, x),
    "log1m": lambda x: np.log(1 - x),
    "log1m_exp": lambda x: np.log(1 - np.exp(x)),
    "erf": sp.erf,
    "erfc": sp.erfc,
    "Phi": sp.ndtr,
    "inv_Phi": sp.ndtri,
    "log_Phi": sp.log_ndtr,
    "lgamma": sp.gammaln,
    "digamma": sp.psi,
    "trigamma": lambda x: sp.polygamma(1, x),
    "lbeta": sp.betaln,
    "log_diff_exp": lambda x, y: np.log(np.exp(x) - np.exp(y)),
    "multiply_log": lambda x, y: x * np.log(y),
    "gamma_p": sp.gammainc,
    "gamma_q": sp.gammaincc,
    "log_gamma_p": lambda a, x: np.log(sp.gammainc(a, x)),
    "log_gamma_q": lambda a, x: np.log(sp.gammaincc(a, x)),
    "inc_beta": sp.betainc,
    "log_inc_beta": lambda a, b, x: np.log(sp.betainc(a, b, x)),
    "log_i0": lambda x: np.log(sp.i0(x)),
    "owens_t": sp.owens_t,
    "log_choose": lambda n, k: sp.gammaln(n + 1) - sp.gammaln(k + 1) - sp.gammaln(n - k + 1),
}

ROUGH = frozenset(
    {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "floor", "ceil", "round"}
)
"""The ops that are flat between jumps: torch gives no gradient, or zero."""


@dataclass(frozen=True)
class Case:
    """One way to use an op: how it is built of inputs, what it equals, and the inputs' shapes and places."""

    name: str
    op: str
    build: Callable[..., Expression]
    reference: Callable[..., Any]
    shapes: Shapes
    places: tuple[Place, ...]
    smooth: bool = True

    def __str__(self) -> str:
        return self.name

    def values(self, seed: int, shapes: Sequence[tuple[int, ...]], draws: int | None = None) -> list[np.ndarray]:
        """Draw the inputs, each with a leading axis over draws if asked."""
        rng = np.random.default_rng(seed)
        lead = () if draws is None else (draws,)
        return [place(rng, (*lead, *shape)) for place, shape in zip(self.places, shapes, strict=True)]

    def some_shapes(self) -> list[tuple[int, ...]]:
        """Give the largest of a few examples, always the same."""
        examples = [list(self.shapes(np.random.default_rng(seed))) for seed in range(6)]
        return max(examples, key=lambda shapes: sum(np.prod(s, dtype=int) for s in shapes))


def lengths(rng: np.random.Generator, least: int, most: int) -> tuple[int, ...]:
    return tuple(int(n) for n in rng.integers(1, 5, rng.integers(least, most + 1)))


def ranks(least: int, most: int) -> Shapes:
    return lambda rng: [lengths(rng, least, most)]


def just(*shapes: tuple[int, ...]) -> Shapes:
    return lambda rng: shapes


def any_of(*choices: list[tuple[int, ...]]) -> Shapes:
    return lambda rng: choices[rng.integers(len(choices))]


def broadcastable(count: int) -> Shapes:
    def shapes(rng: np.random.Generator) -> list[tuple[int, ...]]:
        full = lengths(rng, 0, 3)
        kept = [full[rng.integers(len(full) + 1) :] for _ in range(count)]
        return [tuple(1 if rng.random() < 0.2 else n for n in one) for one in kept]

    return shapes


def elementwise_cases() -> list[Case]:
    cases = []
    for name, op in REGISTRY.items():
        if not op.elementwise or name not in PUBLIC:
            continue
        count = op.arity or 2
        reference = REFERENCES.get(name) or getattr(np, name)
        places = PLACES.get(name, (real,) * count)
        cases.append(Case(name, name, function_of(op), reference, broadcastable(count), places, name not in ROUGH))
    return cases


def spd(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    x = rng.uniform(-1, 1, shape)
    return x @ np.swapaxes(x, -1, -2) + shape[-1] * np.eye(shape[-1])


def lower(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return np.tril(spd(rng, shape))


def squares(*tails: str, stacked: bool = False) -> Shapes:
    """Give a square matrix and what goes with it: `v` a vector, `m` a matrix of as many rows."""

    def shapes(rng: np.random.Generator) -> list[tuple[int, ...]]:
        k, m = (int(n) for n in rng.integers(1, 5, 2))
        others = {"v": (k,), "m": (k, m)}
        return [(*(lengths(rng, 0, 1) if stacked else ()), k, k), *(others[t] for t in tails)]

    return shapes


def products(rng: np.random.Generator) -> list[tuple[int, ...]]:
    n, k, m, s = (int(n) for n in rng.integers(1, 5, 4))
    left, right = [(k,), (n, k), (s, n, k)], [(k,), (k, m), (s, k, m)]
    return [left[rng.integers(3)], right[rng.integers(3)]]


def reduction(name: str, reference: Callable[..., Any], place: Place = real) -> list[Case]:
    function = getattr(ss, name)
    cases = []
    for axis, keepdims in [(None, False), (None, True), (0, False), (-1, True), ((0, -1), False), ((-2, 0), True)]:
        least = 0 if axis is None else 1 if isinstance(axis, int) else 2 if axis == (0, -1) else 3
        cases.append(
            Case(
                f"{name}-{axis}-{keepdims}", name,
                lambda x, a=axis, k=keepdims: function(x, axis=a, keepdims=k),
                lambda x, a=axis, k=keepdims: reference(x, axis=a, keepdims=k),
                ranks(least, 3), (place,),
            )
        )
    return cases


def scan(name: str, reference: Callable[..., Any]) -> list[Case]:
    function = getattr(ss, name)
    return [
        Case(f"{name}-{axis}", name, lambda x, a=axis: function(x, axis=a), lambda x, a=axis: reference(x, axis=a),
             ranks(2, 3), (real,))
        for axis in (0, 1, -1)
    ]


def one(op: str, reference: Callable[..., Any], shapes: Shapes, *places: Place, name: str = "", **options: Any) -> Case:
    function = getattr(ss, op)
    call = lambda *xs: function(*xs, **options)
    return Case(name or op, op, call, reference, shapes, places or (real,))


def index_case(name: str, key: Any, shape: tuple[int, ...]) -> Case:
    return Case(f"index-{name}", "index", lambda x: x[key], lambda x: x[key], just(shape), (real,))


INDICES: dict[str, tuple[Any, tuple[int, ...]]] = {
    "int": (1, (3, 2)),
    "negative": (-1, (3, 2)),
    "ints": ((2, 0), (3, 2)),
    "slice": (slice(1, None), (4,)),
    "steps": (slice(None, None, 2), (5, 2)),
    "outside": (slice(-10, 10), (4,)),
    "empty": (slice(3, 1), (4,)),
    "reversed": (slice(None, None, -1), (4, 2)),
    "backwards": ((slice(None), slice(3, 0, -2)), (2, 5)),
    "new": (None, (3,)),
    "new_last": ((slice(None), None), (3,)),
    "dots": ((..., 0), (2, 3, 4)),
    "dots_between": ((0, ..., 1), (2, 3, 4)),
    "new_and_dots": ((None, ..., None), (2, 3)),
    "array": (np.array([0, 2, 2, 1]), (3, 2)),
    "list": ([1, 0], (3, 2)),
    "empty_list": ([], (3, 2)),
    "table": (np.array([[0, 1], [2, 2]]), (3, 2)),
    "second": ((slice(None), np.array([1, 0, 1])), (3, 2)),
    "pairs": ((np.array([0, 2]), np.array([1, 1])), (3, 2)),
    "crossed": ((np.array([[0], [2]]), np.array([1, 0, 1])), (3, 2)),
    "scalar": (np.int64(1), (3, 2)),
    "scalars": ((np.int64(1), np.int32(0)), (3, 2)),
    "scalar_scattered": ((np.int64(1), slice(None), np.int64(0)), (2, 3, 4)),
    "scalar_and_array": ((np.int64(1), np.array([0, 1])), (3, 2)),
    "together": ((slice(None), np.array([0, 2]), np.array([1, 1])), (2, 3, 4)),
    "scattered": ((np.array([0, 1]), slice(None), np.array([3, 2])), (2, 3, 4)),
    "scattered_by_int": ((0, slice(None), np.array([3, 2, 2])), (2, 3, 4)),
    "int_beside_array": ((slice(None), 1, np.array([3, 2, 2])), (2, 3, 4)),
    "int_after_array": ((np.array([1, 0]), 1), (2, 3, 4)),
    "scattered_by_new": ((np.array([1, 0]), None, np.array([2, 1])), (2, 3, 4)),
    "scattered_tables": ((np.array([[0, 1], [1, 1]]), slice(None, None, -1), np.array([3, 2])), (2, 3, 4)),
    "mask": (np.array([True, False, True]), (3, 2)),
    "mask_list": ([True, False, True], (3, 2)),
    "mask_second": ((slice(None), np.array([True, False])), (3, 2)),
    "mask_table": (np.array([[True, False], [True, True], [False, False]]), (3, 2)),
    "mask_then_slice": ((np.array([[True, False], [True, True]]), slice(1, None)), (2, 2, 3)),
    "nothing_masked": (np.array([False, False, False]), (3,)),
}


LETTERS = [0, 2, 1, 1, 0]


def sliding(w: np.ndarray) -> np.ndarray:
    k, letters = w.shape[0], LETTERS
    return np.array([sum(w[j, letters[i + j]] for j in range(k)) for i in range(len(letters) - k + 1)])


def _pick(x: np.ndarray, position: np.ndarray) -> np.ndarray:
    batch = np.broadcast_shapes(x.shape[:-1], position.shape)
    x, position = np.broadcast_to(x, (*batch, x.shape[-1])), np.broadcast_to(position, batch)
    return np.take_along_axis(x, position[..., None], -1)[..., 0]


def _pick_case(shape: tuple[int, ...], position: np.ndarray) -> Case:
    return Case(f"pick-{shape}-{position.shape}", "pick", lambda x: ss.pick(x, position),
                lambda x: _pick(x, position), just(shape), (real,))


STRUCTURED: list[Case] = [
    *reduction("sum", np.sum),
    *reduction("mean", np.mean),
    *reduction("prod", np.prod, positive),
    *reduction("min", np.min),
    *reduction("max", np.max),
    *reduction("logsumexp", lambda x, **how: np.log(np.sum(np.exp(x), **how))),
    *reduction("var", np.var),
    *reduction("std", np.std),
    *scan("cumsum", np.cumsum),
    *scan("softmax", sp.softmax),
    *scan("log_softmax", sp.log_softmax),
    *scan("normalize", lambda x, axis: x / np.sum(x, axis=axis, keepdims=True)),
    Case("var-ddof", "var", lambda x: ss.var(x, axis=0, ddof=1), lambda x: np.var(x, axis=0, ddof=1),
         just((4, 3)), (real,)),
    Case("cumsum-flat", "cumsum", lambda x: ss.cumsum(x), np.cumsum, just((3, 2)), (real,)),
    one("matmul", np.matmul, products, real, real),
    one("dot", np.dot, any_of([(3,), (3,)], [(2, 3), (3,)], [(2, 3), (3, 2)], [(), (3,)]), real, real),
    one("outer", np.outer, any_of([(2,), (3,)], [(1,), (4,)]), real, real),
    one("solve", np.linalg.solve, squares("m"), spd, real),
    one("solve", lambda a, b: np.linalg.solve(a, b), squares("v"), spd, real, name="solve-vector"),
    one("solve_lower", lambda a, b: scipy.linalg.solve_triangular(a, b, lower=True), squares("m"), lower, real),
    one("solve_lower", lambda a, b: scipy.linalg.solve_triangular(a, b, lower=True), squares("v"), lower, real,
        name="solve_lower-vector"),
    one("inverse", np.linalg.inv, squares(stacked=True), spd),
    Case("cholesky", "cholesky", lambda x: ss.cholesky((x + np.swapaxes(x, -1, -2)) / 2), np.linalg.cholesky,
         squares(stacked=True), (spd,)),
    one("log_determinant", lambda x: np.linalg.slogdet(x)[1], squares(stacked=True), spd),
    one("diagonal", lambda x: np.diagonal(x, axis1=-2, axis2=-1), squares(stacked=True)),
    one("trace", np.trace, squares()),
    one("diagonal_matrix", np.diag, ranks(1, 1)),
    one("quadratic_form", lambda a, x: x @ a @ x, squares("v"), spd, real),
    one("gp_exp_quad_cov", lambda x, alpha, rho: alpha**2 * np.exp(-0.5 * (np.subtract.outer(x, x) / rho) ** 2),
        any_of([(4,), (), ()], [(1,), (), ()]), real, positive, positive),
    one("transpose", np.transpose, ranks(0, 3)),
    one("transpose", lambda x: np.transpose(x, (1, 2, 0)), just((2, 3, 4)), name="transpose-axes", axes=(1, 2, 0)),
    one("reshape", lambda x: np.reshape(x, (6,)), just((2, 3)), shape=6),
    one("reshape", lambda x: np.reshape(x, (3, -1)), just((2, 3)), name="reshape-rest", shape=(3, -1)),
    one("reshape", lambda x: np.reshape(x, (1, 2, 3)), just((2, 3)), name="reshape-one", shape=(1, 2, 3)),
    one("broadcast_to", lambda x: np.broadcast_to(x, (2, 4, 3)), any_of([(3,)], [(4, 1)], [()]),
        shape=(2, 4, 3)),
    *(
        Case(f"{f}-{axis}-{shapes}", f, lambda *xs, f=f, a=axis: getattr(ss, f)(xs, axis=a),
             lambda *xs, f=f, a=axis: getattr(np, f)(xs, axis=a), just(*shapes), (real,) * len(shapes))
        for f, axis, shapes in [
            ("stack", 0, [(), ()]), ("stack", -1, [(2, 3), (2, 3)]), ("stack", 1, [(2, 3), (2, 3), (2, 3)]),
            ("concatenate", 0, [(2,), (3,), (1,)]), ("concatenate", -1, [(2, 3), (2, 1)]),
            ("concatenate", 1, [(2, 3, 2), (2, 1, 2)]),
        ]
    ),
    *(index_case(name, key, shape) for name, (key, shape) in INDICES.items()),
    _pick_case((3,), np.array([0, 2, 1, 1])),
    _pick_case((2, 3), np.array([0, 2])),
    _pick_case((2, 3), np.array(1)),
    _pick_case((3,), np.array(1)),
    _pick_case((2, 3), np.array([[0], [2]])),
    one("positions", lambda x: np.broadcast_to(np.arange(x.shape[-1]), x.shape),
        ranks(1, 2)),
    Case("arange", "arange", lambda x: x * ss.arange(x.shape[0]), lambda x: x * np.arange(len(x)),
         ranks(1, 1), (real,)),
    Case("length", "arange", lambda x: ss.sum(x) / ss.length(x), np.mean, ranks(1, 1),
         (real,)),
    one("clip", lambda x: np.clip(x, -0.5, 1.0), ranks(0, 3), lower=-0.5, upper=1.0),
    one("floor_divide", np.floor_divide, broadcastable(2), real, positive),
    one("remainder", np.remainder, broadcastable(2), real, positive),
    one("exponential_growth", lambda t, s, r: s * np.exp(r * t), broadcastable(3), real, positive, real),
    one("log_exponential_growth", lambda t, s, r: s + r * t, broadcastable(3), real, real, real),
    one("logistic_growth", lambda t, c, m, r: c / (1 + np.exp(-r * (t - m))), broadcastable(4), real, positive, real,
        real),
    one("log_logistic_growth", lambda t, c, m, r: c - np.log1p(np.exp(-r * (t - m))), broadcastable(4), real, real,
        real, real),
    one("logistic_growth_from", lambda t, c, s, r: c * s / (s + (c - s) * np.exp(-r * t)), broadcastable(4), real,
        above_four, positive, real),
    one("log_logistic_growth_from",
        lambda t, c, s, r: np.log(np.exp(c) * np.exp(s) / (np.exp(s) + (np.exp(c) - np.exp(s)) * np.exp(-r * t))),
        broadcastable(4), real, above_four, positive, real),
    Case("convolve_sequence", "index", lambda w: ss.convolve_sequence(w, LETTERS), sliding,
         any_of([(1, 3)], [(2, 3)], [(5, 4)]), (real,)),
    *(
        Case(f, "multiply", lambda x, y, f=f: getattr(ss, f)(x > 0, y), lambda x, y, f=f: getattr(np, f)(x > 0, y),
             broadcastable(2), (real, real), smooth=False)
        for f in ("logical_and", "logical_or")
    ),
]

CASES: list[Case] = [*elementwise_cases(), *STRUCTURED]

__all__ = ["CASES", "INDICES", "PUBLIC", "ROUGH", "STRUCTURED", "Case"]
