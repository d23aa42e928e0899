"""Keep the cache below its cap: the least recently used goes first, never what is in use."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from scistan.messages import toolchain as messages
from scistan.toolchain.lock import key_lock
from scistan.toolchain.request import EXECUTABLE
from scistan.toolchain.store import Store
from scistan.toolchain.use import only_if_free, running_executables
from scistan.toolchain.workspace import sweep

__all__ = ["Item", "items", "parse_size", "prune", "size_cap", "trim"]

DEFAULT_CAP = 5_000_000_000
GRACE = 600.0  # seconds after its last use in which an entry counts as in use
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


@dataclass(frozen=True, slots=True)
class Item:
    """A folder of the cache, good or bad, with its size and last use."""

    kind: str
    folder: Path
    bytes: int
    used: float


def parse_size(text: str) -> int:
    """Read a size.

    >>> parse_size("1.5 GB")
    1500000000
    """
    match = re.fullmatch(r"\s*([\d.]+)\s*([kmgt]?b?)\s*", text, re.IGNORECASE)
    if match is None:
        raise messages.bad_size(text)
    unit = match[2].upper()
    unit = unit if unit in UNITS else f"{unit}B"
    try:
        return int(float(match[1]) * UNITS[unit])
    except (ValueError, OverflowError):
        raise messages.bad_size(text) from None


def size_cap() -> int:
    """Give the cap on the cache's size: SCISTAN_CACHE_SIZE, else 5 GB."""
    chosen = os.environ.get("SCISTAN_CACHE_SIZE")
    return parse_size(chosen) if chosen else DEFAULT_CAP


def items(store: Store) -> list[Item]:
    """List what the cache holds, the least recently used first."""
    found = []
    for kind, folder in store.folders():
        try:
            files = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
            found.append(Item(kind, folder, sum(files), folder.stat().st_mtime))
        except OSError:
            continue  # another process removes it right now
    return sorted(found, key=lambda item: item.used)


def trim(store: Store) -> list[Item]:
    """Evict what exceeds the cap, if anything does."""
    return prune(store, size=size_cap())


def prune(store: Store, *, size: int, older_than: float = 0.0, grace: float = GRACE) -> list[Item]:
    """Remove the least recently used until the cache fits a size, and all that is older than some seconds."""
    sweep(store.root)
    held = items(store)
    total = sum(item.bytes for item in held)
    running: frozenset[str] | None = None
    removed = []
    now = time.time()
    for item in held:
        old = bool(older_than) and now - item.used > older_than
        if not old and total <= size:
            continue
        running = running_executables() if running is None else running
        if remove_unused(store, item, running, grace):
            removed.append(item)
            total -= item.bytes
    return removed


def remove_unused(store: Store, item: Item, running: frozenset[str], grace: float) -> bool:
    """Remove an item unless someone builds, holds, runs or has just asked for it."""
    from filelock import Timeout

    if os.path.realpath(item.folder / EXECUTABLE) in running:
        return False
    lock = key_lock(store.root, item.folder.name)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    try:
        with only_if_free(item.folder) as free:
            if not free or time.time() - last_use(item.folder) < grace:
                return False
            store.discard(item.folder)
    finally:
        lock.release()
    return True


def last_use(folder: Path) -> float:
    """Say when an entry was last asked for: its folder's time stamp; 0 when it is gone."""
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0
