"""A fit that is saved and loaded is the same fit."""

import copy
import json
import pickle
import resource
import subprocess
import sys

import h5netcdf
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import scistan as ss
from scistan.distributions.declaration import REGISTRY as DISTRIBUTIONS
from scistan.inference.arviz_data import dataset_names, dataset_of
from tests.zoo import eight_schools, logistic


@pytest.fixture(scope="module")
def fit():
    fit = eight_schools().mcmc(seed=1, draws=100, warmup=100, chains=2, engine="stanli", save_warmup=True)
    fit.draw_prior(draws=20, seed=1)
    return fit


@pytest.mark.parametrize("ending", ["nc", "zarr"])
def test_everything_comes_back(fit, tmp_path, ending):
    path = fit.save(tmp_path / f"fit.{ending}")
    back = ss.load(path)
    assert set(dataset_names(back.idata)) == set(dataset_names(fit.idata))
    for name in dataset_names(fit.idata):
        xr.testing.assert_identical(dataset_of(back.idata, name).drop_attrs(), dataset_of(fit.idata, name).drop_attrs())
    assert {k: v for k, v in back.idata.posterior.attrs.items() if k != "chain_numbers"} == {
        k: v for k, v in fit.idata.posterior.attrs.items() if k != "chain_numbers"
    }
    assert (back.engine, back.why, back.notes, back.method) == (fit.engine, fit.why, fit.notes, fit.method)
    assert (back.settings, back.timing, back.draws.versions) == (fit.settings, fit.timing, fit.draws.versions)
    assert (back.model_name, back.model_hash, back.shape) == (fit.model_name, fit.model_hash, fit.shape)
    assert back.diagnose().verdict == fit.diagnose().verdict
    ours, theirs = ([h.value for h in f.diagnose().hints] for f in (fit, back))
    np.testing.assert_allclose(theirs, ours)
    assert back.summary().equals(fit.summary())
    for name, array in fit.posterior.items():
        np.testing.assert_array_equal(back.posterior[name], array)
    assert back.idata.sample_stats["diverging"].dtype == bool


def test_saving_again_replaces(fit, tmp_path):
    for ending in ("nc", "zarr"):
        path = tmp_path / f"fit.{ending}"
        fit.save(path)
        fit.save(path)
        assert ss.load(path).shape == fit.shape
    assert sorted(p.name for p in tmp_path.iterdir()) == ["fit.nc", "fit.zarr"]


SHORT = {"seed": 1, "draws": 30, "warmup": 30, "chains": 2, "engine": "stanli", "progress": False}
pytestmark = pytest.mark.filterwarnings("ignore::scistan.messages.sampling.ChainWarning")


def sites(columns=("dose", "age"), site=("north", "south", "west"), row=None) -> ss.Model:
    """A regression with labelled rows, columns and groups, each in any order."""
    rows = list("abcdef")
    order = [rows.index(label) for label in row or rows]
    table = pd.DataFrame({"dose": np.arange(6.0), "age": np.array([2.0, 1, 0, 3, 5, 4])}, rows).iloc[order]
    m = ss.Model("sites", coords={"site": list(site), "row": list(row or rows)})
    where = np.array([["north", "south", "west"].index(s) for s in site])
    m.x = ss.data(table[list(columns)], dims=("row", "predictor"))
    m.at = ss.data(np.argsort(where)[np.array([0, 0, 1, 1, 2, 2])[order]], dims="row")
    m.beta = ss.Normal(0, 1, dims="predictor")
    m.effect = ss.Normal(0, 1, dims="site")
    m.y = ss.Normal(m.x @ m.beta + m.effect[m.at], 1).observe(np.array([1.0, 2, 3, 5, 8, 13])[order])
    m.total = m.effect.sum() + m.beta.sum()
    return m


@pytest.fixture(scope="module")
def fit_of_sites():
    return sites().mcmc(**SHORT)


_READ = """
import sys, numpy as np, pandas as pd, scistan as ss
path, out = sys.argv[1:]
fit = ss.load(path)
new = pd.DataFrame({"age": [1.0, 2], "dose": [3.0, 4]}, list("uv"))
data = {"x": new.rename_axis(index="row", columns="predictor"), "at": [0, 2]}
predictions = fit.predict(data, seed=5).predictions
prior = fit.draw_prior(draws=10, seed=3).prior
np.savez(out, y=predictions["y"], total=predictions["total"], row=predictions["row"],
         beta=prior["beta"], log_likelihood=fit.log_likelihood["y"], again=fit.posterior_predictive["y"])
print(fit.diagnose().verdict)
"""


