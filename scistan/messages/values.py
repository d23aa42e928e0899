"""Wording of what cannot be read as the numbers of a model."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.errors import DataError, ModelError
from scistan.graph.places import user_place

_LONGEST = 120


def kind_of(what: object) -> str:
    """Say what a thing is, in a word with its article."""
    word = {"Unnamed": "distribution", "Constructor": "distribution", "Expression": "expression"}.get(
        type(what).__name__, type(what).__name__
    )
    return "None" if what is None else f"{'an' if word[0] in 'aeiou' or word == 'ndarray' else 'a'} {word}"


_INSTEAD = {
    "dict": "give each array by itself, `m.x = ss.data(values[\"x\"])`",
    "Dataset": "give each variable by itself, `m.x = ss.data(ds[\"x\"])`",
    "set": "give a list, which has an order: `sorted(values)`",
    "frozenset": "give a list, which has an order: `sorted(values)`",
    "generator": "make a list of it, `list(values)`",
    "map": "make a list of it, `list(values)`",
    "filter": "make a list of it, `list(values)`",
    "zip": "make a list of it, `list(values)`",
    "DataFrameGroupBy": "aggregate first, `groups.mean()`; which group each row is in is a factor, `ss.factor(column)`",
    "SeriesGroupBy": "aggregate first, `groups.mean()`; which group each row is in is a factor, `ss.factor(column)`",
    "complex": "give the real and the imaginary part, each by itself",
}


_WHAT_CAN = (
    "use numbers, lists, NumPy arrays, torch tensors, pandas or xarray objects; "
    "name labels as a factor, `m.site = ss.factor(column)`"
)
def as_given(what: object) -> str:
    """Show a value as it was given, where that is short; what it is, where nothing can show it."""
    try:
        text = repr(what)
    except (ValueError, TypeError, AttributeError, RecursionError):  # 10**5000 has more digits than Python prints
        return kind_of(what)
    if "\n" in text:  # a table, or an array of many rows
        return kind_of(what)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 2]} …"


def name_given(name: object) -> str:
    """Show what was given as a name: the name itself, or what stands in its place."""
    return name if isinstance(name, str) else as_given(name)


def in_gigabytes(size: float) -> str:
    """Show how many bytes something takes."""
    return f"{size / 1e9:.1f} GB" if size < 1e15 else f"{size / 1e9:.1e} GB"


def not_a_value(what: object, why: str = "", remedy: str = "") -> ModelError:
    return ModelError(
        f"{kind_of(what)} cannot be part of a model{': ' + why if why else ''}.",
        remedy=remedy or _INSTEAD.get(type(what).__name__) or _WHAT_CAN,
        place=user_place(),
    )


def too_large(what: object, number: int) -> ModelError:
    return not_a_value(
        what,
        f"{as_given(number)} is too large for a whole number of 64 bits",
        "write it as a real number, `1e20` for one",
    )


def already_part(what: object) -> ModelError:
    return ModelError(
        f"{kind_of(what)} is part of a model already, and `ss.data` takes numbers.",
        remedy="use it as it is, `m.w = m.x * 2`; data of one model reach another as the numbers they are",
        place=user_place(),
    )


def not_finite(count: int, first: object, where: object, whose: Sequence[str] = ()) -> DataError:
    many = "a value that is" if count == 1 else f"{count} values that are"
    at = f", the first {first} at {where}" if where != "the only place" else f": {first}"
    at = f", in {where}" if isinstance(where, str) and where.startswith("row") else at
    shown = ", ".join(f"`{one}`" for one in whose[:3]) + (f" and {len(whose) - 3} more" if len(whose) > 3 else "")
    holder = f"{shown} {'holds' if len(whose) == 1 else 'hold'}" if whose else "the data hold"
    return DataError(
        f"{holder} {many} NaN or infinite{at}.",
        remedy="drop or impute those rows before the model sees them",
        place=user_place(),
    )


def holds_dates(what: object, words: str) -> ModelError:
    return not_a_value(
        what,
        f"it holds {words}",
        "name them as data, `m.day = ss.data(column)`, which counts them in days, and use that",
    )


def numbers_as_text(what: object, first: str) -> ModelError:
    return not_a_value(
        what,
        f"it holds numbers written as text, {first!r} for one",
        "make numbers of them, `pd.to_numeric(column)` or `np.asarray(values, dtype=float)`; "
        "where they are labels, `m.site = ss.factor(column)`",
    )


def holds_periods(what: object) -> ModelError:
    return not_a_value(
        what,
        "it holds periods of time",
        "make dates of them, `.to_timestamp()` of an index and `.dt.to_timestamp()` of a column",
    )


def holds_nothing(what: object, count: int) -> DataError:
    return DataError(
        f"{kind_of(what)} holds {'a missing value' if count == 1 else f'{count} missing values'} and nothing else.",
        remedy="give numbers; what is observed later is `.observe()`, and comes with `m.with_data(y=values)`",
        place=user_place(),
    )


def text_with_gaps(what: object, count: int) -> ModelError:
    return not_a_value(
        what,
        f"it holds text, and {'a missing value' if count == 1 else f'{count} missing values'}",
        'give what is missing a label of its own, `column.fillna("unknown")`, and name it as a factor, '
        "`m.site = ss.factor(column)`",
    )


def none_among_numbers(what: object, count: int, where: object) -> DataError:
    many = "a missing value, at" if count == 1 else f"{count} missing values, the first at"
    return DataError(
        f"{kind_of(what)} holds {many} {where}.",
        remedy="drop or impute those rows before the model sees them",
        place=user_place(),
    )


def no_columns(rows: int) -> DataError:
    return DataError(
        f"the table has {rows} rows and no column.",
        remedy="choose its columns, `df[['a', 'b']]`; one of them is `df['a']`",
        place=user_place(),
    )


def repeated_columns(names: Sequence[object]) -> DataError:
    shown = ", ".join(f"`{name}`" for name in names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return DataError(
        f"the table has several columns called {shown}, and which is meant cannot be told.",
        remedy="rename them, or keep the first of each, `df.loc[:, ~df.columns.duplicated()]`",
        place=user_place(),
    )
