"""Where the user is looking: a terminal, a notebook, or a log that nobody watches live."""

from __future__ import annotations

import sys

__all__ = ["is_watched"]


def is_watched() -> bool:
    """Tell whether a progress bar would be seen: in a terminal or in a running notebook."""
    return sys.stderr.isatty() or _in_notebook()


def _in_notebook() -> bool:
    # That ipykernel is imported proves nothing: schedulers and test runners import it too. A kernel's shell does.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")
