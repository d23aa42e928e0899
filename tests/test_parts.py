"""InferenceData comes without ArviZ's plots and nutpie without ArviZ; importing them afterwards gives all of them."""

import subprocess
import sys

import pytest

MODEL = """
import sys
import numpy as np
import scistan as ss

m = ss.Model("m")
m.mu = ss.Normal(0, 1)
m.y = ss.Normal(m.mu, 1).observe([0.5, 1.0, -0.2])
fit = m.mcmc(engine=ENGINE, draws=200, warmup=200, seed=1, progress=False)
idata = fit.idata
"""


def run(code: str, before: str = "", engine: str = "stanli") -> str:
    text = f"{before}ENGINE = {engine!r}\n{MODEL}{code}"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("engine", ["stanli", "nutpie", "auto"])
def test_a_fit_needs_neither_plots_nor_scipy_stats(engine):
    heavy = ("arviz.plots", "arviz.stats", "matplotlib.pyplot", "scipy.stats", "numba", "torch", "nutpie.sample")
    assert run(f"print([name for name in {heavy} if name in sys.modules])", engine=engine) == "[]"


def test_nutpie_is_whole_when_it_is_imported():
    code = """
from nutpie import _lib as early
import nutpie
from scistan.engines.loading import load_nutpie
print(nutpie.sample.__name__, nutpie._lib is early is load_nutpie(), nutpie.__version__ == early.__version__)
"""
    assert run(code, engine="nutpie") == "sample True True"


def test_arviz_is_whole_when_it_is_imported():
    code = """
import arviz as az
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt

assert type(idata) is az.InferenceData
assert "arviz-darkgrid" in plt.style.available
assert az.data.base.utils is az.utils and az.utils.plt is plt
assert az.data.io_pystan._log is az._log
assert az.__spec__.loader is az.__loader__ and not [f for f in sys.meta_path if type(f).__name__ == "_Halves"]
az.loo(idata), az.summary(idata), az.plot_trace(idata), az.plot_ppc(idata), az.plot_energy(idata)
print(len(vars(az)))
"""
    plain = "import arviz as az; print(len(vars(az)))"
    alone = subprocess.run([sys.executable, "-c", plain], capture_output=True, text=True).stdout.strip()
    assert run(code) == alone


@pytest.mark.parametrize("name", ["arviz.data", "arviz.stats", "arviz.plots.traceplot"])
def test_a_submodule_alone_brings_the_rest(name):
    assert run(f"import {name}; print(arviz.plot_trace.__name__)") == "plot_trace"


def test_arviz_imported_before_is_the_one_that_is_used():
    code = "import arviz; print(type(idata) is arviz.InferenceData, sys.modules['arviz'].plot_trace.__name__)"
    assert run(code, before="import arviz\n") == "True plot_trace"


def test_inference_data_travels_between_processes():
    code = """
import pickle, subprocess
text = pickle.dumps(idata)
reader = "import pickle, sys; x = pickle.loads(sys.stdin.buffer.read()); print(x.groups()[0])"
print(subprocess.run([sys.executable, "-c", reader], input=text, capture_output=True, check=True).stdout.decode().strip())
"""
    assert run(code) == "posterior"


def test_an_arviz_laid_out_otherwise_is_imported_whole(tmp_path):
    """A package whose data half cannot stand alone: the import falls back, and nothing half done is left."""
    (tmp_path / "arviz" / "data").mkdir(parents=True)
    (tmp_path / "arviz" / "__init__.py").write_text("ready = 1\nfrom arviz.data.inference_data import InferenceData\n")
    (tmp_path / "arviz" / "data" / "__init__.py").write_text("")
    (tmp_path / "arviz" / "data" / "inference_data.py").write_text("from arviz import ready\nclass InferenceData: pass\n")
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from scistan.parts import import_part
found = import_part("arviz.data.inference_data")
import arviz
print(found.InferenceData is arviz.InferenceData, arviz.ready, [f for f in sys.meta_path if type(f).__name__ == "_Halves"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "True 1 []", done.stderr


@pytest.mark.parametrize(("daemon", "whole"), [(False, True), (True, False)])
def test_half_a_package_is_imported_only_where_no_worker_could_see_it(daemon, whole):
    before = f"""
import threading
end = threading.Event()
threading.Thread(target=end.wait, daemon={daemon}).start()
"""
    code = "end.set(); print('arviz.plots' in sys.modules, type(idata).__name__)"
    assert run(code, before=before) == f"{whole} InferenceData"