@pytest.mark.parametrize("ending", ["nc", "zarr"])
def test_a_fit_alone_does_everything_in_another_process(fit_of_sites, tmp_path, ending):
    path = fit_of_sites.save(tmp_path / f"fit.{ending}")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _READ, path, tmp_path / "out.npz"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == fit_of_sites.diagnose().verdict
    new = pd.DataFrame({"dose": [3.0, 4], "age": [1.0, 2]}, list("uv"))
    ours = fit_of_sites.predict({"x": new, "at": [0, 2]}, seed=5).predictions
    theirs = np.load(tmp_path / "out.npz")
    np.testing.assert_array_equal(theirs["y"], ours["y"])
    np.testing.assert_array_equal(theirs["total"], ours["total"])
    assert theirs["row"].tolist() == ["u", "v"]
    np.testing.assert_array_equal(theirs["beta"], sites().prior(10, seed=3).prior["beta"])
    np.testing.assert_array_equal(theirs["log_likelihood"], fit_of_sites.log_likelihood["y"])
    np.testing.assert_array_equal(theirs["again"], fit_of_sites.posterior_predictive["y"])


def test_a_loaded_fit_refuses_strange_labels_as_before(fit_of_sites, tmp_path):
    strange = {"x": pd.DataFrame({"age": np.ones(6), "dose": np.ones(6)}, list("abcxyz"))}
    said = []
    for fit in (fit_of_sites, ss.load(fit_of_sites.save(tmp_path / "fit.nc"))):
        with pytest.raises(ss.DataError, match="'x', 'y', 'z'.*`at` still") as error:
            fit.predict(strange)
        said.append(error.value.what)
    assert said[0] == said[1]


def test_a_fit_on_swapped_data_comes_back_with_them(tmp_path):
    m = logistic()
    fit = m.mcmc(data={"x": np.ones((4, 2)), "y": [0, 1, 1, 0]}, **SHORT)
    back = ss.load(fit.save(tmp_path / "fit.nc"))
    xr.testing.assert_equal(back.predict(seed=2).predictions, fit.predict(seed=2).predictions)
    assert back.predict({"x": np.zeros((3, 2))}).predictions["y"].shape == (2, 30, 3)


def test_what_was_left_out_stays_so(tmp_path):
    fit = sites().mcmc(keep=["beta", "log_likelihood"], **SHORT)
    back = ss.load(fit.save(tmp_path / "fit.nc"))
    assert set(dataset_names(back.idata)) == set(dataset_names(fit.idata))
    assert back.log_likelihood["y"].shape == (2, 30, 6)
    for one in (fit, back):
        with pytest.raises(ss.ModelError, match="posterior_predictive"):
            _ = one.posterior_predictive
        with pytest.raises(ss.ModelError, match="prediction"):
            one.predict()


def test_a_loaded_fit_is_saved_and_pickled_with_its_model(fit_of_sites, tmp_path):
    back = ss.load(fit_of_sites.save(tmp_path / "one.nc"))
    twice = ss.load(back.save(tmp_path / "two.zarr"))
    pickled = pickle.loads(pickle.dumps(back))
    for one in (twice, pickled):
        xr.testing.assert_equal(one.predict(seed=1).predictions, fit_of_sites.predict(seed=1).predictions)


def without_model(path):
    """Take the model out of a file: so were files before they held it."""
    with h5netcdf.File(path, "a") as file:
        del file._h5group["scistan_model"]
    return path


def test_a_file_without_the_model_loads_as_it_did(fit_of_sites, tmp_path):
    path = without_model(fit_of_sites.save(tmp_path / "fit.nc"))
    back = ss.load(path)
    assert back.subject is None
    assert back.summary().equals(fit_of_sites.summary())
    assert pickle.loads(pickle.dumps(back)).shape == (2, 30)
    with pytest.raises(ss.ModelError, match=r"ss\.load\(path, model=m\)"):
        back.predict()
    back = ss.load(path, model=sites())
    xr.testing.assert_equal(back.predict(seed=2).predictions, fit_of_sites.predict(seed=2).predictions)


