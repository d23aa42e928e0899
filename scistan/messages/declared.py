"""Wording of what can be wrong with operations and distributions of the user's own; the place is their declaration."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.errors import ModelError, Place, UnsupportedError

Lengths = tuple[int, ...]


def no_draw(names: Sequence[str], distribution: str, place: Place | None) -> UnsupportedError:
    who = f"`{names[0]}` cannot be drawn: your" if names else "your"
    return UnsupportedError(
        f"{who} distribution `{distribution}` was declared without `draw`.",
        remedy="declare it with `draw=lambda rng, size, ...: ...`, which draws with NumPy; fits need none",
        place=place,
    )


def no_event_length(name: str, distribution: str, place: Place | None) -> ModelError:
    return ModelError(
        f"`{name}`: nothing says how long one value of your distribution `{distribution}` is.",
        remedy="say it with `dims=` or `shape=`, or declare it with `event_like=`, the argument that is as long",
        place=place,
    )


def shape_rule_failed(name: str, why: str, shapes: Sequence[Lengths], place: Place | None) -> ModelError:
    shown = " and ".join(map(str, shapes))
    return ModelError(
        f"the `shape` rule of your operation `{name}` {why}, for arguments of shape {shown}.",
        remedy="write `shape=lambda shapes, attributes: ...`, which is given a tuple of the arguments' shapes and "
        "gives the shape of the result: a tuple of lengths, taken from them (`shapes[0][:-1]` for a sum over the "
        "last axis)",
        place=place,
    )


def no_implementation(name: str, library: str, declared: str) -> ModelError:
    return ModelError(
        f"the operation `{name}` is declared with {library}={declared!r}, and that library has no such function.",
        remedy=f"name one, {library}='exp' for one, or give a function, `{library}=lambda xp, x: xp.exp(x)`",
    )


def gap(name: str, library: str, reason: str) -> UnsupportedError:
    return UnsupportedError(
        f"the operation `{name}` has no form in {library}: {reason}.",
        remedy="SciPy, torch and Stan have one: `m.log_density`, `m.map`, and `m.mcmc` with another engine",
    )


def implementation_failed(name: str, why: str, place: Place | None) -> ModelError:
    return ModelError(
        f"the `numpy` function of your operation `{name}` fails: {why}",
        remedy="it is called with NumPy and the arguments as arrays, `numpy=lambda xp, x: xp.exp(x)` for one",
        place=place,
    )


def density_not_by_event(
    name: str, distribution: str, given: Lengths, wanted: Lengths, place: Place | None
) -> ModelError:
    summed = ": what is summed over all of them would count once for each" if len(given) < len(wanted) else ""
    return ModelError(
        f"the `log_density` of your distribution `{distribution}` has shape {given} for `{name}`, where one number for "
        f"each event is wanted, shape {wanted}{summed}.",
        remedy="leave sums over events to SciStan; where one value is a vector sum over its axis alone, "
        "`ss.sum(..., axis=-1)`",
        place=place,
    )


def formula_failed(name: str, distribution: str, formula: str, why: str, place: Place | None) -> ModelError:
    return ModelError(
        f"the `{formula}` of your distribution `{distribution}` fails for `{name}`: {why}",
        remedy="write it in SciStan's operations, `ss.exp(x)`, of the value and the arguments in order",
        place=place,
    )


def wrong_draw_size(
    name: str, distribution: str, given: Lengths, wanted: Lengths, size: Lengths, place: Place | None
) -> ModelError:
    behind = "" if wanted == size else f" and the shape of one value, {wanted[len(size):]}, behind it"
    example = "rng.normal(mu, 1, size)" if wanted == size else "rng.normal(size=size + mu.shape[-1:])"
    return ModelError(
        f"the `draw` of your distribution `{distribution}` gives an array of shape {given} for `{name}`, where "
        f"{wanted} is wanted: `size`, {size} (first: draws){behind}.",
        remedy=f"let `draw(rng, size, ...)` give one value for each position of `size`, `{example}` for one",
        place=place,
    )
