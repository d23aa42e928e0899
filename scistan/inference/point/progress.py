"""A progress bar that appears only when a computation takes longer than a moment."""

from __future__ import annotations

import time
from typing import Any

from scistan.terminal import is_watched, open_bar

__all__ = ["Progress"]

_PATIENCE = 1.5  # seconds before anything is shown


class Progress:
    """Notes every iteration's loss and gradient norm; shows them once the wait is worth it."""

    def __init__(self, shown: bool, label: str) -> None:
        self._shown = shown and is_watched()
        self._label = label
        self._begun = time.perf_counter()
        self._bar: Any = None
        self.history: list[tuple[float, float]] = []

    def note(self, loss: float, gradient_norm: float, keep: bool = True) -> None:
        """Note an iteration."""
        if keep:
            self.history.append((loss, gradient_norm))
        if not self._shown:
            return
        if self._bar is None and time.perf_counter() - self._begun > _PATIENCE:
            self._bar = open_bar(desc=self._label, unit=" iterations", initial=len(self.history))
            self._bar.set_postfix_str(_state(loss, gradient_norm))  # drawn at once, whatever tqdm's pace
        if self._bar is not None:
            self._bar.set_postfix_str(_state(loss, gradient_norm), refresh=False)
            self._bar.update(1)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _state(loss: float, gradient_norm: float) -> str:
    return f"loss {loss:.6g}, gradient {gradient_norm:.1e}"
