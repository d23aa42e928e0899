"""The seam to ArviZ: draws as the installed ArviZ takes them, and no more of it imported than holding them needs."""

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
from scistan.inference.arviz_data import dataset_names, dataset_of, group, summary_table
from scistan.surface import version_of

OLD = version_of("arviz").startswith("0.")
MODEL = """
    import sys
    import scistan as ss
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1).observe([1.0, 2.0, 3.0])
"""
DRAW = "idata = m.prior(draws=20, seed=1)\n"


def run(program: str, *paths: Path, drawn: bool = True) -> str:
    first = f"import sys; sys.path[:0] = {[str(p) for p in paths]!r}\n"
    code = first + textwrap.dedent(MODEL) + (DRAW if drawn else "") + textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


HEAVY = ("matplotlib.pyplot", "scipy.stats", "arviz.plots", "arviz_stats", "dask", "torch", "numba")


@pytest.mark.skipif(OLD, reason="InferenceData is ArviZ's own, which imports all of it")
def test_drawing_imports_neither_plots_nor_statistics() -> None:
    assert run(f"print([n for n in {HEAVY} if n in sys.modules])") == "[]\n"


@pytest.mark.parametrize("engine", ["stanli", "nutpie", "auto"])
def test_a_fit_needs_no_arviz(engine: str) -> None:
    """Draws, diagnosis and what a notebook shows; on ArviZ 1.x the tree of draws as well."""
    said = run(
        f"""
        fit = m.mcmc(engine={engine!r}, draws=200, warmup=200, seed=1, progress=False)
        fit.diagnose(), fit._repr_html_(), fit["mu"]
        print([n for n in (*{HEAVY}, "arviz") if n in sys.modules])
        """,
        drawn=False,
    )
    assert said == "[]\n"


def test_draws_are_the_class_that_the_installed_arviz_takes() -> None:
    said = run(
        """
        import arviz, xarray
        kind = arviz.InferenceData if arviz.__version__.startswith("0.") else xarray.DataTree
        assert type(idata) is kind, type(idata)
        assert len(arviz.summary(idata, group="prior")) == 1
        import pickle
        print(sorted(pickle.loads(pickle.dumps(idata)).prior.data_vars))
        """
    )
    assert said == "['mu']\n"


def test_an_arviz_without_inference_data_gives_a_tree(tmp_path: Path) -> None:
    """The version decides: ArviZ 1.x answers to the old name too, with a warning."""
    (tmp_path / "arviz").mkdir()
    (tmp_path / "arviz" / "__init__.py").write_text("__version__ = '1.0.0'\nInferenceData = dict\n")
    (tmp_path / "arviz-1.0.0.dist-info").mkdir()
    (tmp_path / "arviz-1.0.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: arviz\nVersion: 1.0.0\n")
    assert run("print(type(idata).__name__, float(idata['prior']['mu'].size))", tmp_path) == "DataTree 20.0\n"


def test_an_arviz_without_what_is_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "arviz").mkdir()
    (tmp_path / "arviz" / "__init__.py").write_text("")
    said = run(
        """
        try:
            m.mcmc(engine="stanli", draws=50, warmup=50, seed=1, progress=False).summary()
        except ss.UnsupportedError as error:
            print(error.what)
        """,
        tmp_path,
        drawn=False,
    )
    assert "what SciStan uses of it is not there: `summary`, `loo`" in said


@pytest.mark.parametrize("verb", ["posterior", "prior", "predict", "loaded"])
def test_every_verb_gives_the_same_class_of_draws(verb: str, tmp_path: Path) -> None:
    m = ss.Model("m")
    m.x = ss.data([1.0, 2.0, 3.0])
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu * m.x, 1).observe([1.0, 2.0, 3.0])
    fit = m.mcmc(engine="stanli", draws=50, warmup=50, seed=1, progress=False)
    found = {
        "posterior": lambda: fit.idata,
        "prior": lambda: m.prior(draws=5, seed=1),
        "predict": lambda: fit.predict(seed=1),
        "loaded": lambda: ss.load(fit.save(tmp_path / "fit.nc")).idata,
    }[verb]()
    assert type(found).__name__ == ("InferenceData" if OLD else "DataTree")
    assert all(isinstance(dataset_of(found, name), xr.Dataset) for name in dataset_names(found))


def test_a_prior_joins_the_fit() -> None:
    m = ss.Model("m")
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1).observe([1.0, 2.0, 3.0])
    fit = m.mcmc(engine="stanli", draws=50, warmup=50, seed=1, progress=False)
    fit.draw_prior(20, seed=1)
    assert {"prior", "prior_predictive", "posterior"} < set(dataset_names(fit.idata))
    assert float(fit.idata.prior["mu"].size) == 20


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
