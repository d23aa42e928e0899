"""Where the cache lives, and that nobody else can write to it."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
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
    "trusted_owners",
]

MODELS = "models"
PRODUCTS = "products"
FOLDERS = (MODELS, PRODUCTS, "locks", "tmp")


def cache_root() -> Path:
    """Say where the cache lives: SCISTAN_CACHE, else the platform's cache folder."""
    if chosen := os.environ.get("SCISTAN_CACHE"):
        return _absolute(chosen, "SCISTAN_CACHE")
    import platformdirs

    try:
        usual = Path(platformdirs.user_cache_dir("scistan", appauthor=False))
    except RuntimeError:  # a user without a home, told by newer versions; older ones name a folder `~`
        raise messages.no_home() from None
    if not usual.is_absolute():
        raise messages.no_home()
    return usual


def shared_roots() -> tuple[Path, ...]:
    """List the caches that are only read: SCISTAN_CACHE_READONLY, several separated as in PATH."""
    listed = os.environ.get("SCISTAN_CACHE_READONLY", "").split(os.pathsep)
    return tuple(_absolute(name, "SCISTAN_CACHE_READONLY") for name in listed if name)


def _absolute(name: str, variable: str) -> Path:
    try:
        path = Path(name).expanduser().absolute()
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return path  # told, or made, by who uses it
    except (RuntimeError, ValueError, OSError) as error:  # `~nosuch`, or a name that no file can have
        raise messages.bad_place(variable, name, str(error)) from None
    return path


def make_private(folder: Path) -> None:
    """Make a folder that only this user can enter, whatever the umask says."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return
    if os.name == "posix":
        folder.chmod(0o700)


def refuse_public(folder: Path, owners: Collection[int] | None = None, *, inner: bool = False) -> None:
    """Raise when someone else could put an executable into a folder: its `owners`, unless given, are this user.

    The root of a cache may be a link, for its user has chosen it; a folder inside may not.
    """
    if os.name != "posix":
        return
    status = folder.lstat() if inner else folder.stat()
    if not stat.S_ISDIR(status.st_mode):
        raise messages.no_folder(folder)
    if status.st_uid not in ({os.geteuid()} if owners is None else owners):
        raise messages.foreign_cache(folder, status.st_uid)
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise messages.public_cache(folder, stat.S_IMODE(status.st_mode))


def trusted_owners(root: Path, *, shared: bool) -> frozenset[int]:
    """Say whose files in a cache are run: this user's; in a shared one also those of its owner and the system's."""
    if os.name != "posix":
        return frozenset()
    own = frozenset({os.geteuid()})
    return own | {root.stat().st_uid, 0} if shared else own


def prepare_root(root: Path) -> None:
    """Make the cache's folders where they are missing; refuse one that others can write to."""
    if not root.is_dir():
        if root.exists():
            raise messages.no_folder(root)
        missing = [folder for folder in (root, *root.parents) if not folder.exists()]
        for folder in reversed(missing):
            make_private(folder)
    refuse_public(root)
    for name in FOLDERS:
        folder = root / name
        make_private(folder)
        refuse_public(folder, inner=True)