@pytest.mark.parametrize("old", [True, False])
def test_the_draws_take_the_order_of_the_given_models_labels(fit_of_sites, tmp_path, old):
    path = fit_of_sites.save(tmp_path / "fit.nc")
    path = without_model(path) if old else path
    turned = sites(("age", "dose"), ("west", "north", "south"), list("fbdace"))
    back = ss.load(path, model=turned)
    assert back.idata.posterior["predictor"].values.tolist() == ["age", "dose"]
    for name in dataset_names(back.idata):
        ours = fit_of_sites.idata[name]
        for variable in set(ours.data_vars) - {"at"}:
            array = back.idata[name][variable]
            labels = {dim: array[dim].values for dim in array.dims if dim in ("site", "row", "predictor")}
            np.testing.assert_array_equal(array, ours[variable].sel(labels), err_msg=variable)
    np.testing.assert_array_equal(back.posterior["beta"], fit_of_sites.posterior["beta"][..., ::-1])
    new = pd.DataFrame({"dose": [3.0, 4], "age": [1.0, 2]}, list("uv"))
    ours = fit_of_sites.predict({"x": new, "at": [0, 2]}, seed=5).predictions
    theirs = back.predict({"x": new, "at": [1, 0]}, seed=5).predictions  # north and west
    np.testing.assert_allclose(theirs["y"], ours["y"], rtol=1e-12)


def test_other_labels_than_those_that_were_fitted_are_refused(fit_of_sites, tmp_path):
    path = fit_of_sites.save(tmp_path / "fit.nc")
    with pytest.raises(ss.DataError, match=r"`fit.nc` has other labels along dim `site`.*'south' is not.*'east' is miss"):
        ss.load(path, model=sites().with_data(coords={"site": ["north", "east", "west"]}))
    m = logistic()
    path = m.mcmc(**SHORT).save(tmp_path / "logistic.nc")
    with pytest.raises(ss.DataError, match=r"`beta` was fitted with shape \(3,\), and has shape \(2,\)"):
        ss.load(path, model=logistic(columns=2))


def test_a_distribution_of_ones_own_must_be_declared_before(tmp_path, monkeypatch):
    Slant = ss.declare_distribution(
        "Slant", "A distribution for this test.", parameters={"a": "positive"}, support="real",
        log_density=lambda x, a: -ss.square(x) * a + ss.log(a) / 2, draw=lambda rng, size, a: rng.normal(size=size),
    )
    m = ss.Model("slanted")
    m.a = ss.HalfNormal(1)
    m.y = Slant(m.a).observe([1.0, 2.0])
    path = m.mcmc(**SHORT, keep=["a"]).save(tmp_path / "fit.nc")
    assert ss.load(path).predict(seed=1).predictions["y"].shape == (2, 30, 2)
    monkeypatch.delitem(DISTRIBUTIONS, "Slant")
    with pytest.raises(ss.DataError, match=r"fit\.nc uses the distribution `Slant`(?s:.*)ss\.declare_distribution\('Slant'"):
        ss.load(path)


def rewrite(path, change):
    with h5netcdf.File(path, "a") as file:
        group = file["scistan_model"]
        text = bytes(group["record"][:]).decode()
        changed = np.frombuffer(change(text).encode(), np.uint8)
        group["record"][: len(changed)] = changed
        if len(changed) < len(text):
            group["record"][len(changed) :] = 32


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace("Normal(", "Nirmal("),
        lambda text: text.replace("sites", "sight"),
        lambda text: json.dumps({**json.loads(text), "format": 2}),
    ],
)
def test_a_changed_record_is_refused_by_the_files_name(fit_of_sites, tmp_path, change):
    path = fit_of_sites.save(tmp_path / "mine.nc")
    rewrite(path, change)
    with pytest.raises(ss.DataError, match=r"mine\.nc is not a saved fit as it was written"):
        ss.load(path)
    assert ss.load(path, model=sites()).predict().predictions["y"].shape == (2, 30, 6)


def test_damaged_attributes_are_refused_by_the_files_name(fit_of_sites, tmp_path):
    for name, value in (("settings", "{"), ("chain_numbers", "one"), ("left_out", 3), ("engine", None)):
        path = fit_of_sites.save(tmp_path / "mine.nc")
        with h5netcdf.File(path, "a") as file:
            del file["posterior"].attrs[name]
            if value is not None:
                file["posterior"].attrs[name] = value
        with pytest.raises(ss.DataError, match=r"mine\.nc is not a saved fit"):
            ss.load(path)


def test_a_loaded_fit_predicts_with_the_model_given(tmp_path):
    m = logistic()
    path = m.mcmc(seed=1, draws=50, warmup=50, chains=2, engine="stanli").save(tmp_path / "fit.nc")
    assert ss.load(path).predict({"x": np.zeros((2, 3))}).predictions["y"].shape == (2, 50, 2)
    back = ss.load(path, model=m)
    assert back.predict({"x": np.zeros((2, 3))}).predictions["y"].shape == (2, 50, 2)
    assert m.mcmc(draws=20, warmup=20, seed=1, inits=back).engine == "stanli"
    with pytest.raises(ss.DataError, match="the fit is of a model with hash"):
        ss.load(path, model=eight_schools())


