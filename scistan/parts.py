"""Import a part of a package without the rest of it, which comes when somebody imports the package.

`import arviz` draws in matplotlib, `scipy.stats` and (where it is installed) numba; `import nutpie` draws in ArviZ: one
to two seconds, more than everything else between a small model and its draws. We need one class of the one and the
compiled library of the other. So the package's module is made here without running its `__init__`, and the part is
imported by itself; the first `import` of the package, whoever does it, runs `__init__` on that same module and finds
the part in place: one package, one class, as if it had been imported whole (docs/decisions/0004).
"""

from __future__ import annotations

import builtins
import sys
import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

__all__ = ["import_part"]

_guard = threading.RLock()


def import_part(part: str, lent: Mapping[str, object] | None = None, postponed: str = "") -> ModuleType:
    """Import `package.part` alone; a package that does not allow it is imported whole.

    `lent` names what the part takes from its package, until the package's own is there; `postponed` names a module
    that the part imports and hardly ever uses.
    """
    package = part.partition(".")[0]
    with _guard:
        if part in sys.modules:
            return sys.modules[part]
        if package not in sys.modules and _is_alone():
            try:
                return _alone(package, part, lent or {}, postponed)
            except Exception:
                _forget(package)
    return import_module(part)


def _is_alone() -> bool:
    """Tell whether nobody else can import anything meanwhile: half a package must be seen by nobody.

    Daemons are those of notebooks and progress bars; a program's own workers are none.
    """
    here = threading.current_thread()
    return all(thread is here or thread.daemon for thread in threading.enumerate())


def _alone(package: str, part: str, lent: Mapping[str, object], postponed: str) -> ModuleType:
    spec = find_spec(package)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(package)
    module = module_from_spec(spec)
    vars(module).update(lent)
    finder = _Halves(spec.loader, module, part, tuple(lent), postponed)
    sys.meta_path.insert(0, finder)
    half = False
    try:
        import_module(package)
    except _PartIsThereError:
        half = True
    finally:
        if not half and finder in sys.meta_path:
            sys.meta_path.remove(finder)  # the import failed, or another thread's was first and whole
    return import_module(part)


def _forget(package: str) -> None:
    for name in [n for n in sys.modules if n == package or n.startswith(f"{package}.")]:
        del sys.modules[name]


class _PartIsThereError(Exception):
    """An import that has come as far as it should."""


class _OnDemand(ModuleType):
    """A module that is imported when something of it is asked for; known to those alone who were given it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(import_module(self.__name__), name)


class _Postponing(Loader):
    """Runs a module whose own import statement for `postponed` gives a stand-in; nobody else's does."""

    def __init__(self, loader: Loader, postponed: str) -> None:
        self._loader, self._postponed = loader, postponed

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        package, _, child = self._postponed.partition(".")
        holder = ModuleType(package)
        setattr(holder, child, _OnDemand(self._postponed))

        def own_import(name: str, *given: Any, **named: Any) -> Any:
            return holder if name == self._postponed else builtins.__import__(name, *given, **named)

        vars(module)["__builtins__"] = {**vars(builtins), "__import__": own_import}
        try:
            self._loader.exec_module(module)
        finally:
            vars(module)["__builtins__"] = vars(builtins)
            module.__loader__ = self._loader
            if module.__spec__ is not None:
                module.__spec__.loader = self._loader


class _Halves(MetaPathFinder, Loader):
    """Loads a package in two goes: the thread that made this gets the part, whoever imports the package the rest.

    The first go is an import that is broken off when the part is there, so that it leaves no package behind.
    """

    def __init__(self, loader: Loader, package: ModuleType, part: str, lent: tuple[str, ...], postponed: str) -> None:
        self._loader, self._package, self._part, self._lent = loader, package, part, lent
        self._postponed = postponed
        self._first_go: int | None = threading.get_ident()
        self._loading: int | None = None

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        where = self._package.__spec__
        if self._postponed and self._loading == threading.get_ident() and name.startswith(f"{self._package.__name__}."):
            found = PathFinder.find_spec(name, path, target)
            if found is not None and found.loader is not None:
                found.loader = _Postponing(found.loader, self._postponed)
            return found
        if name != self._package.__name__ or where is None:
            return None
        spec = ModuleSpec(name, self, origin=where.origin, is_package=True)
        spec.submodule_search_locations = where.submodule_search_locations
        spec.has_location = True
        return spec

    def create_module(self, _: ModuleSpec) -> ModuleType:
        return self._package

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader  # which knows the package's other files
        module.__loader__ = self._loader
        if self._first_go == threading.get_ident():
            self._loading, self._first_go = self._first_go, None
            try:
                import_module(self._part)
            finally:
                self._loading = None
            raise _PartIsThereError
        sys.meta_path.remove(self)
        early = [sys.modules[name] for name in list(sys.modules) if name.startswith(f"{module.__name__}.")]
        self._loader.exec_module(module)
        for part in early:
            self._settle(vars(part), vars(module))

    def _settle(self, part: dict[str, Any], package: Mapping[str, Any]) -> None:
        """Give a part that was loaded early what it was lent, and what it postponed, for good."""
        part.update({name: package[name] for name in self._lent if name in part and name in package})
        part.update({n: import_module(m.__name__) for n, m in list(part.items()) if isinstance(m, _OnDemand)})
