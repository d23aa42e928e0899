"""What runs write where nobody watches, into a pipe: nothing, or one closing line; never a bar."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

SCRIPT = """
import sys, warnings
import numpy as np
import scistan as ss
warnings.simplefilter("ignore")

def build(name):
    m = ss.Model(name)
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1).observe(np.arange(20) / 10)
    return m

def stage(name):
    sys.stderr.write(f"## {name}\\n")
    sys.stderr.flush()

m = build("logged")
run = dict(draws=100, warmup=100, chains=2, seed=1)
"""
QUICK = {
    "auto": "m.mcmc(**run)",
    "stanli": "m.mcmc(engine='stanli', **run)",
    "nutpie": "m.mcmc(engine='nutpie', **run)",
    "map": "m.map(seed=1)",
    "verify": "m.verify()",
    "prior": "m.prior(100, seed=1)",
    "sample_models": "ss.sample_models([build('a'), build('b')], **run)",
    "predict": "m.mcmc(engine='stanli', **run).posterior_predictive",
}
COMPILED = {
    "first use": "build('warm').compile()",
    "compile": "n = build('logged'); n.z = ss.Normal(n.mu, 1).observe(0.5); m = n; m.compile()",
    "again": "m.compile()",
    "cmdstan": "m.mcmc(engine='cmdstan', **run)",
    "many": "ss.compile_models([m, m])",
}


def written(stages: dict[str, str]) -> dict[str, list[str]]:
    """Run the stages in a process of their own and give the lines of stderr of each."""
    text = SCRIPT + "\n".join(f"stage({name!r})\n{line}" for name, line in stages.items())
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False, timeout=1500)
    assert done.returncode == 0, done.stderr
    assert "\r" not in done.stderr
    assert done.stdout == ""
    parts = [part.splitlines() for part in done.stderr.split("## ")[1:]]
    return {name: lines for name, *lines in parts}


def test_runs_leave_a_log_quiet():
    stages = {name: line for name, line in QUICK.items() if name not in ("map", "verify") or find_spec("torch")}
    assert written(stages) == {name: [] for name in stages}


@pytest.mark.slow
def test_a_compilation_is_one_line():
    lines = written(COMPILED)
    assert all(len(told) <= 1 for told in lines.values()), lines
    assert lines["again"] == []
    assert lines["cmdstan"] == []
    assert all(line.startswith("scistan: compiled 1 model in ") for line in lines["compile"])
