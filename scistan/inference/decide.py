"""What `auto` runs first: the winner of a race between metrics, on a program centred by the data where that wins."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scistan.engines.embedded import EmbeddedDensity, open_density
from scistan.engines.registry import ENGINES
from scistan.engines.trial import Begun
from scistan.errors import SamplingError, ScistanError, UnsupportedError
from scistan.graph.instance import Instance
from scistan.history.learnt import remembered_winner
from scistan.history.structure import structure_of
from scistan.inference.asked import Asked
from scistan.inference.centring import centred_series, centring_of
from scistan.inference.certificate import Certificate
from scistan.inference.certified import certified
from scistan.inference.choose import choose
from scistan.inference.curvature import Shape, shape_at_mode
from scistan.inference.plan import Plan
from scistan.inference.prepare import GRAPH_WORK, Prepared, prepare
from scistan.inference.race import USUAL_DELTA, Promise, Race, Runner, best_of
from scistan.inference.work import coordinates, gradient_work
from scistan.messages import centring as messages
from scistan.messages import race as race_messages
from scistan.passes.centring import learnable, series_by_innovations
from scistan.profiling import staged

__all__ = ["Decision", "decide", "winner_first"]

# What learning from the data costs beside its draws: lowering twice, gradients, a certificate, looks. In nanoseconds.
LEARNING = 1.2e8
# How many times better a program that learnt from the data is taken to be, before it is seen: in decision 0009 it took
# 1.1 to 88 times fewer gradients for an effective draw, less than twice in three rows of 14.
LEARNT = 2.0
# The targets of acceptance of runs that begin again because their first draws diverged. With 0.95 five runs in 24 of
# three hidden processes had to be drawn once more, which triples their time, with 0.97 three, for a fifth more steps.
BEGUN_AGAIN = (0.97, 0.99)


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """A plan, the program it is for with its certificate (None: the one there was), and what was begun of the run."""

    plan: Plan
    prepared: Prepared
    begun: Begun | None
    certificate: Certificate | None = None


@staged("trial")
def decide(asked: Asked, prepared: Prepared) -> Decision:
    """Race the candidates; where latents could be centred by their data, race those programs against the winner."""
    subject, request = prepared.subject, prepared.request
    sampled = subject.sampled or subject.instance
    numbers = sum(array.size for array in subject.instance.values.values())
    deadline = math.inf if request.time_limit is None else time.monotonic() + request.time_limit
    race = _race(prepared, deadline)
    centring_is_open = bool(learnable(sampled.graph) or series_by_innovations(sampled.graph))

    def pilot(plans: Sequence[Plan]) -> tuple[Sequence[Runner], dict[str, str]]:
        ordered = plans if asked.seeded else winner_first(plans, sampled)
        return race.run(ordered[:1] if centring_is_open else ordered)  # another metric comes after another centring

    plan = choose(
        sampled, list(asked.fitting), request.options, request.warmup, numbers, pilot, lambda: _shape(prepared),
        request.draws, request.chains,
    )
    elsewhere, winner = asked.executor is not None, race.winner(plan)
    try:
        better = _centred(asked, prepared, winner, deadline) if centring_is_open else None
    except BaseException:
        race.stop()
        raise
    if better is not None:
        race.stop()
        return better
    plan = _careful(asked, race, plan)
    return Decision(plan, prepared, race.taken(plan, elsewhere))


def winner_first(plans: Sequence[Plan], instance: Instance) -> list[Plan]:
    """Put the plan first that won on models of this structure and about this size on this machine."""
    rows = sum(math.prod(instance.shape(term.law.shape)) for term in instance.graph.observed)
    won = remembered_winner(structure_of(instance.graph), (coordinates(instance), rows))
    return sorted(plans, key=lambda plan: won is None or (plan.engine, plan.metric) != (won.engine, won.metric))


def _shape(prepared: Prepared) -> Shape | None:
    """Give the shape at the mode by the density of an engine, whichever thread asks: the seed alone decides."""
    request = prepared.request
    if request.loaded is not None:
        return shape_at_mode(EmbeddedDensity(request.loaded))
    try:
        return shape_at_mode(open_density(request.text, request.data, request.seed))
    except ScistanError:
        return None


def _race(prepared: Prepared, deadline: float) -> Race:
    """Make the race of a program; it has until the deadline, on the clock that only rises."""
    sampled = prepared.subject.sampled or prepared.subject.instance
    left = None if math.isinf(deadline) else deadline - time.monotonic()
    request = replace(prepared.request, time_limit=left)
    return Race(request, prepared.subject.latents, gradient_work(sampled), coordinates(sampled))


def _centred(asked: Asked, prepared: Prepared, winner: Runner | None, deadline: float) -> Decision | None:
    """Give the run of a program centred by what the winner's draws tell of the data, if it promises more."""
    promise = None if winner is None else winner.promise
    if winner is None or promise is None or time.monotonic() > deadline or not _may_pay(winner, promise):
        return None
    with GRAPH_WORK:
        learnt = centring_of(prepared.subject, _drawn(prepared, winner, promise), asked.seed)
        series = centred_series(prepared.subject.sampled or prepared.subject.instance)
    best: Decision | None = None
    # What data say of a series was not measured: it must be better as it is, not promise to be.
    for centring, favour in ((learnt, LEARNT), (learnt | series if series else {}, 1.0)):
        found = _tried(asked, centring, favour, winner, promise, deadline) if centring else None
        if found is None:
            continue
        if best is not None and best.begun is not None:
            best.begun.stop()
        best, promise = found
    return best


