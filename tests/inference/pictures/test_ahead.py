"""The picture of a forecast: its bands are those of the draws, its past is what was seen, and its times are in order."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import scistan as ss

matplotlib.use("Agg")
pytestmark = pytest.mark.filterwarnings("ignore::scistan.messages.sampling.ChainWarning")  # few draws, on purpose
OPTIONS = {"draws": 100, "warmup": 200, "chains": 2, "seed": 1, "engine": "stanli", "progress": False}


@pytest.fixture(scope="module")
def fit() -> ss.Fit:
    rng = np.random.default_rng(6)
    m = ss.Model("level", coords={"month": pd.date_range("2020-01-31", periods=24, freq="ME")})
    m.x = ss.data(rng.normal(size=24), dims="month")
    m.tau, m.b = ss.HalfNormal(0.5), ss.Normal(0, 1)
    m.level = ss.RandomWalk(m.tau, start=ss.Normal(0, 1), dims="month")
    m.y = ss.Normal(m.level + m.b * m.x, 0.3).observe(rng.normal(size=24))
    return m.mcmc(**OPTIONS)


@pytest.fixture(scope="module")
def sites() -> ss.Fit:
    m = ss.Model("sites", coords={"site": ["$a", "b", "c"], "day": [f"d{k}" for k in range(12)]})
    m.phi = ss.Normal(0, 0.5)
    law = ss.Series(lambda past: ss.Normal(m.phi * past[-1], 1), start=ss.Normal(0, 3), dims=("day", "site"))
    m.y = law.observe(np.random.default_rng(1).normal(size=(12, 3)))
    return m.mcmc(**OPTIONS)


def test_the_bands_are_those_of_the_draws(fit: ss.Fit) -> None:
    data = {"x": [0.5, -0.5, 2.0]}
    figure = fit.plot_forecast(3, data, seed=4)
    (ax,) = figure.axes
    seen, median = (line for line in ax.lines if len(line.get_xdata()) > 2)
    assert np.array_equal(seen.get_ydata(), fit.idata.observed_data["y"].values)
    draws = fit.forecast(3, data, seed=4)["predictions"]["y"].values.reshape(-1, 3)
    assert np.allclose(median.get_ydata(), np.median(draws, axis=0))
    assert pd.Timestamp(median.get_xdata()[0]) == pd.Timestamp("2022-01-31")
    wide, narrow = (patch.get_paths()[0].vertices[:, 1] for patch in ax.collections)
    assert wide.min() == pytest.approx(np.quantile(draws, 0.05, axis=0).min())
    assert wide.max() == pytest.approx(np.quantile(draws, 0.95, axis=0).max())
    assert wide.min() < narrow.min() < narrow.max() < wide.max()


def test_a_latent_past_has_bands_too(fit: ss.Fit, tmp_path) -> None:
    file = tmp_path / "picture.png"
    figure = fit.plot_forecast(2, {"x": [0.0, 0.0]}, var_names=["level", "y"], steps_shown=6, path=file)
    assert file.read_bytes().startswith(b"\x89PNG")
    level, y = figure.axes
    assert [ax.get_title("left") for ax in (level, y)] == ["level", "y"]
    assert len(level.collections) == 4
    past = level.lines[0]
    assert np.allclose(past.get_ydata(), np.median(fit.posterior["level"][..., -6:].reshape(-1, 6), axis=0))
    assert len(y.lines[0].get_xdata()) == 6


def test_every_series_of_a_batch_has_a_panel_and_words_are_labels(sites: ss.Fit) -> None:
    figure = sites.plot_forecast(2, limit=2)
    assert isinstance(figure, Figure)
    assert [ax.get_title("left") for ax in figure.axes] == ["y[$a]", "y[b]"]
    assert "y[c]" in figure.get_supxlabel()
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()][:2] == ["d0", "d2"]
    assert figure.axes[0].lines[1].get_xdata()[0] == 12


def test_what_does_not_run_along_time_is_refused(fit: ss.Fit) -> None:
    with pytest.raises(ss.ModelError, match="`b` does not run along"):
        fit.plot_forecast(2, {"x": [0.0, 0.0]}, var_names="b")
    with pytest.raises(ss.DataError, match="needs `x`"):
        fit.plot_forecast(2)
    with pytest.raises(ValueError, match="steps_shown"):
        fit.plot_forecast(2, {"x": [0.0, 0.0]}, steps_shown=0)
