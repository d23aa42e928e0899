"""Write a file whole or not at all, and read one that may hold anything."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import struct
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile

from scistan.inference.seal import set_seal
from scistan.messages import fits as messages

__all__ = ["DAMAGE", "check_room", "replacing", "shown_reason", "why_unreadable"]

# What the readers of netCDF, Zarr, zip and JSON raise on bytes that no writer of theirs wrote.
DAMAGE = (
    ArithmeticError, AssertionError, AttributeError, BadZipFile, EOFError, LookupError, MemoryError, OSError,
    RuntimeError, SystemError, TypeError, ValueError, struct.error, zlib.error,
)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Write beside the target, seal it, and rename at the end: what fails leaves an older file as it was."""
    folder = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
        beside = folder / path.name
        yield beside
        set_seal(beside)
        _rename(beside, path, folder)
    except (OSError, RuntimeError, ValueError) as error:  # HDF5 has a RuntimeError for a disk that is full
        raise messages.cannot_save(path, shown_reason(error)) from None
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def check_room(beside: Path, size: int) -> None:
    """Raise where a disk has no room for a file: HDF5 cannot be let run into that, for it takes Python down with it."""
    trial = beside.with_name("room")
    with trial.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        elif shutil.disk_usage(beside.parent).free < size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    trial.unlink()


def why_unreadable(path: Path, *, folders: bool = False) -> str:
    """Say why a path cannot be read at all, or nothing: a pipe or a device never ends."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return "there is no such file"
    except (OSError, ValueError) as error:
        return shown_reason(error)
    if stat.S_ISREG(mode) or (folders and stat.S_ISDIR(mode)):
        return ""
    return "it is a folder" if stat.S_ISDIR(mode) else "it is no file"


def _rename(beside: Path, path: Path, folder: Path) -> None:
    """Put what was written in its place; a folder that is there goes out of the way, and back if that fails."""
    if not path.is_dir() or path.is_symlink():
        os.replace(beside, path)
        return
    old = folder / "old"
    os.rename(path, old)
    try:
        os.rename(beside, path)
    except OSError:
        os.rename(old, path)
        raise


def shown_reason(error: BaseException) -> str:
    """Give what an error says in one line; its kind where it says nothing."""
    text = str(getattr(error, "strerror", None) or error)  # xarray puts an error where a text should be
    return " ".join(text.split())[:300] or type(error).__name__
