"""Data for Stan that are long as text: in a file, written once and piece by piece, so that memory never holds them.

A million rows of twenty numbers are 400 MB of JSON. As text they lay in memory once for each who hands them on: to
stanli, which makes a copy, and to nutpie, which makes several and then parses what it has into a tree.
"""

from __future__ import annotations

import ctypes
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from scistan.engines.encoding import encoded, to_json
from scistan.engines.folder import Folder
from scistan.errors import SamplingError
from scistan.profiling import staged

__all__ = ["DataFile", "DataText", "give_back", "write_data"]

LONG = 2_000_000  # numbers from which on data are written to a file: 40 MB of text
PIECE = 200_000  # numbers that are written at a time


class DataFile:
    """JSON text in a file that lives as long as this object does."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._folder = Folder("data")
        self.path = self._folder.path / "data.json"
        with self.path.open("wb") as file:
            for number, (key, value) in enumerate(data.items()):
                file.write((b"," if number else b"{") + encoded(key) + b":")
                _write(file, value)
            file.write(b"}" if data else b"{}")

    def encode(self) -> bytes:
        """Give the text as bytes, as `str.encode` does."""
        return self.path.read_bytes()

    @contextmanager
    def beginning_with(self, start: str) -> Iterator[Path]:
        """Give the path of a copy that begins with other entries, for as long as it is read."""
        copy = self._folder.path / "model.json"
        try:
            with self.path.open("rb") as source, copy.open("wb") as target:
                target.write(start.encode() + b",")
                source.seek(1)
                shutil.copyfileobj(source, target, 1 << 20)
            yield copy
        finally:
            copy.unlink(missing_ok=True)

    def __reduce__(self) -> Any:
        """Travel to other processes as text."""
        return str, (self.encode(), "utf-8")


DataText = str | DataFile


@staged("data to JSON")
def write_data(data: Mapping[str, Any]) -> DataText:
    """Write a program's data once: as text, or, where that is long and there is room on the disk, to a file."""
    if sum(value.size for value in data.values() if isinstance(value, np.ndarray)) < LONG:
        return to_json(data)
    try:
        return DataFile(data)
    except (OSError, SamplingError):
        return to_json(data)


def _write(file: BinaryIO, value: Any) -> None:
    if not isinstance(value, np.ndarray) or value.size < PIECE or value.ndim == 0:
        file.write(encoded(value))
        return
    rows = max(1, PIECE * len(value) // value.size)
    for first in range(0, len(value), rows):
        text = encoded(value[first : first + rows])
        file.write((b"," if first else b"[") + memoryview(text)[1:-1])
    file.write(b"]")


def give_back() -> None:
    """Have the C library return what was freed: parsed data leave heaps of small pieces that it would keep."""
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # not every C library has it
            ctypes.CDLL(None).malloc_trim(0)
