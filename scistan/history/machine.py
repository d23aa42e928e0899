"""Which machine this is, as far as speed is concerned: a hash of its processor and the cores at hand."""

from __future__ import annotations

import hashlib
import os
import platform
from functools import cache
from pathlib import Path

__all__ = ["cores_at_hand", "machine_key"]


def cores_at_hand() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine_key() -> str:
    """Name this machine by what decides its speed; neither its name nor its user's enters."""
    return _key(cores_at_hand())


@cache
def _key(cores: int) -> str:
    described = f"{platform.system()} {platform.machine()} {_processor()} {cores}"
    return hashlib.sha256(described.encode()).hexdigest()[:12]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
