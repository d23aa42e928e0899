"""stanli's compiler where it cannot start: a process of its own compiles, and the draws are the same."""

from __future__ import annotations

import ctypes
import faulthandler
import subprocess
import sys

import numpy as np
import pytest

import scistan as ss
from scistan.engines import translate
from scistan.engines.density import StanDensity
from scistan.engines.pathfinder import pathfinder_points
from tests.engines.support import EMBEDDED

SMALL = {"draws": 20, "warmup": 30, "chains": 2, "seed": 1, "progress": False}

# What makes a process one that uses AMX: to ask for it, and what asks in practice.
ASKED = """
import ctypes, sys
ARCH_REQ_XCOMP_PERM, XTILEDATA = 0x1023, 18
if ctypes.CDLL(None).syscall(158, ARCH_REQ_XCOMP_PERM, XTILEDATA) != 0:
    sys.exit(77)
"""
TORCH = "import torch; torch.ones(64, 64) @ torch.ones(64, 64)"
# Then every engine that runs here, and what else compiles programs by stanli.
RUN = """
import sys, warnings
warnings.simplefilter("ignore")
import scistan as ss
from scistan.engines.translate import can_start
m = ss.Model("small")
m.mu = ss.Normal(0, 1)
m.y = ss.Normal(m.mu, 1).observe([1.0, 2.0])
for engine in sys.argv[1:]:
    m.mcmc(draws=20, warmup=30, chains=2, seed=1, progress=False, engine=engine)
m.mcmc(draws=20, warmup=30, chains=1, seed=1, progress=False)
m.verify()
print(can_start())
"""


def small() -> ss.Model:
    """Give a model of one number."""
    m = ss.Model("small")
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1).observe([1.0, 2.0])
    return m


@pytest.fixture
def elsewhere(monkeypatch):
    """Let stanli's compiler be one that cannot start here."""
    monkeypatch.setattr(translate, "_started", False)
    monkeypatch.setattr(translate, "can_start", lambda: False)
    translate._made_elsewhere.cache_clear()
    yield
    translate._made_elsewhere.cache_clear()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux wants to be asked for AMX")
def test_engines_run_in_a_process_that_uses_amx():
    command = [sys.executable, "-c", ASKED + RUN, *EMBEDDED]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 77:
        pytest.skip("this processor has no AMX")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "False\n", "small signal stacks are refused there, else this tests nothing"


def test_engines_run_after_torch():
    pytest.importorskip("torch")
    done = subprocess.run([sys.executable, "-c", TORCH + RUN, *EMBEDDED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("engine", EMBEDDED)
def test_the_draws_are_the_same(engine, monkeypatch, elsewhere):
    there = small().mcmc(**SMALL, engine=engine)
    assert translate._made_elsewhere.cache_info().currsize == 1
    monkeypatch.setattr(translate, "can_start", lambda: True)
    here = small().mcmc(**SMALL, engine=engine)
    np.testing.assert_array_equal(here["mu"], there["mu"])


def test_densities_and_starts_are_the_same(monkeypatch, elsewhere):
    data = '{"N": 2, "y": [1.0, 2.0]}'
    given = "data { int N; vector[N] y; } parameters { real mu; } model { y ~ normal(mu, 1); }"
    there = StanDensity(given, data), pathfinder_points(given, data, 2, 1)
    monkeypatch.setattr(translate, "can_start", lambda: True)
    here = StanDensity(given, data), pathfinder_points(given, data, 2, 1)
    q = np.array([0.3])
    assert here[0].log_density_gradient(q)[0] == there[0].log_density_gradient(q)[0]
    assert here[1] == there[1]


def test_a_program_that_is_refused_there_is_refused_as_here(elsewhere):
    with pytest.raises(ss.InternalError, match='refused by stanli: (?s:.*)No function "nonsense_lpdf"'):
        StanDensity("parameters { real mu; } model { mu ~ nonsense(1); }", "{}")


def test_where_no_process_can_be_started_it_is_said(monkeypatch, elsewhere, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nowhere"))
    with pytest.raises(ss.UnsupportedError, match="stanli's compiler cannot start(?s:.*)engine='cmdstan'"):
        small().mcmc(**SMALL, engine="stanli")
    assert translate._made_elsewhere.cache_info().currsize == 0


@pytest.mark.skipif(sys.platform != "linux", reason="asks the C library of Linux")
def test_to_ask_changes_no_signal_stack():
    library = ctypes.CDLL(None)

    def stack() -> tuple[object, ...]:
        found = translate._Stack()
        assert library.sigaltstack(None, ctypes.byref(found)) == 0
        return found.place, found.flags, found.size

    was_on = faulthandler.is_enabled()
    faulthandler.enable()
    try:
        before = stack()
        assert translate.can_start() in (True, False)
        assert stack() == before
    finally:
        if not was_on:
            faulthandler.disable()
