"""A folder of results: one small file for each task, written whole or not at all, all of one study."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from scistan.inference.files import DAMAGE, shown_reason
from scistan.messages import judge as messages
from scistan.whole_files import replacing

__all__ = ["Arrays", "Folder", "digest_of", "open_folder", "seed_of"]

Arrays = Mapping[str, np.ndarray]
_STUDY = "study.json"
_FORMAT = 1
_NAME = re.compile(r"task-(\d+)\.npz")


def digest_of(*parts: object) -> str:
    """Give what tells two models, data or settings apart."""
    digest = hashlib.sha256()
    for part in parts:
        text = part if isinstance(part, str) else json.dumps(part, sort_keys=True, default=str)
        digest.update(f"{len(text)} {text}".encode())
    return digest.hexdigest()


def seed_of(path: Path | None) -> int | None:
    """Give the seed of the study that a folder holds; None where it holds none."""
    study = None if path is None or not (path / _STUDY).exists() else _read(path)
    return None if study is None else int(study["seed"])


def open_folder(path: Path | None, verb: str, seed: int, parts: Mapping[str, str]) -> Folder | None:
    """Open a folder for a study, known by what its parts (model, data, settings) are; one of another is refused."""
    if path is None:
        return None
    study = {"format": _FORMAT, "verb": verb, "seed": seed, **parts}
    if (path / _STUDY).exists():
        held = _read(path)
        other = [name for name, value in study.items() if held.get(name) != value]
        if other:
            raise messages.other_study(path, other, str(held.get("verb")), verb)
        return Folder(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()):
            raise messages.strange_folder(path)
        _write(path / _STUDY, json.dumps(study, indent=1).encode())
    except OSError as error:
        raise messages.cannot_keep(path, shown_reason(error)) from None
    return Folder(path)


def _read(path: Path) -> dict[str, Any]:
    try:
        held = json.loads((path / _STUDY).read_bytes())
        return {**held, "seed": int(held["seed"])}
    except DAMAGE as error:
        raise messages.broken_folder(path, shown_reason(error)) from None


def _write(path: Path, content: bytes) -> None:
    """Write a file, so that who is killed in between leaves nothing half written."""
    with replacing(path) as beside:
        beside.write_bytes(content)


@dataclass(frozen=True, slots=True)
class Folder:
    """Where the results of one study are kept."""

    path: Path

    def keep(self, number: int, arrays: Arrays) -> None:
        """Write one task's result."""
        buffer = BytesIO()
        np.savez(buffer, **dict(arrays))  # type: ignore[arg-type]
        try:
            _write(self.path / f"task-{number:06d}.npz", buffer.getvalue())
        except OSError as error:
            raise messages.cannot_keep(self.path, shown_reason(error)) from None

    def known(self, numbers: Iterable[int]) -> dict[int, Arrays]:
        """Read the results of these tasks, as far as they are there and whole."""
        wanted = set(numbers)
        found: dict[int, Arrays] = {}
        for path in sorted(self.path.iterdir()):
            name = _NAME.fullmatch(path.name)
            if name is None or int(name[1]) not in wanted:
                continue
            try:
                with np.load(path, allow_pickle=False) as held:
                    found[int(name[1])] = {key: held[key] for key in held.files}
            except DAMAGE:
                continue  # made again: a file that is not whole is no result
        return found

