"""Work that is not a model: a function of an array package, on the backend that suits it, another where that fails."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from scistan.disabled import why_disabled
from scistan.graph.places import warn_at_users_line
from scistan.history import Run, record
from scistan.history.learnt import of_structure
from scistan.inference.plan import Choice, Plan
from scistan.inference.planning.backends import BACKENDS, cannot, guessed
from scistan.inference.planning.machine import machine_now
from scistan.inference.planning.workload import Workload
from scistan.messages import planning as messages
from scistan.settings import check_disabled, setting

__all__ = ["Ran", "plan", "run_with_fallback"]

_TASK = "function"
_ENOUGH = 3  # runs of a backend before its own figures count
_REPLACED = 1  # backends that may be replaced in one call


@dataclass(frozen=True, slots=True)
class Ran:
    """What a function gave, on which backend, how long that took, and which backends failed before, with the reason."""

    value: Any
    backend: str
    seconds: float
    failed: Mapping[str, str]
    plan: Plan


def plan(
    function: Callable[[Any], Any], workload: Workload | None = None, backends: Sequence[str] | None = None
) -> Plan:
    """Choose the backend on which a function of an array package's module would best run, and predict its seconds.

    By the size of the data, the gradients needed and the memory that is free; by what runs of this function cost here,
    as soon as there are some. `backends` names those to choose from, the first ones preferred.
    """
    check_disabled()
    if not callable(function):
        raise messages.no_function(function)
    work = Workload() if workload is None else workload
    if not isinstance(work, Workload):
        raise messages.no_workload(workload)
    names = _names(backends)
    work = replace(work, key=work.key or _key(function, work))
    machine = machine_now()
    reasons = {name: _missing(name) or cannot(name, work, machine) for name in names}
    able = [name for name in names if not reasons[name]]
    if not able:
        raise messages.no_backend_can(reasons)
    known = _learnt(work)
    expected = {name: known[name] if name in known else guessed(name, work) for name in able}
    taken, why = _best(able, known, work, backends is None)
    choices = [Choice(n, expected.get(n), reasons[n]) for n in sorted(names, key=lambda n: n != taken)]
    return Plan(
        "", {}, 0, why, task=_TASK, target=taken, draws=0, chains=0, dtype=setting("dtype"), device="cpu",
        seconds=expected[taken], alternatives=tuple(choices), workload=work, machine=machine,
        learnt=sum(run.backend == taken for run in of_structure(_TASK, work.key)),
    )


def run_with_fallback(
    function: Callable[[Any], Any],
    backends: Sequence[str] = ("torch", "numpy"),
    workload: Workload | None = None,
) -> Ran:
    """Call `function(module)` with the module of the backend that suits it; where that fails, once with the next.

    The module is `torch`, `numpy` or `jax.numpy`. A replacement is told by a warning and in the result; where the next
    one fails too, its error goes on, with a note of what failed before.
    """
    decided = plan(function, workload, backends)
    order = [choice.name for choice in decided.alternatives if choice.seconds is not None]
    failed: dict[str, str] = {}
    while True:
        name = order.pop(0)
        began = time.perf_counter()
        try:
            value = function(import_module(BACKENDS[name].module))
        except Exception as error:  # whatever a user's function raises: another backend may not
            _remember(decided, name, time.perf_counter() - began, type(error).__name__)
            if not order or len(failed) >= _REPLACED:
                if failed:
                    error.add_note(messages.failed_before(failed))
                raise
            failed[name] = f"{type(error).__name__}: {error}"
            told = messages.backend_replaced(name, failed[name], order[0])
            warn_at_users_line(told, messages.BackendWarning)
            continue
        seconds = time.perf_counter() - began
        _remember(decided, name, seconds)
        return Ran(value, name, seconds, failed, decided)


def _names(backends: object) -> list[str]:
    if backends is None:
        return list(BACKENDS)
    names = [backends] if isinstance(backends, str) else list(backends) if isinstance(backends, list | tuple) else []
    if not names or any(not isinstance(name, str) or name not in BACKENDS for name in names):
        raise messages.unknown_backends(backends, BACKENDS)
    return list(dict.fromkeys(names))


def _missing(name: str) -> str:
    if forbidden := why_disabled(name):
        return forbidden
    return "" if find_spec(BACKENDS[name].package) is not None else f"{BACKENDS[name].package} is not installed"


def _best(
    able: Sequence[str], known: Mapping[str, float], work: Workload, free: bool
) -> tuple[str, str]:
    """Take what was measured to be fastest, else the setting, else the order given or what the size suggests."""
    if len(able) > 1 and all(name in known for name in able):
        fastest = min(able, key=lambda name: known[name])
        return fastest, messages.fastest_so_far(fastest)
    wanted = setting("backend")
    if free and wanted in able and wanted != "numpy":
        return wanted, messages.backend_set(wanted)
    if free:
        return min(able, key=lambda name: guessed(name, work)), messages.by_size()
    return able[0], messages.first_that_can(able[0])


def _learnt(work: Workload) -> dict[str, float]:
    """Give the median seconds of each backend that has run this function often enough at about this size."""
    found: dict[str, list[float]] = {}
    for run in of_structure(_TASK, work.key):
        if run.data_size == work.data_size or abs(run.data_size - work.data_size) < work.data_size / 2:
            found.setdefault(run.backend, []).append(run.seconds)
    return {name: sorted(each)[len(each) // 2] for name, each in found.items() if len(each) >= _ENOUGH}


def _remember(decided: Plan, name: str, seconds: float, failure: str = "") -> None:
    work = decided.workload or Workload()
    record(Run(_TASK, name, structure=work.key, data_size=work.data_size, seconds=seconds, failure=failure))


def _key(function: Callable[[Any], Any], work: Workload) -> str:
    """Hash what tells one function from another: its code, where it has any of Python's, and its name."""
    code = getattr(function, "__code__", None)
    name = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', type(function).__qualname__)}"
    digest = hashlib.sha256(f"{name} {work.operation_type}".encode())
    digest.update(b"" if code is None else code.co_code)
    return digest.hexdigest()[:16]
