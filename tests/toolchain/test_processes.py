"""Many processes, kills and interrupts: one builds, nothing bad stays, nothing is left running."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time

import pytest

from scistan.toolchain.cache import open_store
from scistan.toolchain.inventory import verify_cache

posix_only = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")


def answers(process):
    """Wait for a child and give what it printed."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    results = json.loads(out)
    assert all(isinstance(result, str) for result in results), results
    return results


def processes_in(folder):
    """List the processes whose command line or working folder is in a folder (Linux)."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                line = file.read().decode(errors="replace")
            if str(folder) in line or os.readlink(f"/proc/{name}/cwd").startswith(str(folder)):
                found.append(line)
        except OSError:
            continue
    return found


def until(condition, seconds=60.0):
    """Wait until something holds; a busy machine takes long to start a process."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def test_eight_processes_one_compilation(tiny, own_cache, tmp_path):
    gate = tmp_path / "gate"
    gate.mkdir()
    children = [tiny.child("model { }", TINY_SLEEP="1", TINY_GATE=str(gate)) for _ in range(8)]
    until(lambda: len(list(gate.iterdir())) == 8, 120)
    (gate / "open").touch()
    paths = {path for child in children for path in answers(child)}
    assert len(paths) == 1
    assert tiny.compilations() == 1
    assert not list((own_cache / "tmp").iterdir())
    assert subprocess.run([paths.pop(), "info"], capture_output=True).returncode == 0


@posix_only
@pytest.mark.parametrize("closed", ["2", "12", "012"])
def test_builds_in_a_process_whose_streams_are_closed(tiny, own_cache, closed):
    """The files that a build opens get the numbers of the closed streams; nothing may be written there by mistake."""
    (path,) = answers(tiny.child("model { }", TINY_CLOSED=closed, TINY_PROGRESS="1"))
    assert subprocess.run([path, "info"], capture_output=True).returncode == 0
    child = tiny.child("model {\n BAD }", TINY_CLOSED=closed)
    (refused,) = json.loads(child.communicate(timeout=60)[0])
    assert "line 2" in refused["error"]
    assert not verify_cache(open_store())
    assert not [lock for lock in (own_cache / "locks").iterdir() if lock.stat().st_size]
    assert not list((own_cache / "tmp").iterdir())


@posix_only
def test_a_dead_owners_lock_is_taken_over(tiny, own_cache):
    owner = tiny.child("model { }", TINY_SLEEP="60")
    until(lambda: tiny.compilations() == 1)
    waiting = tiny.child("model { }", TINY_PROGRESS="1")
    assert any("compiling the model: being built already, waiting" in line for line in waiting.stderr)
    assert owner.poll() is None
    assert tiny.compilations() == 1
    owner.kill()
    owner.communicate()
    assert answers(waiting)[0].endswith("/model")
    assert tiny.compilations() == 2


def kill_at_random(tiny, own_cache, times):
    """Kill builders at random moments; each time nothing bad stays and the next build works."""
    choose = random.Random(20)
    tmp = own_cache / "tmp"
    interrupted = 0
    for number in range(times):
        text = f"model {{ }} // {number}"
        child = tiny.child(text, TINY_SLEEP="0.3")
        if number % 3:
            until(lambda child=child: child.poll() is not None or (tmp.exists() and any(tmp.iterdir())))
            time.sleep(choose.uniform(0.0, 0.8))
        else:
            time.sleep(choose.uniform(0.0, 1.5))
        child.kill()
        child.communicate()
        interrupted += tmp.exists() and any(tmp.iterdir())
        if own_cache.exists():
            assert not verify_cache(open_store())
        until(lambda: not processes_in(own_cache / "tmp"))
        if number % 5 == 4:
            (path,) = answers(tiny.child(text))
            assert subprocess.run([path, "info"], capture_output=True).returncode == 0
            assert not [path.name for path in tmp.iterdir() if not path.name.startswith("trash")]
    assert interrupted >= times // 5


@posix_only
def test_five_kills(tiny, own_cache):
    kill_at_random(tiny, own_cache, 5)


@posix_only
@pytest.mark.long
def test_two_hundred_kills(tiny, own_cache):
    kill_at_random(tiny, own_cache, 200)


@posix_only
@pytest.mark.parametrize("texts", [["model { }"], [f"model {{ }} // {n}" for n in range(4)]])
def test_ctrl_c_kills_the_compilers_and_leaves_no_litter(tiny, own_cache, texts):
    child = tiny.child(*texts, TINY_SLEEP="60")
    until(lambda: tiny.compilations() >= min(2, len(texts)), 20)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=30)  # far less than the compilers would sleep
    assert "KeyboardInterrupt" in err
    assert not list((own_cache / "tmp").iterdir())
    assert not list((own_cache / "models").iterdir())
    until(lambda: not processes_in(own_cache / "tmp"))


@posix_only
def test_sigterm_kills_the_compilers_too(tiny, own_cache):
    child = tiny.child("model { }", TINY_SLEEP="60")
    until(lambda: tiny.compilations() == 1)
    child.terminate()
    child.communicate(timeout=10)
    until(lambda: not processes_in(own_cache / "tmp"))
    assert answers(tiny.child("model { }"))
    assert not list((own_cache / "tmp").iterdir())
