"""Measure what each statement of a Stan program costs: with one more at a time, or by CmdStan's own clocks."""

from __future__ import annotations

import csv
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from scistan.engines.cmdstan import CmdStanEngine, CsvFiles
from scistan.engines.density import StanDensity
from scistan.engines.embedded import Density, open_density
from scistan.engines.encoding import to_json
from scistan.engines.protocol import Request
from scistan.inference.profile.ran import Ran
from scistan.inference.profile.statements import StatementCost, StatementCosts
from scistan.inference.profile.units import Unit, profiled_program, program_up_to, units_of
from scistan.inference.subject import Subject
from scistan.messages import profile as messages

__all__ = ["measure"]

# Each program's gradient is timed so often, for so long at least; the shortest time is the one nothing disturbed.
ROUNDS, SPAN = 9, 0.002
HELD = 50_000_000  # bytes of data, as text, that programs may hold at a time
SHORT = 50  # draws, and steps of warm-up, of the run that CmdStan times


def measure(ran: Ran, subject: Subject, compiled: bool) -> StatementCosts:
    """Time the statements of what was sampled, at its last draw."""
    units = units_of(subject.program)
    start = to_json(subject.program.inits(ran.point, subject.sampled or subject.instance)) if ran.point else None
    rows = _by_cmdstan(subject, units, start, ran) if compiled else _one_more_at_a_time(subject, units, start)
    return StatementCosts(ran.model, compiled, tuple(rows), sum(row.seconds for row in rows))


def _one_more_at_a_time(subject: Subject, units: Sequence[Unit], start: str | None) -> list[StatementCost]:
    from scipy.optimize import isotonic_regression

    data = to_json(subject.data)
    q = _coordinates(subject, data, start)
    texts = [program_up_to(subject.program, units[:n]) for n in range(len(units) + 1)]
    together = len(texts) if len(data) * len(texts) <= HELD else 1
    times: list[float] = []
    for first in range(0, len(texts), together):
        times += _gradient_seconds([open_density(text, data, 1) for text in texts[first : first + together]], q)
    # A statement takes no time back: what is not in order is noise, and shared out.
    costs = np.diff(np.maximum(isotonic_regression(times).x, 1e-9), prepend=0.0)
    shares = costs / costs.sum()
    first_row = StatementCost("the parameters", (), None, float(costs[0]), float(shares[0]), False)
    return [first_row, *(_cost(u, float(c), float(s)) for u, c, s in zip(units, costs[1:], shares[1:], strict=True))]


def _cost(unit: Unit, seconds: float, share: float, variables: float | None = None) -> StatementCost:
    return StatementCost(unit.text, unit.names, unit.place, seconds, share, unit.observed, variables)


def _coordinates(subject: Subject, data: str, start: str | None) -> np.ndarray:
    density = StanDensity(program_up_to(subject.program, ()), data)
    return np.zeros(density.dimension) if start is None else density.unconstrain_json(start)


def _gradient_seconds(densities: Sequence[Density], q: np.ndarray) -> list[float]:
    """Give the processor time of one gradient of each, in turns, so that what disturbs one disturbs all.

    Python's call, which no engine makes, is not part of it: the time of a density with nothing in it is taken away.
    """
    timed = [(_nothing(), np.zeros(1)), *((density, q) for density in densities)]
    often = [_enough(density, point) for density, point in timed]
    rounds = [[_timed(*one, n) / n for one, n in zip(timed, often, strict=True)] for _ in range(ROUNDS)]
    call, *times = (min(one) for one in zip(*rounds, strict=True))
    return [seconds - call for seconds in times]


@cache
def _nothing() -> Density:
    return open_density("parameters { real x; } model { }", "{}", 1)


def _enough(density: Density, q: np.ndarray) -> int:
    often = 1
    while (took := _timed(density, q, often)) < SPAN:
        often = max(often * 2, int(often * SPAN / took) if took > 0 else 0)
    return often


def _timed(density: Density, q: np.ndarray, often: int) -> float:
    started = time.thread_time()
    for _ in range(often):
        density.log_density_gradient(q)
    return time.thread_time() - started


def _by_cmdstan(subject: Subject, units: Sequence[Unit], start: str | None, ran: Ran) -> list[StatementCost]:
    inits = None if start is None else (start,)
    seed = int(ran.settings.get("seed", 1))
    text = profiled_program(subject.program, units)
    request = Request(text, to_json(subject.data), SHORT, SHORT, 1, seed, inits=inits, progress=False)
    native = CmdStanEngine().sample(request).native
    if not isinstance(native, CsvFiles):
        raise messages.no_times()
    rows = _read(native.folder.path / "profile_1.csv")
    seconds = {n: float(r["total_time"]) / max(1.0, float(r["autodiff_calls"])) for n, r in rows.items()}
    whole = sum(seconds.values()) or 1.0
    found = []
    for number, unit in enumerate(units):
        if (row := rows.get(number)) is not None:
            stack = (float(row["chain_stack"]) + float(row["no_chain_stack"])) / max(1.0, float(row["autodiff_calls"]))
            found.append(_cost(unit, seconds[number], seconds[number] / whole, stack))
    return found


def _read(path: Path) -> dict[int, dict[str, str]]:
    """Read what CmdStan wrote of its `profile` blocks."""
    try:
        with path.open(newline="") as lines:
            return {int(row["name"]): row for row in csv.DictReader(lines)}
    except (OSError, KeyError, ValueError):
        raise messages.no_times() from None
