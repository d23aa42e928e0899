"""Other data from a table: its columns by name, and tables within the model from the columns they were made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scistan.graph.node import Data
from scistan.messages import data as messages
from scistan.messages import values as values_messages
from scistan.model.variables import Entry, Variables

__all__ = ["data_names", "read_table"]


def read_table(variables: Variables, table: Any) -> dict[str, object]:
    """Read other data from a dict of them, or from the columns of a DataFrame that the model knows."""
    if table is None:
        return {}
    if isinstance(table, Mapping):
        return dict(table)
    columns = getattr(table, "columns", None)
    if columns is None or not hasattr(table, "__getitem__"):
        raise messages.data_no_dict(table)
    known = data_names(variables)
    whole = {column: column for column in columns if column in known}
    within = {
        entry.name: labels
        for entry in variables.entries.values()
        if entry.name not in whole and (labels := _columns(variables, entry)) and set(labels) <= set(columns)
    }
    used = {*whole, *(label for labels in within.values() for label in labels)}
    repeated = [column for column in dict.fromkeys(columns) if column in used and list(columns).count(column) > 1]
    if repeated:
        raise values_messages.repeated_columns(repeated)
    if not used:
        raise messages.unknown_columns(list(columns), known)
    return {name: table[of] for name, of in {**whole, **within}.items()}


def _columns(variables: Variables, entry: Entry) -> list[str]:
    """Name the columns that a table within the model was made of, where they have names."""
    if not isinstance(entry.node, Data) or len(entry.keys) != 2:
        return []
    labels = variables.axes.labels_of(entry.keys[1])
    named = [] if labels is None or labels.implied else list(labels)
    return [label for label in named if isinstance(label, str)] if all(isinstance(one, str) for one in named) else []


def data_names(variables: Variables) -> list[str]:
    """Name the data of a model."""
    return [entry.name for entry in variables.entries.values() if isinstance(entry.node, Data)]
