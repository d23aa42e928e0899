"""Where the user is looking, a terminal, a notebook, or a log that nobody watches live; and bars for who watches."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["is_terminal", "is_watched", "open_bar", "say"]

_WIDTH = 100  # characters of a bar in a notebook, whose cell has no width to ask for


def is_watched() -> bool:
    """Tell whether a progress bar would be seen: in a terminal or in a running notebook."""
    return is_terminal() or _in_notebook()


def is_terminal() -> bool:
    """Tell whether messages go to a terminal; a program without streams, or with closed ones, has none."""
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except (ValueError, OSError):  # closed
        return False


def say(text: str) -> None:
    """Write a line to the user's log, if there is one."""
    try:
        if sys.stderr is not None:
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()
    except (ValueError, OSError):  # closed, or nobody reads it any more
        return


def open_bar(**options: Any) -> Any:
    """Open a tqdm bar: in a terminal, where it leaves nothing, or in one output of a cell, which keeps its end."""
    from tqdm import tqdm

    if is_terminal() or not _in_notebook():
        return tqdm(**{"leave": False, "file": sys.stderr, **options})
    return tqdm(**{"leave": True, "file": _CellOutput(), "ncols": _WIDTH, "mininterval": 0.5, **options})


class _CellOutput:
    """A file for tqdm that shows what was written last, in place: a saved notebook holds one line, and no more."""

    encoding = "utf-8"  # tqdm draws with blocks where it may

    def __init__(self) -> None:
        self._line = self._shown = ""
        self._display: Any = None

    def write(self, text: str) -> int:
        """Take the bar as it is now; what only blanks the line or ends it changes nothing."""
        self._line = text.strip() or self._line
        return len(text)

    def flush(self) -> None:
        """Show it."""
        if self._line == self._shown:
            return
        self._shown = self._line
        content = {"text/plain": self._line}
        if self._display is not None:
            self._display.update(content, raw=True)
            return
        from IPython.display import display

        self._display = display(content, raw=True, display_id=True)


def _in_notebook() -> bool:
    # That ipykernel is imported proves nothing: schedulers and test runners import it too. A kernel's shell does.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")
