"""Turn what users write (numbers, arrays, labelled tables) into nodes, without merging by value."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from scistan.graph.labelled import Coding, Labelled
from scistan.graph.labels import Labels
from scistan.graph.node import Data, Node, extent, literal
from scistan.graph.places import remember, user_place
from scistan.graph.source_names import assigned_name, variable_name
from scistan.messages import coding as coding_messages
from scistan.messages import observations as model_messages
from scistan.messages import values as messages
from scistan.ops.tables import READERS
from scistan.ops.turn import turned
from scistan.ops.unreadable import check_columns, is_missing, unreadable
from scistan.shapes import DATA, Size

__all__ = [
    "Labelled",
    "as_node",
    "data_leaf",
    "described",
    "holds_expressions",
    "is_missing",
    "labels_in_xarray",
    "labels_of",
    "leaf_of",
    "library_of",
    "objects_in",
    "read_any",
    "read_array",
    "read_dims",
    "rows_in_table",
]


def _from_pandas(value: Any) -> Labelled:
    if not hasattr(value, "index"):  # an Index or an array without labels
        missing = value.isna().any() and value.dtype.kind not in "mM"
        return Labelled(value.to_numpy(dtype=float, na_value=np.nan) if missing else np.asarray(value))
    axes = [value.index] if value.ndim == 1 else [value.index, value.columns]
    dims = tuple(map(_axis_name, axes))
    labels = tuple(map(_labels_of_axis, axes))
    values = np.asarray(value)
    if values.dtype == object and value.isna().to_numpy().any():  # pandas' own missing value, `pd.NA`
        values = value.to_numpy(dtype=float, na_value=np.nan)
    elif values.dtype == object:
        values = np.asarray(values.tolist())
    return Labelled(values, dims, labels)


def _refuse_text(value: Any) -> None:
    """Refuse text, categories and dates, by the name of their column."""
    if value.ndim == 2:
        check_columns(value)
    columns = [(name, value[name]) for name in value.columns] if value.ndim == 2 else []
    for name, column in columns or [(getattr(value, "name", None), value)]:
        if column.dtype.name == "category" and column.dtype.categories.dtype.kind not in "biuf":
            raise coding_messages.categories(value, name)
        if columns and column.dtype.kind in "OU" and any(isinstance(one, str) for one in column):
            raise coding_messages.text_column(value, name)
        if columns and column.dtype.kind in "mM":
            raise coding_messages.dates_column(value, name)


def _axis_name(axis: Any) -> str | None:
    names = [str(name) for name in axis.names if name is not None]
    return "_".join(names) if names else None


def _labels_of_axis(axis: Any) -> Labels:
    """Read an index; 0, 1, 2, … that pandas made itself are implied, and a piece of them is not."""
    if type(axis).__name__ == "RangeIndex" and axis.start == 0 and axis.step == 1:
        return Labels(range(len(axis)), implied=True)
    return Labels(labels_of(axis))


def labels_of(labels: Any) -> list[object]:
    """List an axis's labels; those of several levels become text, which xarray can hold."""
    array = np.asarray(labels)
    plain = list(array) if array.dtype.kind in "mM" else array.tolist()
    return [", ".join(map(str, one)) if isinstance(one, tuple) else one for one in plain]


def labels_in_xarray(value: Any) -> tuple[Labels | None, ...]:
    """Read the labels of each axis of a DataArray."""
    return tuple(Labels(labels_of(value.coords[d].values)) if d in value.coords else None for d in value.dims)


def _from_xarray(value: Any) -> Labelled:
    return Labelled(np.asarray(value.values), tuple(str(d) for d in value.dims), labels_in_xarray(value))


def _from_torch(value: Any) -> Labelled:
    plain = value.detach().cpu()
    return Labelled((plain.double() if plain.is_floating_point() else plain).numpy())  # NumPy has no bfloat16


_READERS = {"pandas": _from_pandas, "xarray": _from_xarray, "torch": _from_torch}


