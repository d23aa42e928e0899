"""Read the path of a file that a user names."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

from scistan.messages import fits as messages

__all__ = ["as_path"]


def as_path(what: str, given: object) -> Path:
    """Give a path, or say that `what` needs one."""
    if not isinstance(given, str | PathLike):
        raise messages.no_path(what, given)
    return Path(os.fsdecode(given))
