"""Run many numbered tasks on any executor: seeded by number, kept in a folder, resumed, never lost silently."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

import numpy as np

from scistan.errors import ScistanError
from scistan.inference.executors import Executor
from scistan.inference.judge.folder import Arrays, Folder
from scistan.interrupts import interrupts_held, interrupts_kept
from scistan.messages import sampling as sampling_messages
from scistan.profiling import Stage, bring_home, recorded
from scistan.settings import under_settings
from scistan.terminal import is_watched, open_bar
from scistan.toolchain.host import usable_cores

__all__ = ["Outcome", "Task", "run_tasks", "task_seed"]

# Tasks that are with an executor at a time: enough for any cluster, and not every model is sent at once.
_IN_FLIGHT = 256
_TRIES = 2
_PATIENCE = 0.4  # seconds before a bar shows


@dataclass(frozen=True, slots=True)
class Task:
    """A function of plain arguments that gives named arrays; what it gives depends on nothing else."""

    number: int
    function: Callable[..., Arrays]
    arguments: tuple[Any, ...] = ()


@dataclass(slots=True)
class Outcome:
    """What tasks gave, why others failed, how many came from a folder, and whether the user stopped them."""

    results: dict[int, Arrays] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    reused: int = 0
    interrupted: bool = False


def task_seed(seed: int, number: int) -> int:
    """Give a task a seed of its own, whatever runs before it or beside it."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0] >> 1)  # what every engine takes


def run_tasks(
    tasks: Sequence[Task], executor: Executor | None, folder: Folder | None, progress: bool, label: str = ""
) -> Outcome:
    """Run tasks on an executor, or on threads of this process; results that the folder has are not made again.

    A task whose worker died is tried once more. One that fails is reported in the outcome. After an interrupt
    the outcome holds what was ready.
    """
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise sampling_messages.no_executor(executor)
    outcome = Outcome({} if folder is None else folder.known([task.number for task in tasks]))
    outcome.reused = len(outcome.results)
    waiting = deque(task for task in tasks if task.number not in outcome.results)
    if not waiting:
        return outcome
    with _somewhere(executor, len(waiting)) as place, _bar(progress, len(tasks), label) as step:
        step(outcome.reused)
        run = _Run(place, outcome, folder, waiting, step, executor is None)
        try:
            with interrupts_kept() as ask_for_interrupts:
                run.all(ask_for_interrupts)
        except KeyboardInterrupt:
            outcome.interrupted = True
            run.stop()
    return outcome


class _Run:
    """Tasks on their way: handed over some at a time, taken as they come back."""

    def __init__(
        self, executor: Executor, outcome: Outcome, folder: Folder | None, waiting: deque[Task],
        step: Callable[[int], object], own: bool,
    ) -> None:
        self.own = own
        self.executor, self.outcome, self.folder, self.waiting, self.step = executor, outcome, folder, waiting, step
        self.away: dict[Any, Task] = {}
        self.tries: dict[int, int] = {}
        self.back: SimpleQueue[Any] = SimpleQueue()

    def all(self, ask_for_interrupts: Callable[[], None]) -> None:
        while self.waiting or self.away:
            ask_for_interrupts()
            while self.waiting and len(self.away) < _IN_FLIGHT:
                self._submit(self.waiting.popleft())
            if self.away:
                future = self.back.get()
                self._take(future, self.away[future])
                del self.away[future]  # only now: an interrupt on the way loses nothing

    def stop(self) -> None:
        """Call back what has not begun, and take what is ready; threads of this process end what they are at."""
        running = {future: task for future, task in self.away.items() if not future.cancel()}
        for future, task in running.items():
            if self.own or future.done():
                self._take(future, task)
        self.waiting.clear()

    def _submit(self, task: Task) -> None:
        self.tries[task.number] = self.tries.get(task.number, 0) + 1
        with interrupts_held():
            try:
                future = self.executor.submit(recorded(under_settings(task.function)), *task.arguments)
            except ScistanError:
                raise
            except Exception as error:  # a pool that broke takes no more: reported task by task
                self._failed(task, error)
                return
            self.away[future] = task
            future.add_done_callback(self.back.put)

    def _take(self, future: Future[tuple[Arrays, Stage]], task: Task) -> None:
        try:
            found, took = future.result()
        except ScistanError as error:  # a fault of the model, which a second try would meet again
            self._failed(task, error)
        except Exception as error:  # what an executor raises where a worker died is its own
            if self.tries[task.number] < _TRIES and not self.outcome.interrupted:
                self.waiting.append(task)
            else:
                self._failed(task, error)
        else:
            if self.folder is not None:
                self.folder.keep(task.number, found)
            self.outcome.results[task.number] = found
            bring_home(took)
            self.step(1)

    def _failed(self, task: Task, error: Exception) -> None:
        told = error.what if isinstance(error, ScistanError) else f"{type(error).__name__}: {error}"
        self.outcome.failed[task.number] = " ".join(told.split())
        self.step(1)


@contextmanager
def _somewhere(executor: Executor | None, tasks: int) -> Iterator[Executor]:
    """Give the executor, or one of threads: the engines work outside of Python's lock."""
    if executor is not None:
        yield executor
        return
    threads = ThreadPoolExecutor(min(usable_cores(), tasks), thread_name_prefix="scistan-judge")
    try:
        yield threads
    finally:
        threads.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _bar(progress: bool, total: int, label: str) -> Iterator[Callable[[int], object]]:
    if not (progress and is_watched()):
        yield lambda _: None
        return
    bar = open_bar(total=total, desc=label, unit="fit", delay=_PATIENCE)
    try:
        yield bar.update
    finally:
        bar.close()
