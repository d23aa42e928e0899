"""Whether a model has an executable in the cache already, and whether one could be built here."""

from __future__ import annotations

from dataclasses import dataclass

from scistan.engines.registry import ENGINES
from scistan.errors import ScistanError
from scistan.graph.instance import Instance
from scistan.inference.asked import Asked
from scistan.inference.prepare import subject_of

__all__ = ["Executable", "executable_of", "find_executable"]


@dataclass(frozen=True, slots=True)
class Executable:
    """Whether there is one; what is missing to build one, in words."""

    built: bool = False
    missing: str = ""


def find_executable(asked: Asked) -> Executable:
    """Look for the executable of a run, where one of its engines needs one."""
    if not any(ENGINES[name].compiled for name in asked.fitting):
        return Executable()
    return executable_of(asked.instance, threads=asked.threads)


def executable_of(instance: Instance, *, threads: bool = False) -> Executable:
    """Look for a model's executable; nothing is built."""
    from scistan.toolchain.built import DEFAULT, find_built
    from scistan.toolchain.cache import open_store
    from scistan.toolchain.find import find_toolchain
    from scistan.toolchain.request import BuildRequest
    from scistan.toolchain.source import Source

    try:
        text = subject_of(instance, threads=threads).program.text
        request = BuildRequest(Source.of(text, {}), DEFAULT, find_toolchain())
        return Executable(find_built(open_store(), request) is not None)
    except ScistanError as error:
        return Executable(missing=error.what)
