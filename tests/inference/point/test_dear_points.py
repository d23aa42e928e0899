"""Where single points are dear the other starts go in turn, and only as far as their share of the work."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.inference.point import mode as modes


def counts(groups: int, rows: int = 4) -> ss.Model:
    rng = np.random.default_rng(groups)
    g = np.repeat(np.arange(groups), rows)
    m = ss.Model("counts")
    m.g = ss.data(g)
    m.a, m.tau = ss.Normal(0, 5), ss.HalfNormal(2)
    m.u = ss.Normal(0, m.tau, shape=groups)
    m.y = ss.Poisson(ss.exp(m.a + m.u[m.g])).observe(rng.poisson(np.exp(1 + 0.8 * rng.normal(size=groups)[g])))
    return m


def two_peaks() -> ss.Model:
    """The first start finds a low peak near 0; others find the high one at 6."""
    m = ss.Model()
    m.x = ss.Normal(0, 5)
    heights = ss.exp(-0.5 * ss.square(m.x)) + 50 * ss.exp(-0.5 * ss.square(m.x - 6))
    m.y = ss.Exponential(heights + 1e-9).observe(0.0)
    return m


def test_the_answer_is_that_of_starts_that_climb_together(monkeypatch: pytest.MonkeyPatch) -> None:
    m = counts(40)
    together = m.mle(seed=1, progress=False)
    monkeypatch.setattr(modes, "_DEAR", 0.0)
    in_turn = m.mle(seed=1, progress=False)
    assert together.starts == in_turn.starts == in_turn.starts_agreeing == 8
    for name in ("a", "tau"):
        assert in_turn[name] == pytest.approx(together[name], abs=1e-6 * together.std_errors[name])
        assert in_turn.std_errors[name] == pytest.approx(together.std_errors[name], rel=1e-6)


def test_work_ends_after_twice_that_of_the_first_and_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    m = counts(40)
    alone, all_of_them = m.mle(seed=1, starts=1, progress=False), m.mle(seed=1, progress=False)
    monkeypatch.setattr(modes, "_DEAR", 0.0)
    monkeypatch.setattr(modes, "_LITTLE_WORK", 0.0)
    found = m.mle(seed=1, progress=False)
    assert found.converged
    assert found["tau"] == pytest.approx(all_of_them["tau"], abs=1e-6 * all_of_them.std_errors["tau"])
    assert found.starts == found.starts_agreeing < 8
    (told,) = found.findings
    assert f"{found.starts} starts were climbed from and {8 - found.starts} left out" in told
    assert found.evaluations <= 4 * alone.evaluations


@pytest.mark.parametrize("little", [2e7, 0.0], ids=["all starts", "a share of the work"])
def test_a_better_mode_is_still_found(little: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also by a start whose work is over before it is there: it is higher up, and goes on as the first."""
    monkeypatch.setattr(modes, "_DEAR", 0.0)
    monkeypatch.setattr(modes, "_LITTLE_WORK", little)
    m = two_peaks()
    assert abs(m.map(seed=0, starts=1).values["x"]) < 0.1
    found = m.map(seed=0, starts=16)
    assert found.values["x"] == pytest.approx(6 / (1 + 1 / 25), abs=1e-3)
    assert found.starts_agreeing < found.starts
    assert found.starts == 16 or any(f"{16 - found.starts} left out" in told for told in found.findings)


def test_ten_thousand_groups_take_few_evaluations() -> None:
    """Eight starts together took some 200 marginal gradients, each with a mode of 10,000 numbers."""
    found = counts(10_000, rows=8).mle(seed=1, progress=False)
    assert found.converged
    assert found["tau"] == pytest.approx(0.8, abs=5 * float(found.std_errors["tau"]))
    assert found.evaluations < 100
    assert any("left out" in told for told in found.findings)
