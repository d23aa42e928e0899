"""The cap on the cache's size: least recently used first, never what is in use."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time

import pytest

from scistan.errors import ArgumentError
from scistan.toolchain.build import compile_stan
from scistan.toolchain.cache import open_store
from scistan.toolchain.evict import GRACE, items, parse_size, prune
from scistan.toolchain.inventory import clear, list_cache
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.use import hold
from tests.toolchain.conftest import Tiny

HOLDER = """
import sys, time
from pathlib import Path
from scistan.toolchain.use import hold
with hold(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def build(tiny, text):
    """Build with the tiny toolchain."""
    options = BuildOptions(precompiled_header=False)
    return compile_stan(text, toolchain=tiny.toolchain(), options=options, progress=False)


@pytest.fixture(scope="module")
def built(tiny_parts, tmp_path_factory):
    """Build three models once: an entry is known by what it holds, so that copies of this cache are caches too."""
    root = tmp_path_factory.mktemp("built") / "cache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCISTAN_CACHE", str(root))
        patch.setenv("CXX", str(tiny_parts / "cxx"))
        patch.setenv("TINY_LOG", str(root.parent / "compilations.log"))
        paths = [build(Tiny(tiny_parts), f"model {{ }} // {n}") for n in range(3)]
    return root, [path.relative_to(root) for path in paths]


def age(path, seconds):
    """Make an entry look unused for some seconds."""
    moment = time.time() - seconds
    os.utime(path, (moment, moment))


@pytest.fixture
def three(tiny, own_cache, built):
    """Give a cache of three models, the first unused the longest; products are younger than all."""
    root, places = built
    shutil.copytree(root, own_cache, symlinks=True)
    paths = [own_cache / place for place in places]
    for hours, path in zip((3, 2, 1), paths, strict=True):
        age(path.parent, hours * 3600)
    return paths


def room_for_all_but(count, paths):
    """Give the size that makes some of the models too many (records differ by a few bytes)."""
    total = sum(item.bytes for item in items(open_store()))
    sizes = {item.folder: item.bytes for item in items(open_store())}
    return total - sum(sizes[path.parent] for path in paths[:count]) + 500


def test_the_least_recently_used_goes_first(three):
    prune(open_store(), size=room_for_all_but(1, three))
    assert [path.exists() for path in three] == [False, True, True]
    prune(open_store(), size=room_for_all_but(1, three[1:]))
    assert [path.exists() for path in three] == [False, False, True]


def test_a_hit_is_a_use(tiny, three):
    assert build(tiny, "model { } // 0") == three[0]
    prune(open_store(), size=room_for_all_but(1, three))
    assert [path.exists() for path in three] == [True, False, True]


def test_what_was_used_just_now_stays(tiny, three):
    for path in three:
        age(path.parent, GRACE - 60)
    assert not prune(open_store(), size=0)
    assert all(path.exists() for path in three)


def test_a_held_executable_stays(three):
    with hold(three[0]):
        prune(open_store(), size=0)
        assert [path.exists() for path in three] == [True, False, False]
    prune(open_store(), size=0)
    assert not three[0].exists()


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
def test_a_running_executable_stays(three):
    process = subprocess.Popen([three[0], "sleep"])
    try:
        clear(open_store())
        assert [path.exists() for path in three] == [True, False, False]
    finally:
        process.kill()
        process.wait()
    clear(open_store())
    assert not items(open_store())


def test_a_holder_in_another_process_dies_with_it(three):
    process = subprocess.Popen([sys.executable, "-c", HOLDER, three[0]], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    prune(open_store(), size=0)
    assert three[0].exists()
    process.kill()
    process.communicate()
    prune(open_store(), size=0)
    assert not three[0].exists()


def test_builds_keep_to_the_cap(tiny, three, monkeypatch):
    for item in items(open_store()):
        age(item.folder, 7200 if item.kind == "models" else 3600)
    monkeypatch.setenv("SCISTAN_CACHE_SIZE", "1 KB")
    new = build(tiny, "model { } // new")
    assert new.exists()
    assert not any(path.exists() for path in three)


def test_old_entries_go_by_days(three):
    removed = prune(open_store(), size=10**12, older_than=2.5 * 3600)
    assert [item.folder for item in removed] == [three[0].parent]


def test_an_entry_that_is_being_built_stays(tiny, three):
    from filelock import FileLock

    lock = FileLock(three[0].parents[2] / "locks" / f"{three[0].parent.name}.lock")
    with lock:
        prune(open_store(), size=0)
    assert [path.exists() for path in three] == [True, False, False]


def test_the_list_says_what_there_is(three):
    rows = list_cache(open_store())
    assert sum(row.what.startswith("model (core)") for row in rows) == 3
    assert any(row.what == "runner main.cpp" for row in rows)
    (three[0].parent / "record.json").write_text("{}")
    assert any(row.what.startswith("damaged") for row in list_cache(open_store()))


@pytest.mark.parametrize(
    ("text", "size"), [("5GB", 5e9), ("1.5 mb", 1.5e6), ("700", 700), ("2k", 2e3), ("3 G", 3e9)]
)
def test_sizes(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["much", "", "5 XB", "1.2.3 GB"])
def test_bad_sizes(text):
    with pytest.raises(ArgumentError, match="is not a size"):
        parse_size(text)
