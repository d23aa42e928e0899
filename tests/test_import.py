"""`import scistan` stays light."""

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


def test_import_takes_little_beyond_numpy():
    """Measured as a ratio to importing NumPy alone: the machine is noisy."""
    code = (
        "import time; a = time.perf_counter(); import numpy; b = time.perf_counter(); import scistan;"
        "c = time.perf_counter(); print((c - b) / (b - a))"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    assert min(float(run.stdout) for run in runs) < 3
