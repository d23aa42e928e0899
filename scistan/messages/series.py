"""Wording of what can go wrong with a series."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.errors import ArgumentError, ModelError
from scistan.graph.places import user_place
from scistan.messages.arguments import nearest
from scistan.messages.values import as_given

_EXAMPLE = "m.level = ss.Series(lambda past: ss.Normal(past[-1], m.tau), start=ss.Normal(0, 5), dims='time')"
_WITHIN = "let the law give a distribution with the support that is wanted, as `ss.LogNormal` for positive elements"


def _refused(fault: str, remedy: str) -> ModelError:
    return ModelError(fault, remedy=remedy, place=user_place())


def no_option(kind: str, name: str, known: Sequence[str]) -> ArgumentError:
    """Refuse an argument that there is not; bounds and a shape are what other distributions have."""
    if name in ("lower", "upper", "constraint"):
        fault, remedy = "elements of a series are neither bounded nor constrained.", _WITHIN
    elif name == "shape":
        fault, remedy = "a series has a length.", "give `length=`; `dims=` names time and the axes behind it"
    else:
        fault, remedy = "there is no such option.", nearest(name, known)
    return ArgumentError(f"`ss.{kind}(…, {name}=…)`: {fault}", remedy=remedy, place=user_place())


def bad_call(kind: str, error: TypeError, called: str) -> ArgumentError:
    return ArgumentError(f"`ss.{kind}`: {error}.", remedy=f"call it as `ss.{called}`", place=user_place())


def no_law(law: object) -> ModelError:
    return _refused(
        f"`ss.Series` takes a function that gives the distribution of the next element; {as_given(law)} is none.",
        f"give a function of the past, as in `{_EXAMPLE}`",
    )


def bad_lag(key: object) -> ModelError:
    return _refused(
        f"`past[{key}]` is no element before this one.",
        "count back from it: `past[-1]` is the last element, `past[-2]` the one before",
    )


def bad_start(start: object) -> ModelError:
    return _refused(
        f"`start={as_given(start)}` is no distribution of first elements.",
        "give a distribution, `start=ss.Normal(0, 5)`, a list of them, or `start=\"given\"` to condition on them",
    )


def shaped_element(title: str) -> ModelError:
    return _refused(
        f"`ss.{title}` of one element has a shape, dims or values of its own.",
        "leave them to the series: `dims=`, `length=` and `.observe(y)` belong to `ss.Series`",
    )


def bounded_element(title: str) -> ModelError:
    return _refused(
        f"`ss.{title}` of one element is bounded or constrained, which elements of a series cannot be yet.",
        _WITHIN,
    )


def other_support(name: str, start: str, place: str, element: str, other: str) -> ModelError:
    return _refused(
        f"`{name}` is latent and starts with `ss.{start}` ({place}), and goes on with `ss.{element}` ({other}): "
        f"elements of a latent series lie in one range.",
        "start with a distribution over the same range; a first value with a range of its own is a latent that the "
        "start is about: `m.first = ss.HalfNormal(1)` and `start=ss.Normal(m.first, m.tau)`",
    )


def moving_support(name: str, title: str) -> ModelError:
    return _refused(
        f"`{name}` is latent, and what its elements follow, `ss.{title}`, has ends that are arguments: elements of a "
        f"latent series lie in one range, which is known beforehand.",
        "take a distribution over a fixed range, `ss.Beta` for one between two numbers, and move it by a recurrence: "
        "`m.u = ss.Beta(1, 1, dims='time')` and `m.x = ss.scan(lambda x, u: x + m.s * u, init=0.0, over=m.u)`",
    )


def no_axis() -> ModelError:
    return _refused(
        "`over=` holds a single number, which has no axis of time.",
        "give arrays that are as long as the series; what is the same at every time is used in the law as it is",
    )


def bad_length(length: object) -> ModelError:
    return _refused(
        f"`length={as_given(length)}` is no length of a series.",
        "give a whole number above 0, or name the dim, `dims='time'`",
    )


def lengths_differ(lengths: Sequence[int]) -> ModelError:
    return _refused(
        f"what the series runs over differs in length: {', '.join(map(str, lengths))}.",
        "give every array of `over=` the full length of the series: element t goes with element t",
    )


def other_length(name: str, own: int, over: int) -> ModelError:
    return _refused(
        f"`{name}` has {own} elements, and what it runs over has {over}.",
        "give every array of `over=` the full length of the series: element t goes with element t",
    )


def nothing_given(name: str) -> ModelError:
    return _refused(
        f"the first elements of `{name}` are given, and no data have given them yet.",
        f"give the data, `m.with_data({name}=…)`, or the first ones a distribution: `start=ss.Normal(0, 5)`",
    )


def no_length(name: str) -> ModelError:
    return _refused(
        f"`{name}` was not told how long it is.",
        "give `dims='time'` with the model's coords, `length=`, `over=` or `.observe(y)`",
    )


def no_time_axis(name: str) -> ModelError:
    return _refused(f"`{name}` is a single number, and a series has an axis of time.", "observe a vector of values")


def too_short(name: str, length: int, lead: int) -> ModelError:
    return _refused(
        f"`{name}` has {length} element{'s' if length != 1 else ''}, and its law begins after the first {lead}.",
        f"give a series of at least {lead + 1}",
    )


def other_shape(name: str, shapes: Sequence[tuple[int, ...]]) -> ModelError:
    shown = ", ".join(map(str, shapes))
    return _refused(
        f"the elements of `{name}` do not have one shape: {shown}.",
        "let start, law, `dims=` and values agree; time is the first axis, and an element what is behind it",
    )


def not_readable(error: TypeError, has_state: bool, elements: int) -> ModelError:
    wanted = ", ".join([*(["state"] if has_state else []), "past", *(f"x{k + 1}" for k in range(elements))])
    return _refused(f"the law could not be read: {error}.", f"it is called once, as `law({wanted})`")


def no_pair(found: object) -> ModelError:
    return _refused(
        f"with `state=` a law gives a pair of the next state and a distribution, not {as_given(found)}.",
        "end it with `return state, ss.Normal(...)`",
    )


def no_distribution(found: object) -> ModelError:
    return _refused(
        f"a law gives the distribution of the next element, not {as_given(found)}.",
        f"let it give one, as in `{_EXAMPLE}`",
    )


def other_state(given: str, wanted: str) -> ModelError:
    return _refused(f"the law gives the state as {given} where it is {wanted}.", "keep the form of `state=`")


def other_state_shape(wanted: tuple[int, ...], given: tuple[int, ...]) -> ModelError:
    return _refused(
        f"the law turns a state of shape {wanted} into one of shape {given}.",
        "give `state=` the shape that the law gives it",
    )


def given_latent(name: str) -> ModelError:
    return _refused(
        f"`{name}` is latent, so that its first elements are not given.",
        "give their distribution, `start=ss.Normal(0, 5)`, or observe the series",
    )


def nothing_to_give(name: str) -> ModelError:
    return _refused(
        f"the law of `{name}` does not look back, so that no first elements can be given.", "leave out `start=`"
    )


def too_few_starts(name: str, starts: int, lead: int) -> ModelError:
    return _refused(
        f"the law of `{name}` looks back {lead} element{'s' if lead != 1 else ''}, and the first "
        f"{'one has' if lead == 1 else f'{lead} have'} {starts or 'no'} distribution{'s' if starts > 1 else ''}.",
        'give `start=` a distribution for each of them, one for all, or "given"',
    )


def other_kind(name: str, start: str, element: str) -> ModelError:
    return _refused(
        f"`{name}` starts with `ss.{start}` and goes on with `ss.{element}`: one counts, the other measures.",
        "start with a distribution of the same kind",
    )


def within_another(name: str) -> ModelError:
    return _refused(
        f"the law of `{name}` uses a value of a step of something else.", "write the law with the model's own variables"
    )


def no_coefficients() -> ModelError:
    return _refused("an autoregression without coefficients looks back at nothing.", "give at least one coefficient")


def series_draw() -> ModelError:
    return _refused(
        "a series cannot be a derived draw.", "go on from the series that was fitted with `fit.forecast(steps)`"
    )


def series_density() -> ModelError:
    return _refused(
        "a series has no density before a model names it: how long it is decides its law.",
        "observe it, `m.y = ss.Series(…).observe(y)`, and ask the model, `m.log_density({…})`",
    )
