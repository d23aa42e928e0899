"""Memory that runs out makes the batches smaller, by itself and aloud, and the estimate the same."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import scistan as ss
from scistan.inference.point.objective import Objective
from scistan.messages.point import MemoryWarning


def line(rows: int = 400, columns: int = 3) -> ss.Model:
    """Give a regression."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(rows, columns))
    m = ss.Model("line")
    m.x = ss.data(x)
    m.beta = ss.Normal(0, 2, shape=columns)
    m.sigma = ss.HalfNormal(2)
    m.y = ss.Normal(m.x @ m.beta, m.sigma).observe(x @ np.arange(1.0, columns + 1) + rng.normal(size=rows))
    return m


def with_room_for(rows: int, error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a device hold so many observations at a time."""
    parts = Objective._parts

    def scarce(self: Objective, q: Any, **given: Any) -> Iterator[Any]:
        if (self.batches.size if self.batches else self._observations) > rows:
            raise error("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8000 bytes. Error code 12")
        return parts(self, q, **given)

    monkeypatch.setattr(Objective, "_parts", scarce)


@pytest.mark.parametrize(("verb", "kind"), [("map", "cuda"), ("mle", "torch"), ("map", "numpy")])
def test_batches_shrink_until_they_fit_and_the_estimate_is_the_same(verb, kind, monkeypatch):
    torch = pytest.importorskip("torch")
    whole = getattr(line(), verb)(seed=1, progress=False)
    errors = {"cuda": torch.cuda.OutOfMemoryError, "torch": RuntimeError, "numpy": MemoryError}
    with_room_for(60, errors[kind], monkeypatch)
    with pytest.warns(MemoryWarning, match="ran out of memory"):
        found = getattr(line(), verb)(seed=1, progress=False)
    assert found.converged
    assert "taken 50 at a time" in found.findings[0]  # 400 / 4 / 2
    # The same sums in another order: equal up to rounding, in units of the standard errors.
    for name, value in whole.values.items():
        np.testing.assert_allclose(found.values[name], value, atol=1e-5 * np.max(whole.std_errors[name]))
        np.testing.assert_allclose(found.std_errors[name], whole.std_errors[name], rtol=1e-5)


def test_what_fits_says_nothing():
    pytest.importorskip("torch")
    assert not any("memory" in finding for finding in line().map(seed=1, progress=False).findings)


def test_observations_that_cannot_be_taken_apart_say_that_memory_ran_out(monkeypatch):
    torch = pytest.importorskip("torch")
    m = ss.Model("effects")
    m.u = ss.Normal(0, 1, shape=40)
    m.y = ss.Normal(m.u, 1).observe(np.arange(40.0))
    with_room_for(8, torch.cuda.OutOfMemoryError, monkeypatch)
    with pytest.raises(ss.SamplingError, match="ran out of memory"):
        m.map(seed=1, progress=False)


_SCARCE = """
import resource, warnings
import numpy as np
import torch
torch.set_num_threads(1)
import scistan as ss
rng = np.random.default_rng(1)
x = rng.normal(size=(300_000, 4))
m = ss.Model("line")
m.x = ss.data(x)
m.beta = ss.Normal(0, 2, shape=4)
m.y = ss.Normal(m.x @ m.beta, 1.0).observe(x @ np.arange(4.0) + rng.normal(size=len(x)))
small = m.map(starts=2, seed=1, progress=False, batch_size=5_000, optimizer="lbfgs")  # all that torch loads is loaded
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + 24_000_000, resource.RLIM_INFINITY))
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    found = m.map(starts=2, seed=1, progress=False)
print(found.converged, float(np.abs(found.values["beta"] - small.values["beta"]).max()))
print(found.findings[0])
print(len(told))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
def test_a_process_whose_memory_is_limited_takes_fewer_observations_at_a_time():
    pytest.importorskip("torch")
    done = subprocess.run([sys.executable, "-c", _SCARCE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    converged, off = said[0].split()
    assert converged == "True"
    assert float(off) < 1e-8
    assert "ran out of memory" in said[1]
    assert int(said[2]) >= 1
