"""NumPy's functions and methods on expressions, and arrays of every kind on either side of an operator."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
import scipy.special
import xarray as xr

import scistan as ss

RNG = np.random.default_rng(3)
ARRAYS = {
    "v": RNG.normal(size=4),
    "w": RNG.normal(size=4),
    "P": RNG.uniform(0.1, 0.9, size=4),
    "A": RNG.normal(size=(3, 4)),
    "B": RNG.normal(size=(4, 3)),
    "S": np.eye(4) + 0.1,
    "C": RNG.normal(size=(2, 3, 4)),
}

WRITTEN = """
np.exp(A)
np.sum(C, axis=(0, 2), keepdims=True)
A.sum(axis=1, keepdims=True)
A.std(1, ddof=1)
np.clip(A, 0, None)
A.clip(min=0)
np.where(A > 0, A, 0)
np.stack([v, np.zeros(4)], axis=-1)
np.concatenate([v, [1.0, 2.0]])
np.hstack([v, w])
np.hstack([A, A])
np.vstack([v, w])
np.vstack([A, A])
np.append(v, 1.0)
np.append(A, A, axis=1)
np.inner(v, w)
np.inner(A, A)
np.outer(v, w)
np.add.outer(v, w)
np.subtract.outer(v, w)
np.ravel(A)
A.ravel()
A.flatten()
np.diff(v)
np.diff(A, axis=0)
np.diff(v, n=2)
S.trace()
S.diagonal()
np.linalg.cholesky(S)
np.linalg.solve(S, v)
np.linalg.inv(S)
np.linalg.norm(v)
np.linalg.norm(A, axis=1)
np.tile(v, 3)
np.repeat(v, 2)
np.repeat(A, 2, axis=0)
np.repeat(v, [1, 2, 0, 1])
np.roll(v, 1)
np.roll(A, 2, axis=1)
np.roll(A, 1)
np.flip(A)
np.flip(A, axis=1)
np.take(v, [0, 2])
np.take(A, [0, 2], axis=1)
v.take([0, 2])
np.sign(v)
np.trunc(3 * v)
np.round(v, 2)
round(v[0])
v.round()
np.hypot(v, w)
np.deg2rad(v)
np.logical_xor(v > 0, w > 0) * 1.0
((v > 0) ^ (w > 0)) * 1.0
divmod(v, 0.3)[1]
np.squeeze(v[None, :, None])
np.squeeze(v[None, :, None], axis=0)
np.moveaxis(C, 0, -1)
np.swapaxes(C, 0, 2)
np.atleast_1d(v[0])
np.atleast_2d(v)
np.ones_like(v) * v
np.zeros_like(A) + A
np.full_like(v, 2.0) + v
np.average(v, weights=P)
np.average(A, axis=1, weights=P)
np.ptp(A, axis=0)
np.select([v > 0, w > 0], [v, w], 0.5)
np.any(A > 0, axis=1) * 1.0
np.all(A > 0) * 1.0
np.count_nonzero(A > 0, axis=0) * 1.0
v.size * 1.0 + v
np.size(A) * v
v / v.shape[0]
v * (1 / v.shape[0])
np.sqrt(v.shape[0]) * v
v[: v.shape[0] // 2]
v[v.shape[0] % 3]
v ** np.float64(2)
[v[0], 1.0, v[1], 2] * w
[[v[0], 1.0], [v[1], 2]] + v[:2]
scipy.special.gammaln(P)
scipy.special.psi(P)
scipy.special.ndtr(v)
scipy.special.log_ndtr(v)
scipy.special.ndtri(P)
scipy.special.xlogy(P, P)
scipy.special.betaln(P, 2.0)
scipy.special.gammainc(P, 2.0)
scipy.special.gammaincc(P, 2.0)
scipy.special.betainc(2.0, 3.0, P)
v[::-2]
A[::-1, [True, False, True, True]]
A[np.ix_([0, 2], [1, 3])]
C[[0, 1], :, [1, 2]]
""".strip().splitlines()


@pytest.mark.parametrize("written", WRITTEN)
def test_an_expression_is_computed_as_numpy_computes_it(written: str) -> None:
    m = ss.Model()
    for name, array in ARRAYS.items():
        m[name] = ss.data(array)
    around = {"np": np, "scipy": scipy, "ss": ss}
    m.out = eval(written, {**around, **{name: m[name] for name in ARRAYS}})
    expected = eval(written, {**around, **{name: np.array(array) for name, array in ARRAYS.items()}})
    found = m.simulate(seed=0)["out"]
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


def test_the_functions_reach_every_target() -> None:
    m = ss.Model()
    m.v = ss.Normal(0, 1, shape=4)
    m.A = ss.Normal(0, 1, shape=(2, 4))
    parts = [np.roll(m.v, 1), np.flip(m.v), np.tile(m.v[:2], 2), np.repeat(m.v[1:3], 2), np.append(m.v[0], m.v[1:])]
    m.mean = np.sum(np.vstack(parts), axis=0) + np.hstack([m.A, m.A])[0, 2:6] / m.v.shape[0] + np.linalg.norm(m.A)
    m.y = ss.Normal(m.mean, 1).observe(np.zeros(4))
    m.z = ss.Normal(np.diff(m.v), [0.5, 1.0, ss.exp(m.v[0])]).observe(np.zeros(3))
    assert m.verify(points=3).ok


OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.floordiv, operator.mod,
             operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
KINDS: dict[str, Callable[[np.ndarray], object]] = {
    "list": list,
    "tuple": tuple,
    "array": np.asarray,
    "series": pd.Series,
    "index": pd.Index,
    "nullable": lambda a: pd.array(a, dtype="Float64"),
    "frame": lambda a: pd.DataFrame([a, a]),
    "xarray": lambda a: xr.DataArray(a, dims="k"),
    "torch": lambda values: pytest.importorskip("torch").tensor(values),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("apply", OPERATORS, ids=lambda apply: apply.__name__)
def test_arrays_stand_on_either_side(kind: str, apply: Callable[[object, object], object]) -> None:
    array = np.array([0.5, 1.0, 2.0, 3.5])
    value = KINDS[kind](array)
    m = ss.Model()
    m.a = ss.LogNormal(0, 1, shape=4)
    m.left = apply(value, m.a)
    m.right = apply(m.a, value)
    drawn = m.simulate(seed=1)
    same = np.stack([array, array]) if kind == "frame" else array
    np.testing.assert_allclose(drawn["left"], apply(same, drawn["a"]), rtol=1e-13)
    np.testing.assert_allclose(drawn["right"], apply(drawn["a"], same), rtol=1e-13)


def test_lengths_computed_with_follow_the_data() -> None:
    m = ss.Model()
    m.x = ss.data(np.arange(6.0))
    m.share = 1 / m.x.shape[0]
    m.half = m.x[: m.x.shape[0] // 2]
    m.root = np.sqrt(m.x.size)
    other = m.with_data(x=np.arange(16.0))
    assert other.simulate(seed=0)["share"] == 1 / 16
    assert other.simulate(seed=0)["root"] == 4
    np.testing.assert_array_equal(other.simulate(seed=0)["half"], np.arange(8.0))
    assert other.stan_code() == m.stan_code()


def test_whole_numbers_are_an_index_however_they_are_stored() -> None:
    m = ss.Model()
    m.group = ss.data(pd.Series([0.0, 2.0, 1.0]))  # pandas keeps a column that once had gaps as real numbers
    m.a = ss.Normal(0, 1, shape=3)
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(m.a[m.group] + m.b * m.group, 1).observe(np.zeros(3))
    assert m.verify(points=3).ok
    assert m.stan_data()["group_index"].tolist() == [1, 3, 2]
    assert m.stan_data()["group"].tolist() == [0, 2, 1]
    with pytest.raises(ss.DataError, match=r"`group` holds 0\.5"):
        m.with_data(group=[0.0, 0.5, 1.0])
