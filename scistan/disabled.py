"""What SCISTAN_DISABLE forbids: engines, packages and devices that nothing may use, whoever asks."""

from __future__ import annotations

import os
from functools import lru_cache

__all__ = ["VARIABLE", "disabled_names", "why_disabled"]

VARIABLE = "SCISTAN_DISABLE"


def disabled_names() -> frozenset[str]:
    """Give what the environment forbids now."""
    return _read(os.environ.get(VARIABLE, ""))


def why_disabled(name: str) -> str:
    """Say why something may not be used; an empty text where it may."""
    return f"{VARIABLE} names {name}" if name in disabled_names() else ""


@lru_cache(8)
def _read(text: str) -> frozenset[str]:
    return frozenset(part.strip().lower() for part in text.split(",") if part.strip())
