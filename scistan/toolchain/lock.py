"""The lock of a key: held by one process at a time, freed by the system when its owner dies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import BaseFileLock

__all__ = ["key_lock"]


def key_lock(root: Path, name: str) -> BaseFileLock:
    """Give the lock of a key in a cache, not yet taken."""
    from filelock import FileLock

    return FileLock(root / "locks" / f"{name}.lock", mode=0o600, thread_local=False)
