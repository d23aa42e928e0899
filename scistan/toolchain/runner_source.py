"""SciStan's own runner as source: which units it has and what their content is."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from scistan.messages import toolchain as messages
from scistan.toolchain.keys import digest, file_digest
from scistan.toolchain.options import Methods

__all__ = ["Runner", "Unit", "read_runner"]

HERE = Path(__file__).parent / "runner"
LIST = "units.txt"
MODEL_HEADER = "#include <stan/model/model_header.hpp>"
HEADERS = (".hpp", ".h", ".ipp", ".inc")
LEAN = "lean"  # headers that stand in for Stan's own of the same name


@dataclass(frozen=True, slots=True)
class Unit:
    """One translation unit of the runner; `uses_model` if it includes Stan's model header (and is slow)."""

    path: Path
    methods: Methods
    uses_model: bool


@dataclass(frozen=True, slots=True)
class Runner:
    """The units of a runner and the hashes of its headers, of its stand-ins for Stan's, and of all its source."""

    folder: Path
    units: tuple[Unit, ...]
    headers: str
    lean: str
    digest: str

    @property
    def lean_headers(self) -> Path:
        """The folder to search before Stan's own headers."""
        return self.folder / LEAN

    def chosen(self, methods: Methods) -> tuple[Unit, ...]:
        """Give the units that a choice of methods links."""
        return tuple(unit for unit in self.units if methods == "full" or unit.methods == "core")


KNOWN: dict[tuple[tuple[str, int, int, int], ...], Runner] = {}


def read_runner(folder: Path | None = None) -> Runner:
    """Read a runner's list of units and hash its source, once per process while no file changes."""
    folder = folder or HERE
    signature = signature_of(folder)
    if signature not in KNOWN:
        KNOWN[signature] = read_now(folder)
    return KNOWN[signature]


def signature_of(folder: Path) -> tuple[tuple[str, int, int, int], ...]:
    """Describe a folder's files cheaply: any edit changes the signature."""
    facts = []
    for place, _, names in os.walk(folder):
        for name in names:
            status = os.stat(f"{place}/{name}")
            facts.append((f"{place}/{name}", status.st_size, status.st_mtime_ns, status.st_ino))
    return tuple(sorted(facts))


def read_now(folder: Path) -> Runner:
    """Read a runner's list of units and hash its source."""
    try:
        lines = (folder / LIST).read_text().splitlines()
    except OSError:
        raise messages.no_runner() from None
    rows = [line.split() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    units = []
    for row in rows:
        if len(row) != 2 or row[1] not in ("core", "full") or not (folder / row[0]).is_file():
            raise messages.bad_runner(" ".join(row))
        path = folder / row[0]
        units.append(Unit(path, "core" if row[1] == "core" else "full", MODEL_HEADER in path.read_text()))
    sources = {unit.path.name: file_digest(unit.path) for unit in units}
    hashes = {
        path.relative_to(folder).as_posix(): file_digest(path)
        for path in sorted(folder.rglob("*"))
        if path.suffix in HEADERS
    }
    lean = digest({name: value for name, value in hashes.items() if name.startswith(f"{LEAN}/")})
    headers = digest({name: value for name, value in hashes.items() if not name.startswith(f"{LEAN}/")})
    total = digest({"rows": rows, "units": sources, "headers": headers, "lean": lean})
    return Runner(folder, tuple(units), headers, lean, total)
