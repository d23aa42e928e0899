"""What every step of a build shares, and the one way things get into the cache."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from scistan.errors import ToolchainError
from scistan.messages import toolchain as messages
from scistan.profiling import found_in_cache, stage
from scistan.toolchain.cache import disk_error
from scistan.toolchain.find import Toolchain
from scistan.toolchain.keys import Json, digest
from scistan.toolchain.lock import key_lock
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.progress import Display
from scistan.toolchain.run import Cancellation, Finished, run
from scistan.toolchain.store import CacheEntry, Store
from scistan.toolchain.use import hold_entry
from scistan.toolchain.workspace import Workspace, workspace

__all__ = ["Recipe", "Work", "command", "compiling", "exclusive", "failed", "find_held", "get_or_build", "note"]

PATIENCE = 0.2
Recipe = Callable[[Workspace], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Work:
    """The toolchain, the store and the display of a build, and what has failed in it already."""

    toolchain: Toolchain
    options: BuildOptions
    store: Store
    display: Display
    cancellation: Cancellation
    workers: int
    failed: dict[str, ToolchainError] = field(default_factory=dict)
    notes: set[str] = field(default_factory=set)
    guard: threading.Lock = field(default_factory=threading.Lock)

    @property
    def versions(self) -> Mapping[str, str]:
        """What a record says of the versions at work."""
        compiler = self.toolchain.compiler
        return {
            "stan": self.toolchain.stan_version,
            "toolchain": self.toolchain.name,
            "compiler": compiler.version,
        }


@contextmanager
def exclusive(work: Work, key: str, waiting: str) -> Iterator[None]:
    """Hold the lock of a key among all processes; a dead owner's lock is free."""
    from filelock import Timeout

    lock = key_lock(work.store.root, key)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        with work.display.step(f"{waiting}: being built already, waiting", aloud=True):
            while True:
                work.cancellation.check()
                try:
                    lock.acquire(timeout=PATIENCE, poll_interval=0.05)
                    break
                except Timeout:
                    continue
    try:
        yield
    finally:
        lock.release()


@contextmanager
def compiling(work: Work) -> Iterator[None]:
    """Take one of the places for compilers, so that many processes together do not exhaust the memory."""
    from filelock import Timeout

    while True:
        for number in range(work.workers):
            work.cancellation.check()
            lock = key_lock(work.store.root, f"compiler-{number}")
            try:
                lock.acquire(timeout=0)
            except Timeout:
                continue
            try:
                yield
            finally:
                lock.release()
            return
        time.sleep(PATIENCE)


def command(work: Work, place: Workspace, words: list[str], **environment: str) -> Finished:
    """Run a program in a build's scratch folder."""
    return run(
        words,
        folder=place.scratch,
        cancellation=work.cancellation,
        inherit=(place.owner,),
        environment=environment,
    )


def find_held(work: Work, kind: str, key: str, holds: ExitStack | None) -> CacheEntry | None:
    """Give the entry of a key if there is a good one, and keep it from eviction until `holds` ends."""
    entry = work.store.find(kind, key)
    if entry is None or holds is None:
        return entry
    try:
        holds.enter_context(hold_entry(entry.folder))
    except FileNotFoundError:
        return None  # cleared since it was found
    return entry


def get_or_build(
    work: Work,
    kind: str,
    parts: Mapping[str, Json],
    recipe: Recipe,
    *,
    label: str,
    loose: str = "",
    holds: ExitStack | None = None,
) -> CacheEntry:
    """Give the entry of some parts, building it if no process has: one builds, the others wait.

    What is given is kept from eviction until `holds` ends: it is about to be linked, or compiled with.
    """
    key = digest(parts)
    what = str(parts.get("kind", "executable"))
    entry = find_held(work, kind, key, holds)
    found_in_cache(what, entry is not None)
    if entry:
        return entry
    try:
        with exclusive(work, key, label):
            if entry := find_held(work, kind, key, holds):
                return entry
            with work.guard:
                if known := work.failed.get(key):
                    raise known
            with stage(what):
                made = build(work, kind, parts, recipe, label, loose)
            if holds is not None:
                holds.enter_context(hold_entry(made.folder))
            return made
    except ToolchainError as error:
        with work.guard:
            work.failed.setdefault(key, error)
        raise
    except OSError as error:
        raise disk_error(error, work.store.root) from error


def build(work: Work, kind: str, parts: Mapping[str, Json], recipe: Recipe, label: str, loose: str) -> CacheEntry:
    """Build in a private folder and publish what came out."""
    started = time.monotonic()
    with workspace(work.store.root) as place, work.display.step(label):
        outside = recipe(place)
        return work.store.publish(
            kind,
            place,
            parts,
            loose=loose,
            label=label,
            seconds=time.monotonic() - started,
            versions=work.versions,
            outside=outside,
        )


def note(work: Work, text: str) -> None:
    """Warn once in a build."""
    import warnings

    with work.guard:
        if text in work.notes:
            return
        work.notes.add(text)
    warnings.warn(text, stacklevel=2)


def failed(what: str, finished: Finished) -> ToolchainError:
    """Put a failed program into words."""
    return messages.compile_failed(what, finished.shown, finished.code, finished.tail())
