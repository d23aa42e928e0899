"""The race of `engine="auto"`: a candidate is begun, others beside it where that can pay, and the best goes on.

The first draws alone until it can be judged. Rivals enter where the best that could be hoped of them would save several
times what it costs to find out. Then each gets the same counted cost (gradients times their counted work, and the
metric's own), in rounds, until one has made the draws that tell, and each is judged by what its first draws promise of
the whole run. Nothing here looks at the clock, but for the limit of time that a call may set.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from scistan.diagnostics.statistics import measure
from scistan.engines.assemble import cores_for
from scistan.engines.interrupt import Interruption, heed_interrupts
from scistan.engines.nutpie_call import ready_model
from scistan.engines.protocol import Request
from scistan.engines.registry import ENGINES
from scistan.engines.trial import Begun, Seen, begin, draw_on
from scistan.errors import SamplingError, UnsupportedError
from scistan.inference.plan import Plan
from scistan.messages import race as messages

__all__ = ["USUAL_DELTA", "Promise", "Race", "Runner", "best_of"]

# Draws of a chain that tell: nutpie's metric has settled by then. At most this part of the warm-up.
ENOUGH, PART_OF_WARMUP = 150, 0.5
# A candidate with fewer is judged by nothing but that it was slow; where the fastest mixes well, or after so many
# times the cost that the fastest took.
FEWEST, WELL, LATE = 50, 0.5, 1.5
# One that is worth so many times the others needs no further round; judged again after so many times the draws.
CLEAR, MORE = 3.0, 1.6
# The draws that are judged are the last of those, when most of the adapting is done.
JUDGED = 0.5
# The first round is what so many draws of so many steps would cost; each further one adds half of what was spent.
FIRST_DRAWS, FIRST_STEPS, GROWTH = 150, 15, 1.5
# The best that can be hoped of a candidate: the effective share of its draws, and the steps for each; as steps go with
# the usual target of acceptance.
HOPED_SHARE, HOPED_STEPS, USUAL_DELTA = 0.8, 7.0, 0.8
# What a rival costs beside its draws: looks at it, judgements, threads. In nanoseconds, as whole calls have shown.
ENTERING = 6e7
# Hopes must save what it costs to find out, as often as there will be enough effective draws without, up to this.
PAYS = 4.0
# An element of a latent in ten may be slower than the figure taken: the slowest of hundreds is noise in so few draws.
SLOW_PART = 0.1
# So few draws tell their effective share to a factor of two or so, which is how much shares differ: half of what is
# seen of it, on the scale of logarithms, is to be trusted. Where there will be enough effective draws (what R-hat and
# quantiles ask for), nothing is worth more than so many times the wait.
TRUST, WAIT, PLENTY = 0.5, 1.4, 400.0


@dataclass(frozen=True, slots=True)
class Promise:
    """What a run's first draws promise of the whole: effective draws, and the counted cost, in nanoseconds.

    `draws` were seen of each chain, and their effective `share` was found.
    """

    draws: int
    share: float
    effective: float
    steps: float
    cost: float

    @property
    def first(self) -> int:
        """The first of the draws that it was judged by."""
        return int((1 - JUDGED) * self.draws)

    @property
    def rate(self) -> float:
        """Effective draws for each counted second."""
        return 1e9 * self.effective / self.cost

    @property
    def worth(self) -> float:
        """What decides: effective draws, as far as they can be trusted, against the cost."""
        return math.pow(self.effective, TRUST) / self.cost

    @property
    def figures(self) -> tuple[float, float]:
        """What is told: steps a draw, and the rate."""
        return self.steps, self.rate

    def beats(self, other: Promise, favour: float = 1.0) -> bool:
        """Tell whether this is the better promise of the two, were it worth so many times more than it seems."""
        quicker, slower = sorted((self, other), key=lambda promise: promise.cost)
        if quicker.effective >= PLENTY and slower.cost > WAIT * quicker.cost:
            return self is quicker
        return favour * (self.worth / other.worth if self.tells(other) else other.cost / self.cost) > 1

    def tells(self, other: Promise) -> bool:
        """Tell whether the shares of the two can be compared: of unequal numbers of draws the fewer's looks smaller.

        So it tells where it is larger for all that, unless they are too few to tell anything.
        """
        fewer, more = sorted((self, other), key=lambda promise: promise.draws)
        alike = more.draws <= MORE * fewer.draws or fewer.share > more.share
        return fewer.draws >= ENOUGH or (fewer.draws >= ENOUGH / 2 and alike)

    def is_worth_trying(self, hope: Promise, found_out: float) -> bool:
        """Tell whether a hope would save what finding out costs, several times where this one promises enough."""
        saved = self.cost * max(0.0, 1 - self.worth / hope.worth)
        return saved > found_out * min(PAYS, max(1.0, self.effective / PLENTY))


@dataclass(slots=True, eq=False)
class Runner:
    """A candidate: its plan, its run as far as it was begun, and what that promises."""

    plan: Plan
    run: Begun
    step_cost: float
    adaptation_cost: float
    promise: Promise | None = None
    instead: Runner | None = None  # the one whose place it took unseen: its program is judged by that one's draws

    @property
    def judged(self) -> Promise | None:
        """What draws have shown of its program."""
        return self.promise if self.instead is None else self.instead.promise

    def length_at(self, seen: Seen, budget: float, goal: int) -> int:
        """Count the first draws of a chain that reach a budget, at most the goal."""
        spent = np.cumsum(seen.steps[:goal] * self.step_cost + self.adaptation_cost)
        return min(int(np.searchsorted(spent, budget)) + 1, goal)

    def part(self, seen: Seen, budget: float, goal: int) -> float:
        """Give the part of the budget that a chain has spent, or of the goal that it has reached."""
        spent = float(seen.steps[:goal].sum()) * self.step_cost + len(seen.steps[:goal]) * self.adaptation_cost
        return max(spent / budget, len(seen.steps) / goal)

    def length(self, budget: float, goal: int) -> int:
        """Give the draws that every chain of it has made for this budget."""
        seen = self.run.seen
        numbers = [chain.number for chain in self.run.chains if chain.number in seen]
        return min((self.length_at(seen[number], budget, goal) for number in numbers), default=0)

    def spent(self, length: int) -> float:
        """Give what a chain has spent on so many draws, the dearest of them."""
        steps = max((float(seen.steps[:length].sum()) for seen in self.run.seen.values()), default=0.0)
        return steps * self.step_cost + length * self.adaptation_cost

    def steps(self, first: int, last: int) -> float:
        """Give the steps that a draw took, of those from `first` up to `last`."""
        found = [one.steps[first:last] for one in self.run.seen.values()]
        return float(np.mean(np.concatenate(found))) if found and last > first else 1.0

    @property
    def diverges(self) -> bool:
        """Whether every chain diverged among the draws that are judged: the whole run would in more than a handful.

        Once may be by chance, while a chain adapts.
        """
        if self.promise is None:
            return False
        judged = slice(self.promise.first, self.promise.draws)
        counts = [int(one.diverging[judged].sum()) for one in self.run.seen.values()]
        return min(counts, default=0) > 0 and sum(counts) > 1

    def promises(self, draws: int, share: float, steps: float) -> Promise:
        """Give the promise of a whole run with this effective share of its draws and so many steps for each."""
        plan, request = self.plan, self.run.request
        whole = (plan.warmup + request.draws) * steps * self.step_cost + plan.warmup * self.adaptation_cost
        return Promise(draws, share, share * request.draws * request.chains, steps, whole * request.chains)

    def hope(self) -> Promise:
        """Give the best that could be hoped of it."""
        return self.promises(0, HOPED_SHARE, HOPED_STEPS)

    def hope_as_written(self) -> Promise:
        """Give the best that could be hoped of it on this program: where scales are estimated, trees stay deeper."""
        careful = float(self.plan.options.get("adapt_delta") or USUAL_DELTA) > USUAL_DELTA
        return self.promises(0, HOPED_SHARE, 2 * HOPED_STEPS + 1) if careful else self.hope()


@dataclass(slots=True, eq=False)
class Race:
    """Candidates on one request; `latents` are the outputs whose effective draws count, `gradient` its counted work."""

    request: Request
    latents: Sequence[str]
    gradient: float
    coordinates: int
    runners: list[Runner] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    judged_at: int = 0

    def run(self, plans: Sequence[Plan], budget: float | None = None) -> tuple[list[Runner], dict[str, str]]:
        """Run the race; give those that came through, and why the others did not.

        The candidate of the first plan begins, and the others enter where that can pay. The first round may spend the
        `budget`, or what usual draws would cost.
        """
        model = ready_model(self.request)
        cores = cores_for(self.request.chains, self.request.options.get("parallel_chains"))
        first, *waiting = plans
        goal = max(1, min(ENOUGH, int(PART_OF_WARMUP * first.warmup)))
        self.runners = [self._runner(first, model)]
        budget = budget or FIRST_DRAWS * FIRST_STEPS * self.runners[0].step_cost
        try:
            with heed_interrupts(self.request.time_limit) as wish:
                while wish.passed is None:
                    decided = self._round(budget, goal, cores, wish)
                    if wish.passed is not None:  # what was begun goes on: nothing else has time to begin
                        break
                    if any(self._took_by_kind(plan, model) for plan in waiting):
                        break
                    if waiting and self._pays(waiting, budget, goal):
                        budget = max((r.spent(r.length(budget, goal)) for r in self.runners), default=budget)
                        self.runners += [self._runner(plan, model) for plan in waiting]
                        waiting = []
                    elif decided:
                        break
                    else:
                        budget *= GROWTH
        except BaseException:
            self.stop()
            raise
        return self.runners, self.failed

    def _took_by_kind(self, plan: Plan, model: object) -> bool:
        """Take a plan unseen in place of the one that ran alone, where that mixes badly and such metrics mix better.

        They learn so slowly that no short trial tells by how much: what they do on average is to be expected.
        """
        first = self.runners[0] if self.runners else None
        now = None if first is None else first.promise
        if first is None or now is None or now.share > WELL:
            return False
        rival = self._runner(plan, model)
        expected = ENGINES[plan.engine].work[plan.metric].mixes * now.share
        rival.promise = rival.promises(now.draws, expected, now.steps)
        if rival.promise.rate <= now.rate:
            return False
        rival.instead = first
        first.run.stop()
        self.runners = [rival]
        return True

    def begin_again(self, plan: Plan) -> Runner | None:
        """End every run and begin another plan in their place; give it with all the draws that tell, however dear.

        Nothing of them is lost: this is what goes on, unless it is ill too.
        """
        self.stop()
        try:
            runners, _ = self.run([plan], math.inf)
        except (SamplingError, UnsupportedError):  # where it is run as a whole that is told
            return None
        return next(iter(runners), None)

    def _pays(self, waiting: Sequence[Plan], budget: float, goal: int) -> bool:
        """Tell whether the best that can be hoped of those who wait would pay for a race with them."""
        if not self.runners:
            return True
        first = self.runners[0]
        length = first.length(budget, goal)
        now = first.promise
        if now is None or length < goal:  # of so few draws only the steps tell
            now = first.promises(length, HOPED_SHARE, first.steps(length // 2, length))
        hopes = [self._runner(plan, None).hope_as_written() for plan in waiting]
        found_out = ENTERING + len(first.run.chains) * len(waiting) * first.spent(length)
        return any(now.is_worth_trying(hope, found_out) for hope in hopes)

    def _round(self, budget: float, goal: int, cores: int, wish: Interruption) -> bool:
        """Let every candidate draw for this budget, and judge them; tell whether that decides."""
        of_run = {id(runner.run): runner for runner in self.runners}
        draw_on(
            [runner.run for runner in self.runners],
            lambda run, seen: of_run[id(run)].part(seen, budget, goal),
            cores,
            wish,
            1e-9 * budget,
        )
        if wish and wish.passed is None:
            raise KeyboardInterrupt
        for runner in [r for r in self.runners if r.run.error]:
            self.failed[runner.plan.described()] = runner.run.error
            runner.run.stop()
            self.runners.remove(runner)
        lengths = [runner.length(budget, goal) for runner in self.runners]
        if len(lengths) > 1 and min(lengths) < max(FEWEST, MORE * self.judged_at) and max(lengths) < goal:
            return False
        self.judged_at = min(lengths, default=0)
        for runner, length in zip(self.runners, lengths, strict=True):
            runner.promise = self._promise(runner, length)
        if len(lengths) < 2:
            return not lengths or self.runners[0].promise is not None or lengths[0] >= goal
        return self._is_clear() or (max(lengths) >= goal and not self._may_catch_up(budget, goal))

    def _may_catch_up(self, budget: float, goal: int) -> bool:
        """Tell whether one that cannot be judged yet could be the better by mixing better."""
        left = [runner for runner in self.runners if runner.promise is None]
        there = [runner for runner in self.runners if runner.promise is not None and runner.promise.draws >= goal]
        return bool(left and there) and all(
            runner.promise.share < WELL and runner.length(budget / LATE, goal) < goal
            for runner in there
            if runner.promise is not None
        )

    def _is_clear(self) -> bool:
        """Tell whether all can be judged, and one is far ahead."""
        worths = sorted(runner.promise.worth for runner in self.runners if runner.promise is not None)
        return len(worths) == len(self.runners) and worths[-1] > CLEAR * worths[-2]

    def winner(self, plan: Plan) -> Runner | None:
        """Give the candidate that was taken for a plan, if one was."""
        return next((r for r in self.runners if (r.plan.engine, r.plan.options) == (plan.engine, plan.options)), None)

    def taken(self, plan: Plan, elsewhere: bool = False) -> Begun | None:
        """Give the run that a plan goes on with, and end the others; a run `elsewhere` begins anew, the same."""
        found = None
        for runner in self.runners:
            same = (runner.plan.engine, runner.plan.options) == (plan.engine, plan.options)
            if same and not elsewhere and found is None:
                found = runner.run
            else:
                runner.run.stop()
        self.runners = []
        return found

    def stop(self) -> None:
        """End every run."""
        for runner in self.runners:
            runner.run.stop()
        self.runners = []

    def _runner(self, plan: Plan, model: object) -> Runner:
        work = ENGINES[plan.engine].work[str(plan.options["metric"])]
        asked = replace(self.request, options=dict(plan.options), warmup=plan.warmup)
        return Runner(
            plan,
            begin(plan.engine, asked, model),
            self.gradient + work.of_step(self.coordinates),
            work.of_adaptation(self.coordinates),
        )

    def _promise(self, runner: Runner, length: int) -> Promise | None:
        first = int((1 - JUDGED) * length)
        seen = [runner.run.seen[chain.number] for chain in runner.run.chains if chain.number in runner.run.seen]
        if length < FEWEST:
            return None
        drawn = [{n: one.values(n, first, length) for n in self.latents} for one in seen]
        if any(len(part) < length - first for chain in drawn for part in chain.values()):
            return None  # a limit of time ended the round before every chain had come so far
        share = self._share(drawn)
        return None if share is None else runner.promises(length, share, runner.steps(first, length))

    def _share(self, chains: Sequence[Mapping[str, np.ndarray]]) -> float | None:
        """Give the effective share of draws: of each latent what most of its elements have, of all the least."""
        parts = {name: np.stack([chain[name] for chain in chains]) for name in self.latents}
        moving = {
            name: part[:, :, np.isfinite(part).all((0, 1)) & (np.ptp(part, axis=(0, 1)) > 0)]
            for name, part in parts.items()
        }
        found = measure({name: part for name, part in moving.items() if part.size})
        size = math.prod(next(iter(parts.values())).shape[:2])
        return min((float(np.quantile(h.bulk_ess, SLOW_PART)) / size for h in found.values()), default=None)


def best_of(runners: Sequence[Runner], failed: dict[str, str]) -> tuple[Runner, str]:
    """Choose among those that came through, and say by which figures."""
    judged = [runner for runner in runners if runner.promise is not None] or list(runners)
    best = judged[0]
    for runner in judged[1:]:
        if runner.promise and best.promise and runner.promise.beats(best.promise):
            best = runner
    why = messages.race_won(
        best.plan.described(),
        best.promise.figures if best.promise else None,
        [(r.plan.described(), r.promise.figures if r.promise else None) for r in runners if r is not best],
        failed,
    )
    first = best.instead
    if first is None or first.promise is None:
        return best, why
    return best, messages.expected(why, first.plan.described(), first.promise.share)
