"""Truncated Newton: its parts held to dense linear algebra, its modes to banded systems, its audit to known faults."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import solveh_banded

import scistan as ss
from scistan.inference.point import mode as modes
from scistan.inference.point.lanczos import flattest
from scistan.inference.point.newton import climb_newton
from scistan.inference.point.preconditioner import scattered_diagonal
from scistan.inference.point.steihaug import inner_step
from tests.inference.point.test_optimizer import Plain, rosenbrock

torch = pytest.importorskip("torch")
some = settings(derandomize=True, deadline=None, max_examples=40)


class Curved(Plain):
    """A function of torch's with products, as an objective of no model."""

    def __init__(self, function):
        super().__init__(function)
        self.products = 0
        self.density = type("Density", (), {"blocks": []})

    def products_at(self, q):
        def multiply(vectors):
            rows = vectors.reshape(-1, len(q))
            self.products += len(rows)
            found = [torch.autograd.functional.hvp(lambda x: self.function(x[None]).sum(), q, v)[1] for v in rows]
            return torch.stack(found).reshape(vectors.shape)

        return multiply


def random_symmetric(seed: int, n: int, *, definite: bool) -> np.ndarray:
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(n, n)))
    values = np.exp(rng.normal(size=n))
    if not definite:
        values[rng.integers(n)] *= -1
    return (turn * values) @ turn.T


@some
@given(seed=st.integers(0, 10**6), n=st.integers(1, 12), definite=st.booleans(), edge=st.booleans(), thin=st.booleans())
def test_a_step_is_that_of_the_model_inside_of_its_region(seed, n, definite, edge, thin):
    matrix = torch.tensor(random_symmetric(seed, n, definite=definite))
    metric = torch.tensor(random_symmetric(seed + 1, n, definite=True)) if thin else torch.eye(n, dtype=torch.float64)
    inverse = torch.linalg.inv(metric)
    gradient = torch.tensor(np.random.default_rng(seed + 2).normal(size=n))
    radius = torch.tensor(0.1 if edge else 1e6, dtype=torch.float64)
    found = inner_step(torch, gradient, lambda v: matrix @ v, lambda v: inverse @ v, radius, 1e-12, 10 * n)
    s = found.step
    assert float(found.promised) == pytest.approx(float(gradient @ s - 0.5 * s @ matrix @ s), rel=1e-9, abs=1e-12)
    assert float(found.squared_step) == pytest.approx(float(s @ metric @ s), rel=1e-8, abs=1e-14)
    assert float(s @ metric @ s) <= float(radius) ** 2 * (1 + 1e-9)
    # No less than the best along the preconditioned gradient: Cauchy's point.
    d = inverse @ gradient
    bend, slope = float(d @ matrix @ d), float(gradient @ d)
    most = float(radius) / float(d @ metric @ d) ** 0.5
    length = min(slope / bend, most) if bend > 0 else most
    assert float(found.promised) >= (length * slope - 0.5 * length**2 * bend) * (1 - 1e-9)
    if definite and not edge:
        np.testing.assert_allclose(s, np.linalg.solve(matrix, gradient), rtol=1e-6, atol=1e-9)
    if not definite and bool(found.at_edge):
        assert float(found.squared_step) == pytest.approx(float(radius) ** 2, rel=1e-9)


@some
@given(seed=st.integers(0, 10**6), n=st.integers(1, 30), definite=st.booleans())
def test_lanczos_finds_the_flattest(seed, n, definite):
    matrix = random_symmetric(seed, n, definite=definite)
    start = torch.tensor(np.random.default_rng(seed).normal(size=n))
    values, rows = flattest(torch, lambda v: torch.tensor(matrix) @ v, start, 2)
    exact = np.linalg.eigvalsh(matrix)
    np.testing.assert_allclose(values, exact[: len(values)], rtol=1e-7, atol=1e-8)
    for value, row in zip(values, rows.numpy(), strict=True):
        np.testing.assert_allclose(matrix @ row, float(value) * row, atol=1e-6)


def test_lanczos_never_goes_below_the_truth():
    diagonal = torch.linspace(1.0, 100.0, 500, dtype=torch.float64)
    values, _ = flattest(torch, lambda v: diagonal * v, torch.ones(500, dtype=torch.float64), 4)
    assert bool((values >= diagonal[:4] - 1e-9).all())


def chain(n):
    return np.diag(np.linspace(3, 5, n)) - np.eye(n, k=1) - np.eye(n, k=-1)


def grid(k):
    flat = np.arange(k * k).reshape(k, k)
    matrix = np.diag(np.linspace(5, 7, k * k))
    for a, b in [(flat[1:], flat[:-1]), (flat[:, 1:], flat[:, :-1])]:
        matrix[a.ravel(), b.ravel()] = matrix[b.ravel(), a.ravel()] = -1.0
    return matrix


@pytest.mark.parametrize("matrix", [chain(1), chain(5), chain(50), grid(9), np.diag(np.logspace(-3, 3, 30))])
def test_a_diagonal_is_read_from_few_products(matrix):
    asked = []
    like = torch.zeros(len(matrix), dtype=torch.float64)
    found = scattered_diagonal(torch, like, lambda rows: asked.append(len(rows)) or rows @ torch.tensor(matrix))
    np.testing.assert_allclose(found, np.diag(matrix), rtol=1e-12)
    assert sum(asked) <= 14


def test_a_diagonal_that_cannot_be_read_is_none():
    ones = torch.ones((300, 300), dtype=torch.float64)
    assert scattered_diagonal(torch, ones[0], lambda rows: rows @ ones) is None


