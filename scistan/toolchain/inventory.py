"""Look through the cache: what it holds, what is sound, and clear it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from scistan.toolchain.evict import Item, items, prune
from scistan.toolchain.lock import key_lock
from scistan.toolchain.place import MODELS
from scistan.toolchain.record import LONGEST, BadRecordError, BuildRecord, read_record, verify_folder
from scistan.toolchain.shown import shown
from scistan.toolchain.source import PROGRAM
from scistan.toolchain.store import Store
from scistan.toolchain.use import only_if_free

__all__ = ["Finding", "Listed", "ago", "clear", "list_cache", "verify_cache"]


@dataclass(frozen=True, slots=True)
class Listed:
    """One entry as shown to people."""

    key: str
    what: str
    bytes: int
    used: float
    seconds: float
    versions: str


@dataclass(frozen=True, slots=True)
class Finding:
    """An entry that is not sound, why, and whether it was removed: what is in use is not."""

    kind: str
    folder: Path
    reason: str
    removed: bool


def list_cache(store: Store) -> list[Listed]:
    """List the cache's entries, the most recently used first."""
    return [listed(item) for item in reversed(items(store))]


def listed(item: Item) -> Listed:
    """Describe one item."""
    key = shown(item.folder.name)
    try:
        record = read_record(item.folder)
    except BadRecordError as error:
        return Listed(key, f"damaged: {shown(str(error))}", item.bytes, item.used, 0.0, "")
    versions = f"Stan {shown(record.versions.get('stan', '?'))}"
    return Listed(key, shown(title(item, record)), item.bytes, item.used, record.seconds, versions)


def title(item: Item, record: BuildRecord) -> str:
    """Say what an item is: for a model its methods and the first line of its program."""
    if item.kind != MODELS:
        names = {"header": "precompiled header", "object": "model object"}
        kind = str(record.parts.get("kind"))
        return names.get(kind, f"runner {record.parts.get('name', kind)}")
    try:
        with open(item.folder / PROGRAM, encoding="utf-8", errors="replace") as file:
            program = file.read(LONGEST)
    except OSError:
        return "model"
    lines = [line.strip() for line in program.splitlines() if line.strip()]
    return f"model ({record.parts.get('methods')}), {len(lines)} lines: {' '.join(lines)[:48]}"


def verify_cache(store: Store, *, remove: bool = False) -> list[Finding]:
    """Check every byte of every entry; remove what is not sound if told."""
    suspects = ((kind, folder) for kind, folder in store.folders() if fault(folder))
    return [finding for kind, folder in suspects if (finding := examine(store, kind, folder, remove=remove))]


def examine(store: Store, kind: str, folder: Path, *, remove: bool) -> Finding | None:
    """Look at an entry again with its lock in hand: somebody may have built it again meanwhile, or cleared it."""
    from filelock import Timeout

    lock = key_lock(store.root, folder.name)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return None  # being built again right now
    try:
        reason = fault(folder) if folder.exists() else ""
        if not reason:
            return None
        with only_if_free(folder) as free:
            if remove and free:
                store.discard(folder)
        return Finding(kind, folder, reason, removed=remove and free)
    finally:
        lock.release()


def fault(folder: Path) -> str:
    """Say why an entry is not sound, or nothing."""
    try:
        verify_folder(folder, read_record(folder))
    except (BadRecordError, OSError) as error:
        return shown(str(error))
    return ""


def clear(store: Store) -> list[Item]:
    """Remove everything that is not in use."""
    return prune(store, size=-1, grace=0.0)


def ago(moment: float, now: float | None = None) -> str:
    """Say how long ago a moment was.

    >>> ago(0, now=7200)
    '2 h ago'
    """
    seconds = (time.time() if now is None else now) - moment
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit} ago"
    return "now"