def read_array(value: object, name: str = "", *, assigned: bool = False) -> Labelled:
    """Read numbers from anything array-like; refuse what is not numeric or not finite.

    A message calls it `name`, or as its columns are called, or what it is `assigned` to on the user's line.
    """
    if type(value).__name__ in ("DataFrameGroupBy", "SeriesGroupBy"):  # whose attributes are those of its table
        raise messages.not_a_value(value)
    if library_of(value) == "pandas" and hasattr(value, "ndim"):  # which its single dates and spans have not
        _refuse_text(value)
    labelled = read_any(value)
    kind = labelled.values.dtype.kind
    large = [n for n in labelled.values.flat if type(n) is int and abs(n) > _LARGEST] if kind == "O" else []
    if large:
        raise messages.too_large(value, large[0])
    if kind not in "biuf":
        raise unreadable(value)
    if kind == "u" and labelled.values.size and labelled.values.max() > _LARGEST:
        raise messages.too_large(value, int(labelled.values.max()))
    bad = ~np.isfinite(labelled.values)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        at = rows_in_table(value, bad) or where or "the only place"
        whose = [name] if name else _columns(value, bad) or _called(value, assigned)
        raise messages.not_finite(int(bad.sum()), labelled.values[where], at, whose)
    return labelled


def library_of(value: object) -> str:
    """Name the library that a value's type comes from."""
    library = type(value).__module__.partition(".")[0]
    return "jax" if library == "jaxlib" else library


def read_any(value: object) -> Labelled:
    """Read an array of whatever it holds, with the dims and labels that came with it."""
    if hasattr(type(value), "_scistan_node_"):
        raise messages.already_part(value)
    reader = _READERS.get(library_of(value)) if hasattr(value, "ndim") else None
    try:
        return reader(value) if reader else Labelled(_from_numpy(value))
    except (ValueError, TypeError):
        raise unreadable(value, "its rows have different lengths, or it holds no numbers") from None


def objects_in(value: object) -> list[object]:
    """List what stands in an array that holds no numbers, missing values aside; nothing where it holds numbers."""
    known = getattr(value, "dtype", None)
    if known is None and not isinstance(value, list | tuple):
        return []
    try:
        dtype = np.asarray(value).dtype if known is None else known
        numbers = getattr(dtype, "kind", "f") in "biufcmM"  # a tensor's dtype has no kind, and is of numbers
        held = () if numbers else np.asarray(value, dtype=object).reshape(-1)
    except (ValueError, TypeError, RuntimeError):  # rows of different lengths, told where they are read
        return []
    return [one for one in held if not is_missing(one)]


def described(value: object, name: str = "", *, assigned: bool = False) -> str:
    """Name values for a message: as the model does, else as their column or the user's line does."""
    own = getattr(value, "name", None)
    column = own if isinstance(own, str) else ""
    return name or (assigned and assigned_name()) or column or variable_name(value)


def rows_in_table(value: Any, bad: np.ndarray) -> str:
    """Name the rows of a pandas table in which something is bad, by their labels."""
    if library_of(value) != "pandas" or not hasattr(value, "index"):
        return ""
    rows = labels_of(value.index[np.unique(np.argwhere(bad)[:, 0])])
    shown = ", ".join(map(repr, rows[:3])) + (f" and {len(rows) - 3} more" if len(rows) > 3 else "")
    return f"row {shown}" if len(rows) == 1 else f"rows {shown}"


def _columns(value: Any, bad: np.ndarray) -> list[str]:
    """Name the columns of a pandas table, or the one column, in which something is bad."""
    if bad.ndim == 2 and hasattr(value, "columns"):
        return [str(column) for k, column in enumerate(value.columns) if bad[:, k].any()]
    own = getattr(value, "name", None)
    return [own] if isinstance(own, str) else []


def _called(value: object, assigned: bool) -> list[str]:
    found = (assigned and assigned_name()) or variable_name(value)
    return [found] if found else []


