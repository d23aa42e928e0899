"""Build many executables at once: results in order, errors in their places, Ctrl-C leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TypeVar

from scistan.errors import ToolchainError
from scistan.interrupts import interrupts_held
from scistan.messages import toolchain as messages
from scistan.profiling import carried
from scistan.toolchain.built import DEFAULT, NOTHING, find_built
from scistan.toolchain.cache import open_store, writable_store
from scistan.toolchain.cmdstan import CmdStan
from scistan.toolchain.cmdstan_build import build_with_make
from scistan.toolchain.errors import NoToolchainError
from scistan.toolchain.evict import trim
from scistan.toolchain.find import Toolchain, find_toolchain
from scistan.toolchain.host import worker_count
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.place import MODELS
from scistan.toolchain.progress import open_display
from scistan.toolchain.request import EXECUTABLE, BuildRequest, loose_key
from scistan.toolchain.run import Cancellation
from scistan.toolchain.source import Source
from scistan.toolchain.store import Store
from scistan.toolchain.streams import streams_filled
from scistan.toolchain.translate import translate
from scistan.toolchain.wheel_build import build_executable, missing_products
from scistan.toolchain.work import Work

__all__ = ["build_requests", "compile_many"]

Result = Path | ToolchainError
T = TypeVar("T")


def compile_many(
    texts: Sequence[str],
    *,
    workers: int | None = None,
    options: BuildOptions = DEFAULT,
    progress: bool = True,
    includes: Mapping[str, str] = NOTHING,
    toolchain: Toolchain | None = None,
) -> list[Result]:
    """Give the executables of several programs in the order given; a program that fails has its error there.

    `workers` compilers run at once; unless given, as many as cores and memory (2 GB each) allow.
    """
    sources = [Source.of(text, includes) for text in texts]
    store = open_store()
    try:
        found = toolchain or find_toolchain()
    except NoToolchainError as error:
        entries = [store.find_loose(MODELS, loose_key(source, options)) for source in sources]
        return [entry.folder / EXECUTABLE if entry else error for entry in entries]
    requests = [BuildRequest(source, options, found) for source in sources]
    ready = {request: find_built(store, request) for request in requests}
    missing = [request for request, path in ready.items() if path is None]
    with streams_filled():
        built = build_requests(missing, store, workers=workers, progress=progress) if missing else []
    results: dict[BuildRequest, Result] = {request: path for request, path in ready.items() if path is not None}
    results.update(zip(missing, built, strict=True))
    return [results[request] for request in requests]


def build_requests(
    requests: Sequence[BuildRequest], store: Store, *, workers: int | None, progress: bool
) -> list[Result]:
    """Build requests of one toolchain and one set of options that the cache does not have."""
    first = requests[0]
    try:
        writable = writable_store(store)
    except ToolchainError as error:
        return [error for _ in requests]
    work = Work(
        toolchain=first.toolchain,
        options=first.options,
        store=writable,
        display=open_display(progress, len(requests)),
        cancellation=Cancellation(),
        workers=worker_count(workers),
    )
    executor = ThreadPoolExecutor(work.workers, thread_name_prefix="scistan-build")
    try:
        results = schedule(work, requests, executor)
    except BaseException:
        work.cancellation.cancel()
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
        work.display.close()
    trim(work.store)
    return results


def schedule(work: Work, requests: Sequence[BuildRequest], executor: ThreadPoolExecutor) -> list[Result]:
    """Translate everything first, so that a typing error costs no compilation; then products, models."""
    with interrupts_held():
        translations = [executor.submit(carried(translate), work, request.source) for request in requests]
    codes = outcomes(translations)
    # The model tasks ask for the same products: these only start early, so their failures can wait.
    early = shared_products(work) if any(isinstance(code, str) for code in codes) else []
    with interrupts_held():
        for task in early:
            executor.submit(carried(task))
        building = {
            place: executor.submit(carried(build_one), work, requests[place], code)
            for place, code in enumerate(codes)
            if isinstance(code, str)
        }
    results: dict[int, Result] = {n: code for n, code in enumerate(codes) if isinstance(code, ToolchainError)}
    built = outcomes(tuple(building.values()))
    results.update(zip(building, built, strict=True))
    return [results[place] for place in range(len(requests))]


def shared_products(work: Work) -> list[Callable[[], object]]:
    """List the builds that no model decides and tell the user of them: header first, units beside it."""
    if isinstance(work.toolchain, CmdStan):
        return []
    tasks, seconds = missing_products(work, work.toolchain)
    if tasks:
        work.display.say(messages.first_use(len(tasks), seconds / work.workers))
    return tasks


def build_one(work: Work, request: BuildRequest, code: str) -> Path:
    """Build one executable with whichever toolchain there is."""
    if isinstance(request.toolchain, CmdStan):
        path = build_with_make(work, request, request.toolchain)
    else:
        path = build_executable(work, request, request.toolchain, code)
    work.display.finish()
    return path


def outcomes(futures: Sequence[Future[T]]) -> list[T | ToolchainError]:
    """Wait for all, in short steps so that Ctrl-C is heard at once; an error stands in its task's place."""
    pending = set(futures)
    while pending:
        _, pending = wait(pending, timeout=0.2, return_when=FIRST_COMPLETED)
    errors = [future.exception() for future in futures]
    return [
        error if isinstance(error, ToolchainError) else future.result()
        for future, error in zip(futures, errors, strict=True)
    ]
