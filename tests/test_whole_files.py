"""Every file that a user asks for is written whole or not at all: what fails leaves an older one as it was."""

from __future__ import annotations

import ast
import os
import resource
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import scistan as ss
from scistan.history import Run, record
from scistan.inference.judge.folder import open_folder
from scistan.toolchain.cache import open_store
from scistan.toolchain.transfer import export_cache
from scistan.whole_files import replacing
from tests.conftest import ROOT


@contextmanager
def full_disk(size: int = 1) -> Iterator[None]:
    """A limit on file sizes stands for the full disk: every write beyond it fails."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))  # Python ignores the signal that comes with it
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.fixture(scope="module")
def writers() -> dict[str, Callable[[Path], object]]:
    """Give what writes a file of each kind, by a name for it."""
    m = ss.Model("two")
    m.x = ss.Normal(0, 1)
    m.y = ss.Normal(m.x, 1).observe(np.arange(5.0))
    fit = m.mcmc(draws=50, warmup=50, chains=2, seed=1, engine="stanli", progress=False)
    record(Run("map", "torch", seconds=0.5))
    return {
        "report.html": fit.report,
        "trace.png": lambda path: fit.plot_trace(path=path),
        "trace.pdf": lambda path: fit.plot_trace(path=path),
        "fit.nc": fit.save,
        "fit.zarr": fit.save,
        "graph.svg": m.graph().save,
        "profile.html": fit.profile.report().save,
        "history.csv": ss.history.export,
        "history.json": ss.history.export,
    }


@pytest.mark.parametrize(
    "name",
    ["report.html", "trace.png", "trace.pdf", "fit.nc", "fit.zarr", "graph.svg", "profile.html", "history.csv", "history.json"],
)
def test_a_full_disk_leaves_the_old_file(writers, name, tmp_path):
    path, write = tmp_path / name, writers[name]
    write(path)  # whatever is made on the way, as matplotlib's list of fonts, is made now
    before = contents(tmp_path)
    with full_disk(), pytest.raises(ss.DataError, match="cannot be written"):
        write(path)
    assert contents(tmp_path) == before
    (tmp_path / "file").touch()
    with pytest.raises(ss.DataError, match="cannot be written"):
        write(tmp_path / "file" / name)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else b"" for p in folder.rglob("*")}


def test_a_full_disk_leaves_an_older_export_of_the_cache(tmp_path, monkeypatch):
    monkeypatch.setattr("scistan.toolchain.transfer.exported", lambda *_: [("models", tmp_path / "entry")])
    (tmp_path / "entry").mkdir()
    (tmp_path / "entry" / "model").write_bytes(os.urandom(5000))
    path = tmp_path / "cache.tar"
    export_cache(open_store(), path)
    before = contents(tmp_path)
    with full_disk(), pytest.raises(ss.ToolchainError, match="cannot be written: File too large"):
        export_cache(open_store(), path)
    assert contents(tmp_path) == before


def test_a_full_disk_leaves_no_half_of_a_result(tmp_path):
    folder = open_folder(tmp_path / "study", "sbc", 7, {"model": "m"})
    before = contents(tmp_path)
    with full_disk(), pytest.raises(ss.DataError, match="cannot be written"):
        folder.keep(3, {"ranks": np.arange(1000)})
    assert contents(tmp_path) == before


def test_a_link_stays_and_its_file_is_replaced(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    with replacing(link) as beside:
        beside.write_text("new")
    assert (link.is_symlink(), real.read_text()) == (True, "new")


def test_permissions_are_kept_and_respected(tmp_path):
    path = tmp_path / "shared.txt"
    path.write_text("old")
    path.chmod(0o640)
    with replacing(path) as beside:
        beside.write_text("new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o440)
    if os.access(path, os.W_OK):
        pytest.skip("root may write to everything")
    with pytest.raises(PermissionError), replacing(path):
        pass


def test_a_device_or_a_folder_is_not_replaced(tmp_path):
    pipe, folder = tmp_path / "pipe.html", tmp_path / "folder.html"
    os.mkfifo(pipe)
    folder.mkdir()
    for path, said in {pipe: "it is no file", folder: "Is a directory"}.items():
        with pytest.raises(OSError, match=said), replacing(path) as beside:
            beside.write_text("new")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder.html", "pipe.html"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_what_breaks_in_leaves_nothing_behind(error, tmp_path):
    path = tmp_path / ("a" * 250 + ".txt")  # as long as a name may be
    path.write_text("old")


    def break_in():
        with replacing(path) as beside:
            beside.write_text("new")
            raise error

    with pytest.raises(error):
        break_in()
    assert contents(tmp_path) == {path.name: b"old"}


WRITING = ("write_text", "write_bytes", "savefig", "to_netcdf", "to_zarr")


def test_rooms_that_users_see_write_files_beside_their_place_only():
    """A file is written to `beside`, which `replacing` gave, or to memory (`out`); a seal goes into such a file."""
    found = []
    for path in sorted((ROOT / "scistan").rglob("*.py")):
        room = path.relative_to(ROOT / "scistan").parts[0]
        if room in ("engines", "toolchain", "whole_files.py") or path.name == "seal.py":
            continue  # which write to folders of their own
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and _writes(call):
                names = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
                if not names & {"beside", "out", "trial"}:
                    found.append(f"{path.relative_to(ROOT)}:{call.lineno}")
    assert found == []


def _writes(call: ast.Call) -> bool:
    assert isinstance(call.func, ast.Attribute)
    modes = [word.value for word in (*call.args, *(k.value for k in call.keywords)) if isinstance(word, ast.Constant)]
    opened = call.func.attr == "open" and any(isinstance(mode, str) and mode[:1] in ("w", "x", "a") for mode in modes)
    return opened or call.func.attr in WRITING
