"""CmdStan's processes: one that dies takes no other along, none outlives its caller, temporary files go."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

import scistan as ss
from scistan.engines import cmdstan as engine
from scistan.engines.folder import Folder
from scistan.engines.registry import run_request
from tests.engines.support import fake_executable, program

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a request against an executable that is a script; look for what is left behind."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))

    def go(body, **settings):
        path = fake_executable(tmp_path, body)
        monkeypatch.setattr(engine, "executable_for", lambda *_: nullcontext(path))
        return run_request("cmdstan", program("model { }", **{"chains": 3, "draws": 20, "warmup": 10, **settings}))

    go.left = lambda: list(folder.iterdir())
    return go


def test_draws_are_read_and_the_files_go_with_the_fit(run):
    draws = run("write(20, 'mu,theta.1,theta.2')")
    assert draws.values["theta"].shape == (3, 20, 2)
    assert draws.complete
    assert draws.versions["stan"] == "2.35.0"
    assert len(run.left()) == 2  # the folder and its lock
    del draws
    gc.collect()
    assert run.left() == []


def test_a_killed_chain_leaves_the_good_ones(run):
    suicide = "if number == 2: os.kill(os.getpid(), signal.SIGKILL)"
    draws = run(f"write(20 if number != 2 else 7, end=number != 2)\n{suicide}")
    assert draws.numbers == (1, 3)
    assert draws.kept.shape == (2, 20)
    (note,) = draws.notes
    assert note.startswith("chain 2 failed and is left out: its process was ended by SIGKILL, most likely")


def test_a_chain_that_gives_up_says_why(run):
    draws = run("write(20)\nif number == 3: print('Error: no space left on device'); sys.exit(1)")
    assert draws.numbers == (1, 2)
    assert "chain 3 failed and is left out: its process ended with code 1: Error: no space left" in draws.notes[0]


def test_when_all_fail_it_is_an_error_and_nothing_is_left(run):
    with pytest.raises(ss.SamplingError, match=r"could not sample.*code 70.*boom"):
        run("print('boom'); sys.exit(70)")
    assert run.left() == []


def test_all_chains_run_though_few_run_at_once(run):
    started = time.monotonic()
    draws = run("time.sleep(0.2)\nwrite(20)", chains=4, options={"parallel_chains": 2})
    assert draws.numbers == (1, 2, 3, 4)
    assert time.monotonic() - started >= 0.4


def test_progress_is_followed_while_chains_run(run, monkeypatch):
    seen = []

    class Bar:
        def show(self, done, divergences, sizes):
            seen.append((done, divergences, max(sizes, default=0)))

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

    monkeypatch.setattr(engine, "open_progress", lambda *_: Bar())
    says = "print('Iteration: 25 / 30 [ 83%]  (Sampling)', flush=True)"
    run(f"{says}\nwrite(20)\ntime.sleep(0.3)", chains=2, progress=True)
    assert max(done for done, _, _ in seen) == 50
    assert seen[-1][2] == 0.5


SCRIPT = """
    import os, sys, tempfile, threading, time
    from contextlib import nullcontext
    sys.path.insert(0, {root!r})
    from pathlib import Path
    from scistan.engines import cmdstan as engine
    from scistan.engines.registry import run_request
    from tests.engines.support import fake_executable, program
    tempfile.tempdir = {folder!r}
    note = "open(f'{folder}/../pid-{{number}}', 'w').write(str(os.getpid()))\\n"
    path = fake_executable(Path({folder!r}).parent, note + "write(5)\\ntime.sleep(60)")
    engine.executable_for = lambda *_: nullcontext(path)
    print("ready", flush=True)
    try:
        draws = run_request("cmdstan", program("model {{ }}", chains=2, draws=20, warmup=10))
        print("kept", draws.kept.shape, draws.notes, flush=True)
    except KeyboardInterrupt:
        print("nothing to keep", flush=True)
    del draws
"""


def start(tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    code = textwrap.dedent(SCRIPT).format(root=str(ROOT), folder=str(folder))
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    deadline = time.monotonic() + 20
    pids = [tmp_path / "pid-1", tmp_path / "pid-2"]
    while not all(p.exists() and p.read_text() for p in pids) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.2)
    return child, [int(p.read_text()) for p in pids], folder


def gone(pid):
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


def test_ctrl_c_stops_every_chain_and_keeps_what_there_is(tmp_path):
    child, pids, folder = start(tmp_path)
    os.kill(child.pid, signal.SIGINT)
    words, _ = child.communicate(timeout=20)
    assert "kept (2, 5)" in words
    assert "interrupted: 2 of 2 chains kept, with 5 of 20 draws each" in words
    assert all(gone(pid) for pid in pids)
    assert list(folder.iterdir()) == []


def test_chains_die_with_their_caller(tmp_path):
    child, pids, _ = start(tmp_path)
    os.kill(child.pid, signal.SIGKILL)
    child.communicate(timeout=20)
    assert all(gone(pid) for pid in pids)


def test_what_a_killed_run_left_is_swept_at_the_next_start(tmp_path, monkeypatch):
    child, _, folder = start(tmp_path)
    (folder / "scistan-run-cmdstan-other").mkdir()  # nobody's lock is beside it: it may be anything
    os.kill(child.pid, signal.SIGKILL)
    child.communicate(timeout=20)
    assert len(list(folder.glob("scistan-run-*"))) == 3  # the folder, its lock, and the stranger
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    living = Folder("cmdstan")
    assert sorted(path.name for path in folder.glob("scistan-run-*")) == sorted(
        ["scistan-run-cmdstan-other", living.path.name, f"{living.path.name}.owner"]
    )
    living.remove()
    assert [path.name for path in folder.glob("scistan-run-*")] == ["scistan-run-cmdstan-other"]


def test_a_full_disk_is_an_error_and_leaves_nothing(tmp_path):
    """A limit on file sizes stands for the full disk: every write beyond it fails."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    code = textwrap.dedent(f"""
        import resource, signal, sys, tempfile
        from contextlib import nullcontext
        sys.path.insert(0, {str(ROOT)!r})
        import scistan
        from pathlib import Path
        from scistan.engines import cmdstan as engine
        from scistan.engines.registry import run_request
        from tests.engines.support import fake_executable, program
        tempfile.tempdir = {str(folder)!r}
        path = fake_executable(Path({str(tmp_path)!r}), "write(20)")
        engine.executable_for = lambda *_: nullcontext(path)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            run_request("cmdstan", program("model {{ }}", '{{"x": [' + "1," * 5000 + "1]}}"))
        except scistan.SamplingError as error:
            print("refused:", error)
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert "could not write or read its files: [Errno 27]" in done.stdout, done.stderr
    assert list(folder.iterdir()) == []


def test_numbers_survive_the_way_through_text(run):
    draws = run("write(20)")
    import random

    rng = random.Random(1)
    np.testing.assert_array_equal(draws.values["logit_p"][0], [rng.gauss(0, 1) for _ in range(20)])
