"""Mark an entry of the cache as in use, and tell whether one is, so that eviction leaves it alone."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scistan.toolchain.flock import try_lock
from scistan.toolchain.record import RECORD

__all__ = ["hold", "hold_entry", "only_if_free", "running_executables"]


@contextmanager
def hold(executable: Path) -> Iterator[Path]:
    """Keep an executable from eviction while the block runs (a shared lock that dies with its owner).

    >>> with hold(path):  # doctest: +SKIP
    ...     run(path)
    """
    with hold_entry(executable.parent):
        yield executable


@contextmanager
def hold_entry(folder: Path) -> Iterator[None]:
    """Keep an entry from eviction while the block runs; FileNotFoundError when it is gone already."""
    record = folder / RECORD
    descriptor = os.open(record, os.O_RDONLY)
    try:
        while not try_lock(descriptor, shared=True):
            time.sleep(0.01)  # an evictor looks at it right now
        if os.fstat(descriptor).st_ino != os.stat(record).st_ino:
            raise FileNotFoundError(record)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def only_if_free(folder: Path) -> Iterator[bool]:
    """Tell whether nobody holds an entry, and keep it so while the block runs."""
    try:
        descriptor = os.open(folder / RECORD, os.O_RDONLY)
    except OSError:
        yield True
        return
    try:
        yield try_lock(descriptor)
    finally:
        os.close(descriptor)


def running_executables() -> frozenset[str]:
    """List the executables of all running processes that this user may see (Linux)."""
    found = set()
    try:
        processes = [entry.path for entry in os.scandir("/proc") if entry.name.isdigit()]
    except OSError:
        return frozenset()
    for process in processes:
        try:
            found.add(os.readlink(f"{process}/exe"))
        except OSError:
            continue
    return frozenset(found)
