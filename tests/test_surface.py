"""Each package around us is used through one adapter, whose surface is checked when it is loaded."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import scistan as ss
from scistan.engines.loading import load_blackjax, load_cmdstanpy, load_nutpie, load_stanli
from scistan.engines.nutpie_call import _arguments, make_settings
from scistan.engines.trace import numbers
from scistan.inference.arviz_data import load_arviz
from scistan.surface import SURFACES, checked
from scistan.targets.jax.backend import import_jax
from scistan.targets.torch.devices import import_torch
from scistan.targets.torch.equations import import_torchdiffeq
from scistan.toolchain.wheel import find_wheel

ROOT = Path(__file__).resolve().parent.parent
LOADERS = {
    "stanli": load_stanli, "nutpie": load_nutpie, "cmdstanpy": load_cmdstanpy, "arviz": load_arviz,
    "torch": import_torch, "httpstan": find_wheel, "jax": import_jax, "blackjax": load_blackjax,
    "torchdiffeq": import_torchdiffeq,
}  # fmt: skip
PAGE = (ROOT / "docs" / "toolchain.md").read_text()
DECLARED = re.compile(r"^([a-z0-9]+)([<>=!].*?)?(;.*)?$")


def test_every_package_has_an_adapter():
    assert set(LOADERS) == set(SURFACES)


@pytest.mark.parametrize("package", SURFACES)
def test_what_is_installed_has_the_surface(package):
    pytest.importorskip(package)
    assert LOADERS[package]() is not None


@pytest.mark.parametrize("package", SURFACES)
def test_a_package_without_the_surface_is_refused_by_version(package):
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    with pytest.raises(ss.UnsupportedError) as caught:
        checked(package, SimpleNamespace())
    surface = SURFACES[package]
    assert f"{package} {version(package)} is installed" in caught.value.what
    assert f"`{surface.names[0]}`" in caught.value.what
    assert f"{package} {surface.known} is known to work" in caught.value.remedy


@pytest.mark.parametrize("package", SURFACES)
def test_the_versions_declared_are_those_that_were_tried(package):
    """What pip may install lies within what we say works, at least at its lower end."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [text for name in ("torch", "cmdstan", "nutpie", "jax") for text in project["optional-dependencies"][name]]
    (bounds,) = [m[2] for text in (*project["dependencies"], *extras) if (m := DECLARED.match(text)) and m[1] == package]
    first = re.search(r"[>=]=([\d.]+)", bounds)[1]
    assert SURFACES[package].tried(first + ".0" * (2 - first.count(".")))


@pytest.mark.parametrize("package", SURFACES)
def test_the_docs_name_the_versions(package):
    rows = {row.split("|")[1].strip().lower(): row.split("|")[2] for row in PAGE.splitlines() if row.startswith("| ")}
    assert rows[package].partition(":")[0].strip() == SURFACES[package].known


def test_tried_versions():
    surface = SURFACES["nutpie"]
    assert [surface.tried(v) for v in ("0.16.7", "0.16.8", "0.16.10", "0.16.11", "0.17.0")] == [
        False, True, True, True, False,
    ]  # fmt: skip
    assert surface.known == "0.16.8 to 0.16.11"


# -- nutpie: 0.16.8 and 0.16.11 differ in what starts a sampler ---------------------------------------
def started_by(*names):
    def from_stan(**given):
        return given

    signature = ", ".join(names)
    sampler = SimpleNamespace(from_stan=eval(f"lambda {signature}: None"))
    return SimpleNamespace(PySampler=sampler, from_stan=from_stan)


def test_both_ways_to_start_a_sampler_are_known():
    old = ("settings", "cores", "model", "progress_type", "store")
    new = ("settings", "cores", "model", "progress_type", "extra_callback", "extra_callback_rate", "store")
    assert _arguments.__wrapped__(started_by(*old)) == old
    assert _arguments.__wrapped__(started_by(*new)) == new


@pytest.mark.parametrize("names", [("settings", "cores", "model", "store"), ("settings", "cores", "model", "progress_type", "store", "new")])
def test_a_third_way_is_refused(names):
    with pytest.raises(ss.UnsupportedError, match=r"PySampler\.from_stan"):
        _arguments.__wrapped__(started_by(*names))


def test_a_setting_that_nutpie_has_not_is_told():
    pytest.importorskip("nutpie")
    with pytest.raises(ss.UnsupportedError, match=r"nutpie .*PyNutsSettings\.brand_new"):
        make_settings("diag", 1, brand_new=3)


def test_a_statistic_that_nutpie_no_longer_writes_is_told():
    pytest.importorskip("pyarrow")
    with pytest.raises(ss.UnsupportedError, match="the statistic n_steps"):
        numbers(SimpleNamespace(column_names=["depth"]), "n_steps")


def test_nutpies_library_comes_without_the_package_and_is_the_same_one():
    pytest.importorskip("nutpie")
    code = (
        "import sys; from scistan.engines.loading import load_nutpie; early = load_nutpie();"
        "light = not {'nutpie', 'arviz', 'pandas'} & set(sys.modules); import nutpie;"
        "print(light, nutpie._lib.PySampler is early.PySampler, nutpie.sample.__name__)"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "sample"]


def test_the_package_imported_before_is_used():
    pytest.importorskip("nutpie")
    code = (
        "import nutpie; from scistan.engines.loading import load_nutpie; print(load_nutpie() is nutpie._lib)"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"]


def test_an_httpstan_laid_out_otherwise_is_told(tmp_path, monkeypatch):
    (tmp_path / "httpstan").mkdir()
    (tmp_path / "httpstan" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "httpstan", raising=False)
    with pytest.raises(ss.UnsupportedError, match=r"httpstan .*`stanc`, `include/stan/version\.hpp`"):
        find_wheel()


def test_the_doctor_says_which_versions_are_known(monkeypatch):
    monkeypatch.setattr("scistan.toolchain.doctor.version_of", lambda package: "99.0")
    rows = {row.what: row for row in ss.doctor().rows}
    assert rows["nutpie"].fix == "known to work: nutpie 0.16.8 to 0.16.11"


def test_draws_are_numbers_whichever_nutpie_wrote_them():
    pytest.importorskip("nutpie")
    m = ss.Model("m")
    m.mu = ss.Normal(0, 1, shape=3)
    m.y = ss.Normal(m.mu, 1).observe([0.5, 1.0, -0.2])
    fit = m.mcmc(engine="nutpie", draws=200, warmup=200, seed=1, progress=False, adapt_delta=0.9, max_treedepth=8)
    assert fit.posterior["mu"].shape == (4, 200, 3)
    assert np.isfinite(fit.posterior["mu"]).all()
    assert np.isfinite(fit.draws.statistics["energy"]).all()
