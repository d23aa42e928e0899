"""From Stan text to an executable: `compile_stan` reads as the whole way, the cache first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from scistan.profiling import found_in_cache, staged
from scistan.toolchain.built import DEFAULT, NOTHING, find_built
from scistan.toolchain.cache import open_store
from scistan.toolchain.errors import NoToolchainError
from scistan.toolchain.find import Toolchain, find_toolchain
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.place import MODELS
from scistan.toolchain.pool import build_requests
from scistan.toolchain.request import EXECUTABLE, BuildRequest, loose_key
from scistan.toolchain.source import Source
from scistan.toolchain.use import hold

__all__ = ["BuildOptions", "buildable", "compile_stan", "held_executable"]


@staged("compile")
def compile_stan(
    text: str,
    *,
    options: BuildOptions = DEFAULT,
    progress: bool = True,
    includes: Mapping[str, str] = NOTHING,
    toolchain: Toolchain | None = None,
    workers: int | None = None,
) -> Path:
    """Give the executable of a Stan program: from the cache in milliseconds, else built now.

    Raises StancError (with the line) where stanc refuses the program, ToolchainError where building fails.
    """
    source = Source.of(text, includes)
    store = open_store()
    try:
        request = BuildRequest(source, options, toolchain or find_toolchain())
    except NoToolchainError:
        # A machine without a compiler still runs what was imported.
        if entry := store.find_loose(MODELS, loose_key(source, options)):
            return entry.folder / EXECUTABLE
        raise
    found = find_built(store, request)
    found_in_cache("executable", found is not None)
    if found:
        return found
    (result,) = build_requests([request], store, workers=workers, progress=progress)
    if isinstance(result, Path):
        return result
    raise result


def buildable(text: str, options: BuildOptions = DEFAULT) -> bool:
    """Tell whether a program's executable is at hand already; where it is not and none can be built, say why."""
    source, store = Source.of(text, NOTHING), open_store()
    try:
        request = BuildRequest(source, options, find_toolchain())
    except NoToolchainError:
        if store.find_loose(MODELS, loose_key(source, options)):
            return True
        raise
    return find_built(store, request) is not None


@contextmanager
def held_executable(
    text: str, *, options: BuildOptions = DEFAULT, progress: bool = True, toolchain: Toolchain | None = None
) -> Iterator[Path]:
    """Give the executable of a program and keep it from eviction while the block runs."""
    with ExitStack() as holds:
        while True:
            path = compile_stan(text, options=options, progress=progress, toolchain=toolchain)
            try:
                holds.enter_context(hold(path))
                break
            except FileNotFoundError:
                continue  # the cache was cleared since
        yield path
