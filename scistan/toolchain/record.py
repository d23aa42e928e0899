"""The sealed JSON record of a cache entry: any changed byte of the record or of a listed file is noticed."""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import cast

from scistan.toolchain.keys import Json, canonical, digest, file_digest

__all__ = ["RECORD", "BadRecordError", "FileFacts", "BuildRecord", "read_record", "survey", "verify_folder"]

RECORD = "record.json"
FORMAT = 1
HUGE = 128_000_000
LONGEST = 1_000_000  # bytes; records have a few thousand
SEEN: dict[tuple[str, int, int, int, int], str] = {}


class BadRecordError(Exception):
    """An entry that must not be used, with the reason."""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What a file of an entry must be."""

    sha256: str
    bytes: int
    executable: bool


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """What an entry is, how it came to be, and the hash of each of its files."""

    key: str
    parts: Mapping[str, Json]
    loose: str
    label: str
    created: float
    seconds: float
    files: Mapping[str, FileFacts]
    versions: Mapping[str, str] = field(default_factory=dict)
    outside: tuple[str, ...] = ()

    def to_bytes(self) -> bytes:
        """Write the record with its seal."""
        body = cast(Json, {"format": FORMAT, **asdict(self), "outside": list(self.outside)})
        return canonical({"record": body, "seal": digest({"record": body})}) + b"\n"

    @property
    def size(self) -> int:
        """The bytes of the files it lists."""
        return sum(facts.bytes for facts in self.files.values())


def parse(data: bytes) -> BuildRecord:
    """Read a record back, refusing any byte that its writer did not write and anything it never writes."""
    try:
        document = json.loads(data)
        body = document["record"]
        if canonical(document) + b"\n" != data or document["seal"] != digest({"record": body}):
            raise BadRecordError("its record was altered")
        if body.pop("format") != FORMAT:
            raise BadRecordError("its record has another format")
        files = {name: FileFacts(**facts) for name, facts in body.pop("files").items()}
        record = BuildRecord(files=files, outside=tuple(body.pop("outside")), **body)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadRecordError("its record cannot be read") from error
    if not well_typed(record):
        raise BadRecordError("its record holds values of other types")
    return record


def well_typed(record: BuildRecord) -> bool:
    """Tell whether every value of a record is what its field says: anybody can seal anything."""
    texts = (record.key, record.loose, record.label, *record.outside)
    numbers = (record.created, record.seconds)
    return (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(number, int | float) and math.isfinite(number) for number in numbers)
        and isinstance(record.parts, dict)
        and isinstance(record.versions, dict)
        and all(isinstance(version, str) for version in record.versions.values())
        and all(
            isinstance(facts.sha256, str) and type(facts.bytes) is int and isinstance(facts.executable, bool)
            for facts in record.files.values()
        )
    )


def read_record(folder: Path) -> BuildRecord:
    """Read an entry's record and check that it belongs to its folder."""
    try:
        with open(folder / RECORD, "rb") as file:
            data = file.read(LONGEST + 1)
        if len(data) > LONGEST:
            raise BadRecordError("its record is too long")
        record = parse(data)
    except (FileNotFoundError, NotADirectoryError):
        raise BadRecordError("it has no record") from None
    except OSError as error:
        raise BadRecordError(f"its record cannot be read ({error.strerror})") from error
    if record.key != folder.name or digest(record.parts) != record.key:
        raise BadRecordError("its record belongs to another entry")
    return record


def survey(folder: Path) -> dict[str, FileFacts]:
    """Hash every file below a folder, the record excepted."""
    facts = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != RECORD:
            status = path.stat()
            name = path.relative_to(folder).as_posix()
            facts[name] = FileFacts(file_digest(path), status.st_size, bool(status.st_mode & stat.S_IXUSR))
    return facts


def current_digest(path: Path, status: os.stat_result) -> str:
    """Hash a file; a huge one (a precompiled header) once per process as long as nobody touches it."""
    if status.st_size < HUGE:
        return file_digest(path)
    signature = (str(path), status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    if signature not in SEEN:
        SEEN[signature] = file_digest(path)
    return SEEN[signature]


def check_private(path: Path, name: str, owners: Collection[int]) -> os.stat_result:
    """Give the status of a file or folder of an entry, refusing links and what others could have put there."""
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise BadRecordError(f"{name} is a link")
    if os.name == "posix":
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise BadRecordError(f"others can write to {name}")
        if owners and status.st_uid not in owners:
            raise BadRecordError(f"{name} belongs to another user")
    return status


def verify_folder(folder: Path, record: BuildRecord, *, hashes: bool = True, owners: Collection[int] = ()) -> None:
    """Check everything in an entry against its record, and that it is of one of the `owners` if any are named.

    `hashes=False` looks at sizes and modes only.
    """
    present = set()
    for place, inner, names in os.walk(folder):
        base = os.path.relpath(place, folder)
        for name in (*inner, *names):
            inside = name if base == "." else f"{base}/{name}".replace(os.sep, "/")
            check_private(folder / inside, inside, owners)
            if name in names:
                present.add(inside)
    if present != {*record.files, RECORD}:
        odd = sorted(present ^ {*record.files, RECORD})
        raise BadRecordError(f"files are missing or foreign: {', '.join(odd)}")
    for name, facts in record.files.items():
        path = folder / name
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size != facts.bytes:
            raise BadRecordError(f"{name} has another size")
        if os.name == "posix" and facts.executable and not status.st_mode & stat.S_IXUSR:
            raise BadRecordError(f"{name} is not executable")
        if hashes and current_digest(path, status) != facts.sha256:
            raise BadRecordError(f"{name} was altered")
    for name in record.outside:
        if not os.path.exists(name):
            raise BadRecordError(f"a library it needs has moved: {name}")