def test_what_is_no_fit_is_refused(tmp_path):
    (tmp_path / "x.nc").write_text("hello")
    xr.Dataset({"a": 1}).to_netcdf(tmp_path / "other.nc", engine="h5netcdf")
    for name in ("x.nc", "other.nc", "absent.nc"):
        with pytest.raises(ss.DataError, match="is not a saved fit"):
            ss.load(tmp_path / name)
    with pytest.raises(ss.ModelError, match=r"save as \.nc"):
        ss.load("fit.pickle")


@pytest.mark.parametrize("ending", ["nc", "zarr", "npz"])
def test_a_full_disk_leaves_the_old_file(ending, fit, tmp_path):
    """A limit on file sizes stands for the full disk: every write beyond it fails."""
    saved = fit if ending != "npz" else eight_schools().map()
    path = saved.save(tmp_path / f"fit.{ending}")
    before = {p: p.read_bytes() for p in (path.rglob("*") if path.is_dir() else [path]) if p.is_file()}
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, limits[1]))  # Python ignores the signal that comes with it
    try:
        with pytest.raises(ss.DataError, match="cannot be written: (?s:.*)a file that was there before is as it was"):
            saved.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert {p: p.read_bytes() for p in before} == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    saved.save(path)
    assert ss.load(path) is not None


@pytest.mark.parametrize("place", ["nowhere\0.nc", "file/below.nc"])
def test_a_place_that_cannot_be_written_to_is_told(place, fit, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ss.DataError, match="cannot be written"):
        fit.save(f"{tmp_path}/{place}")


def test_a_fit_that_holds_a_model_cannot_be_pickled_and_says_what_to_do(fit, tmp_path):
    with pytest.raises(pickle.PicklingError, match=r"the fit of `eight_schools` cannot(?s:.*)fit.save(?s:.*)ss.load"):
        pickle.dumps(fit)
    back = pickle.loads(pickle.dumps(ss.load(fit.save(tmp_path / "fit.nc"))))
    np.testing.assert_array_equal(back.posterior["mu"], fit.posterior["mu"])


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy])
def test_a_fit_can_be_copied(fit, twin):
    other = twin(fit)
    assert other is not fit
    assert (other.posterior is fit.posterior) == (twin is copy.copy)
    np.testing.assert_array_equal(other.posterior["mu"], fit.posterior["mu"])
    assert dataset_names(other.predict(seed=1)) == dataset_names(fit.predict(seed=1))


@pytest.mark.parametrize("ending", ["nc", "zarr"])
@pytest.mark.parametrize("seed", [2**63 - 1, 2**64, 10**5000], ids=["of 63 bits", "of 65 bits", "of 5,001 digits"])
def test_a_seed_of_any_size_is_saved(seed, ending, fit, tmp_path):
    """Found by the fuzzer: HDF5 has no whole numbers of more than 64 bits."""
    other = copy.copy(fit)
    other.draw_prior(draws=5, seed=seed)
    kept = dataset_of(ss.load(other.save(tmp_path / f"fit.{ending}")).idata, "prior").attrs["seed"]
    assert (int(kept, 0) if isinstance(kept, str) else kept) == seed


def test_a_dim_with_a_slash_is_told_as_such(tmp_path, monkeypatch):
    m = ss.Model(coords={"km/h": ["slow", "fast"]})
    m.b = ss.Normal(0, 1, dims="km/h")
    m.y = ss.Normal(m.b, 1).observe([1.0, 2.0])
    fit = m.mcmc(draws=20, warmup=100, chains=1, seed=1, engine="stanli", progress=False)
    with pytest.raises(ss.DataError, match="no names with a slash, and the dim `km/h` has one") as told:
        fit.save(tmp_path / "fit.nc")
    assert "km_per_h" in str(told.value)
    assert list(tmp_path.iterdir()) == []
    back = ss.load(fit.save(tmp_path / "fit.zarr"))
    np.testing.assert_array_equal(back.posterior["b"], fit.posterior["b"])
    monkeypatch.setattr("scistan.inference.arviz_data._has_inference_data", lambda: False)  # as with ArviZ 1.x
    with pytest.raises(ss.DataError, match="a DataTree, which ArviZ 1.x takes, has no names with a slash") as told:
        fit.idata
    assert told.value.place.file == __file__  # whoever asks for a property, and not what keeps it
