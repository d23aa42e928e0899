"""Ctrl-C while an engine runs: a wish that the engine hears between two draws, so that nothing is lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Interruption", "heed_interrupts"]


class Interruption:
    """Whether the user has asked to stop."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def ask(self, *_signal: Any) -> None:
        """Ask every chain to stop; serves as a signal handler."""
        self._event.set()

    def __bool__(self) -> bool:
        return self._event.is_set()


@contextmanager
def heed_interrupts() -> Iterator[Interruption]:
    """Turn Ctrl-C into a wish while the block runs; elsewhere than in the main thread there is none to hear."""
    wish = Interruption()
    if threading.current_thread() is not threading.main_thread():
        yield wish
        return
    before = signal.signal(signal.SIGINT, wish.ask)
    try:
        yield wish
    finally:
        signal.signal(signal.SIGINT, before)
