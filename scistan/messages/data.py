"""Wording of what can go wrong between data, dims and the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scistan.errors import DataError, ModelError, Place
from scistan.graph.labels import LabelsDiffer
from scistan.graph.places import user_place
from scistan.messages.arguments import Lengths, nearest
from scistan.messages.values import as_given, name_given


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


def labels_differ(
    name: str, dim: str | None, speaker: str, differ: LabelsDiffer, counted: bool, place: Place | None
) -> DataError:
    """Refuse labels that are not those of the axis they run along; those that only stand in another order are moved."""
    along = f" along dim `{dim}`" if dim else ""
    whose = f"`{speaker}`" if speaker and speaker != name else "the model"
    if differ.repeated:
        return DataError(
            f"`{name}` and {whose} have labels that repeat{along}, in another order or number: "
            "which rows belong together cannot be told.",
            remedy="give both a fresh index, `reset_index(drop=True)`, once their rows are in one order, or name the "
            "axis otherwise, `dims=`",
            place=place or user_place(),
        )
    said = [f"{shown(differ.unknown)} {_is(differ.unknown)} not among those of {whose}"] if differ.unknown else []
    said += [f"{shown(differ.missing)} {_is(differ.missing)} missing"] if differ.missing else []
    index = "; rows without an index of their own are labelled 0, 1, 2, …: `set_index`, or `.to_numpy()` for positions"
    return DataError(
        f"`{name}` has other labels{along} than {whose}: {', and '.join(said)}.",
        remedy="match the labels" + (index if counted else ", or name the axis otherwise"),
        place=place or user_place(),
    )


def labels_repeat(name: str, dim: str, expected: int, given: int) -> DataError:
    return DataError(
        f"`{name}` has {given} rows whose labels along dim `{dim}` repeat, and that dim has {expected} entries.",
        remedy="rows of repeated measures are an axis of their own: `reset_index(drop=True)`, or name it, "
        'for instance `dims="row"`',
        place=user_place(),
    )


def order_is_read(name: str, speaker: str, place: Place | None) -> DataError:
    beside = f"`{speaker}`" if speaker else "what it meets"
    return DataError(
        f"the order of `{name}` counts, for it is read by position (`x[1:]`) or stands beside an array without labels, "
        f"and its labels stand in another order than those of {beside}.",
        remedy="bring both into one order first, `x = x.loc[y.index]` or `sort_index()`, or give every array labels",
        place=place or user_place(),
    )


def not_given(dim: str | None, given: Sequence[str], absent: Sequence[str], labels: Sequence[object]) -> DataError:
    along = f"dim `{dim}`" if dim else "their axis"
    who = " and ".join(f"`{name}`" for name in given) or "`coords`"
    left = " and ".join(f"`{name}`" if name else "an array written into the model" for name in absent)
    how = f"came with other labels of {along} ({shown(labels)})" if labels else f"came for some labels of {along} alone"
    return DataError(
        f"{who} {how}, and {left} still "
        f"{'has' if len(absent) == 1 else 'have'} the old ones.",
        remedy=f"give {left} for the same labels in the same call"
        if all(absent)
        else "name that array, `m.x = ss.data(...)`, so that it can be given too",
        place=user_place(),
    )


def shown(labels: Sequence[object]) -> str:
    """Write a few labels."""
    few = ", ".join(repr(label) for label in labels[:_SHOWN])
    return few + (f" and {len(labels) - _SHOWN} more" if len(labels) > _SHOWN else "")


_SHOWN = 3


def _is(labels: Sequence[object]) -> str:
    return "is" if len(labels) == 1 else "are"


def frozen_latent(place: Place | None) -> ModelError:
    return ModelError(
        "`ss.frozen` holds a latent, which has no value of the fit: it has one for each draw.",
        remedy="freeze the part that follows from the data alone, `m.b * ss.frozen(ss.max(m.x))`",
        place=place or user_place(),
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


def length_not_given(given: str, length: int, absent: str, old: int) -> DataError:
    return DataError(
        f"`{given}` has length {length} now, and `{absent}`, which runs along the same axis, was not given and has "
        f"length {old}.",
        remedy=f"give `{absent}` too: swap every array that shares the changed length in one call",
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
        f"other data must be given by name, and are {as_given(given)}.",
        remedy='write `m.with_data(x=...)`, or a dict or DataFrame of them, `m.with_data({"x": ...})`',
        place=user_place(),
    )


def unknown_coords(dim: object, known: Iterable[str]) -> DataError:
    return DataError(f"the model has no dim `{name_given(dim)}`.", remedy=nearest(dim, known), place=user_place())


def coords_no_dict(given: object) -> DataError:
    return DataError(
        f"coords must be a dict of dims and their labels, and are {as_given(given)}.",
        remedy='write `coords={"group": ["a", "b"]}`',
        place=user_place(),
    )


def repeated_labels(dim: str, repeated: Sequence[object]) -> DataError:
    shown = ", ".join(map(repr, repeated[:3])) + (f" and {len(repeated) - 3} more" if len(repeated) > 3 else "")
    return DataError(
        f"the coords of dim `{dim}` repeat {shown}: each label must stand for one position.",
        remedy=f"list each label once, `list(dict.fromkeys(labels))`; which of them each row belongs to is a factor, "
        f"`m.{dim} = ss.factor(column)`, which makes the dim itself",
        place=user_place(),
    )


def bad_labels(dim: str, labels: object) -> DataError:
    return DataError(
        f"the coords of dim `{dim}` must be a list of labels, and are {as_given(labels)}.",
        remedy=f"`coords={{'{dim}': range({labels})}}` counts from 0" if isinstance(labels, int) else "write a list",
        place=user_place(),
    )
