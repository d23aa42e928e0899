"""Open the cache: the user's own, the shared ones, or a temporary one where nothing can be written."""

from __future__ import annotations

import atexit
import errno
import os
import warnings
from pathlib import Path

from scistan.errors import ToolchainError
from scistan.messages import toolchain as messages
from scistan.toolchain.compiler import remember
from scistan.toolchain.place import cache_root, make_private, prepare_root, refuse_public, shared_roots, trusted_owners
from scistan.toolchain.store import Store
from scistan.toolchain.workspace import remove_tree, sweep, workspace

__all__ = ["disk_error", "open_store", "writable_store"]

FULL = (errno.ENOSPC, errno.EDQUOT)
DENIED = (errno.EROFS, errno.EACCES, errno.EPERM)
TEMPORARY: list[Path] = []


def open_store(root: Path | None = None) -> Store:
    """Open the cache for reading; nothing is made on the disk."""
    root = root or cache_root()
    if os.path.isdir(root):
        refuse_public(root)
    shared = []
    for path in shared_roots():
        if os.path.isdir(path):
            refuse_public(path, trusted_owners(path, shared=True))
            shared.append(path)
    return Store(root, (*TEMPORARY, *shared))


def writable_store(store: Store) -> Store:
    """Give a store that can be written to: this one, or a temporary one with a warning."""
    try:
        prepare_root(store.root)
        sweep(store.root)
        remember(store.root)
        with workspace(store.root):
            return store
    except OSError as error:
        if error.errno not in DENIED:
            raise disk_error(error, store.root) from error
        reason = error.strerror or str(error)
    if not TEMPORARY:
        TEMPORARY.append(temporary_root())
        warnings.warn(messages.unwritable_cache(store.root, reason), stacklevel=4)
    return Store(TEMPORARY[0], (store.root, *store.shared), temporary=True)


def temporary_root() -> Path:
    """Make a cache that lasts as long as this process."""
    import tempfile

    root = Path(tempfile.mkdtemp(prefix="scistan-"))
    owner = os.getpid()
    atexit.register(lambda: remove_tree(root) if os.getpid() == owner else None)
    make_private(root)
    prepare_root(root)
    return root


def disk_error(error: OSError, folder: Path) -> ToolchainError:
    """Put a system's complaint about the cache's disk into words."""
    if error.errno in FULL:
        return messages.disk_full(folder)
    return messages.cache_unusable(folder, error.strerror or str(error))
