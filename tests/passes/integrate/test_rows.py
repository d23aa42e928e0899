"""Rows are summed piece by piece, and what is made of them does not grow with them."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import scistan as ss
from scistan.engines.embedded import open_density
from scistan.engines.encoding import to_json
from scistan.inference.integrate import integrated
from scistan.passes.integrate import statistics
from scistan.targets.stan.program import lower_to_stan


def regression(rows: int, columns: int = 4, far: float = 0.0) -> ss.Model:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(rows, columns))
    m = ss.Model("rows")
    m.X = ss.data(x)
    m.a, m.b, m.sigma = ss.Normal(0, 5 + far), ss.Normal(0.5, 1, shape=columns), ss.HalfNormal(1)
    m.y = ss.Normal(m.a + m.X @ m.b, m.sigma).observe(far + x @ np.arange(columns) + rng.normal(size=rows))
    return m


def made(m: ss.Model) -> tuple[str, dict[str, np.ndarray]]:
    instance = integrated(m.instance(), True)
    program = lower_to_stan(instance.graph, log_lik=False, predictive=False, log_prior=False)
    return program.text, program.data(instance)


def test_program_and_data_are_as_long_for_ten_times_the_rows() -> None:
    (few, small), (many, large) = made(regression(200)), made(regression(2_000))
    assert few == many
    assert {name: np.shape(array) for name, array in small.items()} == {n: np.shape(a) for n, a in large.items()}
    assert abs(len(to_json(large)) - len(to_json(small))) < 0.2 * len(to_json(small))  # digits alone


@pytest.mark.parametrize("far", [0.0, 1e6])
def test_pieces_are_the_whole(far: float, monkeypatch: pytest.MonkeyPatch) -> None:
    q = np.array([0.3])
    expected, slope = open_density(*_with_json(made(regression(300, far=far))), 1).log_density_gradient(q)
    monkeypatch.setattr(statistics, "PIECE", 7)
    found, gradient = open_density(*_with_json(made(regression(300, far=far))), 1).log_density_gradient(q)
    assert found == pytest.approx(expected, rel=1e-10)
    assert gradient == pytest.approx(slope, rel=1e-10)


def _with_json(program: tuple[str, dict[str, np.ndarray]]) -> tuple[str, str]:
    return program[0], to_json(program[1])


def test_no_table_of_all_rows_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the data, memory holds a few columns of all rows, and the table of a piece of them."""
    monkeypatch.setattr(statistics, "PIECE", 1_000)
    rows, columns = 40_000, 30
    instance = regression(rows, columns).instance()
    tracemalloc.start()
    try:
        integrated(instance, True)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * rows * columns / 2
