"""Mark stages of work where it is done, and record their time, processor time and memory where somebody listens.

`with stage("lowering"):` or `@staged("lowering")` costs a look-up when nobody does. `recording` listens: what is
marked inside, in this thread or in workers that `carried` and `recorded` start, becomes a tree below it.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Hashable
from contextvars import ContextVar, Token, copy_context
from dataclasses import dataclass, field
from functools import partial, wraps
from types import ModuleType, TracebackType
from typing import Any, ParamSpec, Protocol, TypeVar

__all__ = [
    "CONVERTED", "HITS", "MISSES", "Evidence", "Stage", "bring_home", "carried", "count", "found_in_cache", "recorded",
    "recording", "stage", "staged",
]

P = ParamSpec("P")
T = TypeVar("T")
resource: ModuleType | None
try:
    import resource
except ImportError:  # Windows: no high water of memory there
    resource = None

_RESIDENT = 1 if sys.platform == "darwin" else 1024  # bytes in a unit of ru_maxrss
HITS, MISSES, CONVERTED = "hits", "misses", "converted"


class Evidence(Protocol):
    """What recommendations are made from; that of one model and engine is joined."""

    def joined(self, other: Any) -> Evidence: ...


@dataclass(slots=True, eq=False)
class Stage:
    """What one kind of work took: seconds, the process's and its children's processor time, memory above the start.

    `memory` and `gpu_memory` are bytes at the peak above what was held when the stage began. `counts` has, by kind and
    by what was counted, how often and how much. Stages of one name below one stage are one, with their `calls`.
    """

    name: str
    calls: int = 0
    failed: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    memory: int = 0
    gpu_memory: int = 0
    counts: dict[tuple[str, str], tuple[int, float]] = field(default_factory=dict)
    children: dict[str, Stage] = field(default_factory=dict)
    evidence: dict[Hashable, Evidence] = field(default_factory=dict)

    @property
    def own_seconds(self) -> float:
        """Seconds that no stage below has; none where those ran at the same time."""
        return max(0.0, self.seconds - sum(child.seconds for child in self.children.values()))

    def count(self, kind: str, what: str, amount: float = 1.0) -> None:
        """Note that something happened, and how much of it."""
        times, total = self.counts.get((kind, what), (0, 0.0))
        self.counts[kind, what] = (times + 1, total + amount)

    def total(self, kind: str) -> dict[str, tuple[int, float]]:
        """Sum a kind of counts over this stage and all below."""
        found: dict[str, tuple[int, float]] = {}
        for one in self.walk():
            for (own, what), (times, amount) in one.counts.items():
                if own == kind:
                    before = found.get(what, (0, 0.0))
                    found[what] = (before[0] + times, before[1] + amount)
        return found

    def walk(self) -> list[Stage]:
        """List this stage and all below, each before what is below it."""
        found, waiting = [], [self]
        while waiting:
            found.append(one := waiting.pop())
            waiting += reversed(one.children.values())
        return found

    def find(self, name: str) -> list[Stage]:
        """List the stages of a name."""
        return [one for one in self.walk() if one.name == name]

    def all_evidence(self) -> list[Evidence]:
        """Give what was kept for recommendations, one for each model and engine."""
        found: dict[Hashable, Evidence] = {}
        for one in self.walk():
            for key, evidence in one.evidence.items():
                found[key] = found[key].joined(evidence) if key in found else evidence
        return list(found.values())

    def copied(self) -> Stage:
        """Give a copy that later work does not change."""
        below = {name: child.copied() for name, child in self.children.items()}
        return Stage(
            self.name, self.calls, self.failed, self.seconds, self.cpu, self.memory, self.gpu_memory,
            dict(self.counts), below, dict(self.evidence),
        )

    def absorb(self, child: Stage) -> None:
        """Take a stage that ended below this one; one of its name that was there before becomes both."""
        with _ABSORBING:
            known = self.children.get(child.name)
            if known is None:
                self.children[child.name] = child
            else:
                known._add(child)

    def take_over(self, other: Stage) -> None:
        """Take what is below another stage, which was recorded later and elsewhere, and its time."""
        with _ABSORBING:
            own = Stage("", seconds=other.seconds, cpu=other.cpu, memory=other.memory, gpu_memory=other.gpu_memory)
            own.counts, own.children = dict(other.counts), other.copied().children
            self._add(own)

    def _add(self, other: Stage) -> None:
        self.calls += other.calls
        self.failed += other.failed
        self.seconds += other.seconds
        self.cpu += other.cpu
        self.memory = max(self.memory, other.memory)
        self.gpu_memory = max(self.gpu_memory, other.gpu_memory)
        for key, (times, amount) in other.counts.items():
            before = self.counts.get(key, (0, 0.0))
            self.counts[key] = (before[0] + times, before[1] + amount)
        for known, evidence in other.evidence.items():
            self.evidence[known] = self.evidence[known].joined(evidence) if known in self.evidence else evidence
        for name, child in other.children.items():
            if name in self.children:
                self.children[name]._add(child)
            else:
                self.children[name] = child


_ABSORBING = threading.RLock()
# How the stage that is open is measured: its clock alone, its processor time and memory too, or its own peak.
_CLOCK, _USED, _EXACT = range(3)
_current: ContextVar[tuple[Stage, int] | None] = ContextVar("scistan_stage", default=None)


class stage:  # noqa: N801
    """Mark the work of a block; recorded below the stage that is open, and not at all where none is."""

    __slots__ = ("_before", "_name", "_own", "_parent", "_started", "_token")

    def __init__(self, name: str) -> None:
        self._name = name
        self._own: Stage | None = None

    def __enter__(self) -> Stage | None:
        open_stage = _current.get()
        if open_stage is not None:
            self._begin(*open_stage)
        return self._own

    def _begin(self, parent: Stage | None, how: int) -> Stage:
        self._parent = parent
        self._own = Stage(self._name)
        below = how if how == _EXACT else _CLOCK
        self._token: Token[tuple[Stage, int] | None] = _current.set((self._own, below))
        self._before = None if how == _CLOCK else _Before(how)
        self._started = time.perf_counter()
        return self._own

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        own = self._own
        if own is None:
            return
        own.seconds = time.perf_counter() - self._started
        _current.reset(self._token)
        if self._before is not None:
            self._before.end(own)
        own.calls = 1
        own.failed += kind is not None
        self._own = None
        if self._parent is not None:
            self._parent.absorb(self._kept(own))

    def _kept(self, own: Stage) -> Stage:
        return own


class recording(stage):  # noqa: N801
    """Mark the work of a block and listen to it; the stage it gives is complete when the block ends.

    `exact` measures processor time and memory of every stage below, and each one's own peak of memory where the system
    can (Linux). Otherwise only the stages right below are measured so, for asking the system costs more than all else;
    their memory is what they added to the highest that the process had reached before.
    """

    __slots__ = ("_how",)

    def __init__(self, name: str, *, exact: bool = False) -> None:
        super().__init__(name)
        self._how = _EXACT if exact else _USED

    def __enter__(self) -> Stage:
        parent, how = _current.get() or (None, _CLOCK)
        made = self._begin(parent, how := max(how, self._how))
        _current.set((made, how))  # forgotten with the rest when the block ends
        return made

    def _kept(self, own: Stage) -> Stage:
        return own.copied()  # whoever listens goes on with the original


def staged(name: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Mark every call of a function as a stage."""

    def mark(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def marked(*args: P.args, **kwargs: P.kwargs) -> T:
            if _current.get() is None:
                return function(*args, **kwargs)
            with stage(name):
                return function(*args, **kwargs)

        return marked

    return mark


def count(kind: str, what: str, amount: float = 1.0) -> None:
    """Count something in the stage that is open."""
    if (open_stage := _current.get()) is not None:
        with _ABSORBING:
            open_stage[0].count(kind, what, amount)


def found_in_cache(what: str, found: bool) -> None:
    """Count a hit or a miss of a cache."""
    count(HITS if found else MISSES, what)


# -- workers ------------------------------------------------------------------------------------------
def carried(function: Callable[P, T]) -> Callable[P, T]:
    """Give a function for one call in a thread of ours, recorded below the stage that is open here."""
    return partial(copy_context().run, function)  # type: ignore[return-value]


def recorded(function: Callable[P, T]) -> Callable[P, tuple[T, Stage]]:
    """Give a function for somebody else's worker, another process perhaps: it also gives what it took."""
    return partial(_run_recorded, function)  # type: ignore[return-value]


def _run_recorded(function: Callable[..., T], *args: Any) -> tuple[T, Stage]:
    with recording("worker") as took:
        result = function(*args)
    return result, took


def bring_home(took: Stage) -> None:
    """Put what a worker recorded below the stage that is open here; processes elsewhere have their own clocks."""
    if (open_stage := _current.get()) is not None:
        open_stage[0].absorb(took)


# -- measuring ----------------------------------------------------------------------------------------
class _Before:
    """Processor time and memory at the start of a stage."""

    __slots__ = ("base", "cpu", "gpu", "how", "peak")

    def __init__(self, how: int) -> None:
        self.how = how
        if how == _EXACT:
            self.gpu = _gpu_held()
            with _ABSORBING:
                _begin_anew()
                self.cpu, self.base = _used()
                self.peak = self.base
                _watching.append(self)
        else:
            self.cpu, self.base = _used()

    def end(self, own: Stage) -> None:
        if self.how == _EXACT:
            with _ABSORBING:
                cpu, high = _used()
                _watching.remove(self)
                high = max(self.peak, high)
            own.gpu_memory = max(own.gpu_memory, _gpu_peak() - self.gpu)
        else:
            cpu, high = _used()
        own.cpu += max(0.0, cpu - self.cpu)  # another thread's answer may be a moment older
        own.memory = max(own.memory, high - self.base)


# Asking the system costs more than all else here: an answer is good for so many seconds, in which memory grows by less
# than a megabyte.
_FRESH = 2e-4
_watching: list[_Before] = []
_answer = (-_FRESH, 0.0, 0)  # when it was given, processor time, the highest memory
_lowered = -_FRESH  # when the highest memory was made to begin anew


def _used() -> tuple[float, int]:
    """Give the processor time of this process and of children that have ended, and its highest memory so far."""
    global _answer
    when, cpu, high = _answer
    now = time.perf_counter()
    if now - when >= _FRESH:
        cpu, high = _asked()
        _answer = now, cpu, high
    return cpu, high


def _asked() -> tuple[float, int]:
    if resource is None:
        return time.process_time(), 0
    own, below = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + below.ru_utime + below.ru_stime, own.ru_maxrss * _RESIDENT


def _begin_anew() -> None:
    """Let the highest memory begin anew at what is held now, when every stage that is open has seen it."""
    global _answer, _lowered
    now = time.perf_counter()
    if now - _lowered < _FRESH:
        return
    _, high = _used()
    for one in _watching:
        one.peak = max(one.peak, high)
    _lower_high_water()
    _answer, _lowered = (now, *_asked()), now


def _lower_high_water() -> None:
    """Let the process's highest memory begin anew at what it holds now (Linux; proc(5), clear_refs)."""
    try:
        door = os.open("/proc/self/clear_refs", os.O_WRONLY)
    except OSError:
        return
    try:
        os.write(door, b"5")
    except OSError:
        pass
    finally:
        os.close(door)


def _cuda() -> Any:
    """Give torch's view of a GPU, where a program has one in use."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    return cuda if cuda is not None and cuda.is_initialized() else None


def _gpu_held() -> int:
    cuda = _cuda()
    if cuda is None:
        return 0
    cuda.reset_peak_memory_stats()
    return int(cuda.memory_allocated())


def _gpu_peak() -> int:
    cuda = _cuda()
    return 0 if cuda is None else int(cuda.max_memory_allocated())
