"""What users are told of discrete latents: how they are summed out, and what cannot be."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.errors import ModelError, Place
from scistan.graph.node import Node
from scistan.graph.places import first_place


def unbounded(name: str, distribution: str, place: Place | None) -> ModelError:
    return ModelError(
        f"`{name}` is a discrete latent ({distribution}) without a largest value, so its states cannot be summed.",
        remedy=f"observe it with `.observe(values)`, or give `{name}` a distribution with a last state, such as "
        "`ss.Binomial(most, p)` or `ss.DiscreteRange(0, most)`",
        place=place,
    )


def latent_end(name: str, distribution: str, place: Place | None) -> ModelError:
    return ModelError(
        f"where the discrete latent `{name}` ({distribution}) ends depends on latents, so its states cannot be listed.",
        remedy="let it end at a number, at data, or at another discrete latent itself",
        place=place,
    )


def too_many_together(name: str, number: int, count: int, most: int, place: Place | None) -> ModelError:
    return ModelError(
        f"the {count} elements of `{name}` meet in one density, so that they would be summed together: "
        f"{number}^{count} states, and at most {most:,} cells are summed.",
        remedy=f"let each row depend on one element of `{name}` (by its own row, or by a group `{name}[group]`); "
        "states that follow each other in time are a `ss.Series`",
        place=place,
    )


def too_many_cells(
    names: Sequence[str], cells: int, shape: Sequence[int], most: int, place: Place | None
) -> ModelError:
    sizes = " × ".join(map(str, shape))
    shown = ", ".join(f"`{name}`" for name in names)
    return ModelError(
        f"to sum {shown} out takes a table of {sizes} = {cells:,} cells, and at most {most:,} are summed.",
        remedy="give the latents fewer states, or fewer rows that they share",
        place=place,
    )


def cannot_sum(op: str, names: Sequence[str], node: Node) -> ModelError:
    shown = ", ".join(f"`{name}`" for name in names)
    return ModelError(
        f"`{op}` of what depends on {shown} cannot be summed over the states.",
        remedy="write it with elementwise operations, indexing and sums, or choose with `ss.where(condition, a, b)`",
        place=first_place(node),
    )


def never_inside(
    name: str, state: int, child: str, parameter: str, title: str, words: str, discrete: bool, place: Place | None
) -> ModelError:
    counted = "; zeros in excess are `ss.Mixture([p, 1 - p], [ss.DiscreteRange(0, 0), ss.…(…)])`"
    return ModelError(
        f"where `{name}` is {state}, the argument `{parameter}` of `{child}` ({title}) is outside its "
        f"domain, whatever the latents are: it must be {words}.",
        remedy=f"choose by `ss.where({name} == {state}, a, b)` with values that are inside"
        f"{counted if discrete else ''}",
        place=place,
    )


def bad_law(name: str, child: str, what: str, place: Place | None) -> ModelError:
    return ModelError(
        f"`{child}` depends on the discrete latent `{name}` and has {what}, which cannot be summed over.",
        remedy=f"leave out the {what}, or let it be the same in every state",
        place=place,
    )


def told(
    name: str, states: int, rows: Sequence[int], others: Sequence[str], cells: int, elements: int,
    children: Sequence[str], pointwise: bool, ahead: bool,
) -> str:
    """Say how a discrete latent was summed out."""
    what = f"{states} states" if not elements else f"{states} states of its {elements} elements together"
    each = f" in each of {' × '.join(map(str, rows))} rows" if rows else ""
    beside = f", for every state of {' and '.join(others)}" if others else ""
    of = f" in the density of {', '.join(children)}" if children else ""
    given = "of each time given those before it" if ahead else "conditional on its draws"
    lik = "" if pointwise or not children else f"; the log likelihood is {given}"
    return f"{name}: {what}{each}{beside}{of}: {cells:,} cells{lik}"


def no_chain(name: object) -> ModelError:
    return ModelError(
        f"{name!r} is no series of discrete states, so that it has no path.",
        remedy="`fit.posterior_of(name)` gives the probability of each value, element by element",
    )


def no_states(name: object, known: Sequence[str]) -> ModelError:
    shown = ", ".join(f"`{one}`" for one in known)
    return ModelError(
        f"{name!r} is no discrete latent of this model.",
        remedy=f"those are {shown}" if known else "it has none: everything in `fit.posterior` was sampled",
    )


def chain_looks_back(name: str, lag: int, place: Place | None) -> ModelError:
    return ModelError(
        f"`{name}` is a series of discrete states whose law looks back {lag} steps, and is summed out along one.",
        remedy=f"make the last {lag} states one: of K states those are K**{lag} categories, with a law that looks back "
        "one step, `ss.Categorical(m.P[past[-1]])`",
        place=place,
    )


def chain_with_axes(name: str, place: Place | None) -> ModelError:
    return ModelError(
        f"`{name}` is many series of discrete states at once; one series at a time is summed out along its chain.",
        remedy='write a series for each, in a loop: `m[f"state_{k}"] = ss.Series(...)`',
        place=place,
    )


def chain_with_state(name: str, place: Place | None) -> ModelError:
    return ModelError(
        f"`{name}` is a series of discrete states that carries a state of its own, so that it is no chain.",
        remedy="let the law depend on the element before and on data or latents: "
        "`ss.Series(lambda past, x: ..., over=m.x, start=...)`",
        place=place,
    )


def chain_without_start(name: str, place: Place | None) -> ModelError:
    return ModelError(
        f"`{name}` is a series of discrete states, and needs the distribution of its first one.",
        remedy="`start=ss.Categorical(...)`, one distribution",
        place=place,
    )


def other_states(name: str, place: Place | None) -> ModelError:
    return ModelError(
        f"the first element of `{name}` has other states than those that follow.",
        remedy="give `start=` and the law distributions of the same categories",
        place=place,
    )


def chains_meet(names: Sequence[str], place: Place | None) -> ModelError:
    shown = " and ".join(f"`{name}`" for name in names)
    return ModelError(
        f"{shown} meet in one density: two chains are not summed out together.",
        remedy="write them as one chain whose states are the pairs of theirs",
        place=place,
    )


def beside_chain(name: str, place: Place | None) -> ModelError:
    return ModelError(
        f"`{name}` meets a discrete latent that spans several of its times.",
        remedy="let each time depend on a discrete latent of its own, or on none",
        place=place,
    )


def chain_not_by_row(name: str, place: Place | None) -> ModelError:
    return ModelError(
        f"what depends on `{name}` looks at several of its times at once, so that it cannot be summed along the chain.",
        remedy=f"let each row depend on the state of one time: `m.mu[m.{name}]`, or `m.{name}[m.time]` for many rows",
        place=place,
    )
