"""Follow a running CmdStan chain: steps from what it prints, divergences and step size from its CSV."""

from __future__ import annotations

import re
from pathlib import Path
from typing import BinaryIO

__all__ = ["Tail"]

_ITERATION = re.compile(rb"Iteration:\s+(\d+)")
_STEP, _DIVERGENT = 2, 5  # places of stepsize__ and divergent__ among CmdStan's columns


class Tail:
    """The state of one chain, read as its files grow."""

    def __init__(self, console: Path, csv: Path) -> None:
        self._paths = (console, csv)
        self._files: list[BinaryIO | None] = [None, None]
        self._rest = [b"", b""]
        self._done, self._diverging, self._step = 0, 0, 0.0

    def look(self) -> tuple[int, int, float]:
        """Give steps done, divergences so far and the step size."""
        for line in self._new_lines(0):
            found = _ITERATION.search(line)
            self._done = int(found[1]) if found else self._done
        for line in self._new_lines(1):
            if line[:1].isdigit() or line[:1] == b"-":
                fields = line.split(b",", _DIVERGENT + 1)
                if len(fields) > _DIVERGENT:
                    self._step = float(fields[_STEP])
                    self._diverging += int(float(fields[_DIVERGENT]))
        return self._done, self._diverging, self._step

    def _new_lines(self, which: int) -> list[bytes]:
        file = self._files[which]
        if file is None:
            if not self._paths[which].exists():
                return []
            file = self._files[which] = self._paths[which].open("rb")
        *lines, self._rest[which] = (self._rest[which] + file.read()).split(b"\n")
        return lines

    def __del__(self) -> None:
        for file in self._files:
            if file is not None:
                file.close()
