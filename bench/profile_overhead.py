"""What it costs to record stages: counted, and as whole calls with and without, in processor time.

Run: python bench/profile_overhead.py [rounds]. Every fit records its stages (`fit.profile`); `without` is the same call with that
switched off, `ss.profile()` the same call inside a block, which measures each stage's own peak of memory too. Calls are
made in turn; the figures are lower quartiles, and ratios of them, which differ by some percent from run to run. *counted* does
not: the stages of a call, how often the system was asked and how often its high water of memory was lowered, each times
what one takes by itself, over the call's time. `few` draws 50 after 50 of warm-up in one chain: the shortest call that
makes sense, so the largest share.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import permutations
from typing import Any

import numpy as np

import scistan as ss
from scistan import profiling
from scistan.model import model as model_module
from scistan.profiling import recording, stage

FEW: dict[str, Any] = {"draws": 50, "warmup": 50, "chains": 1, "seed": 1, "progress": False, "engine": "stanli"}
USUAL: dict[str, Any] = {"seed": 1, "progress": False, "engine": "stanli"}
ALONE = 20_000
ORDERS = list(permutations(range(3)))


@contextmanager
def _nothing(_: str) -> Iterator[Callable[[Any], Any]]:
    yield lambda fit: fit


def eight_schools() -> ss.Model:
    m = ss.Model("eight schools")
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8)
    m.y = ss.Normal(m.theta, np.array([15, 10, 16, 11, 9, 11, 10, 18.0])).observe([28, 8, -3, 7, -1, 1, 18, 12.0])
    return m


def regression(rows: int = 2000) -> ss.Model:
    rng = np.random.default_rng(0)
    m = ss.Model("regression")
    m.x = ss.data(rng.normal(size=(rows, 5)))
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(0, 1, shape=5)
    m.y = ss.StudentT(4, m.a + m.x @ m.b, 1).observe(rng.normal(size=rows))
    return m


def seconds(call: Callable[[], object]) -> float:
    gc.collect()  # what the call before left behind is none of this one's
    started = time.process_time()
    call()
    return time.process_time() - started


def compare(m: ss.Model, settings: dict[str, Any], rounds: int) -> tuple[float, float, float]:
    """Give the seconds without recording, as always, and inside a block."""
    recorded = model_module.profiled

    def without() -> None:
        model_module.profiled = _nothing  # type: ignore[assignment]
        try:
            m.mcmc(**settings)
        finally:
            model_module.profiled = recorded

    def in_a_block() -> None:
        with ss.profile():
            m.mcmc(**settings)

    calls = (without, lambda: m.mcmc(**settings), in_a_block)
    for call in calls:
        call()
    taken: list[list[float]] = [[], [], []]
    for turn in range(3 * rounds):  # in another order each time: what ran before leaves its traces
        for place in ORDERS[turn % len(ORDERS)]:
            taken[place].append(seconds(calls[place]))
    first, second, third = (statistics.quantiles(column)[0] for column in taken)
    return first, second, third


def alone(work: Callable[[], object]) -> float:
    """Give the seconds of some small work by itself."""

    def many() -> None:
        for _ in range(ALONE):
            work()

    return min(seconds(many) for _ in range(5)) / ALONE


def one_stage() -> None:
    with stage("x"):
        pass


def costs() -> dict[str, float]:
    """Give the seconds of a stage that nobody listens to, of one that is recorded, and of what the system is asked."""
    found = {"unheard": alone(one_stage), "asked": alone(profiling._asked), "lowered": alone(profiling._lower_high_water)}
    fresh, profiling._FRESH = profiling._FRESH, float("inf")  # what it is asked is counted by itself
    try:
        for how in ("always", "block"):
            with recording("all", exact=how == "block"):
                found[how] = alone(one_stage)
    finally:
        profiling._FRESH = fresh
    return found


def counted(m: ss.Model, settings: dict[str, Any], each: dict[str, float]) -> tuple[float, float]:
    """Give what recording a call takes, by what it does: as always, and inside a block."""
    done: Counter[str] = Counter()

    def watched(name: str, what: Callable[..., Any]) -> Callable[..., Any]:
        def count_and_do(*given: Any) -> Any:
            done[name] += 1
            return what(*given)

        return count_and_do

    def of(how: str, call: Callable[[], object]) -> float:
        done.clear()
        call()
        return done["stages"] * each[how] + done["asked"] * each["asked"] + done["lowered"] * each["lowered"]

    def in_a_block() -> None:
        with ss.profile():
            m.mcmc(**settings)

    before = stage._begin, profiling._asked, profiling._lower_high_water
    stage._begin = watched("stages", before[0])  # type: ignore[method-assign]
    profiling._asked, profiling._lower_high_water = watched("asked", before[1]), watched("lowered", before[2])
    try:
        return of("always", lambda: m.mcmc(**settings)), of("block", in_a_block)
    finally:
        stage._begin, profiling._asked, profiling._lower_high_water = before  # type: ignore[method-assign]


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    warnings.simplefilter("ignore")
    each = costs()
    print("µs by itself: " + ", ".join(f"{name} {1e6 * took:.2f}" for name, took in each.items()))
    print(f"{'':<24}{'without':>10}{'always':>10}{'block':>10}   CPU ms; always and block: over without, counted")
    for m, what, settings in (
        (eight_schools(), "few", FEW), (eight_schools(), "usual", USUAL), (regression(), "few", FEW)
    ):
        one, two, three = compare(m, settings, rounds)
        shown = "".join(f"{1e3 * t:>10.1f}" for t in (one, two, three))
        shares = " ".join(f"{100 * took / one:.1f} %" for took in counted(m, settings, each))
        print(f"{m.name + ', ' + what:<24}{shown}   {two / one:.3f} {three / one:.3f}, {shares}")


if __name__ == "__main__":
    main()
