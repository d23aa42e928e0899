"""Read CmdStan's CSV into one array that is made beforehand: never more memory than the draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

__all__ = ["header", "read_rows"]

_BLOCK = 500


def header(path: Path) -> list[str]:
    """Give the columns' names; an empty list when the chain wrote none."""
    with path.open("rb") as lines:
        for line in lines:
            if not line.startswith(b"#"):
                return line.decode().strip().split(",")
    return []


def read_rows(path: Path, out: np.ndarray, columns: Sequence[int], skip: int = 0) -> int:
    """Fill `out` (rows, columns) with the chosen columns, leaving out `skip` rows; give how many rows there were.

    The last line of a chain that was killed may be torn: it is dropped.
    """
    with path.open("rb") as file:
        rows = (line for line in file if not line.startswith(b"#"))
        names = next(rows, b"")
        whole = _whole_lines(rows, names.count(b","))
        for _ in islice(whole, skip):
            pass
        filled = 0
        while filled < len(out) and (block := list(islice(whole, min(_BLOCK, len(out) - filled)))):
            parsed = np.loadtxt(block, delimiter=",", usecols=columns, ndmin=2, encoding="latin1")
            out[filled : filled + len(parsed)] = parsed
            filled += len(parsed)
    return filled


def _whole_lines(rows: Iterator[bytes], commas: int) -> Iterator[bytes]:
    return (line for line in rows if line.endswith(b"\n") and line.count(b",") == commas)
