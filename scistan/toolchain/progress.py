"""Tell the user what is being built, since when, and what is waited for."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Protocol

from scistan.terminal import is_watched, open_bar, say

__all__ = ["Display", "Lines", "Silent", "open_display"]

TICK = 0.5


class Display(Protocol):
    """What a build reports to."""

    def step(self, label: str, *, aloud: bool = False) -> AbstractStep:
        """Enter and leave a step of the work; `aloud`: tell it in a log too."""

    def say(self, text: str) -> None:
        """Tell the user something once."""

    def finish(self) -> None:
        """Count one model as done."""

    def close(self) -> None:
        """Leave the screen as it was."""


class AbstractStep(Protocol):
    """A step of the work: a context in which it is shown as running."""

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...


class Silent:
    """Show nothing."""

    @contextmanager
    def step(self, label: str, *, aloud: bool = False) -> Iterator[None]:
        """Enter and leave a step of the work."""
        del label, aloud
        yield

    def say(self, text: str) -> None:
        """Tell the user something once."""

    def finish(self) -> None:
        """Count one model as done."""

    def close(self) -> None:
        """Leave the screen as it was."""


class Lines:
    """Write what is waited for, and one line at the end: for logs."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.done = 0

    @contextmanager
    def step(self, label: str, *, aloud: bool = False) -> Iterator[None]:
        """Enter and leave a step of the work; one that another process does is told `aloud`."""
        if aloud:
            say(f"scistan: {label}")
        yield

    def say(self, text: str) -> None:
        """Leave announcements to who is watching: a log is read afterwards."""

    def finish(self) -> None:
        """Count one model as done."""
        self.done += 1

    def close(self) -> None:
        """Say what was done."""
        if self.done:
            models = "1 model" if self.done == 1 else f"{self.done} models"
            say(f"scistan: compiled {models} in {time.monotonic() - self.started:.1f} s")


class Bar:
    """A tqdm bar over the models with the running steps and their seconds behind it."""

    def __init__(self, total: int) -> None:
        self.running: dict[object, tuple[str, float]] = {}
        self.guard = threading.Lock()
        self.closed = threading.Event()
        self.bar = open_bar(total=total, desc="compiling", unit="model")
        self.ticker = threading.Thread(target=self.tick, daemon=True)
        self.ticker.start()

    @contextmanager
    def step(self, label: str, *, aloud: bool = False) -> Iterator[None]:
        """Enter and leave a step of the work."""
        del aloud
        token = object()
        with self.guard:
            self.running[token] = (label, time.monotonic())
        try:
            yield
        finally:
            with self.guard:
                self.running.pop(token, None)

    def say(self, text: str) -> None:
        """Tell the user something once."""
        self.bar.write(f"scistan: {text}", file=sys.stderr)

    def tick(self) -> None:
        """Show the running steps until closed."""
        while not self.closed.wait(TICK):
            with self.guard:
                running = list(self.running.values())
            steps = [f"{label} {time.monotonic() - since:.0f} s" for label, since in running]
            self.bar.set_postfix_str(" | ".join(steps))

    def finish(self) -> None:
        """Count one model as done."""
        self.bar.update()

    def close(self) -> None:
        """Leave the screen as it was."""
        self.closed.set()
        self.ticker.join()
        self.bar.close()


def open_display(progress: bool, total: int) -> Display:
    """Choose how to show progress: a bar on a screen or in a notebook, lines in a log, or nothing."""
    if not progress:
        return Silent()
    if is_watched():
        return Bar(total)
    return Lines()
