"""What a build or a run needs is held: a cache that is cleared all the time costs work, never a failure."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from scistan.cli import main
from scistan.errors import ToolchainError
from scistan.toolchain.build import compile_stan, held_executable
from scistan.toolchain.cache import open_store
from scistan.toolchain.inventory import clear, verify_cache
from scistan.toolchain.lock import key_lock
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.use import hold
from scistan.toolchain.wheel_build import link


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
        children = [tiny.child(*(f"model {{ }} // {n} {k}" for k in range(2))) for n in range(2)]
        results = [result for child in children for result in json.loads(child.communicate(timeout=120)[0])]
    finally:
        stopped.set()
        clearing.join()
    assert len(results) == 4
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


def damage(folder: Path) -> None:
    """Put a file into an entry that does not belong there."""
    (folder / "foreign").touch(mode=0o600)


def test_builds_beside_a_cache_that_is_verified_and_damaged_all_the_time(tiny, own_cache):
    """What is damaged is removed and built again; no builder fails, and what is sound is neither named nor removed."""
    stopped, removed = threading.Event(), []

    def verify_until() -> None:
        while not stopped.is_set():
            store = open_store()
            for number, (_, folder) in enumerate(store.folders()):
                if number % 3 == 0:
                    with suppress(OSError):  # gone since it was listed
                        damage(folder)
            removed.extend(finding for finding in verify_cache(store, remove=True) if finding.removed)
            time.sleep(0.05)  # else builders are left too little of the machine

    verifying = threading.Thread(target=verify_until)
    verifying.start()
    try:
        children = [tiny.child(*(f"model {{ }} // {n} {k}" for k in range(2))) for n in range(2)]
        results = [result for child in children for result in json.loads(child.communicate(timeout=120)[0])]
    finally:
        stopped.set()
        verifying.join()
    assert len(results) == 4
    assert [result for result in results if isinstance(result, dict)] == []
    assert removed
    assert {finding.reason for finding in removed} == {"files are missing or foreign: foreign"}


def test_beside_builds_verify_finds_nothing_where_nothing_is_damaged(tiny, own_cache):
    """An entry that is replaced or cleared while it is read is not a finding."""
    stopped = threading.Event()
    clearing = threading.Thread(target=clear_until, args=(stopped,))
    clearing.start()
    try:
        child = tiny.child(*(f"model {{ }} // {k}" for k in range(2)))
        findings = []
        while child.poll() is None:
            findings += verify_cache(open_store())
            time.sleep(0.01)
        assert [result for result in json.loads(child.communicate()[0]) if isinstance(result, dict)] == []
    finally:
        stopped.set()
        clearing.join()
    assert findings == []


def test_verify_leaves_alone_what_somebody_builds_again(tiny, own_cache):
    """An entry whose lock another has is his to mend; what is held is named and stays."""
    path = compile_stan(
        "model { }", options=BuildOptions(precompiled_header=False), toolchain=tiny.toolchain(), progress=False
    )
    damage(path.parent)
    with key_lock(own_cache, path.parent.name):
        assert verify_cache(open_store(), remove=True) == []
    with hold(path):
        (finding,) = verify_cache(open_store(), remove=True)
        assert not finding.removed
        assert main(["cache", "verify", "--remove"]) == 1
    assert path.exists()
    (finding,) = verify_cache(open_store())
    assert (finding.folder, finding.removed) == (path.parent, False)
    assert main(["cache", "verify"]) == 1
    assert main(["cache", "verify", "--remove"]) == 0
    assert not path.exists()
    assert main(["cache", "verify"]) == 0


def test_what_is_replaced_while_it_is_linked_is_linked_again(tiny, own_cache, monkeypatch):
    """A hold is on what was found: an entry that others found damaged and built again is not the one that is held."""
    linked = []

    def link_without(work, wheel, place, objects):
        linked.append(len(objects))
        if len(linked) == 1:
            open_store().discard(objects[-1].parent)
        link(work, wheel, place, objects)

    monkeypatch.setattr("scistan.toolchain.wheel_build.link", link_without)
    path = compile_stan("model { }", toolchain=tiny.toolchain(), progress=False)
    assert subprocess.run([str(path), "info"], check=False).returncode == 0
    assert linked == [2 + 1, 2 + 1]


def test_objects_that_are_always_gone_end_in_the_linkers_words(tiny, own_cache, monkeypatch):
    def link_without(work, wheel, place, objects):
        open_store().discard(objects[0].parent)
        link(work, wheel, place, objects)

    monkeypatch.setattr("scistan.toolchain.wheel_build.link", link_without)
    monkeypatch.setattr("scistan.toolchain.wheel_build.TRIES", 2)
    with pytest.raises(ToolchainError, match="linking the executable failed"):
        compile_stan("model { }", toolchain=tiny.toolchain(), progress=False)
    assert tiny.compilations() == 2
