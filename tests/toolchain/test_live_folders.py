"""What others do in the cache between two steps of ours: no live folder is swept, no swapped entry is held."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scistan.toolchain import use
from scistan.toolchain import workspace as module
from scistan.toolchain.record import RECORD
from scistan.toolchain.use import hold_entry
from scistan.toolchain.workspace import claim, owner_of, sweep, workspace

BUILDER = """
import sys, time
from pathlib import Path
from scistan.toolchain.workspace import workspace
with workspace(Path(sys.argv[1])) as place:
    print(place.folder, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def root(tmp_path) -> Path:
    (tmp_path / "tmp").mkdir()
    return tmp_path


def test_a_sweep_leaves_the_folders_of_live_builders(root):
    with workspace(root) as place:
        (place.scratch / "model.hpp").write_text("half of it")
        assert sweep(root) == 0
        assert (place.scratch / "model.hpp").exists()
        assert owner_of(place.folder).exists()
    assert list((root / "tmp").iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="elsewhere locks do not die with their owner")
def test_a_sweep_tells_a_live_process_from_a_dead_one(root):
    process = subprocess.Popen([sys.executable, "-c", BUILDER, root], stdout=subprocess.PIPE, text=True)
    folder = Path(process.stdout.readline().strip())
    try:
        assert sweep(root) == 0
        assert (folder / "out").is_dir()
    finally:
        process.kill()
        process.communicate()
    assert sweep(root) == 1
    assert list((root / "tmp").iterdir()) == []


def test_a_folder_whose_lock_was_swept_before_it_was_taken_is_not_used(root, monkeypatch):
    real, taken = module.try_lock, []

    def late(descriptor: int) -> bool:
        if not taken:  # a sweep saw the lock before its owner had it
            taken.extend((root / "tmp").iterdir())
            taken[0].unlink()
        return real(descriptor)

    monkeypatch.setattr(module, "try_lock", late)
    folder, owner = claim(root / "tmp")
    os.close(owner)
    assert owner_of(folder).exists()
    assert owner_of(folder) != taken[0]


def test_an_entry_that_was_swapped_between_opening_and_locking_is_not_held(tmp_path, monkeypatch):
    record = tmp_path / RECORD
    record.write_text("the old one")
    real = use.try_lock

    def late(descriptor: int, *, shared: bool = False) -> bool:
        other = tmp_path / "new"
        other.write_text("another executable's")
        other.replace(record)
        return real(descriptor, shared=shared)

    with hold_entry(tmp_path):
        pass
    monkeypatch.setattr(use, "try_lock", late)
    with pytest.raises(FileNotFoundError), hold_entry(tmp_path):
        pass
