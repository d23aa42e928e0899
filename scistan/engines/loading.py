"""Load the embedded engines' libraries; stanli's autodiff tape belongs to the thread that loads it.

Chains that stanli puts on threads of its own have tapes of their own. A single chain runs in the thread that calls,
and in a thread without a tape that is a segmentation fault (stanli 0.24, found with Python's thread pools).
"""

from __future__ import annotations

import re
import sys
import threading
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

from scistan.parts import import_part

__all__ = ["has_tape", "load_nutpie", "load_stanli", "text_for_stanli", "version_of"]

_loader: int | None = None
_guard = threading.Lock()


def load_stanli() -> Any:
    """Import stanli; the first to do so is the thread with the tape."""
    global _loader
    with _guard:
        if _loader is None:
            # Somebody else's import happened in the main thread, as imports do.
            here = "stanli" not in sys.modules
            _loader = threading.get_ident() if here else threading.main_thread().ident
        return import_module("stanli")


def load_nutpie() -> Any:
    """Import nutpie's compiled library, without the Python around it."""
    return import_part("nutpie._lib")


@cache
def version_of(package: str) -> str:
    """Give an installed package's version; looking it up takes a millisecond, a part of a short run."""
    return version(package)


def has_tape() -> bool:
    """Tell whether the calling thread may run chains itself."""
    load_stanli()
    return threading.get_ident() == _loader


def text_for_stanli(text: str) -> str:
    """Name partial sums as stanli 0.24 knows them: by their declaration, which keeps constants that Stan may drop."""
    return re.sub(r"\breduce_sum\((\w+)_lupmf\b", r"reduce_sum(\1_lpmf", text)
