"""Write a file that a user named, and read one that may hold anything."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from zipfile import BadZipFile

from scistan.errors import ScistanError
from scistan.inference.seal import set_seal
from scistan.messages import fits as messages
from scistan.whole_files import replacing

__all__ = ["DAMAGE", "check_room", "sealing", "shown_reason", "why_unreadable", "write_text", "writing"]

# What the readers of netCDF, Zarr, zip and JSON raise on bytes that no writer of theirs wrote.
DAMAGE = (
    ArithmeticError, AssertionError, AttributeError, BadZipFile, EOFError, LookupError, MemoryError, OSError,
    RuntimeError, SystemError, TypeError, ValueError, struct.error, zlib.error,
)


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Give a place to write a file that a user named; what fails is told, and leaves an older file as it was."""
    try:
        with replacing(path) as beside:
            yield beside
    except ScistanError:
        raise
    except (OSError, RuntimeError, ValueError) as error:  # HDF5 has a RuntimeError for a disk that is full
        raise messages.cannot_save(path, shown_reason(error)) from None


def write_text(path: Path, text: str) -> Path:
    """Write a text to a file that a user named."""
    with writing(path) as beside:
        beside.write_text(text, encoding="utf-8")
    return path


@contextmanager
def sealing(path: Path) -> Iterator[Path]:
    """Give a place to write a file that is sealed at the end, in folders that are made."""
    with suppress(OSError, ValueError):  # whose reason is told when the file is written
        path.parent.mkdir(parents=True, exist_ok=True)
    with writing(path) as beside:
        yield beside
        set_seal(beside)


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


def shown_reason(error: BaseException) -> str:
    """Give what an error says in one line; its kind where it says nothing."""
    text = str(getattr(error, "strerror", None) or error)  # xarray puts an error where a text should be
    return " ".join(text.split())[:300] or type(error).__name__
