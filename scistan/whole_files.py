"""Write a file whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["replacing"]

_LONGEST = 32  # characters of a file's name that the folder beside it has too: a name may be as long as a disk allows


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a place beside a file to write it to, and rename it at the end: what fails leaves an older one as it was.

    A link stays one, and what it leads to is replaced. What is neither file nor folder, as a device, is refused.
    """
    target = Path(os.path.realpath(path))
    _check(target)
    # A folder of its own: what others write beside a file, as netCDF's and Zarr's libraries do, goes with it.
    folder = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name[:_LONGEST]}."))
    try:
        beside = folder / target.name
        yield beside
        if target.is_file() and not beside.is_dir():
            shutil.copymode(target, beside)
        _rename(beside, target, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check(target: Path) -> None:
    """Raise where a rename would replace what a user could not, or would not, write to."""
    if not target.exists():
        return
    if not target.is_file() and not target.is_dir():
        raise OSError(errno.EINVAL, "it is no file")
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _rename(beside: Path, target: Path, folder: Path) -> None:
    """Put what was written in its place; a folder goes out of the way of another, and back if that fails."""
    if not (target.is_dir() and beside.is_dir()):
        os.replace(beside, target)  # which never puts a file in the place of a folder
        return
    old = folder / "old"
    os.rename(target, old)
    try:
        os.rename(beside, target)
    except OSError:
        os.rename(old, target)
        raise
