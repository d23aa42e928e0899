"""What this machine is: platform, processor, and how many compilations it can carry at once."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from scistan.control_groups import groups_of
from scistan.memory import free_memory
from scistan.toolchain.keys import Json

__all__ = ["cpu_flags", "free_disk", "platform_part", "usable_cores", "worker_count"]

COMPILE_MEMORY = 2_000_000_000  # a model with templates over Stan Math: 1.5 to 2 GB at its peak


def platform_part() -> Json:
    """Say on which kind of machine an executable runs."""
    if sys.platform == "win32":
        return {"system": sys.platform, "machine": os.environ.get("PROCESSOR_ARCHITECTURE", ""), "libc": ""}
    libc = ""
    if sys.platform == "linux":
        try:
            libc = os.confstr("CS_GNU_LIBC_VERSION") or ""
        except (ValueError, OSError):
            libc = "other"
    return {"system": sys.platform, "machine": os.uname().machine, "libc": libc}


def cpu_flags() -> str:
    """List the processor's features: what `-march=native` depends on."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        import platform

        return platform.processor() or platform.machine()
    wanted = ("vendor_id", "model name", "flags", "CPU part", "Features")
    found = {name.strip(): value for name, _, value in (line.partition(":") for line in lines)}
    return ";".join(" ".join(sorted(found[name].split())) for name in wanted if name in found)


def usable_cores() -> int:
    """Count the cores this process may use, a container's share included."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, *(max(1, int(_share(folder, version))) for folder, version in groups_of("cpu")))


def _share(folder: Path, version: int) -> float:
    """Give how many cores a control group may keep busy."""
    try:
        if version == 2:
            quota, period = (folder / "cpu.max").read_text().split()
        else:
            quota, period = ((folder / f"cpu.cfs_{what}_us").read_text().strip() for what in ("quota", "period"))
        share = float(quota.replace("max", "inf")) / float(period)
    except (OSError, ValueError, ZeroDivisionError):
        return sys.maxsize
    return share if 0 < share < sys.maxsize else sys.maxsize  # version 1 writes -1 where there is no limit


def worker_count(asked: int | None = None) -> int:
    """Choose how many compilers run at once: by cores and by memory, unless told."""
    if asked is not None:
        return max(1, asked)
    return int(max(1, min(usable_cores(), free_memory() // COMPILE_MEMORY)))


def free_disk(path: Path) -> int:
    """Give the free bytes of the disk that holds a path, or would hold it."""
    import shutil

    while not os.path.exists(path) and path != path.parent:
        path = path.parent
    return shutil.disk_usage(path).free
