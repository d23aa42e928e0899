"""A temporary folder that goes when its owner goes: when Python ends, or, if it was killed, at the next start."""

from __future__ import annotations

import os
import tempfile
import weakref
from pathlib import Path

from scistan.messages import sampling as messages
from scistan.toolchain.workspace import claim, owner_of, remove_tree, sweep_home

__all__ = ["Folder"]

FAMILY = "scistan-run-"


class Folder:
    """A private folder for the files of a run; what killed processes have left is swept when one is made."""

    def __init__(self, purpose: str) -> None:
        try:
            home = Path(tempfile.gettempdir())
            sweep_home(home, FAMILY)
            self.path, owner = claim(home, f"{FAMILY}{purpose}-")
            self._finalizer = weakref.finalize(self, _remove, self.path, owner, os.getpid())
            self.path.mkdir(mode=0o700)
        except OSError as error:
            raise messages.cannot_write(str(error)) from None

    def remove(self) -> None:
        """Remove it now."""
        self._finalizer()


def _remove(folder: Path, owner: int, maker: int) -> None:
    if os.getpid() == maker:  # a fork ends without taking its parent's files along
        remove_tree(folder)
        owner_of(folder).unlink(missing_ok=True)
    os.close(owner)
