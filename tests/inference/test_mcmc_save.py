"""A fit that is saved and loaded is the same fit."""

import copy
import pickle

import numpy as np
import pytest
import xarray as xr

import scistan as ss
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
    assert set(back.idata.groups()) == set(fit.idata.groups())
    for name in fit.idata.groups():
        xr.testing.assert_identical(back.idata[name].drop_attrs(), fit.idata[name].drop_attrs())
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


def test_a_loaded_fit_predicts_with_its_model(tmp_path):
    m = logistic()
    path = m.mcmc(seed=1, draws=50, warmup=50, chains=2, engine="stanli").save(tmp_path / "fit.nc")
    with pytest.raises(ss.ModelError, match=r"ss\.load\(path, model=m\)"):
        ss.load(path).predict({"x": np.zeros((2, 3))})
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


def test_a_full_disk_leaves_the_old_file(fit, tmp_path, monkeypatch):
    path = fit.save(tmp_path / "fit.nc")
    before = path.read_bytes()
    calls = []

    def full(self, *args, **kwargs):
        calls.append(args)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        return real(self, *args, **kwargs)

    real = xr.Dataset.to_netcdf
    monkeypatch.setattr(xr.Dataset, "to_netcdf", full)
    with pytest.raises(OSError, match="No space left"):
        fit.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["fit.nc"]


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
    assert other.predict(seed=1).groups() == fit.predict(seed=1).groups()