def _tried(
    asked: Asked, centring: Mapping[str, np.ndarray], favour: float, winner: Runner, promise: Promise, deadline: float
) -> tuple[Decision, Promise] | None:
    """Race a program with latents centred; give it with what it promises if that is more."""
    made = prepare(asked, merge=asked.looks_at_data, centring=centring)
    certificate, made = certified(asked, made)
    if certificate is None or not certificate.ok:  # the plain program, which was compared before, serves as well
        return None
    race = _race(made, deadline)
    others = [metric for metric in ENGINES[winner.plan.engine].work if metric != winner.plan.metric]
    metrics = [winner.plan.metric, *(others if asked.options.get("metric") is None else [])]
    try:
        runners, failed = race.run([winner.plan.with_options(metric=metric) for metric in metrics])
    except (SamplingError, UnsupportedError):  # the winner of the plain program goes on
        return None
    best, why = best_of(runners, failed) if runners else (None, "")
    judged = None if best is None else best.judged
    if best is None or judged is None or not judged.beats(promise, favour):
        race.stop()
        return None
    why = messages.centring_won(why, list(centring), promise.figures[1])
    plan = _careful(asked, race, replace(best.plan, why=why, centring=centring))
    taken = race.taken(plan, asked.executor is not None)
    return Decision(plan, made, taken, certificate), judged


def _careful(asked: Asked, race: Race, plan: Plan) -> Plan:
    """Have a run that is sure to be ill begin again with smaller steps, before all of it is drawn for nothing.

    What begins again is looked at once more: steps are as small as its first draws ask for, and no smaller.
    """
    winner, now = race.winner(plan), plan.options.get("adapt_delta") or USUAL_DELTA
    for delta in [delta for delta in BEGUN_AGAIN if delta > now and asked.options.get("adapt_delta") is None]:
        if winner is None or not winner.diverges:
            break
        plan = replace(plan.with_options(adapt_delta=delta), why=race_messages.diverges(plan.why, delta))
        winner = race.begin_again(plan)
    return plan


def _may_pay(winner: Runner, promise: Promise) -> bool:
    """Tell whether the best that can be hoped of another program would pay for finding out."""
    found_out = LEARNING + len(winner.run.chains) * winner.spent(promise.draws)
    return promise.is_worth_trying(winner.hope(), found_out)


def _drawn(prepared: Prepared, winner: Runner, promise: Promise) -> Mapping[str, np.ndarray]:
    """Give the draws that the winner was judged by, of all its chains: (draw, …)."""
    found = {
        name: np.concatenate([
            winner.run.seen[chain.number].values(name, promise.first, promise.draws) for chain in winner.run.chains
        ])
        for name in prepared.subject.latents
    }
    return {name: array.reshape(len(array), *prepared.subject.shape(name)) for name, array in found.items()}
