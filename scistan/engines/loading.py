"""Load the engines' libraries and check what is used of them; stanli's tape belongs to the thread that loads it.

Chains that stanli puts on threads of its own have tapes of their own. A single chain runs in the thread that calls,
and in a thread without a tape that is a segmentation fault (stanli 0.24, found with Python's thread pools).
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from scistan.engines.data_file import DataFile, DataText, give_back
from scistan.surface import checked, version_of

__all__ = [
    "has_tape", "let_rest", "load_blackjax", "load_cmdstanpy", "load_model", "load_nutpie", "load_stanli",
    "text_for_stanli", "version_of",
]

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


def load_model(stanli: Any, program: Mapping[str, str], data: DataText, seed: int, threads: int = 1) -> Any:
    """Make stanli's model of a program on its data; long data are read when they are needed, and kept by nobody."""
    if isinstance(data, str):
        return stanli.Model(**program, data=data, seed=seed, threads_per_chain=threads)
    try:
        return _resting(stanli)(program["mir"], data, seed, threads)
    finally:
        give_back()


@cache
def _resting(stanli: Any) -> Any:
    """Give the kind of stanli's model that can rest: it frees what it holds, and is built again when it is used."""

    class Resting(stanli.Model):  # type: ignore[misc,name-defined]
        def __init__(self, mir: str, data: DataFile, seed: int, threads: int) -> None:
            self._fast_math = False
            self._source = (mir, None, data)  # of which stanli asks for bytes, each time it builds the model
            self._seed, self._threads_per_chain = seed, threads
            self._built: Any = self._construct(seed, threads)
            self.n_unconstrained = stanli._lib.stanli_n_unconstrained(self._built)
            count = stanli._lib.stanli_n_constrained(self._built)
            names = (stanli._lib.stanli_constrained_name(self._built, k).decode() for k in range(count))
            self.constrained_names = [stanli._bracket(name) for name in names]

        @property
        def _m(self) -> Any:
            if self._built is None:
                self._built = self._construct(self._seed, self._threads_per_chain)
            return self._built

        @_m.setter
        def _m(self, value: Any) -> None:
            self._built = value

        def rest(self) -> None:
            if getattr(self, "_built", None):
                stanli._lib.stanli_model_free(self._built)
            self._built = None

        def __del__(self) -> None:
            self.rest()

    return Resting


def let_rest(model: Any) -> None:
    """Free a model of long data before another engine reads them; it is built again if somebody asks for it."""
    rest = getattr(model, "rest", None)
    if rest is not None:
        rest()
        give_back()


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
