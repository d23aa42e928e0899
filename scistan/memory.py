"""How much memory this process may still take: what the machine, its control groups and its own limits leave."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from scistan.control_groups import groups_of

__all__ = ["free_memory"]

_PROC = Path("/proc")

# Each kind of control group: the files of its limit and its use, and what of the use is files that the system drops
# when memory is asked for (the rows of memory.stat).
_FILES_OF = {
    2: ("memory.max", "memory.current", ("inactive_file", "active_file")),
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes", ("total_inactive_file", "total_active_file")),
}
# The limits of a process, and the column of /proc/self/statm that each of them counts, in pages.
_OWN = {"RLIMIT_AS": 0, "RLIMIT_DATA": 5}


def free_memory() -> float:
    """Give the bytes of memory that this process could still take; infinity where that is unknown."""
    return max(0.0, min(_machines(), *_groups(), *_own()))


def _machines() -> float:
    """Give what the machine has: at hand, or held by files that can be dropped."""
    try:
        for line in (_PROC / "meminfo").read_text().splitlines():
            if line.startswith("MemAvailable"):
                return float(line.split()[1]) * 1024
    except OSError:
        pass
    for pages in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"):  # what is free, else (macOS) what there is
        try:
            return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf(pages))
        except (ValueError, OSError, AttributeError):
            continue
    return float("inf")


def _groups() -> Iterator[float]:
    """Give what each control group leaves that the process is in."""
    for folder, version in groups_of("memory"):
        yield _rest(folder, version)


def _rest(folder: Path, version: int) -> float:
    """Give what one control group leaves."""
    limit, used, dropped = _FILES_OF[version]
    try:
        top = float((folder / limit).read_text().replace("max", "inf"))
        rows = (line.split() for line in (folder / "memory.stat").read_text().splitlines())
        counted = {row[0]: float(row[1]) for row in rows if len(row) == 2}
        return top - float((folder / used).read_text()) + sum(counted.get(name, 0.0) for name in dropped)
    except (OSError, ValueError):
        return float("inf")


def _own() -> Iterator[float]:
    """Give what the process's own limits (`ulimit -v`, `ulimit -d`) leave."""
    try:
        import resource

        taken = (_PROC / "self" / "statm").read_text().split()
        for name, column in _OWN.items():
            top, _ = resource.getrlimit(getattr(resource, name))
            if top != resource.RLIM_INFINITY:
                yield float(top) - float(taken[column]) * resource.getpagesize()
    except (ImportError, OSError, ValueError, IndexError, AttributeError):
        return
