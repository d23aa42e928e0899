"""Content addresses: the SHA-256 of the parts that decide what a build gives."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

__all__ = ["Json", "Parts", "canonical", "digest", "file_digest", "text_digest"]

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
Parts: TypeAlias = "Mapping[str, Json]"

CHUNK = 1 << 22


def canonical(value: Json) -> bytes:
    """Write JSON in its one canonical form: equal values give equal bytes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def digest(parts: Parts) -> str:
    """Give the key of a build: the SHA-256 of its parts."""
    return hashlib.sha256(canonical(parts)).hexdigest()


def text_digest(text: str) -> str:
    """Hash a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def file_digest(path: Path | str) -> str:
    """Hash a file's bytes."""
    total = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:
        while piece := file.read(CHUNK):
            total.update(piece)
    return total.hexdigest()
