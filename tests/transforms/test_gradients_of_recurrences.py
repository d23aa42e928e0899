"""Gradients of recurrences are recurrences: equal to torch's on every form, and again for second derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import scistan as ss
from tests.ops.test_scan import FORMS, SERIES
from tests.targets.looped_models import FORMS as LOOPED
from tests.targets.looped_models import build

torch = pytest.importorskip("torch")
WITH_LOOPS = [name for name in LOOPED if "recurrence" in name]
PATTERNS = {"zeros and ones": [0] * 5 + [1] * 10, "constant": [1] * 6, "one": [1]}


def point(m: ss.Model, seed: int = 2) -> dict[str, np.ndarray]:
    drawn = m.prior(draws=1, seed=seed).prior
    return {name: drawn[name].values[0, 0] for name, role in m.variables.items() if role == "latent"}


def compare(found: Any, expected: Any, rtol: float) -> None:
    ours, structure = ss.tree_flatten(found)
    theirs, same = ss.tree_flatten(expected)
    assert structure == same
    for a, b in zip(ours, theirs, strict=True):
        size = np.abs(np.asarray(b)).max(initial=1.0)
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=rtol * size)


@pytest.mark.parametrize("series", SERIES)
@pytest.mark.parametrize("form", FORMS)
def test_gradients_are_torchs(form, series):
    m = FORMS[form][0](SERIES[series])
    here = point(m)
    compare(ss.grad(m)(here), ss.grad(m, backend="torch")(here), 1e-10)


@pytest.mark.parametrize("form", FORMS)
def test_second_derivatives_are_torchs(form):
    m = FORMS[form][0](SERIES["three"])
    here = point(m)
    compare(ss.hessian(m)(here), ss.hessian(m, backend="torch")(here), 1e-8)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", WITH_LOOPS)
def test_loops_over_zeros_and_ones(name, pattern):
    m = build(name, PATTERNS[pattern])
    here = point(m)
    compare(ss.grad(m)(here), ss.grad(m, backend="torch")(here), 1e-10)


@pytest.mark.parametrize("reverse", [False, True])
def test_what_goes_back_to_the_start_to_elements_and_to_what_is_outside(reverse):
    def f(start, x, a):
        states = ss.scan(lambda s, x: (a[0] * s + ss.sin(x) * a[1], s * x), start, over=x, reverse=reverse)
        return ss.sum(states * np.arange(1.0, 5.0)) + ss.sum(ss.scan(lambda s, x: s * x + a[0], start, over=x)[::2])

    given = (0.7, np.array([0.3, -1.2, 0.5, 2.0]), np.array([0.9, -0.4]))
    compare(ss.grad(f, (0, 1, 2))(*given), ss.grad(f, (0, 1, 2), backend="torch")(*given), 1e-12)
    exact = [ss.grad(f, k)(*given) for k in range(3)]
    for k, slope in enumerate(exact):
        for at in np.ndindex(np.shape(given[k])):
            step = np.zeros(np.shape(given[k]))
            step[at] = 1e-6
            up, down = ([*given[:k], given[k] + sign * step, *given[k + 1 :]] for sign in (1, -1))
            difference = (float(ss.jit(f)(*up)) - float(ss.jit(f)(*down))) / 2e-6
            assert float(np.asarray(slope)[at]) == pytest.approx(difference, rel=1e-6, abs=1e-7)


def test_a_gradient_of_a_recurrence_prints_and_goes_into_a_model():
    m = ss.Model("slope")
    m.x = ss.data(np.array([0.1, 0.5, -0.2]))
    m.a = ss.Normal(0, 1)
    m.z = ss.scan(lambda s, x: m.a * s + x, 1.0, over=m.x)
    m.rise = ss.grad(ss.sum(m.z), wrt=m.a)
    m.y = ss.Normal(m.z, 1).observe(np.zeros(3))
    drawn = m.prior(draws=4, seed=1).prior
    a = drawn["a"].values[0]
    # z = a + x0, a² + a x0 + x1, a³ + a² x0 + a x1 + x2
    expected = 1 + (2 * a + 0.1) + (3 * a**2 + 2 * a * 0.1 + 0.5)
    np.testing.assert_allclose(drawn["rise"].values[0], expected, rtol=1e-12)
    assert m.verify(points=2).ok
