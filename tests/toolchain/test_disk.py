"""Disks that are read-only, full or open to others, and caches that are shared."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
import warnings

import pytest

from scistan.errors import ToolchainError
from scistan.toolchain.build import compile_stan
from scistan.toolchain.cache import open_store
from scistan.toolchain.inventory import verify_cache
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.pool import compile_many

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX disks and modes")


def build(tiny, text="model { }", **changes):
    """Build with the tiny toolchain and no header."""
    options = BuildOptions(precompiled_header=False, **changes)
    return compile_stan(text, toolchain=tiny.toolchain(), options=options, progress=False)


QUICK = BuildOptions(precompiled_header=False)


def runs(path):
    """Tell whether an executable answers."""
    return subprocess.run([path, "info"], capture_output=True).returncode == 0


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777, 0o707])
def test_a_cache_that_others_can_write_to_is_refused(tiny, own_cache, mode):
    build(tiny)
    own_cache.chmod(mode)
    for text in ("model { }", "model { } // new"):
        with pytest.raises(ToolchainError, match="others can write to the cache") as caught:
            build(tiny, text)
    assert "chmod go-w" in caught.value.remedy
    own_cache.chmod(0o755)
    assert runs(build(tiny))


def test_an_inner_folder_that_others_can_write_to_is_refused(tiny, own_cache):
    build(tiny)
    (own_cache / "models").chmod(0o777)
    with pytest.raises(ToolchainError, match="others can write to"):
        build(tiny, "model { } // new")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders away")
def test_a_cache_of_another_user_is_refused(tiny, own_cache):
    build(tiny)
    os.chown(own_cache, 12345, 12345)
    with pytest.raises(ToolchainError, match="belongs to another user"):
        build(tiny)


def make_read_only(disk):
    """Mount a disk read-only as soon as the shells that watched its compilers are gone."""
    for _ in range(500):
        if subprocess.run(["mount", "-o", "remount,ro", str(disk)], capture_output=True).returncode == 0:
            return
        time.sleep(0.02)
    pytest.fail("the disk stays busy")


def test_a_read_only_disk_serves_and_builds_elsewhere(tiny, mounted, monkeypatch):
    disk = mounted("size=50m,mode=700")
    monkeypatch.setenv("SCISTAN_CACHE", str(disk / "cache"))
    first = build(tiny)
    make_read_only(disk)
    assert build(tiny) == first
    with pytest.warns(UserWarning, match="cannot be written to .* temporary folder"):
        second = build(tiny, "model { } // new")
    assert runs(second)
    assert not second.is_relative_to(disk)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert build(tiny, "model { } // new") == second
        assert runs(build(tiny, "model { } // third"))
    assert tiny.compilations() == 3


def test_a_folder_that_cannot_be_made(tiny, mounted, monkeypatch):
    disk = mounted("size=1m,mode=700,ro")
    monkeypatch.setenv("SCISTAN_CACHE", str(disk / "deep" / "cache"))
    with pytest.warns(UserWarning, match="temporary folder"):
        assert runs(build(tiny))


@pytest.mark.parametrize("size", [0, 16, 24, 32, 48, 64, 80, 96, 128])
def test_a_full_disk_is_told_and_leaves_no_half_entry(tiny, mounted, monkeypatch, size):
    disk = mounted("size=8m,mode=700")
    monkeypatch.setenv("SCISTAN_CACHE", str(disk / "cache"))
    build(tiny)
    filler = disk / "filler"
    free = shutil.disk_usage(disk).free
    filler.write_bytes(bytes(max(0, free - size * 1024)))
    (result,) = compile_many(["model { } // new"], toolchain=tiny.toolchain(), options=QUICK, progress=False)
    if isinstance(result, ToolchainError):
        assert "full" in result.what
        assert "SCISTAN_CACHE" in result.remedy
    else:
        assert runs(result)
    assert not verify_cache(open_store())
    assert not list((disk / "cache" / "tmp").iterdir())
    filler.unlink()
    assert runs(build(tiny, "model { } // new"))


def test_a_file_in_the_cache_s_place(tiny, own_cache):
    own_cache.write_text("I am a file")
    with pytest.raises(ToolchainError, match="cannot be used") as caught:
        build(tiny)
    assert "SCISTAN_CACHE" in caught.value.remedy


def test_a_shared_cache_is_read_and_never_written(tiny, own_cache, tmp_path, monkeypatch):
    build(tiny)
    shared = tmp_path / "shared"
    own_cache.rename(shared)
    for path in (shared, *shared.rglob("*")):
        path.chmod(0o755 if path.is_dir() or path.name in ("model", "libtbb.so.2") else 0o644)
    before = {path: path.stat().st_mtime_ns for path in shared.rglob("*")}
    monkeypatch.setenv("SCISTAN_CACHE_READONLY", str(shared))
    path = build(tiny)
    assert path.is_relative_to(shared)
    assert build(tiny, "model { } // new").is_relative_to(own_cache)
    assert {path: path.stat().st_mtime_ns for path in shared.rglob("*")} == before
    (path.parent / "model").write_bytes(b"bad")
    assert build(tiny).is_relative_to(own_cache)


def test_a_shared_cache_that_anyone_can_write_to_is_refused(tiny, own_cache, tmp_path, monkeypatch):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv("SCISTAN_CACHE_READONLY", str(shared))
    with pytest.raises(ToolchainError, match="others can write to"):
        build(tiny)


def shared_entry(tiny, own_cache, tmp_path, monkeypatch):
    """Build a model in a cache that another one then reads."""
    built = build(tiny)
    monkeypatch.setenv("SCISTAN_CACHE_READONLY", str(own_cache))
    monkeypatch.setenv("SCISTAN_CACHE", str(tmp_path / "own"))
    assert build(tiny) == built
    return built


@pytest.mark.parametrize("part", ["models", "entry", "file"])
def test_a_shared_cache_is_checked_all_the_way_down(tiny, own_cache, tmp_path, monkeypatch, part):
    built = shared_entry(tiny, own_cache, tmp_path, monkeypatch)
    path = {"models": own_cache / "models", "entry": built.parent, "file": built}[part]
    path.chmod(0o777)
    assert build(tiny) != built
    path.chmod(0o700)
    assert build(tiny) != built, "the own cache comes first"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("part", ["models", "entry", "file", "record"])
def test_a_part_of_another_owner_is_not_run(tiny, own_cache, tmp_path, monkeypatch, part):
    built = shared_entry(tiny, own_cache, tmp_path, monkeypatch)
    parts = {"models": own_cache / "models", "entry": built.parent, "file": built}
    os.chown(parts.get(part, built.parent / "record.json"), 4321, 4321)
    assert build(tiny) != built


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_shared_cache_of_another_user_is_read(tiny, own_cache, tmp_path, monkeypatch):
    built = shared_entry(tiny, own_cache, tmp_path, monkeypatch)
    for path in (own_cache, *own_cache.rglob("*")):
        os.chown(path, 4321, 4321)
    assert build(tiny) == built


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("what", ["folder inside", "entry", "models"])
def test_links_inside_a_cache_are_refused(tiny, own_cache, tmp_path, monkeypatch, what, shared):
    """A folder that is a link is never seen by a walk, and what is in it was loaded unseen."""
    built = shared_entry(tiny, own_cache, tmp_path, monkeypatch) if shared else build(tiny)
    if what == "folder inside":
        (tmp_path / "foreign").mkdir()
        (built.parent / "lib").symlink_to(tmp_path / "foreign")
    else:
        moved = built.parent if what == "entry" else own_cache / "models"
        moved.rename(tmp_path / "moved")
        moved.symlink_to(tmp_path / "moved")
    assert open_store().find("models", built.parent.name) is None


@pytest.mark.parametrize("place", ["/dev/null", "~nosuchuser/cache", "/dev/null/below"])
def test_a_place_that_cannot_be_a_cache_is_told(tiny, own_cache, monkeypatch, place):
    monkeypatch.setenv("SCISTAN_CACHE", place)
    with pytest.raises(ToolchainError, match="SCISTAN_CACHE|cannot"):
        build(tiny)


@pytest.mark.parametrize("chosen", ["g++ 'broken", '"', "'", "\\"])
def test_a_compiler_with_a_broken_quote_is_told(tiny, own_cache, monkeypatch, chosen):
    monkeypatch.setenv("CXX", chosen)
    with pytest.raises(ToolchainError, match="does not name a working"):
        build(tiny)