@pytest.mark.parametrize("dimension", [2, 30])
def test_rosenbrocks_valley(dimension):
    start = torch.full((1, dimension), -0.5, dtype=torch.float64)
    found = climb_newton(Curved(rosenbrock), start, tolerance=1e-12, max_iterations=1000)
    assert found.stopped == ["done"]
    np.testing.assert_allclose(found.q, np.ones((1, dimension)), rtol=1e-6)


def test_a_saddle_is_left():
    def function(q):
        return (0.5 * q[:, :1] ** 2 - 0.25 * q[:, :1] ** 4 - 0.5 * q[:, 1:] ** 2).sum(-1)

    start = torch.tensor([[1e-3, 0.7]], dtype=torch.float64)
    found = climb_newton(Curved(function), start, tolerance=1e-12, max_iterations=100)
    np.testing.assert_allclose(found.q, [[1.0, 0.0]], atol=1e-6)


def test_what_is_held_stays_and_a_cliff_is_stepped_back_from():
    def function(q):
        return (torch.log(q) - q).sum(-1)  # NaN below 0

    start = torch.tensor([[30.0, 0.5, 2.0]], dtype=torch.float64)
    free = torch.tensor([True, True, False])
    found = climb_newton(Curved(function), start, tolerance=1e-12, max_iterations=100, free=free)
    np.testing.assert_allclose(found.q, [[1.0, 1.0, 2.0]], rtol=1e-6)
    assert climb_newton(Curved(function), -start, tolerance=1e-9, max_iterations=9).stopped == ["not finite"]


# -- models --------------------------------------------------------------------------------------------
def walk(count: int, seed: int = 0) -> tuple[ss.Model, np.ndarray]:
    """Counts along a random walk, the walk itself the latent; and its mode by banded Newton steps."""
    rng = np.random.default_rng(seed)
    y = rng.poisson(np.exp(1 + np.sin(np.arange(count) * 20 / count)))
    m = ss.Model("walk")
    m.f = ss.Normal(0, 10, shape=count)
    m.steps = ss.Normal(m.f[1:] - m.f[:-1], 0.1).observe(np.zeros(count - 1))
    m.y = ss.Poisson(ss.exp(m.f)).observe(y)
    f = np.zeros(count)
    bands = np.zeros((2, count))
    bands[1] = 0.01 + 100.0 * (np.r_[0, np.ones(count - 1)] + np.r_[np.ones(count - 1), 0])
    bands[0, 1:] = -100.0
    for _ in range(60):
        tied = bands[1] * f
        tied[:-1] += bands[0, 1:] * f[1:]
        tied[1:] += bands[0, 1:] * f[:-1]
        curved = bands.copy()
        curved[1] += np.exp(f)
        f = f + np.clip(solveh_banded(curved, y - np.exp(f) - tied), -1, 1)
    return m, f


def test_a_hundred_thousand_coordinates_converge_and_are_audited():
    m, exact = walk(100_000)
    found = m.map(seed=1, starts=1, progress=False)
    assert found.converged, found.reason
    curvature = found.source.mode.curvature
    assert curvature.kind == "products"
    assert 0 < curvature.lowest < 1
    np.testing.assert_allclose(found["f"], exact, atol=1e-6)
    assert np.isnan(found.std_errors["f"]).all()
    assert any("standard errors of `f` were left out" in text for text in found.findings)
    assert "… and 99960 more" in repr(found)
    assert len(found.to_dataframe()) == 100_000


@pytest.fixture
def _always_products(monkeypatch):
    for name in ("_MANY", "DENSE", "_DENSE_IF_NEEDED"):
        monkeypatch.setattr(modes, name, 2)
    monkeypatch.setattr(modes, "guess_layout", lambda _: None)


@pytest.mark.usefixtures("_always_products")
def test_the_optimizers_agree():
    m, exact = walk(300)
    by = {name: m.map(seed=1, starts=2, optimizer=name) for name in ("newton", "lbfgs", "auto")}
    for found in by.values():
        assert found.converged, found.reason
        assert found.starts == found.starts_agreeing == 2
        np.testing.assert_allclose(found["f"], exact, atol=1e-4)


@pytest.mark.usefixtures("_always_products")
def test_a_flat_direction_is_named_without_a_matrix():
    m = ss.Model("flat")
    m.a, m.b, m.c = ss.Flat(), ss.Flat(), ss.Normal(0, 1)
    m.y = ss.Normal(m.a + m.b + m.c, 1).observe([1.0, 2.0, 3.0])
    found = m.map(seed=1)
    assert not found.converged
    assert "flat" in found.reason
    assert "`a`, `b`" in found.reason


@pytest.mark.usefixtures("_always_products")
def test_a_saddle_is_no_mode_without_a_matrix():
    m = ss.Model("saddle")
    m.a, m.b, m.c = ss.Normal(0, 10), ss.Normal(0, 10), ss.Normal(0, 1)
    m.y = ss.Normal(m.a * m.b + 0.1 * m.c, 0.1).observe(np.full(20, 1.0))
    here = {"a": 0.0, "b": 0.0, "c": 0.0}
    found = m.map(seed=1, starts=1, inits=here)  # no slope in a and b, and curving up along a = b
    assert found.converged, found.reason
    assert abs(float(found["a"])) == pytest.approx(1.0, rel=1e-2)
    assert float(found["b"]) == pytest.approx(float(found["a"]), rel=1e-4)
