"""`m.with_data`: the same model on other values, other lengths and other labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.node import Data, Node, is_applied
from scistan.graph.walk import topological
from scistan.messages import data as messages
from scistan.messages import model as model_messages
from scistan.model.book import Book, Entry
from scistan.model.numbers import check_arguments, check_indices, check_values
from scistan.ops.coerce import Labelled, read_array
from scistan.shapes import values_of
from scistan.targets.evaluate import Evaluator

__all__ = ["bind", "check_swapped", "read_table", "relabel"]

Bindings = dict[Data, np.ndarray]
Lengths = dict[str, int]


def read_table(book: Book, table: object) -> dict[str, object]:
    """Read other data from a dict of them, or from the columns of a DataFrame that the model knows."""
    if table is None:
        return {}
    if isinstance(table, Mapping):
        return dict(table)
    columns = getattr(table, "columns", None)
    if columns is None or not hasattr(table, "__getitem__"):
        raise messages.data_no_dict(table)
    known = _data_names(book)
    if not set(columns) & set(known):
        raise messages.unknown_columns(list(columns), known)
    return {column: table[column] for column in columns if column in known}


def _data_names(book: Book) -> list[str]:
    return [e.name for e in book.entries.values() if isinstance(e.node, Data)]


def bind(book: Book, bindings: Bindings, data: Mapping[str, object]) -> None:
    """Enter other values for named data; the labels that come with them replace the model's."""
    for name, given in data.items():
        entry = book.entries.get(name)
        if entry is None or not isinstance(entry.node, Data):
            raise messages.unknown_data(name, _data_names(book), name in book.dims)
        labelled = read_array(given, name)
        _check_axes(name, entry, labelled)
        if labelled.values.dtype.kind == "b" and not entry.node.boolean and _is_position(book, entry.node):
            raise messages.truth_for_positions(name)
        values = np.array(labelled.values, dtype=np.int64 if labelled.values.dtype.kind in "biu" else np.float64)
        counts = entry.node.integer or (entry.draw is not None and entry.draw.distribution.discrete)
        if counts and (values == np.floor(values)).all():
            values = values.astype(np.int64)
        values.setflags(write=False)
        bindings[entry.node] = values
        for dim, labels in _labels(entry, labelled).items():
            book.coords[dim] = labels


def _check_axes(name: str, entry: Entry, labelled: Labelled) -> None:
    shape, given = entry.node.shape, labelled.values.shape
    if len(given) != len(shape):
        raise messages.data_rank(name, values_of(shape), given)
    for size, length in zip(shape, given, strict=True):
        if not size.terms and length != size.constant:
            raise model_messages.data_shape(name, values_of(shape), given)
    named = [(own, dim) for own, dim in zip(labelled.dims or (), entry.dims, strict=False) if own and dim]
    if any(own != dim and own in entry.dims for own, dim in named):
        raise messages.dims_differ(name, entry.dims, labelled.dims or ())


def _is_position(book: Book, leaf: Data) -> bool:
    """Tell whether data are an index, or an index is computed from them."""
    indices = [node for node in book.graph().nodes if is_applied(node, "index")]
    return leaf in topological([position for node in indices for position in node.args[1:]])


def _labels(entry: Entry, labelled: Labelled) -> dict[str, list[object]]:
    axes = zip(entry.dims, labelled.dims or (), strict=False)
    return {dim: labelled.coords[own] for dim, own in axes if dim is not None and own in labelled.coords}


def relabel(book: Book, instance: Instance, asked: Mapping[str, Sequence[object]], data: Mapping[str, object]) -> None:
    """Give every dim labels of its new length; labels that were given must fit."""
    for dim, size in book.dims.items():
        length = instance.length(size)
        if dim not in book.coords or len(book.coords[dim]) == length:
            continue
        if dim in asked:
            raise messages.dim_length(_user_of(book, dim, data), dim, len(book.coords[dim]), length, True)
        book.coords[dim] = list(range(length))


def _user_of(book: Book, dim: str, data: Mapping[str, object]) -> str:
    users = [name for name, e in book.entries.items() if dim in e.dims]
    return next((name for name in users if name in data), users[0] if users else dim)


def check_swapped(book: Book, instance: Instance) -> None:
    """Check the new numbers as the old ones were checked when the model was written."""
    from scistan.targets.scipy.evaluate import NUMPY

    evaluator = Evaluator(instance, NUMPY)

    def is_fixed(node: Node) -> bool:
        return book.facts.of(node).fixed

    def numbers(node: Node) -> np.ndarray | None:
        with np.errstate(all="ignore"):
            try:
                return np.asarray(evaluator[node].array)
            except KeyError:  # a promise that is still open
                return None

    check_indices(instance.graph, instance, numbers)
    for entry in book.entries.values():
        if entry.draw is None:
            continue
        check_arguments(entry.name, entry.draw, map(is_fixed, entry.draw.args), numbers, None)
        if isinstance(entry.node, Data) and entry.node in instance.values:
            check_values(entry.name, entry.draw, instance.values[entry.node], is_fixed, numbers, None)
