"""The seal of a saved file: a digest at its end, or beside the files of a folder, so that changed bytes are noticed."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

__all__ = ["BrokenSealError", "check_seal", "set_seal"]

_MAGIC = b"scistan.sha256: "
_DIGITS = 64
_BESIDE = ".scistan-sha256"  # in a folder of many files
_HEX = frozenset(b"0123456789abcdef")
_PIECE = 1 << 20


class BrokenSealError(ValueError):
    """A file that is not as it was written."""


def set_seal(path: Path) -> None:
    """Write the digest of a file behind its last byte, where no reader of netCDF or zip looks, or into a folder."""
    if path.is_dir():
        (path / _BESIDE).write_text(json.dumps(_digests(path), sort_keys=True))
        return
    seal = _MAGIC + _digest(path, path.stat().st_size).encode()
    with path.open("ab") as file:
        file.write(seal)


def check_seal(path: Path) -> None:
    """Raise where a file is not as it was sealed; one without a seal was written by others and may be anything."""
    if path.is_dir():
        _check_folder(path)
        return
    size, length = path.stat().st_size, len(_MAGIC) + _DIGITS
    with path.open("rb") as file:
        file.seek(max(0, size - length - _PIECE))
        end = file.read()
    seal = end[-length:]
    # Damage to the seal itself leaves a part of it: its beginning, or its digits.
    if seal.startswith(_MAGIC) or (len(seal) == length and set(seal[len(_MAGIC) :]) <= _HEX):
        if seal != _MAGIC + _digest(path, size - length).encode():
            raise BrokenSealError("it has been changed since it was written")
    elif _MAGIC in end:
        raise BrokenSealError("its end is missing, or was added to")
    elif 0 < _own_end(path, end, size) < size:  # a seal of which nothing is left to be known by
        raise BrokenSealError("its end has been changed since it was written, or was added to")


def _own_end(path: Path, end: bytes, size: int) -> int:
    """Say where a file ends by what it tells of itself; 0 where it is of another kind."""
    with path.open("rb") as file:
        start = file.read(48)
    if start.startswith(b"\x89HDF\r\n\x1a\n"):
        # HDF5 File Format Specification, level 0A: the end-of-file address of superblocks with offsets of 8 bytes.
        place, width = (40, 13) if start[8] == 0 else (28, 9)
        told = int.from_bytes(start[place : place + 8], "little")
        return told if start[8] in (0, 2, 3) and start[width] == 8 else 0
    if start.startswith(b"PK\x03\x04") and (found := end.rfind(b"PK\x05\x06")) >= 0:
        # APPNOTE.TXT, 4.3.16: the end of the central directory is 22 bytes and a comment.
        return size - len(end) + found + 22 + int.from_bytes(end[found + 20 : found + 22], "little")
    return 0


def _check_folder(path: Path) -> None:
    try:
        sealed = json.loads((path / _BESIDE).read_text())
    except FileNotFoundError:
        return
    except (ValueError, OSError, RecursionError):
        raise BrokenSealError("it has been changed since it was written") from None
    found = _digests(path)
    if sealed != found:
        names = sorted(set(found) ^ set(sealed)) if isinstance(sealed, dict) else []
        names += [name for name in found if isinstance(sealed, dict) and sealed.get(name, found[name]) != found[name]]
        raise BrokenSealError(f"it has been changed since it was written ({', '.join(names[:3])})")


def _digests(folder: Path) -> dict[str, str]:
    """Give the digest of every file in a folder."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            if not path.is_file():  # nothing that never ends
                raise BrokenSealError(f"it holds {name!r}, which is no file")
            if path != folder / _BESIDE:
                found[path.relative_to(folder).as_posix()] = _digest(path, path.stat().st_size)
    return found


def _digest(path: Path, size: int) -> str:
    total = hashlib.sha256()
    with path.open("rb") as file:
        while size > 0 and (piece := file.read(min(size, _PIECE))):
            total.update(piece)
            size -= len(piece)
    return total.hexdigest()
