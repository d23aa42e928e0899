"""Load the engines' libraries and check what is used of them; stanli's tape belongs to the thread that loads it.

Chains that stanli puts on threads of its own have tapes of their own. A single chain runs in the thread that calls,
and in a thread without a tape that is a segmentation fault (stanli 0.24, found with Python's thread pools).
"""

from __future__ import annotations

import re
import sys
import threading
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from scistan.surface import checked, version_of

__all__ = ["has_tape", "load_blackjax", "load_cmdstanpy", "load_nutpie", "load_stanli", "text_for_stanli", "version_of"]

_loader: int | None = None
_guard = threading.Lock()


def load_stanli() -> Any:
    """Import stanli; the first to do so is the thread with the tape."""
    global _loader
    with _guard:
        if _loader is None:
            # Somebody else's import happened in the main thread, as imports do.
            here = "stanli" not in sys.modules
            found = checked("stanli", import_module("stanli"))
            _loader = threading.get_ident() if here else threading.main_thread().ident
            return found
        return sys.modules["stanli"]


def load_cmdstanpy() -> Any:
    """Import cmdstanpy, which reads the files of executables and drives those of their methods that are no samplers."""
    return checked("cmdstanpy", import_module("cmdstanpy"))


@cache
def load_blackjax() -> Any:
    """Import blackjax with the parts of its warm-up."""
    for part in ("mass_matrix", "staged_adaptation", "step_size"):
        import_module(f"blackjax.adaptation.{part}")
    return checked("blackjax", import_module("blackjax"))


@cache
def load_nutpie() -> Any:
    """Load nutpie's compiled library from its file: importing the package would bring ArviZ, seconds of it.

    The library's classes are the same however often and by whomever it is loaded.
    """
    return checked("nutpie", sys.modules.get("nutpie._lib") or _library() or import_module("nutpie._lib"))


def _library() -> ModuleType | None:
    package = find_spec("nutpie")
    for folder in (package.submodule_search_locations if package else None) or ():
        for suffix in EXTENSION_SUFFIXES:
            path = Path(folder) / f"_lib{suffix}"
            spec = spec_from_file_location("nutpie._lib", path) if path.is_file() else None
            if spec is not None and spec.loader is not None:
                module = module_from_spec(spec)
                spec.loader.exec_module(module)
                return module
    return None


def has_tape() -> bool:
    """Tell whether the calling thread may run chains itself."""
    load_stanli()
    return threading.get_ident() == _loader


def text_for_stanli(text: str) -> str:
    """Name partial sums as stanli 0.24 knows them: by their declaration, which keeps constants that Stan may drop."""
    return re.sub(r"\breduce_sum\((\w+)_lupmf\b", r"reduce_sum(\1_lpmf", text)
