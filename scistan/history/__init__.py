"""What runs cost here, remembered: `ss.history()` is a table of them, and this module can be called for it.

`reset`, `export` and `counts` are its verbs; `remembered_winner` is what `auto` may ask where no seed was given.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from scistan.history.learnt import Counts, Winner, counts, remembered_winner
from scistan.history.run import Run
from scistan.history.store import history_path, record
from scistan.history.structure import structure_of
from scistan.history.table import export, reset, table

__all__ = [
    "Counts", "Run", "Winner", "counts", "export", "history_path", "record", "remembered_winner", "reset",
    "structure_of", "table",
]  # fmt: skip


class _History(ModuleType):
    """A module that can be called: `ss.history` is this package as soon as anything has imported it."""

    def __call__(self) -> Any:
        """Give every run that is remembered as a table."""
        return table()


history = sys.modules[__name__]
history.__class__ = _History
