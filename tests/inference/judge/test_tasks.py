"""Tasks on executors: seeded by number, kept, resumed, tried again, and never lost silently."""

import os
import signal
import threading
import time
import weakref
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from types import SimpleNamespace

import numpy as np
import pytest

import scistan as ss
from scistan.errors import SamplingError
from scistan.inference.judge.folder import open_folder, seed_of
from scistan.inference.judge.tasks import Task, run_tasks, task_seed

PARTS = {"model": "a", "data": "b", "settings": "c"}


def work(number, seed=1):
    return {"x/y": np.random.default_rng(task_seed(seed, number)).normal(size=2), "n": np.asarray(number)}


def tasks(count, function=work):
    return [Task(k, function, (k,)) for k in range(count)]


def numbers(outcome):
    return {k: found["x/y"].tolist() for k, found in outcome.results.items()}


class Backwards:
    """An executor that runs what it has last first."""

    def submit(self, function, *args):
        task = Future()
        threading.Timer(0.1 / (1 + args[0]), lambda: task.set_result(function(*args))).start()
        return task


def test_results_depend_neither_on_order_nor_on_the_executor():
    here = numbers(run_tasks(tasks(6), None, None, False))
    assert sorted(here) == list(range(6))
    assert numbers(run_tasks(tasks(6), Backwards(), None, False)) == here
    with ThreadPoolExecutor(3) as pool:
        assert numbers(run_tasks(tasks(6), pool, None, False)) == here


def test_results_are_kept_and_used_again(tmp_path):
    folder = open_folder(tmp_path / "study", "sbc", 7, PARTS)
    first = run_tasks(tasks(3), None, folder, False)
    assert sorted(p.name for p in (tmp_path / "study").iterdir()) == [
        "study.json", "task-000000.npz", "task-000001.npz", "task-000002.npz",
    ]
    called = []
    again = run_tasks(tasks(5, lambda k: called.append(k) or work(k)), None, folder, False)
    assert sorted(called) == [3, 4]
    assert again.reused == 3
    assert {k: numbers(again)[k] for k in range(3)} == numbers(first)
    assert seed_of(tmp_path / "study") == 7


def test_a_file_that_is_not_whole_is_made_again(tmp_path):
    folder = open_folder(tmp_path, "sbc", 7, PARTS)
    run_tasks(tasks(2), None, folder, False)
    whole = (tmp_path / "task-000001.npz").read_bytes()
    (tmp_path / "task-000001.npz").write_bytes(whole[: len(whole) // 2])
    again = run_tasks(tasks(2), None, folder, False)
    assert again.reused == 1
    assert (tmp_path / "task-000001.npz").read_bytes()[:2] == b"PK"
    assert sorted(again.results) == [0, 1]


@pytest.mark.parametrize(
    ("verb", "seed", "parts", "told"),
    [
        ("kfold", 7, PARTS, "holds results of sbc, not of kfold"),
        ("sbc", 8, PARTS, "the seed differ"),
        ("sbc", 7, {**PARTS, "model": "z", "data": "z"}, "the model and the data differ"),
    ],
)
def test_a_folder_of_another_study_is_refused(tmp_path, verb, seed, parts, told):
    open_folder(tmp_path, "sbc", 7, PARTS)
    with pytest.raises(ss.DataError, match=told):
        open_folder(tmp_path, verb, seed, parts)


def test_strange_folders_are_refused(tmp_path):
    (tmp_path / "thesis.docx").write_text("")
    with pytest.raises(ss.DataError, match="has files in it and no results of ours"):
        open_folder(tmp_path, "sbc", 7, PARTS)
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "study.json").write_text("{")
    with pytest.raises(ss.DataError, match="cannot be read"):
        open_folder(broken, "sbc", 7, PARTS)
    with pytest.raises(ss.DataError, match="cannot be written"):
        open_folder(tmp_path / "thesis.docx" / "in", "sbc", 7, PARTS)


class Dying:
    """An executor whose workers die under some tasks, each so many times."""

    def __init__(self, times):
        self.times, self.calls = dict(times), []

    def submit(self, function, number):
        task = Future()
        self.calls.append(number)
        if self.times.get(number, 0):
            self.times[number] -= 1
            task.set_exception(OSError("the worker died"))
        else:
            task.set_result(function(number))
        return task


def test_a_worker_that_dies_is_replaced_once():
    pool = Dying({1: 1, 2: 2})
    outcome = run_tasks(tasks(4), pool, None, False)
    assert sorted(outcome.results) == [0, 1, 3]
    assert outcome.failed == {2: "OSError: the worker died"}
    assert pool.calls.count(1) == pool.calls.count(2) == 2


def test_a_fault_of_the_model_is_not_tried_again():
    calls = []

    def impossible(number):
        calls.append(number)
        raise SamplingError("no chain can start")

    outcome = run_tasks(tasks(2, impossible), None, None, False)
    assert outcome.failed == dict.fromkeys((0, 1), "no chain can start")
    assert sorted(calls) == [0, 1]


def test_a_pool_that_broke_is_reported():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        outcome = run_tasks([Task(k, os._exit, (3,)) for k in range(2)], pool, None, False)
    assert sorted(outcome.failed) == [0, 1]
    assert all("BrokenProcessPool" in told for told in outcome.failed.values())


def test_an_interrupt_keeps_what_is_there(tmp_path):
    folder = open_folder(tmp_path, "sbc", 7, PARTS)
    main = threading.main_thread().ident

    def slow(number):
        if number == 3:
            signal.pthread_kill(main, signal.SIGINT)
            time.sleep(0.3)
        time.sleep(0.005 * (number > 3))
        return work(number)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        outcome = run_tasks(tasks(400, slow), None, folder, False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert outcome.interrupted
    assert {0, 1, 2, 3} <= set(outcome.results)
    assert len(outcome.results) < 400
    assert {f"task-{k:06d}.npz" for k in outcome.results} == {p.name for p in tmp_path.glob("*.npz")}


class Referred:
    """Something that weak references can lead to."""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_python_drops_is_heard():
    """Found on Python 3.12: Ctrl-C in the callback of a weak reference, of which Python says that it is ignored."""

    referred = {1: Referred()}
    kept = weakref.ref(referred[1], lambda _: signal.raise_signal(signal.SIGINT))
    folder = SimpleNamespace(known=lambda numbers: {}, keep=lambda number, arrays: referred.pop(number, None))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        outcome = run_tasks(tasks(400), None, folder, False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert kept() is None
    assert outcome.interrupted
    assert len(outcome.results) < 400


class Interrupted(ThreadPoolExecutor):
    """A pool whose third task comes with a Ctrl-C, in the midst of handing it over."""

    handed = 0

    def submit(self, function, /, *arguments):
        if self.handed == 2:
            signal.raise_signal(signal.SIGINT)
        future = super().submit(function, *arguments)
        self.handed += 1
        return future


def test_an_interrupt_while_a_task_is_handed_over_is_heard_after_it():
    """Found on Python 3.12: the pool's lock stayed taken, and Ctrl-C waited for ever for threads that wanted it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with Interrupted(1) as pool:
            outcome = run_tasks(tasks(9), pool, None, False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert outcome.interrupted
    assert pool.handed == 3


def test_what_cannot_run_tasks_is_refused():
    with pytest.raises(ss.ModelError, match="must have a method `submit`"):
        run_tasks(tasks(2), 3, None, False)
