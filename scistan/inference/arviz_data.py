"""ArviZ's InferenceData without its plots: the half of `import arviz` that holds data, the rest when it is wanted.

`import arviz` draws in matplotlib, `scipy.stats` and (where it is installed) numba: over a second, most of the time
between a small model and its draws. The class needs xarray alone. So the package's module is made here without running
its `__init__`, and `arviz.data` is imported by itself; the first `import arviz`, whoever does it, runs `__init__` on
that same module and finds its submodules in place (docs/decisions/0020).
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

__all__ = ["inference_data_class"]

_PACKAGE, _PLOTS = "arviz", "matplotlib.pyplot"
_guard = threading.Lock()


def inference_data_class() -> Any:
    """Give `arviz.InferenceData`, or None where ArviZ is new enough to have none."""
    with _guard:
        known = sys.modules.get("arviz.data.inference_data")
        if known is not None:
            return known.InferenceData
        if _PACKAGE not in sys.modules and version(_PACKAGE).startswith("0."):
            try:
                return _data_alone().InferenceData
            except Exception:
                _forget()  # an ArviZ laid out otherwise: then the whole of it
    return getattr(import_module(_PACKAGE), "InferenceData", None)


def _data_alone() -> ModuleType:
    spec = find_spec(_PACKAGE)
    if spec is None or spec.loader is None:
        raise ImportError(_PACKAGE)
    package = module_from_spec(spec)
    # what the submodules take from the package and from matplotlib while they are loaded
    package.__dict__.update(__version__=version(_PACKAGE), _log=logging.getLogger(_PACKAGE))
    stand_in = None if _PLOTS in sys.modules else _OnDemand(_PLOTS)
    sys.modules[_PACKAGE] = package
    if stand_in is not None:
        sys.modules[_PLOTS] = stand_in
    try:
        found = import_module("arviz.data.inference_data")
    finally:
        del sys.modules[_PACKAGE]
        if stand_in is not None:
            del sys.modules[_PLOTS]
    sys.meta_path.insert(0, _Rest(spec.loader, package))
    return found


def _forget() -> None:
    for name in [n for n in sys.modules if n == _PACKAGE or n.startswith(f"{_PACKAGE}.")]:
        del sys.modules[name]


class _OnDemand(ModuleType):
    """A module that is imported when something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(import_module(self.__name__), name)


class _Rest(MetaPathFinder, Loader):
    """Finds ArviZ once more, when somebody imports it: the module that is half done, to be finished."""

    def __init__(self, loader: Loader, package: ModuleType) -> None:
        self._loader, self._package = loader, package

    def find_spec(self, name: str, *_: Sequence[str] | ModuleType | None) -> ModuleSpec | None:
        if name != _PACKAGE or self._package.__spec__ is None:
            return None
        where = self._package.__spec__
        spec = ModuleSpec(name, self, origin=where.origin, is_package=True)
        spec.submodule_search_locations = where.submodule_search_locations
        spec.has_location = True
        return spec

    def create_module(self, _: ModuleSpec) -> ModuleType:
        return self._package

    def exec_module(self, module: ModuleType) -> None:
        sys.meta_path.remove(self)
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        early = [sys.modules[name] for name in sys.modules if name.startswith(f"{_PACKAGE}.")]
        self._loader.exec_module(module)
        for part in early:
            if "_log" in vars(part):
                vars(part)["_log"] = vars(module)["_log"]
            if isinstance(vars(part).get("plt"), _OnDemand):
                vars(part)["plt"] = import_module(_PLOTS)
