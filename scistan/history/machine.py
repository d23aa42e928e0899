"""Which machine this is, as far as speed is concerned: a hash of its processor and the cores at hand."""

from __future__ import annotations

import hashlib
from functools import cache

from scistan.toolchain.host import cpu_flags, platform_part, usable_cores

__all__ = ["machine_key"]


@cache
def machine_key() -> str:
    """Name this machine by what decides its speed; neither its name nor its user's enters."""
    return hashlib.sha256(f"{platform_part()} {cpu_flags()} {usable_cores()}".encode()).hexdigest()[:12]
