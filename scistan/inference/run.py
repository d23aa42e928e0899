"""Run what was prepared: the engine that was named, or the best of those that `auto` tries."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from scistan.diagnostics import Diagnosis
from scistan.engines.protocol import Draws, Request
from scistan.engines.registry import ENGINES
from scistan.engines.trial import Begun
from scistan.errors import SamplingError
from scistan.graph.places import user_place
from scistan.history.learnt import failures_noted
from scistan.inference.asked import Asked
from scistan.inference.climb import Ladder, climb
from scistan.inference.cost import counted_cost
from scistan.inference.decide import Decision, decide
from scistan.inference.executors import Executor, run_everywhere
from scistan.inference.explained import explained
from scistan.inference.go_on import going_on
from scistan.inference.plan import Plan
from scistan.inference.prepare import Prepared
from scistan.inference.refusal import in_users_terms
from scistan.inference.subject import Subject
from scistan.messages import foreign
from scistan.messages import sampling as messages
from scistan.terminal import say

__all__ = ["Outcome", "run_automatic", "run_named"]


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """A plan that was run and its draws; of `auto`, what it found of them, what happened, and what else it ran."""

    plan: Plan
    draws: Draws
    judged: Diagnosis | None = None
    notes: tuple[str, ...] = ()
    others: tuple[Plan, ...] = ()
    decided: Decision | None = None


def run_named(asked: Asked, prepared: Prepared) -> Outcome:
    """Run the engine that was named."""
    warmup = 0 if ENGINES[asked.engine].few else asked.warmup
    plan = asked.plan or Plan(asked.engine, asked.options, warmup)
    return Outcome(plan, run_plan(prepared.subject, prepared.request, plan, asked.executor))


def run_automatic(asked: Asked, prepared: Prepared) -> Outcome:
    """Choose an engine by a race and climb from it; say why, what happened, and what else was run."""
    started, limit = time.monotonic(), prepared.request.time_limit
    decided = decide(asked, prepared)
    plan, begun = decided.plan, decided.begun
    subject = decided.prepared.subject
    request = replace(decided.prepared.request, time_limit=limit)
    made: list[tuple[Plan, Draws]] = []

    def left() -> float | None:
        return None if limit is None else limit - (time.monotonic() - started)

    def run(next_: Plan) -> Draws:
        before = next((draws for done, draws in made if done is next_.after), None)
        now = replace(request, time_limit=left())
        drawn = run_plan(subject, now, next_, asked.executor, begun if next_ is plan else None, before)
        made.append((next_, drawn))
        return drawn

    ladder = Ladder(
        list(asked.fitting),
        request.warmup,
        metric_is_free=request.options.get("metric") is None,
        tell=say if asked.progress else lambda text: None,
        late=lambda: limit if (left() or 1) <= 0 else None,
        cost=lambda made, steps: counted_cost(
            replace(made, draws=request.draws, chains=request.chains), steps, subject.sampled or subject.instance
        ),
    )
    best, notes = climb(
        plan,
        ladder,
        run,
        lambda found: {n: subject.shaped(n, found.values[n]) for n in subject.names if n in found.values},
        subject.context,
    )
    if best.draws is None:
        raise SamplingError("no draws")
    why = plan.why if best.plan is plan else messages.climbed(best.plan.described(), plan.why)
    return Outcome(replace(best.plan, why=why), best.draws, best.diagnosis, notes, best.others, decided)


def run_plan(
    subject: Subject,
    request: Request,
    plan: Plan,
    executor: Executor | None,
    begun: Begun | None = None,
    before: Draws | None = None,
) -> Draws:
    """Run a plan, or go on with what was begun of it; where no chain can start, find the term that is to blame.

    A plan that goes on from another's draws takes them from `before`, or makes them again.
    """
    asked = replace(request, options=dict(plan.options), warmup=plan.warmup, begun=begun)
    if plan.after is not None:
        asked = going_on(subject, asked, before or run_plan(subject, request, plan.after, executor))
    try:
        with failures_noted("mcmc", "stan", plan.engine), in_users_terms(subject.program):
            return run_everywhere(plan.engine, asked, executor)
    except SamplingError as error:
        starts = request.inits if request.lowered is None else None  # which are no parameters of the program
        raise explained(error, subject, request.data, starts) from None
    except MemoryError as error:
        raise foreign.no_memory(*foreign.of_memory(str(error)), user_place()) from None
