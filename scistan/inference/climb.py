"""The ladder of `engine="auto"`: run, look at the draws, and climb to a more careful run where they are ill."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scistan.diagnostics import Context, Diagnosis, check_draws
from scistan.diagnostics.check import Cure
from scistan.diagnostics.checks import BY_NAME
from scistan.engines.declaration import LOW_RANK
from scistan.engines.protocol import Draws
from scistan.engines.registry import ENGINES, preferred
from scistan.errors import SamplingError, ScistanError, ToolchainError, UnsupportedError
from scistan.inference.go_on import GOING_ON
from scistan.inference.plan import Plan
from scistan.messages import race as race_messages
from scistan.messages import sampling as messages

__all__ = ["Attempt", "climb", "illness"]

DELTAS = (0.95, 0.99)
MOST_ATTEMPTS = 4
# What all further runs together may cost, as often as the first did; by counted work, so that the clock has no say.
MOST_COST = 4.0

Run = Callable[[Plan], Draws]
Judge = Callable[[Draws], Mapping[str, np.ndarray]]


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """A run and what was found of it; `others` are the plans that gave draws and were set aside for it."""

    plan: Plan
    draws: Draws | None
    diagnosis: Diagnosis | None
    ill: tuple[str, ...]
    error: ScistanError | None = None
    others: tuple[Plan, ...] = ()

    @property
    def steps(self) -> float:
        """The steps that a draw took."""
        taken = None if self.draws is None else self.draws.statistics.get("n_steps")
        return 1.0 if taken is None else float(np.mean(taken))


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """What a climb may do: the engines that fit, the whole warm-up, whether the metric is the user's own choice.

    `tell` is told of each further run before it is made, `late` says whether the time for further runs is over, `cost`
    counts what a plan costs with so many steps a draw.
    """

    fitting: list[str]
    warmup: int
    metric_is_free: bool = True
    tell: Callable[[str], None] = lambda text: None
    late: Callable[[], float | None] = lambda: None
    cost: Callable[[Plan, float], float] = lambda plan, steps: 0.0

    def affords(self, attempts: Sequence[Attempt], plan: Plan) -> bool:
        """Tell whether another run, with as many steps as the last one took, keeps within what the first one cost."""
        drawn = [(attempt.plan, attempt.steps) for attempt in attempts if attempt.draws is not None]
        if not drawn:
            return True
        first, *further = (self.cost(made, steps) for made, steps in [*drawn, (plan, drawn[-1][1])])
        return sum(further) <= MOST_COST * first


def climb(
    first: Plan, ladder: Ladder, run: Run, variables: Judge, context: Context | None = None
) -> tuple[Attempt, tuple[str, ...]]:
    """Try the plan and, where it fails or its draws are ill, more careful ones; give the best and what happened."""
    attempts: list[Attempt] = []
    notes: list[str] = []
    plan: Plan | None = first
    while plan is not None:
        attempts.append(_attempt(plan, run, variables, context))
        last = attempts[-1]
        if last.draws is not None and (not last.ill or not last.draws.complete):
            break
        plan = _next(attempts, ladder) if len(attempts) < MOST_ATTEMPTS else None
        limit = ladder.late()
        if plan is not None and limit is not None and any(a.draws is not None for a in attempts):
            notes.append(race_messages.no_time_left(limit, last.ill))
            break
        if plan is not None and not ladder.affords(attempts, plan):
            notes.append(race_messages.too_dear(plan.described(), last.ill, MOST_COST))
            break
        if plan is not None:
            told = last.ill or ("no draws",)
            ladder.tell(race_messages.goes_on(last.plan.described(), told, plan.described(), plan.after is not None))
    good = [a for a in attempts if a.draws is not None]
    if not good:
        raise _failure(attempts)
    best = min(good, key=_severity)
    notes = [_told(a) for a in attempts if a is not best] + notes
    for failed in (a for a in attempts if a.error is not None):
        warnings.warn(_told(failed), messages.ChainWarning, stacklevel=7)  # another engine ran in its place
    if best.ill and len(attempts) > 1:
        notes.append(messages.still_ill(best.plan.described(), best.ill))
    return replace(best, others=tuple(a.plan for a in good if a is not best)), tuple(notes)


def _attempt(plan: Plan, run: Run, variables: Judge, context: Context | None) -> Attempt:
    try:
        draws = run(plan)
    except (SamplingError, UnsupportedError, ToolchainError) as error:
        return Attempt(plan, None, None, (), error)
    depth = int(plan.options.get("max_treedepth") or 10)
    values = variables(draws)
    diagnosis = check_draws(values, draws.statistics, depth, context)
    return Attempt(plan, draws, diagnosis, illness(diagnosis, draws))


def illness(diagnosis: Diagnosis, draws: Draws) -> tuple[str, ...]:
    """List the findings that another run could cure.

    What only more draws would cure is not among them, and a handful of scattered divergences is not: both are told.
    """
    found = [h for h in diagnosis.findings if BY_NAME[h.check].asks_for_a_run(h.value, *draws.kept.shape)]
    return tuple(hint.check for hint in found)


def _next(attempts: list[Attempt], ladder: Ladder) -> Plan | None:
    """Give the next rung: a low-rank metric where only mixing is bad, else Stan's NUTS, then smaller steps.

    Where smaller steps are all it takes, a low-rank metric stays.
    """
    last = attempts[-1]
    tried = {a.plan.engine for a in attempts}
    here = ENGINES[last.plan.engine]
    plain = preferred(ladder.fitting, lambda engine: engine.stans_nuts)
    if last.error is not None:
        if isinstance(last.error, SamplingError) and here.stans_nuts:
            return None  # no other engine starts where this one could not
        left = [name for name in plain if name not in tried]
        return _plain(last.plan, left[0], ladder.warmup) if left else None
    cures = _cures(last)
    quick = next(iter(preferred(ladder.fitting, lambda engine: engine.low_rank)), "")
    low_rank_tried = any(a.plan.options.get("metric") == LOW_RANK for a in attempts)
    if cures <= {Cure.METRIC} and quick and ladder.metric_is_free and not low_rank_tried:
        low_rank = replace(last.plan.with_options(metric=LOW_RANK), engine=quick, why="", after=None)
        if ladder.affords(attempts, low_rank):
            return low_rank
    smaller = _smaller_steps(last.plan)
    if cures == {Cure.STEPS} and last.plan.metric == LOW_RANK and smaller is not None:
        return replace(smaller, why="", after=None)  # a metric that Stan's NUTS lacks won here by its fewer steps
    if not here.stans_nuts and plain and plain[0] not in tried:
        careful = _plain(last.plan, plain[0], ladder.warmup)
        return _goes_on(_smaller_steps(careful) or careful, last) if Cure.STEPS in cures else careful
    return None if smaller is None else _goes_on(replace(smaller, warmup=ladder.warmup), last)


def _goes_on(plan: Plan, last: Attempt) -> Plan:
    """Have a plan go on from the last draws, unless these are in the wrong place or its engine takes no starts."""
    engine = ENGINES[plan.engine]
    if Cure.ENGINE in _cures(last) or not engine.takes_inits or engine.lowering:
        return replace(plan, why="", after=None)
    return replace(plan, why="", warmup=min(plan.warmup, GOING_ON), after=last.plan)


def _smaller_steps(plan: Plan) -> Plan | None:
    now = float(plan.options.get("adapt_delta") or 0.8)
    higher = next((delta for delta in DELTAS if delta > now), None)
    return None if higher is None else plan.with_options(adapt_delta=higher)


def _plain(plan: Plan, engine: str, warmup: int) -> Plan:
    options: dict[str, Any] = {key: value for key, value in plan.options.items() if key != "metric"}
    return Plan(engine, options, warmup)


def _cures(attempt: Attempt) -> set[Cure]:
    """Give what could cure the findings of a run."""
    return {BY_NAME[name].cure for name in attempt.ill}


def _severity(attempt: Attempt) -> tuple[int, float]:
    """Count the findings that another run could cure, then the draws that smaller steps would save."""
    hints = attempt.diagnosis.hints if attempt.diagnosis else ()
    return len(attempt.ill), sum(hint.value for hint in hints if BY_NAME[hint.check].cure is Cure.STEPS)


def _told(attempt: Attempt) -> str:
    described = attempt.plan.described()
    if attempt.error is not None:
        return messages.engine_failed(described, attempt.error.what)
    return messages.set_aside(described, attempt.ill)


def _failure(attempts: list[Attempt]) -> ScistanError:
    errors = [a.error for a in attempts if a.error is not None]
    if len({error.what for error in errors}) == 1:
        return errors[-1]
    return messages.all_engines_failed({a.plan.described(): a.error.what for a in attempts if a.error is not None})
