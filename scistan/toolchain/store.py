"""The content-addressed store: verified look-up, atomic publication, removal."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from scistan.errors import ToolchainError
from scistan.toolchain.keys import Json, digest
from scistan.toolchain.place import MODELS, PRODUCTS, refuse_public, trusted_owners
from scistan.toolchain.record import RECORD, BadRecordError, BuildRecord, read_record, survey, verify_folder
from scistan.toolchain.workspace import Workspace, remove_tree

__all__ = ["CacheEntry", "Store"]


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """A folder of the cache with its record."""

    folder: Path
    record: BuildRecord


@dataclass(frozen=True, slots=True)
class Store:
    """One cache that is written to and any number that are only read."""

    root: Path
    shared: tuple[Path, ...] = ()
    temporary: bool = field(default=False)

    def find(self, kind: str, key: str) -> CacheEntry | None:
        """Give the entry of a key if there is a good one, every byte checked."""
        for root in (self.root, *self.shared):
            folder = root / kind / key
            try:
                owners = trusted_owners(root, shared=root != self.root)
                for part in (folder.parent, folder):
                    refuse_public(part, owners, inner=True)
                record = read_record(folder)
                verify_folder(folder, record, owners=owners)
            except (BadRecordError, OSError, ToolchainError):
                continue
            if root == self.root:
                touch(folder)
            return CacheEntry(folder, record)
        return None

    def find_loose(self, kind: str, loose: str) -> CacheEntry | None:
        """Give any good entry of the same program and options, whatever compiled it."""
        for entry in self.entries(kind):
            if entry.record.loose == loose and (good := self.find(kind, entry.record.key)):
                return good
        return None

    def entries(self, kind: str) -> Iterator[CacheEntry]:
        """Walk through the entries whose record is sound; files are not checked."""
        for root in (self.root, *self.shared):
            for folder in folders(root / kind):
                try:
                    yield CacheEntry(folder, read_record(folder))
                except BadRecordError:
                    continue

    def folders(self) -> Iterator[tuple[str, Path]]:
        """Walk through every folder of the written cache, good or bad."""
        for kind in (MODELS, PRODUCTS):
            for folder in folders(self.root / kind):
                yield kind, folder

    def publish(
        self,
        kind: str,
        place: Workspace,
        parts: Mapping[str, Json],
        *,
        loose: str = "",
        label: str,
        seconds: float,
        versions: Mapping[str, str],
        outside: tuple[str, ...] = (),
    ) -> CacheEntry:
        """Seal what was built and rename it into place: there is all of it or nothing."""
        files = survey(place.out)
        record = BuildRecord(
            key=digest(parts),
            parts=dict(parts),
            loose=loose,
            label=label,
            created=time.time(),
            seconds=round(seconds, 3),
            files=files,
            versions=dict(versions),
            outside=outside,
        )
        (place.out / RECORD).write_bytes(record.to_bytes())
        for path in (*place.out.rglob("*"), place.out):
            make_durable(path)
        named = place.folder / record.key
        os.rename(place.out, named)
        return CacheEntry(self.put(named, kind), record)

    def put(self, folder: Path, kind: str) -> Path:
        """Rename a finished folder into place, instead of whatever is there; its key must be locked."""
        target = self.root / kind / folder.name
        self.discard(target)
        os.rename(folder, target)
        sync(target.parent)
        return target

    def discard(self, folder: Path) -> None:
        """Take a folder out of sight in one step, then remove it."""
        trash = self.root / "tmp" / f"trash-{os.urandom(6).hex()}"
        try:
            os.rename(folder, trash)
        except FileNotFoundError:
            return
        remove_tree(trash)


def folders(parent: Path) -> list[Path]:
    """List the folders in a folder; none where it does not exist."""
    try:
        return sorted(Path(entry.path) for entry in os.scandir(parent) if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def touch(folder: Path) -> None:
    """Note that an entry was used now."""
    with suppress(OSError):  # a read-only disk keeps its order of use as it was
        os.utime(folder)


def make_durable(path: Path) -> None:
    """Give a file or folder its private mode and force it to the disk."""
    if os.name == "posix":
        executable = path.is_dir() or bool(path.stat().st_mode & 0o100)
        path.chmod(0o700 if executable else 0o600)
    sync(path)


def sync(path: Path) -> None:
    """Force a file's bytes or a folder's names to the disk."""
    if os.name != "posix" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
