"""What `auto` runs first: the winner of a race between metrics, on a program centred by the data where that wins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from scistan.engines.trial import Begun
from scistan.errors import SamplingError, UnsupportedError
from scistan.inference.asked import Asked
from scistan.inference.centring import centring_of
from scistan.inference.certificate import Certificate
from scistan.inference.certified import certified
from scistan.inference.choose import choose
from scistan.inference.plan import Plan
from scistan.inference.prepare import GRAPH_WORK, Prepared, prepare
from scistan.inference.race import Promise, Race, Runner, best_of
from scistan.inference.work import coordinates, gradient_work
from scistan.messages import centring as messages
from scistan.passes.centring import learnable

__all__ = ["Decision", "decide"]

# A run that promises so large a share of effective draws, in so few steps, has little to gain from another program.
# Set by judgement, not measured.
MIXES_WELL, FEW_STEPS = 0.7, 8.0


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """A plan, the program it is for with its certificate (None: the one there was), and what was begun of the run."""

    plan: Plan
    prepared: Prepared
    begun: Begun | None
    certificate: Certificate | None = None


def decide(asked: Asked, prepared: Prepared) -> Decision:
    """Race the candidates; where latents could be centred by their data, race those programs against the winner."""
    subject, request = prepared.subject, prepared.request
    sampled = subject.sampled or subject.instance
    numbers = sum(array.size for array in subject.instance.values.values())
    race = _race(prepared)
    plan = choose(sampled, list(asked.fitting), request.options, request.warmup, numbers, race.run)
    elsewhere = asked.executor is not None
    try:
        better = _centred(asked, prepared, race.winner(plan), elsewhere)
    except BaseException:
        race.stop()
        raise
    if better is not None:
        race.stop()
        return better
    return Decision(plan, prepared, race.taken(plan, elsewhere))


def _race(prepared: Prepared) -> Race:
    sampled = prepared.subject.sampled or prepared.subject.instance
    return Race(prepared.request, prepared.subject.latents, gradient_work(sampled), coordinates(sampled))


def _centred(asked: Asked, prepared: Prepared, winner: Runner | None, elsewhere: bool) -> Decision | None:
    """Give the run of a program centred by what the winner's draws tell of the data, if it promises more."""
    promise = None if winner is None else winner.promise
    if winner is None or promise is None or not _may_gain(prepared, promise):
        return None
    with GRAPH_WORK:
        centring = centring_of(prepared.subject, _drawn(prepared, winner, promise), asked.seed)
    if not centring:
        return None
    made = prepare(asked, merge=asked.looks_at_data, centring=centring)
    certificate, made = certified(asked, made)
    if certificate is None or not certificate.ok:  # the plain program, which was compared before, serves as well
        return None
    race = _race(made)
    try:
        runners, failed = race.run([winner.plan.with_options(metric=metric) for metric in winner.rivals])
    except (SamplingError, UnsupportedError):  # the winner of the plain program goes on
        return None
    best, why = best_of(runners, failed) if runners else (None, "")
    if best is None or best.promise is None or best.promise.worth <= promise.worth:
        race.stop()
        return None
    why = messages.centring_won(why, list(centring), promise.figures[1])
    plan = replace(best.plan, why=why, centring=centring)
    return Decision(plan, made, race.taken(best.plan, elsewhere), certificate)


def _may_gain(prepared: Prepared, promise: Promise) -> bool:
    sampled = prepared.subject.sampled or prepared.subject.instance
    slow = promise.share < MIXES_WELL or promise.steps > FEW_STEPS
    return slow and bool(learnable(sampled.graph))


def _drawn(prepared: Prepared, winner: Runner, promise: Promise) -> Mapping[str, np.ndarray]:
    """Give the draws that the winner was judged by, of all its chains: (draw, …)."""
    found = {
        name: np.concatenate([
            winner.run.seen[chain.number].values(name, promise.first, promise.draws) for chain in winner.run.chains
        ])
        for name in prepared.subject.latents
    }
    return {name: array.reshape(len(array), *prepared.subject.shape(name)) for name, array in found.items()}
