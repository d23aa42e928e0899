"""How often each engine and target has succeeded and failed, where a history of runs is kept."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec

__all__ = ["run_counts"]


def run_counts() -> Mapping[str, tuple[int, int]]:
    """Give successes and failures by name; nothing where no history is kept."""
    if find_spec("scistan.history") is None:
        return {}
    found = import_module("scistan.history").counts()
    return {name: (int(seen.succeeded), int(seen.failed)) for name, seen in found.items()}
