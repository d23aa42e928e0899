"""Look for an executable that was built before."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from scistan.toolchain.options import BuildOptions
from scistan.toolchain.place import MODELS
from scistan.toolchain.request import EXECUTABLE, BuildRequest
from scistan.toolchain.store import Store

__all__ = ["DEFAULT", "NOTHING", "find_built"]

NOTHING: Mapping[str, str] = MappingProxyType({})
DEFAULT = BuildOptions()


def find_built(store: Store, request: BuildRequest) -> Path | None:
    """Look for an executable with the methods asked for, or with more."""
    wishes = [request]
    if request.options.methods == "core":
        wishes.append(BuildRequest(request.source, request.options.full(), request.toolchain))
    for wish in wishes:
        if entry := store.find(MODELS, wish.key):
            return entry.folder / EXECUTABLE
    return None
