"""Ctrl-C where it would leave something half done, or be lost: it is heard at the end of the block, or once more."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["interrupts_held", "interrupts_kept"]


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back while the block runs; elsewhere than in the main thread there is none to hear.

    A thread pool that is interrupted in `submit` can keep a lock for ever, and wait for it when it shuts down.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    heard: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if heard:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def interrupts_kept() -> Iterator[Callable[[], None]]:
    """Give what raises a Ctrl-C of this block again: ask it now and then, and none is lost.

    Python drops an exception in the callback of a weak reference or in a finalizer, and Ctrl-C is one. It comes there
    often: while garbage is collected for long, such a callback is the first place where another thread has its turn.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield lambda: None
        return
    heard: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        try:
            before(number, frame)
        except KeyboardInterrupt:
            heard.append(number)
            raise

    def ask() -> None:
        if heard:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, handle)
    try:
        yield ask
    finally:
        signal.signal(signal.SIGINT, before)
