"""The seam to ArviZ: a true InferenceData, and no more of ArviZ imported than holding draws needs."""

from __future__ import annotations

import datetime
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import scistan as ss
from scistan.inference.seam import group, summary_table

DRAW = """
    import sys
    import scistan as ss
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1).observe([1.0, 2.0, 3.0])
    idata = m.prior(draws=20, seed=1)
"""


def run(program: str, *paths: Path, before: str = "") -> str:
    first = f"import sys; sys.path[:0] = {[str(p) for p in paths]!r}\n{before}\n"
    code = first + textwrap.dedent(DRAW) + textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_drawing_imports_neither_plots_nor_statistics() -> None:
    heavy = run("print([n for n in ('matplotlib.pyplot', 'scipy.stats', 'arviz.plots', 'dask') if n in sys.modules])")
    assert heavy == "[]\n"


@pytest.mark.parametrize(
    "later",
    [
        "import arviz",
        "import matplotlib.pyplot as plt; plt.figure(); import arviz",
        "from arviz.stats import psislw; import arviz",
        "import arviz.data.io_netcdf, arviz",
        "import pickle; pickle.loads(pickle.dumps(idata)); import arviz",
        "from arviz import *; import arviz",
    ],
)
def test_a_later_import_of_arviz_is_whole(later: str) -> None:
    said = run(
        f"""
        import matplotlib
        matplotlib.use("agg")
        {later}
        import matplotlib.pyplot as plt
        assert type(idata) is arviz.InferenceData is arviz.data.inference_data.InferenceData
        assert len(arviz.summary(idata.prior)) == 1
        arviz.plot_trace(idata.prior)
        plt.style.use("arviz-darkgrid")
        arviz.utils.plt.close, arviz.data.base.make_attrs, arviz.rcparams.rcParams
        print(arviz.__version__, arviz.__spec__.name, arviz.data.__spec__.name)
        """
    )
    assert said.split()[1:] == ["arviz", "arviz.data"]


def test_an_arviz_imported_before_is_used() -> None:
    assert run("print(type(idata) is arviz.InferenceData)", before="import arviz") == "True\n"


def test_an_arviz_without_inference_data_gives_a_tree(tmp_path: Path) -> None:
    (tmp_path / "arviz").mkdir()
    (tmp_path / "arviz" / "__init__.py").write_text("__version__ = '1.0.0'\n")
    assert run("print(type(idata).__name__, float(idata['prior']['mu'].size))", tmp_path) == "DataTree 20.0\n"


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", "c"],
        [3, 1, 2],
        [1.5, 2.0, 3.0],
        [True, False, True],
        ["a", 1, 2.5],
        [datetime.date(2020, 1, day) for day in (1, 2, 3)],
        list(np.arange("2020-01-01", "2020-01-04", dtype="datetime64[D]")),
    ],
    ids=lambda labels: type(labels[0]).__name__,
)
def test_a_group_is_the_dataset_xarray_makes(labels: list[object]) -> None:
    values = np.arange(6.0).reshape(1, 2, 3)
    coords = {"chain": np.arange(1), "draw": np.arange(2), "k": labels}
    expected = xr.Dataset({"x": (("chain", "draw", "k"), values)}, coords=coords)
    found = group({"x": values}, {"x": ("k",)}, {"k": labels})
    assert found.identical(expected)
    assert found.k.dtype == expected.k.dtype


def test_labels_that_are_tuples_become_texts() -> None:
    found = group({"x": np.zeros((1, 1, 2))}, {"x": ("k",)}, {"k": [("a", 1), ("b", 2)]})
    assert list(found.k.values) == ["('a', 1)", "('b', 2)"]


def test_an_axis_called_as_a_variable_gives_way() -> None:
    m = ss.Model(coords={"school": list("abc")})
    m.school = ss.data([0, 1, 2], dims="school")
    m.effect = ss.Normal(0, 1, dims="school")
    m.x = ss.data(xr.DataArray(np.ones((2, 3)), dims=("chain", "draw")))
    m.y = ss.Normal(m.effect.sum() * m.x, 1).observe(np.zeros((2, 3)))
    prior = m.prior(draws=5, seed=1)
    assert prior.prior["effect"].dims == ("chain", "draw", "school")
    assert prior.constant_data["school"].dims == ("school_dim",)
    assert list(prior.constant_data["school_dim"].values) == list("abc")
    assert prior.prior_predictive["y"].dims[:2] == ("chain", "draw")
    assert prior.prior_predictive["y"].shape == (1, 5, 2, 3)


def test_a_summary_of_constant_entries_is_silent_and_of_nothing_else() -> None:
    rng = np.random.default_rng(1)
    factor = rng.normal(size=(2, 100, 2, 2))
    factor[..., 0, 0], factor[..., 0, 1] = 1.0, 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = summary_table(group({"L": factor}, {}, {}))
    assert np.isnan(table.loc["L[0, 1]", "r_hat"])
    factor[0, 0, 1, 1] = np.inf
    with pytest.warns(RuntimeWarning, match="invalid value encountered"):
        summary_table(group({"L": factor}, {}, {}))
