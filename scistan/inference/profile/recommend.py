"""What would make it faster, from what was measured: each with its gain and how that was estimated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from scistan.engines.registry import ENGINES
from scistan.errors import Place
from scistan.inference.profile.design import condition_numbers
from scistan.inference.profile.ran import Ran
from scistan.inference.profile.statements import StatementCosts
from scistan.inference.profile.tables import duration, size
from scistan.inference.profile.units import statements_about
from scistan.messages import profile as messages
from scistan.passes import run_passes
from scistan.passes.unvectorized import FEWEST, unvectorized
from scistan.profiling import CONVERTED, Stage
from scistan.toolchain.host import usable_cores as cores

if TYPE_CHECKING:
    from scistan.inference.profile.profile import Profile

__all__ = ["Recommendation", "recommendations"]

DOMINANT = 0.8  # of a gradient, in one statement
WORTH_A_LOOK = 2e-5  # seconds of a gradient
WORTH_THREADS = 2e-4  # seconds of a gradient: below, threads cost more than they give
MANY_STEPS = 15.0  # per draw: a tree of depth 4
FEW_STEPS = 7.0  # per draw: what a well-scaled posterior of a few dimensions takes
GOOD_GAIN = 1.5
OFTEN = 3  # fits of one model
WRITTEN_OFTEN = 1_000_000  # bytes
WITHOUT, HEADER = "without", "precompiled header"
HEADER_GAIN = 31.0 / 12.5  # seconds of g++ 12 for a model, without and with it


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to do; by how much the work that is `counted` would fall, at what basis; and the user's line."""

    text: str
    gain: float
    counted: str
    basis: str
    place: Place | None = None

    def __str__(self) -> str:
        where = "" if self.place is None else f"\n   at {self.place}"
        return f"{self.text}\n   expected: {self.gain:.3g} times less in {self.counted} ({self.basis}){where}"

    def as_dict(self) -> dict[str, object]:
        """Give it as plain values, for JSON."""
        return {**asdict(self), "place": None if self.place is None else str(self.place)}


def recommendations(profile: Profile, fitted_before: int) -> Iterator[Recommendation]:
    """List what is worth doing, by model, and then what concerns them all."""
    for ran in profile.runs:
        for rule in _RULES:
            yield from rule(ran, profile.cost_of(ran))
        yield from _compile(ran, profile, fitted_before)
    yield from _header(profile.stages)
    yield from _converted(profile.stages, profile.runs)


Rule = Callable[[Ran, "StatementCosts | None"], Iterator[Recommendation]]


def _loops(ran: Ran, _: StatementCosts | None) -> Iterator[Recommendation]:
    if ran.subject is None:
        return
    graph = ran.subject.instance.graph
    for loop in unvectorized(run_passes(graph).plain):
        number = statements_about(ran.subject.program, loop.names)  # Stan's `{u_1, u_2} ~ …` is one for many
        if number >= FEWEST:
            text = messages.vectorize_loop(loop.names, number, loop.reason)
            place = graph.place_of(loop.terms[0])
            yield Recommendation(text, float(number), "statements", messages.statements_counted(number), place)


def _dominant(_: Ran, costs: StatementCosts | None) -> Iterator[Recommendation]:
    if costs is None or costs.gradient < WORTH_A_LOOK:
        return
    for row in costs.rows:
        if row.share >= DOMINANT and row.names:
            names = ", ".join(f"`{name}`" for name in row.names[:3])
            text = messages.look_here(names, row.share, duration(costs.gradient))
            gain = 1 / (1 - row.share / 2)
            yield Recommendation(text, gain, "seconds of a gradient", messages.by_halving(costs.how), row.place)


def _threads(ran: Ran, costs: StatementCosts | None) -> Iterator[Recommendation]:
    chains = int(ran.settings.get("chains", 1))
    threads = cores() // max(1, min(chains, cores()))
    used = int(ran.settings.get("threads_per_chain") or 1)
    able = ran.method == "mcmc" and "threads_per_chain" in ENGINES[ran.engine].options
    if costs is None or not able or used > 1 or threads < 2 or costs.gradient < WORTH_THREADS:
        return
    share = sum(row.share for row in costs.rows if row.observed)
    gain = 1 / (1 - share + share / threads)
    if gain >= GOOD_GAIN:
        text, basis = messages.use_threads(threads, cores(), chains), messages.by_amdahl(share, threads)
        yield Recommendation(text, gain, "seconds of a gradient", basis)


def _standardize(ran: Ran, _: StatementCosts | None) -> Iterator[Recommendation]:
    metric = ran.settings.get("metric") or next(iter(ENGINES[ran.engine].metrics), "")
    if ran.subject is None or not ran.steps >= MANY_STEPS or not str(metric).startswith(("diag", "unit")):
        return
    for found in condition_numbers(ran.subject.instance):
        gain = min((found.before / found.after) ** 0.5, ran.steps / FEW_STEPS)
        if gain >= GOOD_GAIN:
            text = messages.standardize(found.names, ran.steps)
            basis = messages.by_condition(found.before, found.after, ran.condition)
            yield Recommendation(text, gain, "steps of a draw", basis, found.place)


_RULES: tuple[Rule, ...] = (_loops, _dominant, _threads, _standardize)


def _compile(ran: Ran, profile: Profile, fitted_before: int) -> Iterator[Recommendation]:
    """Compiled where it was measured to be faster, and the model is fitted again and again."""
    fits = ran.fits + fitted_before
    interpreted, compiled = profile.cost_of(ran), profile.compiled_cost_of(ran)
    if ENGINES[ran.engine].compiled or fits < OFTEN or interpreted is None or compiled is None:
        return
    gain = interpreted.gradient / compiled.gradient
    if gain >= GOOD_GAIN:
        text = messages.compile_it(fits, duration(ran.seconds * fits / ran.fits))
        basis = messages.compile_basis(duration(interpreted.gradient), duration(compiled.gradient))
        yield Recommendation(text, gain, "seconds of a gradient", basis)


def _header(stages: Stage) -> Iterator[Recommendation]:
    if HEADER in stages.total(WITHOUT):
        took = sum(one.seconds for one in stages.find("object"))
        text, basis = messages.make_header(), messages.header_basis(duration(took))
        yield Recommendation(text, HEADER_GAIN, "seconds of a compilation", basis)


def _converted(stages: Stage, runs: list[Ran]) -> Iterator[Recommendation]:
    """Data that were written again for every fit: each time the model was built anew around them."""
    _, amount = stages.total(CONVERTED).get("NumPy to JSON", (0, 0.0))
    spared = sum(ran.rebuilt * ran.data_size for ran in runs)
    if spared >= WRITTEN_OFTEN and amount > spared:
        times = sum(ran.rebuilt for ran in runs)
        text = messages.keep_the_model(times, size(spared))
        basis = messages.bytes_counted(size(amount), size(amount - spared))
        yield Recommendation(text, amount / (amount - spared), "bytes written as JSON", basis)