_LARGEST = np.iinfo(np.int64).max


def _from_numpy(value: object) -> np.ndarray:
    if isinstance(value, np.ma.MaskedArray):  # a masked entry is a missing one, whatever number lies under it
        return np.where(value.mask, np.nan, value.data) if value.mask.any() else np.asarray(value.data)
    return np.asarray(value)


def _frozen(values: np.ndarray) -> np.ndarray:
    kind = np.int64 if values.dtype.kind in "biu" else np.float64
    copy = np.array(values, dtype=kind, order="C")
    copy.setflags(write=False)
    return copy


def read_dims(name: str, dims: object) -> tuple[str, ...]:
    """Read the names of axes: one text, or several."""
    names = (dims,) if isinstance(dims, str) else tuple(dims) if isinstance(dims, list | tuple) else ()
    if not names or not all(isinstance(one, str) for one in names):
        raise model_messages.bad_dims(name, dims)
    if {"chain", "draw"} & set(names):
        raise model_messages.dims_of_draws(name)
    return names


def data_leaf(value: object, dims: tuple[str | None, ...] | None = None, *, assigned: bool = False) -> Data:
    """Make a data leaf of its own from an array-like value: copied and frozen."""
    return leaf_of(read_array(value, assigned=assigned), dims)


def leaf_of(
    labelled: Labelled, dims: tuple[str | None, ...] | None = None, coding: Coding | None = None
) -> Data:
    """Make a data leaf of numbers that have been read; `coding` is how they became numbers."""
    labelled = labelled if dims is None else turned(labelled, assigned_name() or "the data", dims)
    frozen = _frozen(labelled.values)
    shape = tuple(Size.new(n, rank=DATA, axis=axis) for axis, n in enumerate(frozen.shape))
    leaf = Data(frozen, shape, integer=frozen.dtype.kind == "i", dims=dims or labelled.dims, labels=labelled.labels,
                boolean=labelled.values.dtype.kind == "b", coding=coding)
    remember(leaf, user_place())
    return leaf


# The same array object used twice is one leaf, as long as it has not been written to in between.
_seen: dict[int, tuple[weakref.ref[np.ndarray], weakref.ref[Data]]] = {}


def _leaf_of_array(array: np.ndarray) -> Data:
    key = id(array)
    entry = _seen.get(key)
    if entry is not None:
        known, leaf = entry[0](), entry[1]()
        if known is array and leaf is not None and leaf.default is not None and np.array_equal(leaf.default, array):
            return leaf
    leaf = data_leaf(array)
    _seen[key] = (weakref.ref(array, lambda _: _seen.pop(key, None)), weakref.ref(leaf))
    return leaf


def as_node(value: object) -> Node:
    """Give the node of a value: Python numbers are literals, lengths follow the data, all else is data."""
    inner = getattr(value, "_scistan_node_", None)
    if inner is not None:
        node: Node = inner() if callable(inner) else inner
        return node
    if type(value) is bool:
        return literal(int(value))
    if type(value) is int or type(value) is float:
        if value != value:
            raise messages.not_finite(1, value, "the only place")
        if type(value) is int and abs(value) > _LARGEST:
            raise messages.too_large(value, value)
        return literal(value)
    if isinstance(value, Size):
        return extent(value) if value.terms else literal(value.constant)
    if type(value) is np.ndarray:
        return _leaf_of_array(value)
    if isinstance(value, list | tuple) and holds_expressions(value):
        return READERS["list"](value)
    if library_of(value) == "xarray":
        return READERS["xarray"](value)
    return data_leaf(value)


def holds_expressions(value: object, deepest: int = 32) -> bool:
    """Tell whether there are expressions of a model in a list, or in the lists of a list, as deep as arrays go."""
    if isinstance(value, list | tuple):
        return deepest > 0 and any(holds_expressions(one, deepest - 1) for one in value)
    return hasattr(type(value), "_scistan_node_")
