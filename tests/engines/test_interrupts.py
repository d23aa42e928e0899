"""Ctrl-C at random moments: the embedded engines give what they have or say that there is nothing, and go on."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.engines.support import EMBEDDED

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
    import os, random, signal, sys, threading, time, warnings
    sys.path.insert(0, {root!r})
    warnings.simplefilter("ignore")
    import numpy as np
    from scistan.engines.encoding import to_json
    from scistan.engines.registry import run_request
    from tests.engines.support import SLOW, program, request
    from tests.zoo import counts
    data = to_json({{"N": 300, "y": np.random.default_rng(0).normal(size=300)}})
    run_request({engine!r}, request(counts()))  # imports done
    started = time.perf_counter()
    small = run_request({engine!r}, program(SLOW, data, chains=2, draws=60, warmup=60, seed=0))
    whole = time.perf_counter() - started
    rng = random.Random(1)
    kept = 0
    for k in range({times}):
        timer = threading.Timer(rng.uniform(0.05, 4) * whole, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        try:
            draws = run_request({engine!r}, program(SLOW, data, chains=3, draws=4000, warmup=60, seed=k, progress=k % 2 == 1))
            assert not draws.complete and "interrupted" in draws.notes[0], draws.notes
            assert np.isfinite(draws.values["z"]).all()
            assert draws.kept.shape[1] > 0
            kept += 1
        except KeyboardInterrupt:
            pass
    again = run_request({engine!r}, program(SLOW, data, chains=2, draws=60, warmup=60, seed=0))
    assert np.array_equal(again.values["a"], small.values["a"])
    assert threading.active_count() == 1, threading.enumerate()
    print("kept", kept)
"""


def interrupt(engine, times):
    code = textwrap.dedent(SCRIPT).format(root=str(ROOT), engine=engine, times=times)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[-1])


@pytest.mark.slow
@pytest.mark.parametrize("engine", EMBEDDED)
def test_interrupts_at_random_moments(engine):
    assert interrupt(engine, 6) > 0


@pytest.mark.long
@pytest.mark.parametrize("engine", EMBEDDED)
def test_many_interrupts(engine):
    assert interrupt(engine, 60) > 10
