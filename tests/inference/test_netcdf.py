"""Fits are saved with whichever package for netCDF is there, and the base installation brings one."""

import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

import scistan as ss
from scistan.inference import netcdf
from scistan.inference.netcdf import engine_for

ROOT = Path(__file__).resolve().parent.parent.parent


def hide(monkeypatch, *packages):
    known = {"h5netcdf", "h5py", "netCDF4", "zarr"} - set(packages)
    monkeypatch.setattr(netcdf, "find_spec", lambda name: name if name in known else None)


@pytest.mark.parametrize(
    ("hidden", "engine"), [((), "h5netcdf"), (("h5py",), "netcdf4"), (("h5netcdf",), "netcdf4"), (("netCDF4",), "h5netcdf")]
)
def test_the_first_engine_whose_packages_are_there_is_taken(monkeypatch, hidden, engine):
    hide(monkeypatch, *hidden)
    assert engine_for(Path("fit.nc")) == engine


def test_h5netcdf_without_h5py_is_no_engine(monkeypatch):
    hide(monkeypatch, "h5py", "netCDF4")
    with pytest.raises(ss.UnsupportedError, match="pip install h5netcdf h5py"):
        engine_for(Path("fit.nc"))


def test_the_base_installation_can_save():
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {"h5netcdf", "h5py"} <= {text.partition(">")[0] for text in needed}


@pytest.mark.parametrize("hidden", ["h5py", "netCDF4"])
def test_a_fit_goes_through_each_engine(monkeypatch, hidden, tmp_path):
    m = ss.Model("m")
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1).observe([0.5, 1.0])
    fit = m.mcmc(engine="stanli", draws=50, warmup=50, seed=1, progress=False)
    hide(monkeypatch, hidden)
    if find_spec({"h5py": "netCDF4", "netCDF4": "h5py"}[hidden]) is None:
        pytest.skip("the other package is not installed")
    back = ss.load(fit.save(tmp_path / "fit.nc"))
    assert (back.posterior["mu"] == fit.posterior["mu"]).all()
    assert back.why == fit.why
