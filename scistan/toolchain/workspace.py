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

__all__ = ["Workspace", "claim", "owner_of", "remove_tree", "sweep", "sweep_home", "workspace"]

OWNER = ".owner"


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

    The owner's lock stands beside the folder from before it is made until after it is gone, so that a folder without
    one is nobody's. It is inherited by the compilers: no sweep takes the folder from under one that still runs.
    """
    folder, owner = claim(root / "tmp")
    try:
        folder.mkdir(mode=0o700)
        folder.chmod(0o700)
        place = Workspace(folder, owner)
        for part in (place.out, place.scratch):
            part.mkdir(mode=0o700)
            part.chmod(0o700)
        yield place
    finally:
        remove_tree(folder)
        owner_of(folder).unlink(missing_ok=True)
        os.close(owner)


def claim(home: Path, prefix: str = "") -> tuple[Path, int]:
    """Choose a folder's name and lock it; the lock dies with this process."""
    while True:
        folder = home / f"{prefix}{os.getpid()}-{os.urandom(6).hex()}"
        owner = open_high(owner_of(folder))
        if try_lock(owner) and owner_of(folder).exists():
            return folder, owner
        os.close(owner)  # a sweep took it for a dead one's before it was locked


def owner_of(folder: Path) -> Path:
    """Give the lock that stands beside a folder."""
    return folder.with_name(folder.name + OWNER)


def sweep(root: Path) -> int:
    """Remove the folders of builders that died; give their number."""
    return sweep_home(root / "tmp")


def sweep_home(home: Path, prefix: str = "") -> int:
    """Remove the folders of owners that died; with a prefix, for a home that others use too, only this user's."""
    removed = 0
    try:
        names = [entry.name.removesuffix(OWNER) for entry in os.scandir(home) if _is_ours(entry, prefix)]
    except OSError:
        return 0
    for name in dict.fromkeys(sorted(names)):
        folder = home / name
        with _nobodys(folder) as free:
            if free:
                remove_tree(folder)
                owner_of(folder).unlink(missing_ok=True)
                removed += 1
    return removed


def _is_ours(entry: os.DirEntry[str], prefix: str) -> bool:
    """Tell whether an entry of a home is a lock or a folder of ours; beside strangers only a lock proves it."""
    if not prefix:
        return True
    if not (entry.name.startswith(prefix) and entry.name.endswith(OWNER)):
        return False
    try:
        return os.name != "posix" or entry.stat(follow_symlinks=False).st_uid == os.geteuid()
    except OSError:
        return False


@contextmanager
def _nobodys(folder: Path) -> Iterator[bool]:
    """Tell whether nobody builds in a folder any more, and keep it so while the block runs."""
    try:
        descriptor = os.open(owner_of(folder), os.O_RDWR)
    except OSError as error:
        yield isinstance(error, FileNotFoundError)
        return
    try:
        yield _is_old(folder) if os.name != "posix" else try_lock(descriptor)
    finally:
        os.close(descriptor)


def _is_old(folder: Path) -> bool:
    try:
        return time.time() - folder.stat().st_mtime > 86_400
    except OSError:
        return True
