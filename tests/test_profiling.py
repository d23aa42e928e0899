"""Stages are recorded where somebody listens, as a tree, with the work of threads and processes brought home."""

import copy
import mmap
import pickle
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scistan import profiling
from scistan.profiling import (
    CONVERTED,
    HITS,
    MISSES,
    Stage,
    bring_home,
    carried,
    count,
    found_in_cache,
    recorded,
    recording,
    stage,
    staged,
)


def shape(one):
    return {one.name: [shape(child) for child in one.children.values()]}


@staged("inner")
def inner(times=1):
    for _ in range(times):
        with stage("innermost"):
            count(CONVERTED, "here to there", 10)
    return times


def test_nothing_is_recorded_where_nobody_listens():
    with stage("alone") as found:
        assert found is None
        assert inner(2) == 2
        count(HITS, "nothing")


def test_stages_nest_and_those_of_one_name_are_one():
    with recording("all") as took:
        inner(3)
        inner()
        with stage("other"):
            found_in_cache("program", True)
            found_in_cache("program", False)
    assert shape(took) == {"all": [{"inner": [{"innermost": []}]}, {"other": []}]}
    assert took.children["inner"].calls == 2
    assert took.find("innermost")[0].calls == 4
    assert took.total(CONVERTED) == {"here to there": (4, 40.0)}
    assert took.total(HITS) == took.total(MISSES) == {"program": (1, 1.0)}
    assert took.seconds >= sum(child.seconds for child in took.children.values())


def test_a_recording_inside_another_is_in_both_and_does_not_change_later():
    with recording("outside") as outer:
        with recording("inside") as own:
            inner()
        own.count(HITS, "later")
    assert shape(outer) == {"outside": [{"inside": [{"inner": [{"innermost": []}]}]}]}
    assert outer.total(HITS) == {}
    assert own.total(HITS) == {"later": (1, 1.0)}


def test_what_fails_is_recorded_and_marked():
    def fails():
        with stage("broken"):
            raise ValueError("no")

    with recording("all") as took:
        with pytest.raises(ValueError, match="no"):
            fails()
        with stage("after"):
            pass
    assert took.children["broken"].failed == 1
    assert took.children["after"].failed == 0
    assert took.failed == 0


def test_threads_of_ours_record_below_what_started_them():
    with recording("all") as took, stage("pool"), ThreadPoolExecutor(4) as pool:
        list(tasks := [pool.submit(carried(inner), 5) for _ in range(40)])
        assert sum(task.result() for task in tasks) == 200
    assert took.children["pool"].children["inner"].calls == 40
    assert took.total(CONVERTED) == {"here to there": (200, 2000.0)}


def test_two_recordings_in_two_threads_do_not_mix():
    found = {}
    gate = threading.Barrier(2)

    def work(name):
        with recording(name, exact=True) as took:
            gate.wait()
            inner()
            gate.wait()
        found[name] = took

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in "ab":
        assert shape(found[name]) == {name: [{"inner": [{"innermost": []}]}]}
        assert found[name].children["inner"].calls == 1


def test_what_a_process_did_is_brought_home():
    with recording("all") as took, ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        result, there = pool.submit(recorded(inner), 3).result()
        bring_home(there)
    assert result == 3
    assert shape(took) == {"all": [{"worker": [{"inner": [{"innermost": []}]}]}]}
    assert took.find("innermost")[0].calls == 3


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets the high water of memory be lowered")
def test_memory_is_each_stages_own_peak_above_its_start():
    megabyte = 1_000_000

    def fresh(megabytes):
        """Take pages from the system itself: an allocator may have some at hand that it was given back."""
        pages = mmap.mmap(-1, megabytes * megabyte)
        for start in range(0, len(pages), mmap.PAGESIZE):
            pages[start] = 1
        return pages

    with recording("all", exact=True) as took:
        with stage("large"):
            fresh(80).close()
        with stage("small"):
            fresh(20).close()
        with stage("around"):
            held = fresh(30)
            with stage("below"):
                fresh(40).close()
            held.close()
    measured = {one.name: one.memory / megabyte for one in took.walk()}
    for name, expected in {"large": 80, "small": 20, "below": 40, "around": 70, "all": 80}.items():
        assert expected - 2 <= measured[name] <= expected + 8, (name, measured)


def test_processor_time_counts_all_threads_and_waiting_costs_none():
    with recording("all") as took:
        with stage("waiting"):
            time.sleep(0.05)
        with stage("working"):
            end = time.process_time() + 0.05
            while time.process_time() < end:
                pass
    assert took.children["waiting"].seconds >= 0.05
    assert took.children["waiting"].cpu < 0.03
    assert took.children["working"].cpu >= 0.045


@pytest.mark.parametrize("exact", [False, True])
def test_the_system_is_asked_only_when_its_answer_has_aged(monkeypatch, exact):
    asked = []
    answer = profiling._asked
    monkeypatch.setattr(profiling, "_asked", lambda: asked.append(1) or answer())
    with recording("all", exact=exact) as took:
        inner(300)
        inner(300)
    assert took.find("innermost")[0].calls == 600
    assert len(asked) <= 3 * (took.seconds / profiling._FRESH + 2)  # when it has aged: before and after lowering, and since


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=3), max_size=12))
def test_absorbing_adds_up_whatever_the_order(paths):
    def tree(order):
        root = Stage("root")
        for path in order:
            below = None
            for name in reversed(path):
                made = Stage(name, calls=1, seconds=1.0, memory=len(path))
                if below is not None:
                    made.absorb(below)
                below = made
            root.absorb(below)
        return {one.name + str(k): (one.calls, one.seconds, one.memory) for k, one in enumerate(sorted_walk(root))}

    def sorted_walk(one):
        return [one] + [x for name in sorted(one.children) for x in sorted_walk(one.children[name])]

    assert tree(paths) == tree(paths[::-1])


def test_a_stage_travels_and_is_copied():
    with recording("all") as took:
        inner()
    for other in (pickle.loads(pickle.dumps(took)), took.copied(), copy.deepcopy(took)):
        assert shape(other) == shape(took)
        assert other.seconds == took.seconds
        assert other is not took
