"""`ss.backends()`: the targets and engines, what each can do here, and what it lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module, metadata

from scistan.engines.registry import ENGINES
from scistan.errors import ToolchainError, UnsupportedError
from scistan.inference.capabilities.counted import run_counts
from scistan.inference.capabilities.declared import distribution_rows, op_rows
from scistan.inference.capabilities.show import Record, Shown
from scistan.messages import capabilities as messages
from scistan.targets.registry import TARGETS
from scistan.toolchain.find import find_toolchain

__all__ = ["Backend", "Backends", "Declared", "backends", "devices_of"]

SAMPLING = "mcmc"


@dataclass(frozen=True, slots=True)
class Backend:
    """A target or an engine; `missing` says why it cannot be used here, `remedy` what to do about it.

    `tasks` has the options that each task takes, `metrics` are those of its sampler. `succeeded` and `failed` count its
    runs where a history is kept, and are None where none is.
    """

    name: str
    kind: str
    what: str
    versions: Mapping[str, str]
    tasks: Mapping[str, tuple[str, ...]]
    metrics: tuple[str, ...] = ()
    devices: tuple[str, ...] = ("cpu",)
    missing: str = ""
    remedy: str = ""
    succeeded: int | None = None
    failed: int | None = None

    @property
    def able(self) -> bool:
        """Whether it can be used here."""
        return not self.missing

    def record(self) -> Record:
        """Give it as a row."""
        runs = "" if self.succeeded is None else f"{self.succeeded} good, {self.failed} failed"
        return {
            "backend": self.name, "kind": self.kind, "here": "yes" if self.able else "no", "tasks": tuple(self.tasks),
            "metrics": self.metrics, "devices": self.devices, "versions": dict(self.versions), "runs": runs,
            "missing": self.missing, "remedy": self.remedy, "what": self.what, "options": dict(self.tasks),
        }  # fmt: skip


class Declared(Shown):
    """What each target does with each distribution, or with each operation."""

    def __init__(self, rows: Sequence[Record]) -> None:
        self._rows = tuple(rows)

    def records(self) -> Sequence[Record]:
        return self._rows

    def __len__(self) -> int:
        return len(self._rows)


class Backends(Shown):
    """The targets and engines; `backends()["stanli"]` is one, `.distributions` and `.operations` say who has which."""

    def __init__(self, found: Sequence[Backend]) -> None:
        self.found = tuple(found)

    def records(self) -> Sequence[Record]:
        return [backend.record() for backend in self.found]

    def columns(self) -> Sequence[str]:
        shown = ["backend", "kind", "here", "tasks", "metrics", "devices", "versions", "runs", "missing", "remedy"]
        return [column for column in shown if column != "runs" or any(b.succeeded is not None for b in self.found)]

    def __getitem__(self, name: str) -> Backend:
        """Give a backend by its name."""
        for backend in self.found:
            if backend.name == name:
                return backend
        raise messages.unknown_backend(name, [backend.name for backend in self.found])

    @property
    def distributions(self) -> Declared:
        """What each target does with each distribution."""
        return Declared(distribution_rows())

    @property
    def operations(self) -> Declared:
        """Which target has which operation."""
        return Declared(op_rows())


def backends() -> Backends:
    """Tell which targets and engines there are, what each can do here, and what it lacks."""
    counts = run_counts()
    found = [_target(name) for name in TARGETS] + [_engine(name) for name in ENGINES]
    return Backends([_counted(backend, counts.get(backend.name) if counts else None) for backend in found])


def _counted(backend: Backend, seen: tuple[int, int] | None) -> Backend:
    return backend if seen is None else replace(backend, succeeded=seen[0], failed=seen[1])


def _target(name: str) -> Backend:
    declared = TARGETS[name]
    return Backend(
        name, "target", declared.what, _versions(declared.packages), dict.fromkeys(declared.tasks, ()),
        devices=devices_of(name), missing=declared.missing, remedy=declared.fix if declared.missing else "",
    )  # fmt: skip


def _engine(name: str) -> Backend:
    declared = ENGINES[name]
    missing, remedy = declared.missing, declared.fix if declared.missing else ""
    if not missing and declared.compiled:
        missing, remedy = cannot_build()
    tasks = {SAMPLING: tuple(declared.options)} | {m: tuple(sorted(taken)) for m, taken in declared.methods.items()}
    by_own_name: dict[str, str] = {}
    for metric, own in declared.metrics.items():
        by_own_name.setdefault(own, metric)  # the first name of several
    versions = _versions(declared.packages) | (_toolchain() if declared.compiled and not missing else {})
    metrics = tuple(by_own_name.values())
    return Backend(name, "engine", declared.sampler, versions, tasks, metrics, ("cpu",), missing, remedy)


def _toolchain() -> dict[str, str]:
    return {"toolchain": find_toolchain().name}


def cannot_build() -> tuple[str, str]:
    """Say why no executable can be built here, and what to do; nothing where one can."""
    try:
        find_toolchain()
    except ToolchainError as error:
        return error.what, error.remedy
    return "", ""


def devices_of(name: str) -> tuple[str, ...]:
    """Give the kinds of device that a target can use here: one that is not installed can use none."""
    declared = TARGETS[name]
    if declared.missing or declared.devices == ("cpu",):
        return () if declared.missing else declared.devices
    choose = import_module("scistan.targets.torch").choose_target
    found = []
    for device in declared.devices:
        try:
            choose(device, "float32")
        except UnsupportedError:
            continue
        found.append(device)
    return tuple(found)


def _versions(packages: Sequence[str]) -> dict[str, str]:
    found = {}
    for package in packages:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found
