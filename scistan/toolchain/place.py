"""Where the cache lives, and that nobody else can write to it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from scistan.messages import toolchain as messages

__all__ = [
    "MODELS",
    "PRODUCTS",
    "cache_root",
    "make_private",
    "prepare_root",
    "refuse_public",
    "shared_roots",
]

MODELS = "models"
PRODUCTS = "products"
FOLDERS = (MODELS, PRODUCTS, "locks", "tmp")


def cache_root() -> Path:
    """Say where the cache lives: SCISTAN_CACHE, else the platform's cache folder."""
    if chosen := os.environ.get("SCISTAN_CACHE"):
        return Path(chosen).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_cache_dir("scistan", appauthor=False))


def shared_roots() -> tuple[Path, ...]:
    """List the caches that are only read: SCISTAN_CACHE_READONLY, several separated as in PATH."""
    listed = os.environ.get("SCISTAN_CACHE_READONLY", "").split(os.pathsep)
    return tuple(Path(name).expanduser().absolute() for name in listed if name)


def make_private(folder: Path) -> None:
    """Make a folder that only this user can enter, whatever the umask says."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return
    if os.name == "posix":
        folder.chmod(0o700)


def refuse_public(folder: Path, *, owned: bool = True) -> None:
    """Raise when someone else could put an executable into a folder."""
    if os.name != "posix":
        return
    status = folder.stat()
    if owned and status.st_uid != os.geteuid():
        raise messages.foreign_cache(folder, status.st_uid)
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise messages.public_cache(folder, stat.S_IMODE(status.st_mode))


def prepare_root(root: Path) -> None:
    """Make the cache's folders where they are missing; refuse one that others can write to."""
    if not root.is_dir():
        missing = [folder for folder in (root, *root.parents) if not folder.exists()]
        for folder in reversed(missing):
            make_private(folder)
    refuse_public(root)
    for name in FOLDERS:
        folder = root / name
        make_private(folder)
        refuse_public(folder)
