"""The control groups that a process is in: those of a container, a cluster's job, a service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

__all__ = ["groups_of"]

PROC, GROUPS = Path("/proc"), Path("/sys/fs/cgroup")


def groups_of(controller: str) -> Iterator[tuple[Path, int]]:
    """Give the folder of each group that limits the process, its own first, and the version (1 or 2) of its files."""
    try:
        lines = (PROC / "self" / "cgroup").read_text().splitlines()
    except OSError:
        lines = []
    for line in [*lines, "0::/"]:  # a container often sees its own group as the root
        _, _, rest = line.partition(":")
        controllers, _, inside = rest.partition(":")
        if controllers and controller not in controllers.split(","):
            continue
        bases = [GROUPS / controller] if controllers else [GROUPS, GROUPS / "unified"]
        parts = Path(inside.strip("/")).parts
        for base in bases:
            for depth in range(len(parts), -1, -1):  # a group above may leave less
                yield base.joinpath(*parts[:depth]), 1 if controllers else 2
