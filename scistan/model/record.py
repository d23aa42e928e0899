"""Write a model down: the graph's exact text, the data, and what its book knows beside them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.errors import Place
from scistan.graph.labels import Labels
from scistan.graph.node import Data, Node
from scistan.graph.places import places_of
from scistan.graph.text import ExactText, exact_text
from scistan.inference.record import Record
from scistan.model.acts import Acts
from scistan.model.axes import Axes, Key
from scistan.model.plain import label_to_plain, labels_to_plain

if TYPE_CHECKING:
    from scistan.model.model import Model
    from scistan.model.variables import Entry, Variables

__all__ = ["FORMAT", "record_of"]

FORMAT = 1


def record_of(model: Model) -> Record:
    """Give all that a model is, as text and arrays; `model/restore.py` builds it again."""
    return _Writer(model._variables).write(model._lengths)


class _Writer:
    def __init__(self, variables: Variables) -> None:
        self.variables = variables
        self.graph = variables.graph()
        self.exact: ExactText = exact_text(self.graph, variables.dims.values())
        self.arrays: dict[str, list[np.ndarray]] = {}
        self.filled: dict[str, int] = {}
        self.labels: list[Labels] = []
        self.files: dict[str, int] = {}

    def write(self, lengths: dict[str, int]) -> Record:
        variables = self.variables
        plain = {
            "format": FORMAT,
            "name": variables.owner,
            "graph": self.exact.text,
            "entries": [self._entry(entry) for entry in variables.entries.values()],
            "data": {self._number(leaf): self._data(leaf) for leaf in self.graph.data},
            "dims": {dim: self.exact.size(size) for dim, size in variables.dims.items()},
            "lengths": lengths,
            "axes": self._axes(variables.axes),
            "coords": {dim: [label_to_plain(one) for one in labels] for dim, labels in variables.axes.coords.items()},
            "declared": sorted(variables.axes.declared),
            "acts": self._acts(variables.acts),
            "moved": [self._key(at) for at in self._sorted(variables.axes.moved)],
            "places": {n[1:]: self._places(node) for node, n in self.exact.numbers.items() if n[0] == "%"},
        }
        plain |= {"labels": [labels_to_plain(labels) for labels in self.labels], "files": list(self.files)}
        return Record(json.dumps(plain), {kind: np.concatenate(parts) for kind, parts in self.arrays.items()})

    def _number(self, node: Node) -> int:
        return int(self.exact.numbers[node][1:])

    def _entry(self, entry: Entry) -> dict[str, Any]:
        return {
            "name": entry.name,
            "role": entry.role,
            "node": self._number(entry.node) if isinstance(entry.node, Data) else None,
            "dims": entry.dims,
            "keys": [self._entry_key(entry, axis) for axis in range(len(entry.keys))],
            "place": self._place(entry.place),
            "equalities": len(entry.equalities),
        }

    def _entry_key(self, entry: Entry, axis: int) -> list[object]:
        key = entry.keys[axis]
        known = [k for k in (key, self.variables.axes.root(key)) if self._is_written(k)]
        return self._key(known[0] if known else (entry.node, axis))

    # -- data -----------------------------------------------------------------------------------
    def _data(self, leaf: Data) -> dict[str, Any]:
        """Write one leaf: as it was written, and as it stands now where that is something else.

        All that a leaf is stands here: a further slot of `Data` is a further row, and one of `data` in `restore.py`.
        """
        plain: dict[str, Any] = {
            "called": leaf.called,
            "boolean": leaf.boolean,
            "dims": leaf.dims,
            "labels": [None if own is None else self._labels(own) for own in leaf.labels],
            "written": self._array(leaf.default),
            "coding": None if leaf.coding is None else leaf.coding.to_plain(),
        }
        if leaf in self.variables.axes.repeated:
            plain["repeated"] = self._array(self.variables.axes.repeated[leaf])
        if leaf in self.variables.axes.values:
            plain["now"] = self._array(self.variables.axes.values[leaf])
        return plain

    def _array(self, array: np.ndarray | None) -> dict[str, Any] | None:
        """Put an array behind those of its kind: a model written in a loop has thousands, and a file few variables."""
        if array is None:
            return None
        kind = array.dtype.name
        start = self.filled.get(kind, 0)
        self.filled[kind] = start + array.size
        if array.size:
            self.arrays.setdefault(kind, []).append(array.ravel())
        return {"kind": kind, "start": start, "shape": array.shape}

    def _labels(self, labels: Labels) -> int:
        """Give the number of labels in the list of all: rows are labelled once, however many columns they have."""
        for number, known in enumerate(self.labels):
            if known is labels or (known.implied == labels.implied and known == labels):
                return number
        self.labels.append(labels)
        return len(self.labels) - 1

    def _acts(self, acts: Acts) -> dict[str, Any]:
        """Write what `do` and `given` made of the model."""
        known = [leaf for leaf in self.graph.data if leaf in self.exact.numbers]
        return {
            "done": acts.done,
            "outdated": [self._number(leaf) for leaf in known if leaf in acts.outdated],
            "given": [self._number(leaf) for leaf in known if leaf in acts.given],
            "idle": sorted(acts.idle),
        }

    # -- axes -----------------------------------------------------------------------------------
    def _axes(self, axes: Axes) -> list[dict[str, Any]]:
        """Write which axes are one; those of what the model no longer holds are left out."""
        members: dict[Key, list[Key]] = {}
        for key in (*axes.labels, *axes.leaves, *self._sorted(axes.ordered), *axes.parents):
            members.setdefault(axes.root(key), []).append(key)
        return [
            {
                "keys": [self._key(key) for key in keys],
                "labels": None if root not in axes.labels else self._labels(axes.labels[root]),
                "leaves": [self._key(at) for at in axes.leaves.get(root, ()) if self._is_written(at)],
                "ordered": root in axes.ordered,
            }
            for root, own in members.items()
            if (keys := [key for key in dict.fromkeys((root, *own)) if self._is_written(key)])
        ]

    def _is_written(self, key: Any) -> bool:
        return bool(key[0] == "dim") or self.exact.numbers.get(key[0], "").startswith("%")

    def _key(self, key: Any) -> list[object]:
        return ["dim", key[1]] if key[0] == "dim" else [self._number(key[0]), key[1]]

    def _sorted(self, keys: frozenset[Any]) -> list[Key]:
        """Put axes of nodes in the text's order."""
        written = [key for key in keys if self._is_written(key)]
        return sorted(written, key=lambda key: (self._number(key[0]), key[1]))

    # -- places ---------------------------------------------------------------------------------
    def _place(self, place: Place | None) -> list[int] | None:
        return None if place is None else [self.files.setdefault(place.file, len(self.files)), place.line]

    def _places(self, node: Node) -> list[list[int] | None]:
        return [self._place(place) for place in places_of(node)]
