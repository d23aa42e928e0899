"""How big a run's draws will be, told before it starts."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from pathlib import Path

from scistan.graph.instance import Instance
from scistan.messages import sampling as messages

__all__ = ["check_size", "free_memory", "posterior_bytes"]

_SHOWN = 3


def free_memory() -> float:
    """Give the bytes of memory that a process could still take; infinity where that is unknown."""
    limit = _control_group_rest()
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable"):
                return min(limit, float(line.split()[1]) * 1024)
    except OSError:
        pass
    try:
        return min(limit, float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")))
    except (ValueError, OSError, AttributeError):
        return limit


def _control_group_rest() -> float:
    """Give what a container's limit leaves."""
    base = Path("/sys/fs/cgroup")
    try:
        top = (base / "memory.max").read_text().strip()
        return float("inf") if top == "max" else float(top) - float((base / "memory.current").read_text())
    except (OSError, ValueError):
        return float("inf")


def posterior_bytes(instance: Instance, names: Iterable[str], rows: int) -> dict[str, float]:
    """Give the bytes that `rows` draws of each variable take."""
    graph = instance.graph
    shapes = {t.name: t.draw.shape for t in graph.latents} | {n: node.shape for n, node in graph.derived.items()}
    return {name: 8.0 * rows * math.prod(instance.shape(shapes[name])) for name in names if name in shapes}


def check_size(instance: Instance, names: Iterable[str], rows: int) -> None:
    """Refuse a run whose draws do not fit into memory, and say what takes most."""
    sizes = posterior_bytes(instance, names, rows)
    # Once in the engine's own layout, once gathered under the variables' names.
    needed, free = 2 * sum(sizes.values()), free_memory()
    if needed > free:
        biggest = sorted(sizes.items(), key=lambda item: -item[1])[:_SHOWN]
        raise messages.too_big(needed, free, biggest)
