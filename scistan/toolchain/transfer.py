"""Carry executables to another machine of the same kind in a tar file; an import checks every byte."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from scistan.messages import toolchain as messages
from scistan.toolchain.archive import Groups, opened, unpack
from scistan.toolchain.cache import disk_error
from scistan.toolchain.host import cpu_flags, platform_part
from scistan.toolchain.lock import key_lock
from scistan.toolchain.place import PRODUCTS, prepare_root
from scistan.toolchain.record import BadRecordError, BuildRecord, read_record, verify_folder
from scistan.toolchain.shown import shown
from scistan.toolchain.store import Store, make_durable
from scistan.toolchain.workspace import Workspace, workspace
from scistan.whole_files import replacing

__all__ = ["Imported", "export_cache", "import_cache"]

@dataclass(frozen=True, slots=True)
class Imported:
    """What an import took in, and what it left out and why."""

    added: tuple[str, ...]
    present: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]


def exported(store: Store, keys: Sequence[str], objects: bool) -> Iterator[tuple[str, Path]]:
    """Walk through the entries to export; a precompiled header is bound to its place and stays."""
    for kind, folder in store.folders():
        if keys and not any(folder.name.startswith(key) for key in keys):
            continue
        try:
            record = read_record(folder)
            if kind == PRODUCTS and (not objects or record.parts.get("kind") == "header"):
                continue
            verify_folder(folder, record)
        except (BadRecordError, OSError):
            continue
        yield kind, folder


def export_cache(store: Store, path: Path, *, keys: Sequence[str] = (), objects: bool = False) -> list[str]:
    """Write sound entries to a tar file; give their keys.

    `keys` are beginnings of keys, none means all; `objects=True` adds the runner's and models' objects, with
    which the other machine builds new models sooner.
    """
    chosen = list(exported(store, keys, objects))
    if not chosen:
        raise messages.nothing_to_export(keys)
    if not path.name:
        raise messages.no_export(path, "it is a folder")
    try:
        with replacing(path) as beside, tarfile.open(beside, "w:gz", compresslevel=6) as archive:
            for kind, folder in chosen:
                archive.add(folder, arcname=f"{kind}/{folder.name}", filter=anonymous)
    except (OSError, ValueError) as error:
        raise messages.no_export(path, getattr(error, "strerror", None) or str(error)) from error
    return [folder.name for _, folder in chosen]


def anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Leave the user's name and id out of an archive."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def import_cache(store: Store, path: Path) -> Imported:
    """Take in the entries of an export that fit this machine; each is checked as if it were to be run."""
    with opened(path) as (archive, groups):
        try:
            return take_all_in(store, archive, path, groups)
        except OSError as error:
            raise disk_error(error, store.root) from error


def take_all_in(store: Store, archive: tarfile.TarFile, path: Path, groups: Groups) -> Imported:
    """Take in the entries of an archive one by one."""
    prepare_root(store.root)
    added, present, skipped = [], [], []
    for (kind, key), members in groups.items():
        if store.find(kind, key):
            present.append(key)
            continue
        with workspace(store.root) as place:
            reason = take_in(store, archive, path, members, kind, key, place)
        if reason:
            skipped.append((key, shown(reason)))
        else:
            added.append(key)
    return Imported(tuple(added), tuple(present), tuple(skipped))


def take_in(
    store: Store,
    archive: tarfile.TarFile,
    path: Path,
    members: list[tarfile.TarInfo],
    kind: str,
    key: str,
    place: Workspace,
) -> str:
    """Unpack one entry, check it and rename it into place; give the reason if it must stay out."""
    folder = place.scratch / key
    try:
        for member in members:
            target = folder / PurePosixPath(member.name).relative_to(f"{kind}/{key}")
            if member.isdir():
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            unpack(archive, path, member, target)
    except (NotADirectoryError, FileExistsError, IsADirectoryError):
        return "one of its files is a folder too"
    try:
        record = read_record(folder)
        if reason := misfit(record):
            return reason
        for inner in (*folder.rglob("*"), folder):
            make_durable(inner)
        verify_folder(folder, record)
    except (BadRecordError, OSError) as error:
        return str(error)
    with key_lock(store.root, key):
        store.put(folder, kind)
    return ""


def misfit(record: BuildRecord) -> str:
    """Say why an entry of another machine cannot run here, or nothing."""
    if record.parts.get("platform") != platform_part():
        return f"built for another kind of machine: {record.parts.get('platform')}"
    if record.parts.get("cpu") not in ("", cpu_flags()):
        return "built with -march=native for another processor"
    return ""
