"""`import scistan` stays light."""

import os
import subprocess
import sys

HEAVY = ["torch", "arviz", "cmdstanpy", "pandas", "matplotlib", "scipy.stats", "xarray", "stanli", "jinja2"]


def test_import_brings_no_heavy_package():
    code = f"import sys, scistan; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_checks_on_draws_need_no_scipy():
    """`scipy.special` takes longer to import than a small model to sample."""
    code = (
        "import sys, numpy as np; from scistan.diagnostics import check_draws;"
        "check_draws({'x': np.random.default_rng(0).normal(size=(4, 100))}, {});"
        "print([m for m in sys.modules if m.startswith('scipy')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_import_brings_no_package_but_numpy():
    code = (
        "import sys, numpy; before = set(sys.modules); import scistan;"
        "print({n.partition('.')[0] for n in set(sys.modules) - before} - sys.stdlib_module_names)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "{'scistan'}"


def test_import_takes_little_beyond_numpy(tmp_path):
    """Processor time, which other processes do not add to; the least of several runs, as a ratio to NumPy's own.

    Modules are compiled once, as they are for users, and NumPy's library starts no threads, which spin while they wait.
    """
    code = (
        "from time import process_time as now; a = now(); import numpy; b = now(); import scistan; c = now();"
        "print(b - a, c - b)"
    )
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    inside = {**plain, "PYTHONPYCACHEPREFIX": str(tmp_path), "OPENBLAS_NUM_THREADS": "1"}
    words = [sys.executable, "-c", code]
    runs = [subprocess.run(words, capture_output=True, text=True, check=True, env=inside) for _ in range(6)][1:]
    numpy, scistan = (min(map(float, column)) for column in zip(*(run.stdout.split() for run in runs), strict=True))
    assert scistan < 3 * numpy
