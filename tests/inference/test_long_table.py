"""Tables of many elements are ArviZ's own, made at once."""

from __future__ import annotations

import numpy as np
import pytest

import scistan.inference.long_table as long_table
from scistan.diagnostics import table
from scistan.inference.arviz_data import group, load_arviz, summary_table

pytestmark = pytest.mark.skipif(not load_arviz().__version__.startswith("0."), reason="ArviZ 1.x has its own tables")
ROUNDING = 1e-11  # relative, of sums over some thousand numbers


def draws(chains: int, length: int) -> object:
    """Give draws that are sticky, antithetic, skewed, far from zero, whole numbers, or the same everywhere."""
    rng = np.random.default_rng(length)

    def walk(shape: tuple[int, ...], share: float) -> np.ndarray:
        steps = rng.normal(size=(chains, length, *shape))
        for t in range(1, length):
            steps[:, t] += share * steps[:, t - 1]
        return steps

    arrays = {
        "u": walk((6, 3), 0.9), "v": walk((), -0.7), "w": np.exp(walk((8,), 0.2)), "far": 1e6 + walk((2,), 0.99),
        "count": rng.poisson(1.0, (chains, length, 5)), "same": np.zeros((chains, length, 2)),
    }  # fmt: skip
    labels: dict[str, list[object]] = {"site": [f"s{k}" for k in range(6)], "year": [1.5, 2, 3]}
    return group(arrays, {"u": ("site", "year")}, labels)


@pytest.mark.parametrize(("chains", "length"), [(4, 100), (2, 51), (3, 7), (2, 4), (1, 60)])
@pytest.mark.parametrize("options", [{}, {"round_to": "none"}, {"var_names": ["w", "u"], "round_to": 2, "hdi_prob": 0.5}])
def test_a_long_table_is_that_of_arviz(
    chains: int, length: int, options: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    posterior = draws(chains, length)
    monkeypatch.setattr(long_table, "MANY", 10**9)
    expected = summary_table(posterior, **options)
    monkeypatch.setattr(long_table, "MANY", 1)
    found = summary_table(posterior, **options)
    assert list(found.index) == list(expected.index)
    assert list(found.columns) == list(expected.columns)
    np.testing.assert_allclose(found.to_numpy(), expected.to_numpy(), rtol=ROUNDING, atol=1e-9)


def test_other_options_and_gaps_are_left_to_arviz(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_table, "MANY", 1)
    posterior = draws(2, 20)
    assert "eti_3%" in summary_table(posterior, stat_focus="median").columns
    assert list(summary_table(posterior, kind="stats").columns)[:2] == ["mean", "sd"]
    holes = group({"x": np.where(np.arange(20) < 3, np.nan, np.ones((2, 20)))}, {}, {})
    assert np.isnan(summary_table(holes).loc["x", "r_hat"])


def test_work_grows_with_the_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten times the elements are ten times the blocks, each as large: no array is of all elements at once."""
    blocks: list[int] = []
    known = table._table
    monkeypatch.setattr(table, "_BLOCK", 2_000)

    def counted(x: np.ndarray, probability: float) -> np.ndarray:
        blocks.append(x.size)
        return known(x, probability)

    monkeypatch.setattr(table, "_table", counted)
    rng = np.random.default_rng(1)
    counts = []
    for elements in (100, 1_000):
        blocks.clear()
        assert len(table.tabulate(rng.normal(size=(2, 10, elements)), 0.9)) == elements
        assert max(blocks) <= 2_000
        counts.append(len(blocks))
    assert counts[1] == 10 * counts[0]
