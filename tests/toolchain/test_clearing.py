"""What a build or a run needs is held: a cache that is cleared all the time costs work, never a failure."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time

from scistan.toolchain.build import compile_stan, held_executable
from scistan.toolchain.cache import open_store
from scistan.toolchain.inventory import clear, verify_cache
from scistan.toolchain.options import BuildOptions


def clear_until(stopped: threading.Event) -> None:
    """Clear the cache again and again."""
    while not stopped.is_set():
        clear(open_store())
        time.sleep(0.002)


def test_builds_beside_a_cache_that_is_cleared_all_the_time(tiny, own_cache):
    stopped = threading.Event()
    clearing = threading.Thread(target=clear_until, args=(stopped,))
    clearing.start()
    try:
        children = [tiny.child(*(f"model {{ }} // {n} {k}" for k in range(4))) for n in range(2)]
        results = [result for child in children for result in json.loads(child.communicate(timeout=120)[0])]
    finally:
        stopped.set()
        clearing.join()
    assert len(results) == 8
    assert [result for result in results if isinstance(result, dict)] == []


def test_an_executable_is_held_from_the_moment_it_is_found(tiny, own_cache):
    options = BuildOptions(precompiled_header=False)
    stopped = threading.Event()
    clearing = threading.Thread(target=clear_until, args=(stopped,))
    clearing.start()
    try:
        for _ in range(3):
            with held_executable("model { }", options=options, toolchain=tiny.toolchain(), progress=False) as path:
                time.sleep(0.05)
                done = subprocess.run([str(path), "info"], capture_output=True, text=True, check=False)
                assert done.returncode == 0, done.stderr
    finally:
        stopped.set()
        clearing.join()


def test_verify_leaves_alone_what_somebody_builds_again(tiny, own_cache):
    """An entry that is damaged when it is seen and sound when its lock is had is not removed."""
    options = BuildOptions(precompiled_header=False)
    path = compile_stan("model { }", options=options, toolchain=tiny.toolchain(), progress=False)
    (path.parent / "foreign").touch()
    os.chmod(path.parent / "foreign", 0o600)
    findings = verify_cache(open_store(), remove=True)
    assert [finding.folder for finding in findings] == [path.parent]
    assert not path.exists()
