"""stanli after torch: a process ends neither by an estimate before its draws nor by torch's own work."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from scistan.engines import matrix_unit
from tests.conftest import ROOT

pytest.importorskip("torch")

AN_ESTIMATE_FIRST = """
from tests.zoo import counts
m = counts()
assert m.map(seed=0).converged
print(m.mcmc(20, 20, chains=1, engine="stanli", progress=False, seed=1).engine)
"""
TORCH_FIRST = """
import torch
x = torch.ones(3, 3)
x @ x
from scistan.engines.loading import load_stanli
try:
    load_stanli().stan_to_mir("model {}")
    print("loaded")
except Exception as error:
    print(type(error).__name__)
"""


def run(text: str) -> str:
    known = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", text], env=known, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_draws_after_an_estimate():
    assert run(AN_ESTIMATE_FIRST) == "stanli"


def test_torch_before_scistan_is_told_and_not_died_of():
    assert run(TORCH_FIRST) in (("loaded", "UnsupportedError") if matrix_unit.is_there() else ("loaded",))
