"""Wording about posteriors without chains: what was approximated, how well, and what to do where it does not serve."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.errors import ModelError, SamplingError
from scistan.graph.places import user_place
from scistan.messages.values import as_given

__all__ = [
    "bad_correct", "bad_integrate", "differs", "no_peaks", "no_torch", "not_for_torch", "sampled_instead",
    "some_without_peak", "told", "weighed", "why",
]


def _named(names: Sequence[str]) -> str:
    return ", ".join(f"`{n}`" for n in names)


def bad_integrate(given: object) -> ModelError:
    return ModelError(
        f"`integrate` of `m.laplace()` is {as_given(given)}.",
        remedy="give 'auto' (all normal latents), True (all that may be any real number), False (nothing) or names",
        place=user_place(),
    )


def bad_correct(given: object) -> ModelError:
    return ModelError(
        f"`correct` of `m.laplace()` is {as_given(given)}.",
        remedy="give True (draw again by weight where weights can be trusted), 'mcmc' (where they cannot, sample from "
        "there) or False (give the approximation as it is)",
        place=user_place(),
    )


def not_for_torch(names: Sequence[str], engine: str) -> ModelError:
    return ModelError(
        f"{_named(names)} of `m.laplace()` belongs to SciStan's own approximation, and `engine` is {engine!r}.",
        remedy="leave `engine` out", place=user_place(),
    )


def no_torch(engine: str) -> str:
    return (
        f"torch is not installed, so {engine} put one normal at the mode of all coordinates together; with torch, "
        "effects are approximated given their scales, and the draws are weighed: pip install 'scistan[torch]'"
    )


def no_peaks(tried: int, failed: int) -> SamplingError:
    return SamplingError(
        f"no mode of the latents was found given {failed} of {tried} values of the others",
        remedy="sample with `m.mcmc()`, or say with `integrate=` which latents to approximate",
    )


def why(names: Sequence[str], others: Sequence[str], grouped: bool) -> str:
    if not names:
        return "torch: Student's t at the mode"
    given = f" given {_named(others)}" if others else ""
    return f"torch: {_named(names)} approximated by a normal{given}{', group by group' if grouped else ''}"


def told(correct: bool, corrected: bool, effective: float, tried: int, exact: bool, modes: int) -> str:
    if not corrected:
        why = "there are other modes" if modes > 1 else "their weights cannot be trusted"
        return f"the draws are those of the approximation{f': {tried:,} were weighed, and {why}' if correct else ''}"
    how = "the latents given the others are exactly normal here; the others" if exact else "the draws"
    return f"{how} were drawn again by their exact weight: {tried:,} of them, worth {effective:,.0f} independent ones"


def some_without_peak(failed: int, tried: int) -> str:
    return f"; {failed:,} of {tried:,} had no mode of the latents and were left out"


def weighed(
    ok: bool, k: float, tried: int, effective: float, corrected: bool, groups: Sequence[tuple[str, float]],
    modes: int,
) -> str:
    head = "the draws stand for the posterior" if ok else "the draws do NOT stand for the posterior"
    lines = [f"{head}: Pareto k of {tried:,} importance weights {k:.2f}, worth {effective:,.0f} independent draws"
             + ("; drawn again by weight" if corrected else "")]
    lines += [f"  given the rest, {name}: Pareto k {shape:.2f}" for name, shape in groups]
    if modes > 1:
        lines.append(f"  the density has at least {modes} modes, and the draws are about one of them")
    return "\n".join(lines)


def differs(error: float, most: float) -> SamplingError:
    return SamplingError(
        f"torch's log density differs from SciPy's by {error:.2g} of its size at draws of the approximation, where "
        f"{most:.0e} is allowed",
        remedy="`m.verify()` shows where; sample with `m.mcmc()`, and please report it",
    )


def sampled_instead(verdict: str) -> str:
    return (
        f"the approximation did not serve ({verdict}), so the model was sampled, from starts among its draws and with "
        "their scales"
    )
