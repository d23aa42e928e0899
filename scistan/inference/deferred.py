"""Import ArviZ's InferenceData alone: plots and statistics load when somebody asks for them.

`import arviz` costs a second of processor time, nearly all of it for matplotlib and SciPy's statistics, which holding
draws does not need. The class given here is the true `arviz.InferenceData`: Python's own machinery imports the module
it lives in, while stand-ins take the place of the packages around it. Then the stand-ins go, and a later
`import arviz` runs as usual and finds that module already imported.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType
from typing import Any

__all__ = ["inference_data_class"]

_HOME = "arviz.data.inference_data"
# `arviz.utils` imports pyplot, for one function that shows a figure.
_STOOD_IN_FOR = ("arviz", "arviz.data", "matplotlib", "matplotlib.pyplot")
_lock = RLock()


def inference_data_class() -> Any:
    """Give `arviz.InferenceData`, or None where the installed ArviZ has none (1.x keeps draws in a DataTree)."""
    with _lock:
        if _HOME not in sys.modules and "arviz" not in sys.modules:
            _import_home()
    if _HOME in sys.modules:
        return sys.modules[_HOME].InferenceData
    return getattr(importlib.import_module("arviz"), "InferenceData", None)


class _StandIn(ModuleType):
    """Stands for a module that is imported when something is asked of it."""

    def __getattr__(self, name: str) -> Any:
        with _lock:
            module = importlib.import_module(self.__name__)
        if module is self:
            raise AttributeError(name)
        return getattr(module, name)


def _import_home() -> None:
    """Import the class's module; leave no trace where the installed ArviZ has none of that name."""
    stand_ins = [name for name in _STOOD_IN_FOR if name not in sys.modules]
    before = set(sys.modules)
    try:
        for name in stand_ins:
            _stand_in(name)
        importlib.import_module(_HOME)
    except Exception:
        for name in {n for n in sys.modules if n.startswith("arviz.")} - before - set(stand_ins):
            del sys.modules[name]
    finally:
        for name in stand_ins:
            sys.modules.pop(name, None)
    if _HOME in sys.modules:
        sys.meta_path.insert(0, _Reunion())


def _stand_in(name: str) -> None:
    spec = importlib.util.find_spec(name)
    if spec is None:
        raise ModuleNotFoundError(name)
    module = sys.modules[name] = _StandIn(name)
    module.__spec__ = spec
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
    if spec.submodule_search_locations is not None:
        module.__path__ = list(spec.submodule_search_locations)
    if name == "arviz":
        module.__dict__["__version__"] = importlib.metadata.version(name)  # its submodules ask the package for it


class _Reunion:
    """Finds ArviZ's packages for Python and makes the submodules imported before them their attributes."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in ("arviz", "arviz.data"):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = _with_children(name, spec.loader.exec_module)  # type: ignore[method-assign]
        return spec


def _with_children(package: str, run: Any) -> Any:
    def exec_module(module: ModuleType) -> None:
        for name, child in list(sys.modules.items()):
            if name.rpartition(".")[0] == package:
                setattr(module, name.rpartition(".")[2], child)
        run(module)

    return exec_module
