"""The progress of a run: draws done, divergences and step size, in a terminal or a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Protocol

from scistan.terminal import is_watched, open_bar

__all__ = ["Bar", "Progress", "Silent", "open_progress"]

# A run that is over before this many seconds shows nothing: a bar that only flickers tells nobody anything.
PATIENCE = 0.4


class Progress(Protocol):
    """What an engine tells about a run."""

    def show(self, done: int, divergences: int | None, step_sizes: Sequence[float]) -> None:
        """Show how many steps all chains have taken, and how they fare; None for divergences not yet known."""

    def __enter__(self) -> Progress: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


class Silent:
    """Show nothing."""

    def show(self, done: int, divergences: int | None, step_sizes: Sequence[float]) -> None:
        """Show nothing."""

    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class Bar:
    """A tqdm bar over the steps of all chains."""

    def __init__(self, total: int, label: str, **options: Any) -> None:
        self._bar = open_bar(total=total, desc=label, unit="draw", delay=PATIENCE, **options)

    def show(self, done: int, divergences: int | None, step_sizes: Sequence[float]) -> None:
        """Show how many steps all chains have taken, and how they fare."""
        self._bar.set_postfix_str(_state(divergences, step_sizes), refresh=False)
        self._bar.update(done - self._bar.n)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()


def _state(divergences: int | None, step_sizes: Sequence[float]) -> str:
    sizes = sorted(size for size in step_sizes if size > 0)
    shown = [] if divergences is None else [f"divergences {divergences}"]
    return ", ".join([*shown, f"step size {sizes[len(sizes) // 2]:.2g}"] if sizes else shown)


def open_progress(wanted: bool, total: int, label: str) -> Progress:
    """Choose how to show progress: a bar on a screen or in a notebook; nothing in a log."""
    if wanted and is_watched():
        return Bar(total, label)
    return Silent()
