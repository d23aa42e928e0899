"""Ctrl-C while an engine runs, or the end of its time: a wish that it hears between two draws: nothing is lost."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Interruption", "heed_interrupts"]


class Interruption:
    """Whether the user has asked to stop, or the `limit` in seconds has passed."""

    def __init__(self, limit: float | None = None) -> None:
        self._event = threading.Event()
        self._limit = limit
        self._started = time.monotonic()

    def ask(self, *_signal: Any) -> None:
        """Ask every chain to stop; serves as a signal handler."""
        self._event.set()

    def __bool__(self) -> bool:
        return self._event.is_set() or self.passed is not None

    @property
    def passed(self) -> float | None:
        """The limit, where it has passed and nobody asked to stop."""
        late = self._limit is not None and time.monotonic() - self._started > self._limit
        return self._limit if late and not self._event.is_set() else None


@contextmanager
def heed_interrupts(limit: float | None = None) -> Iterator[Interruption]:
    """Turn Ctrl-C into a wish while the block runs; elsewhere than in the main thread there is none to hear."""
    wish = Interruption(limit)
    if threading.current_thread() is not threading.main_thread():
        yield wish
        return
    before = signal.signal(signal.SIGINT, wish.ask)
    try:
        yield wish
    finally:
        signal.signal(signal.SIGINT, before)
