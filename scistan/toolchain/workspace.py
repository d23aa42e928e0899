"""Private folders in which builds happen; those of dead builders are swept away."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scistan.toolchain.flock import try_lock

__all__ = ["Workspace", "remove_tree", "sweep", "workspace"]

OWNER = "owner"
YOUNG = 60.0  # seconds in which a folder may still be without its owner's lock


@dataclass(frozen=True, slots=True)
class Workspace:
    """A private folder: `out` becomes the entry, `scratch` is for all that does not."""

    folder: Path
    owner: int

    @property
    def out(self) -> Path:
        """The folder that will be renamed into the cache."""
        return self.folder / "out"

    @property
    def scratch(self) -> Path:
        """The folder for intermediate files."""
        return self.folder / "scratch"


def open_high(path: Path) -> int:
    """Open a file on a descriptor that the guarding shell does not use for itself (it takes 3)."""
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    if sys.platform == "win32":
        return descriptor
    import fcntl

    high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 20)
    os.close(descriptor)
    return high


def remove_tree(folder: Path) -> None:
    """Remove a folder, as much of it as can be removed."""
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def workspace(root: Path) -> Iterator[Workspace]:
    """Give a fresh private folder on the cache's own disk and remove it afterwards.

    The owner's lock is inherited by the compilers: no sweep takes the folder from under one that still runs.
    """
    folder = root / "tmp" / f"{os.getpid()}-{os.urandom(6).hex()}"
    folder.mkdir(mode=0o700)
    owner = -1
    try:
        folder.chmod(0o700)
        owner = open_high(folder / OWNER)
        try_lock(owner)
        place = Workspace(folder, owner)
        for part in (place.out, place.scratch):
            part.mkdir(mode=0o700)
            part.chmod(0o700)
        yield place
    finally:
        if owner >= 0:
            os.close(owner)
        remove_tree(folder)


def sweep(root: Path) -> int:
    """Remove the folders of builders that died; give their number."""
    removed = 0
    try:
        folders = [Path(entry.path) for entry in os.scandir(root / "tmp")]
    except OSError:
        return 0
    for folder in folders:
        if abandoned(folder):
            remove_tree(folder)
            removed += 1
    return removed


def abandoned(folder: Path) -> bool:
    """Tell whether nobody builds in a folder any more."""
    try:
        descriptor = os.open(folder / OWNER, os.O_RDWR)
    except OSError:
        try:
            return time.time() - folder.stat().st_mtime > YOUNG
        except OSError:
            return False
    try:
        if os.name != "posix":
            return time.time() - folder.stat().st_mtime > 86_400
        return try_lock(descriptor)
    finally:
        os.close(descriptor)
