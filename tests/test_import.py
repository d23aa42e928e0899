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
    """Counted calls, which are the same on a busy machine; modules are compiled once before, as they are for users.

    `bench/cold.py` has the seconds.
    """
    code = (
        "import sys; calls = [0, 0]\n"
        "def count(at):\n"
        "    def seen(frame, event, argument): calls[at] += 1\n"
        "    sys.setprofile(seen)\n"
        "count(0); import numpy; count(1); import scistan; sys.setprofile(None); print(*calls)"
    )
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    inside = {**plain, "PYTHONPYCACHEPREFIX": str(tmp_path)}
    words = [sys.executable, "-c", code]
    runs = [subprocess.run(words, capture_output=True, text=True, check=True, env=inside) for _ in range(2)]
    numpy, scistan = map(int, runs[-1].stdout.split())
    assert 0 < scistan < 2 * numpy
