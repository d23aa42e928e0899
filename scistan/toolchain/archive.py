"""Read a cache export that anybody may have written: bounded in size, in names and in what a member may be."""

from __future__ import annotations

import gzip
import re
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, TypeAlias, cast

from scistan.errors import ScistanError
from scistan.messages import toolchain as messages
from scistan.toolchain.evict import size_cap
from scistan.toolchain.place import MODELS, PRODUCTS

__all__ = ["Groups", "opened", "unpack"]

UNREADABLE = (OSError, ValueError, OverflowError, RecursionError, tarfile.TarError, EOFError, zlib.error)
ENTRY = 500_000_000  # bytes of one entry: executables have some ten million
MEMBERS = 100_000
DEEPEST = 8  # folders inside an entry
LONGEST = 200  # bytes of a name
PIECE = 1 << 20
HEADERS = 32 << 20  # bytes of all headers: five for each of two thousand models have some five million
KEY = re.compile(r"[0-9a-f]{64}")
Groups: TypeAlias = dict[tuple[str, str], list[tarfile.TarInfo]]


class Bounded:
    """A file that is never read in a big piece: a header that claims a name of gigabytes must not take them.

    Nor may many small pieces, of a table of holes without end, while headers are all that is read.
    """

    def __init__(self, file: IO[bytes], path: Path) -> None:
        self._file, self._path = file, path
        self.left: float = HEADERS

    def read(self, size: int = -1) -> bytes:
        """Read a piece."""
        if not 0 <= size <= 16 * PIECE:
            raise messages.too_much_to_import(self._path, "one of its headers", 16 * PIECE)
        self.left -= size
        if self.left < 0:
            raise messages.too_much_to_import(self._path, "the table of what it holds", HEADERS)
        return self._file.read(size)

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to a place."""
        return self._file.seek(place, whence)

    def tell(self) -> int:
        """Say where."""
        return self._file.tell()


@contextmanager
def opened(path: Path) -> Iterator[tuple[tarfile.TarFile, Groups]]:
    """Open an archive, plain or compressed by gzip, and list its files by entry."""
    try:
        with open(path, "rb") as raw:
            compressed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            file: IO[bytes] = gzip.GzipFile(fileobj=raw) if compressed else raw  # type: ignore[assignment]
            bounded = Bounded(file, path)
            with tarfile.open(fileobj=cast(Any, bounded), mode="r:") as archive:
                groups = grouped(archive, path)
                bounded.left = float("inf")  # what was listed is bounded in size
                yield archive, groups
    except ScistanError:
        raise
    except UNREADABLE as error:
        raise messages.bad_archive(path, str(error)) from error


def grouped(archive: tarfile.TarFile, path: Path) -> Groups:
    """Sort an archive's files by entry, refusing names that lead anywhere else and sizes that no export has."""
    groups: Groups = {}
    sizes: dict[tuple[str, str], int] = {}
    total, cap = 0, size_cap()
    for number, member in enumerate(archive):
        parts = PurePosixPath(member.name).parts
        if number >= MEMBERS or not plain(member, parts):
            raise messages.bad_archive(path, f"it holds {member.name[:LONGEST]!r}")
        entry = (parts[0], parts[1])
        sizes[entry] = sizes.get(entry, 0) + member.size
        total += member.size
        if sizes[entry] > ENTRY:
            raise messages.too_much_to_import(path, "one of its entries", ENTRY)
        if total > cap:
            raise messages.too_much_to_import(path, "what it holds", cap)
        groups.setdefault(entry, []).append(member)
    return groups


def plain(member: tarfile.TarInfo, parts: tuple[str, ...]) -> bool:
    """Tell whether a member is what an export holds: a file or folder below the folder of an entry."""
    return (
        (member.isdir() or (member.isreg() and not member.issparse()))
        and member.size >= 0
        and 2 <= len(parts) <= 2 + DEEPEST
        and parts[0] in (MODELS, PRODUCTS)
        and KEY.fullmatch(parts[1]) is not None
        and all(part != ".." and part.isprintable() and len(part.encode()) <= LONGEST for part in parts)
    )


def unpack(archive: tarfile.TarFile, path: Path, member: tarfile.TarInfo, target: Path) -> None:
    """Write one file of an archive, piece by piece."""
    source = archive.extractfile(member)
    if source is None:
        return
    with open(target, "wb") as file:
        while piece := read_piece(source, path):
            file.write(piece)
    target.chmod(0o700 if member.mode & 0o100 else 0o600)


def read_piece(source: IO[bytes], path: Path) -> bytes:
    """Read on; what cannot be read is the archive's fault, not the disk's."""
    try:
        return source.read(PIECE)
    except UNREADABLE as error:
        raise messages.bad_archive(path, str(error)) from error
