"""Wording of what can go wrong between data, dims and the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scistan.errors import DataError, ModelError, Place
from scistan.graph.places import user_place
from scistan.messages.model import Lengths, nearest


def dim_length(name: str, dim: str, expected: int, given: int, labelled: bool) -> DataError:
    known = f"whose coords have {expected} entries" if labelled else f"whose length is {expected} elsewhere"
    return DataError(
        f"`{name}` has length {given} along dim `{dim}`, {known}.",
        remedy="correct the coords or the values, or name the axis otherwise",
        place=user_place(),
    )


def truth_for_positions(name: str) -> DataError:
    return DataError(
        f"`{name}` was given true and false, and the model reads positions from it.",
        remedy="for two groups make whole numbers of them, `flags.astype(int)`; the positions of what is true are "
        "`np.flatnonzero(flags)`",
        place=user_place(),
    )


def labels_differ(name: str, dim: str, expected: Sequence[object], given: Sequence[object]) -> DataError:
    if len(expected) != len(given):
        return dim_length(name, dim, len(expected), len(given), True)
    at = next(k for k, (a, b) in enumerate(zip(expected, given, strict=True)) if a != b)
    return DataError(
        f"`{name}` has other labels along dim `{dim}` than the model: {given[at]!r} where the model has "
        f"{expected[at]!r}, at position {at}.",
        remedy=f"bring the values into the order of `m.coords[{dim!r}]`, or name the axis otherwise",
        place=user_place(),
    )


def dims_differ(name: str, expected: Sequence[object], given: Sequence[object]) -> DataError:
    return DataError(
        f"`{name}` has dims {tuple(given)}, and the model {tuple(expected)}.",
        remedy="transpose or rename the axes",
        place=user_place(),
    )


def dims_rank(name: str, dims: object, shape: Lengths) -> ModelError:
    return ModelError(
        f"`{name}` has shape {shape} and dims {dims}: one name per axis is needed.",
        remedy='name every axis, `dims=("row", "column")`',
        place=user_place(),
    )


def dims_meet(what: str, first: tuple[str, str], second: tuple[str, str], place: Place | None) -> ModelError:
    (one, dim), (other, another) = first, second
    return ModelError(
        f"{f'`{what}`: ' if what else ''}`{one}` runs along dim `{dim}` where `{other}` runs along dim `{another}`: "
        "one axis cannot be both, whatever their lengths.",
        remedy="put each on an axis of its own, `x[:, None]` or `x.T`, or give both axes the same name in `dims=`",
        place=place or user_place(),
    )


def unknown_dim(name: str, dim: str, known: Iterable[str]) -> ModelError:
    return ModelError(
        f"`{name}`: the length of dim `{dim}` is not known.",
        remedy=f"give it in `ss.Model(coords={{'{dim}': ...}})`; {nearest(dim, known)}",
        place=user_place(),
    )


def outside_support(
    name: str, distribution: str, words: str, count: int, total: int, shown: str, place: Place | None = None,
    from_one: bool = False,
) -> DataError:
    are = "value is" if count == total == 1 else "values are" if count > 1 else "values is"
    return DataError(
        f"`{name}`: {count} of {total} {are} outside the support of {distribution} ({words}): {shown}.",
        remedy="outcomes count from 0: subtract 1 from them"
        if from_one
        else "correct the data, or choose a distribution whose support holds them",
        place=place or user_place(),
    )


def illegal_argument(
    name: str, distribution: str, argument: str, words: str, shown: str, place: Place | None
) -> ModelError:
    return ModelError(
        f"`{name}`: `{argument}` of {distribution} must be {words}, and is {shown}.",
        remedy=f"correct `{argument}`, or the data it is computed from",
        place=place or user_place(),
    )


def index_outside(name: str, shown: str, length: int, place: Place | None = None) -> DataError:
    what = f"`{name}`" if name else "an index"
    return DataError(
        f"{what} holds {shown}, which is outside an axis of length {length}.",
        remedy="indices count from 0; give the axis a dim and its coords along with the data if it has grown",
        place=place or user_place(),
    )


def negative_index(name: str, count: int, total: int, shown: str, place: Place | None = None) -> DataError:
    what = f"`{name}`" if name else "the index"
    many = "a negative position" if count == 1 else f"{count} negative positions"
    return DataError(
        f"{what} holds {many} among {total}: {shown}.",
        remedy="positions in data count from 0; -1 is pandas' mark for a missing value: drop those rows, "
        "or give them a group of their own",
        place=place or user_place(),
    )


def data_rank(name: str, written: Lengths, given: Lengths) -> DataError:
    axes = {0: "a single number", 1: "1 axis"}.get(len(written), f"{len(written)} axes")
    return DataError(
        f"`{name}` has shape {given}; the model was written for shape {written}: {axes}.",
        remedy="lengths may change, the number of axes may not",
        place=user_place(),
    )


def sizes_disagree(names: Sequence[str], given: int) -> DataError:
    shown = " and ".join(f"`{n}`" for n in names) or "an unnamed array"
    return DataError(
        f"{shown} has length {given} along an axis that it shares with data of another length.",
        remedy="swap every array that shares the changed length in one call",
        place=user_place(),
    )


def unknown_data(name: str, known: Iterable[str], is_dim: bool = False) -> DataError:
    labels = f"labels of a dim are given by keyword, `coords={{{name!r}: [...]}}`"
    remedy = labels if is_dim else nearest(str(name), known)
    return DataError(f"the model has no data `{name}`.", remedy=remedy, place=user_place())


def unknown_columns(columns: Sequence[object], known: Sequence[str]) -> DataError:
    shown = ", ".join(f"`{column}`" for column in columns[:5]) + (" and more" if len(columns) > 5 else "")
    data = ", ".join(known)
    return DataError(
        f"none of the table's columns is data of the model: {shown or 'it has none'}.",
        remedy=f"name its columns as the model does: {data}" if known else "name data first, `m.x = ss.data(...)`",
        place=user_place(),
    )


def data_no_dict(given: object) -> DataError:
    return DataError(
        f"other data must be given by name, and are {given!r}.",
        remedy='write `m.with_data(x=...)`, or a dict or DataFrame of them, `m.with_data({"x": ...})`',
        place=user_place(),
    )


def unknown_coords(dim: str, known: Iterable[str]) -> DataError:
    return DataError(f"the model has no dim `{dim}`.", remedy=nearest(dim, known), place=user_place())


def coords_no_dict(given: object) -> DataError:
    return DataError(
        f"coords must be a dict of dims and their labels, and are {given!r}.",
        remedy='write `coords={"group": ["a", "b"]}`',
        place=user_place(),
    )


def repeated_labels(dim: str, repeated: Sequence[object]) -> DataError:
    shown = ", ".join(map(repr, repeated[:3])) + (f" and {len(repeated) - 3} more" if len(repeated) > 3 else "")
    return DataError(
        f"the coords of dim `{dim}` repeat {shown}: each label must stand for one position.",
        remedy=f"list each label once, `list(dict.fromkeys(labels))`; which of them each row belongs to is an index, "
        f"`codes, labels = pandas.factorize(column)` and `m.{dim}_of = ss.data(codes)`",
        place=user_place(),
    )


def bad_labels(dim: str, labels: object) -> DataError:
    return DataError(
        f"the coords of dim `{dim}` must be a list of labels, and are {labels!r}.",
        remedy=f"`coords={{'{dim}': range({labels})}}` counts from 0" if isinstance(labels, int) else "write a list",
        place=user_place(),
    )
