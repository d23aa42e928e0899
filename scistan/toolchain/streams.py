"""Streams that somebody closed: nothing that a build opens may take their numbers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["streams_filled"]

_STREAMS = 2  # the last of the numbers that are read and written without asking: 0, 1 and 2


@contextmanager
def streams_filled() -> Iterator[None]:
    """Hold closed streams open on nothing: what is written there must not end up in a lock or in an executable."""
    held = []
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _STREAMS:
        held.append(descriptor)
    os.close(descriptor)
    try:
        yield
    finally:
        for descriptor in held:
            os.close(descriptor)
