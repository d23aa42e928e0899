"""Wording of how `auto` chooses, goes on, and ends when its time is up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scistan.errors import SamplingError
from scistan.graph.places import user_place
from scistan.messages.sampling import engine_failed


def race_won(
    best: str,
    figures: tuple[float, float] | None,
    others: Sequence[tuple[str, tuple[float, float] | None]],
    failed: Mapping[str, str],
) -> str:
    """Say which candidate won and by which counted figures: steps a draw, effective draws a counted second."""

    def told(name: str, seen: tuple[float, float] | None) -> str:
        if seen is None:
            return f"{name} was too slow to be judged"
        return f"{name} promised {seen[1]:,.0f} effective draws a counted second ({seen[0]:.0f} steps a draw)"

    beside = [told(name, seen) for name, seen in others]
    beside += [engine_failed(name, why) for name, why in failed.items()]
    if figures is None:
        return f"{best}: {'; '.join(beside) or 'the one candidate'}"
    own = f"{figures[1]:,.0f} effective draws a counted second ({figures[0]:.0f} steps a draw)"
    return f"{best}: promised {own}; {'; '.join(beside)}" if beside else f"{best}: promised {own}"


def expected(why: str, first: str, share: float) -> str:
    """Say that a metric was taken by what its kind does where another mixes badly."""
    return f"{why}, as such metrics do on average where {first} mixes badly ({share:.0%} of its first draws effective)"


def chosen_by_shape(best: str, condition: float) -> str:
    """Say that the shape at the mode decided."""
    return f"{best}: at the mode, a diagonal metric leaves a condition of {condition:,.1f}"


def diverges(why: str, delta: float) -> str:
    """Say that what won began again with smaller steps."""
    return f"{why}; its first draws diverged in every chain, so it began again with adapt_delta {delta:g}"


def goes_on(engine: str, ill: Sequence[str], then: str, from_there: bool) -> str:
    """Say that a run is followed by another, while that runs."""
    how = "goes on from there" if from_there else "starts again"
    return f"scistan: {engine} gave {', '.join(ill)}; {then} {how}"


def out_of_time(limit: float, chains: int, of: int, length: int, wanted: int) -> str:
    return (
        f"`time_limit={limit:g}` was reached: {chains} of {of} chains kept, with {length} of {wanted} draws each"
    )


def no_time_for_draws(limit: float) -> SamplingError:
    return SamplingError(
        f"`time_limit={limit:g}` was reached before a chain had ended its warm-up: there are no draws.",
        remedy="give it more time, or a shorter `warmup`",
        place=user_place(),
    )


def no_time_left(limit: float, ill: Sequence[str]) -> str:
    return f"`time_limit={limit:g}` was reached: no further run was made for {', '.join(ill)}"


def too_dear(then: str, ill: Sequence[str], times: float) -> str:
    """Say that no further run is made, because of what it would cost."""
    return (
        f"no further run was made for {', '.join(ill)}: with {then}, all of them would count more than {times:g} times "
        "the cost of the first"
    )
