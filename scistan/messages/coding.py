"""Wording of what can go wrong while labels, dates and units become numbers."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from scistan.errors import DataError, ModelError, Place
from scistan.graph.places import user_place
from scistan.messages.data import shown
from scistan.messages.values import as_given, not_a_value


def text_column(what: object, column: object) -> ModelError:
    return not_a_value(
        what,
        f"its column `{column}` holds text",
        f"give the columns of numbers, `df[['a', 'b']]`, and make labels a factor, `ss.factor(df[{column!r}])`",
    )


def dates_column(what: object, column: object) -> ModelError:
    return not_a_value(
        what,
        f"its column `{column}` holds dates or spans of time",
        f"give the columns of numbers, `df[['a', 'b']]`, and that one by itself, `ss.data(df[{column!r}])`",
    )


def categories(what: object, column: object) -> ModelError:
    return not_a_value(
        what,
        f"column `{column}` holds categories" if column else "it holds categories",
        "name them as a factor, `m.site = ss.factor(column)`, and use `m.site`; a table takes its numbers, "
        "`df[['a', 'b']]`",
    )


def taken_as_factor(name: str, what: str, levels: Sequence[object], numbers: bool) -> str:
    holder = f"`{name}` holds" if name else "the data hold"
    instead = "; where they are numbers written as text, `pd.to_numeric(column)`" if numbers else ""
    return f"{holder} {what}: taken as a factor of levels {shown(levels)}; `ss.factor` says so itself{instead}"


def observed_dates(name: str, distribution: str, origin: str) -> str:
    return (
        f"`{name}` observes dates: {distribution} sees days since the earliest of them, {origin}; "
        "`(dates - start).dt.days` counts from a day of your own"
    )


def missing_labels(name: str, count: int, where: object) -> DataError:
    own = ', or give them a level of their own, `column.fillna("unknown")`'
    return _missing(name, count, where, f"drop those rows before the model sees them{own}")


def missing_dates(name: str, count: int, where: object) -> DataError:
    return _missing(name, count, where, "drop or impute those rows before the model sees them")


def _missing(name: str, count: int, where: object, remedy: str) -> DataError:
    holder = f"`{name}` holds" if name else "the data hold"
    at = f"in {where}" if isinstance(where, str) else f"the first at {where}"
    return DataError(
        f"{holder} {'a missing value' if count == 1 else f'{count} missing values'}, {at}.",
        remedy=remedy,
        place=user_place(),
    )


def factor_of_a_table(columns: Sequence[object]) -> ModelError:
    return ModelError(
        f"a factor has one column, and the table has {len(columns)}: {shown(columns)}.",
        remedy="give the column itself, `df['site']` rather than `df[['site']]`, and each further one a factor",
        place=user_place(),
    )


def one_label(label: object) -> ModelError:
    return ModelError(
        f"`factor` was given {as_given(label)}, a single label, and a factor has one for each row.",
        remedy="give the labels in a list, or the column itself, `ss.factor(df['site'])`",
        place=user_place(),
    )


def bad_levels(levels: object) -> ModelError:
    return ModelError(
        f"`factor`: `levels` must list each level once, and is {as_given(levels)}.",
        remedy='write `levels=["low", "high"]`, or leave them out: the categories, else the labels sorted',
        place=user_place(),
    )


def unknown_labels(name: str, unknown: Sequence[object], levels: Sequence[object], remedy: str = "") -> DataError:
    holder = f"`{name}` holds" if name else "the values hold"
    return DataError(
        f"{holder} {shown(unknown)}, which {_is(unknown)} not among the levels {shown(levels)}.",
        remedy=(_close(unknown, levels) + (remedy or "correct the labels, or give every level, `levels=[...]`")),
        place=user_place(),
    )


def new_labels(name: str, unknown: Sequence[object], levels: Sequence[object]) -> DataError:
    draw = '`new_levels="draw"` draws the effects of new levels from what the fit says of all of them'
    return unknown_labels(name, unknown, levels, f"correct the labels if they are mistyped; {draw}")


def not_declared(name: str, unknown: Sequence[object], levels: Sequence[object]) -> DataError:
    return unknown_labels(
        name, unknown, levels, f"correct the labels, or give the levels too, `coords={{{name!r}: [...]}}`"
    )


def codes_for_labels(name: str, given: Sequence[object], levels: Sequence[object]) -> DataError:
    return DataError(
        f"{f'`{name}`' if name else 'this'} is a factor of levels {shown(levels)}, and was given numbers: "
        f"{shown(given)}.",
        remedy=f"give labels, never codes, {list(levels)[:2]!r} for one; codes become labels by "
        "`np.array(levels)[codes]`, with the levels in a list",
        place=user_place(),
    )


def one_level(name: str, given: Sequence[object]) -> DataError:
    return DataError(
        f"`{name}` has one level in this model, and was given {shown(given)}: an axis of length 1 stays one.",
        remedy=f"build the model with all the levels it may have, `ss.factor(values, levels=[...])`, assigned to "
        f"`m.{name}`",
        place=user_place(),
    )


def unnamed_factor(levels: Sequence[object], place: Place | None) -> ModelError:
    return ModelError(
        f"a factor of levels {shown(levels)} is used before it has a name, and its levels are a dim of that name.",
        remedy="name it first, `m.site = ss.factor(...)`, and use `m.site`",
        place=place or user_place(),
    )


def rows_called_as_levels(name: str) -> ModelError:
    return ModelError(
        f"rows of the model run along a dim `{name}`, and so would the levels of the factor `{name}` be called.",
        remedy='give the rows another name, `ss.factor(values, dims="row")` or `reset_index()`, or the factor',
        place=user_place(),
    )


def factor_of_another_dim(
    factor: str, dim: str, own: Sequence[object], others: Sequence[object], place: Place | None
) -> DataError:
    return DataError(
        f"`{factor}` picks along dim `{dim}`, whose labels ({shown(others)}) are not its levels ({shown(own)}).",
        remedy=f'index what runs along its own dim, `dims="{factor}"`; or give both the same labels, '
        f"`ss.factor(values, levels=[...])` with those of `{dim}`",
        place=place or user_place(),
    )


def more_levels(factor: str, length: int, place: Place | None) -> DataError:
    return DataError(
        f"`{factor}` has more levels than the axis that it picks along is long: {length}.",
        remedy=f'let that axis run along the levels, `dims="{factor}"`',
        place=place or user_place(),
    )


def labels_for_numbers(name: str, distribution: str, levels: Sequence[object]) -> ModelError:
    return ModelError(
        f"`{name}`: {distribution} was given labels to observe ({shown(levels)}), and its values are numbers.",
        remedy="labels are outcomes of Bernoulli, Categorical and OrderedLogistic, their logit forms included; "
        "for others observe numbers",
        place=user_place(),
    )


def labels_without_order(name: str, distribution: str, levels: Sequence[object]) -> ModelError:
    return ModelError(
        f"`{name}`: the categories of {distribution} have an order, and these labels have none but the alphabet's "
        f"({shown(levels)}).",
        remedy=f"say it, lowest first: `.observe(ss.factor(column, levels=[{levels[-1]!r}, …]))`, or an ordered "
        "categorical",
        place=user_place(),
    )


def level_not_labelled(name: str, dim: str, labels: Sequence[object]) -> DataError:
    return DataError(
        f"dim `{dim}` has got new levels ({shown(labels)}), and `{name}` was given without labels along it.",
        remedy=f"give it labelled, `pd.Series(values, index=pd.Index(labels, name={dim!r}))`",
        place=user_place(),
    )


def not_of_this_kind(name: str, words: str) -> DataError:
    return DataError(
        f"`{name}` was given as {words} at first, and now as something else.",
        remedy=f"give {words}, `pd.to_datetime(column)`" if words == "dates" else f"give {words}",
        place=user_place(),
    )


def constant_column(name: str, columns: Sequence[object], value: float) -> DataError:
    what = " and ".join(f"column `{column}`" for column in columns[:3]) or (f"`{name}`" if name else "the column")
    return DataError(
        f"{what} cannot be standardized: every value is {value:g}.",
        remedy="leave it out: an intercept does the same",
        place=user_place(),
    )


def not_a_column(name: str, shape: tuple[int, ...]) -> ModelError:
    return ModelError(
        f"{f'`{name}`' if name else 'the array'} of shape {shape} cannot be standardized: "
        "a column of numbers or a table of them can.",
        remedy="give one axis of rows, or rows and columns",
        place=user_place(),
    )


def nothing_to_standardize(name: str) -> DataError:
    return DataError(
        f"{f'`{name}`' if name else 'the array'} has no rows to be standardized by.",
        remedy="give the rows that centre and scale are measured on; others come by `with_data`",
        place=user_place(),
    )


def other_columns(name: str, expected: int, given: int) -> DataError:
    return DataError(
        f"`{name}` has {given} column{'s' if given != 1 else ''}, and centre and scale are known of {expected}.",
        remedy="give the same columns, in original units",
        place=user_place(),
    )


def unknown_columns(name: str, unknown: Sequence[object], known: Sequence[object]) -> DataError:
    return DataError(
        f"`{name}` has columns that were not standardized: {shown(unknown)}; known are {shown(known)}.",
        remedy=_close(unknown, known) + "give the same columns, in original units",
        place=user_place(),
    )


def _close(unknown: Sequence[object], levels: Sequence[object]) -> str:
    """Offer the nearest level for the first label that looks mistyped."""
    known = [level for level in levels if isinstance(level, str)]
    for label in unknown:
        close = get_close_matches(label, known, n=1, cutoff=0.6) if isinstance(label, str) else []
        if close:
            return f"did you mean {close[0]!r}? "
    return ""


def _is(labels: Sequence[object]) -> str:
    return "is" if len(labels) == 1 else "are"


def codes_in_arithmetic(name: str, levels: Sequence[object], place: Place | None) -> ModelError:
    called = name or "site"
    return ModelError(
        f"`{called}` is a factor of levels {shown(levels)}: its numbers are positions of these and mean nothing by "
        "themselves.",
        remedy=f"pick by it, `m.effect[m.{called}]`; for an indicator make data of their own, "
        f"`ss.data((column == {levels[0]!r}) * 1.0)`, and numbers go in as such, `ss.data(column)`",
        place=place or user_place(),
    )
