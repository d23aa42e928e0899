"""Build a model from its record: nothing in a record is run, and what does not fit together is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from scistan.distributions.potential import laws
from scistan.distributions.resolve import value_domain
from scistan.errors import Place
from scistan.graph.graph import Graph
from scistan.graph.node import Apply, Data, Node, Variable
from scistan.graph.parse import Reading, UndeclaredError, parse_exact
from scistan.graph.places import remember
from scistan.graph.verify import check
from scistan.inference.record import DamagedRecordError, Record
from scistan.model.acts import Acts
from scistan.model.axes import Axes, Key, dim_key
from scistan.model.model import Model
from scistan.model.plain import label_from_plain, labels_from_plain
from scistan.model.record import FORMAT
from scistan.model.variables import Entry, Identity, Variables
from scistan.ops.coding import coding_from_plain
from scistan.ops.declaration import REGISTRY as OPS
from scistan.shapes import Shape

__all__ = ["model_of"]

_KINDS = ("int64", "float64")


def model_of(record: Record) -> Model:
    """Give the model that a record was made of, on the data it had.

    Raises `UndeclaredError` where the model uses an op or a distribution of the user's that is not declared here, and
    `DamagedRecordError` where the record is none.
    """
    try:
        plain = json.loads(record.text)
        if plain["format"] != FORMAT:
            raise DamagedRecordError(f"it has the format {plain['format']!r}, and this SciStan reads {FORMAT}")
        model = _Reader(plain, record.arrays).read()
        check(model.to_graph())
        model.instance()
    except (UndeclaredError, DamagedRecordError):
        raise
    except Exception as error:  # whatever a damaged text leads to: its user must not meet it
        raise DamagedRecordError(f"it does not fit together ({type(error).__name__}: {error})") from error
    return model


class _Reader:
    def __init__(self, plain: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        self.plain, self.arrays = plain, arrays
        self.identity = Identity(_text(plain["name"]))
        self.labels = [labels_from_plain(labels) for labels in plain["labels"]]
        self.dims = {entry["name"]: _dims(entry["dims"]) for entry in plain["entries"]}
        self.now: dict[Data, np.ndarray | None] = {}
        self.repeated: dict[Data, np.ndarray] = {}
        self.reading: Reading = parse_exact(_text(plain["graph"]), OPS, laws(), self)
        _check_arguments(self.reading.graph)
        self._check_complete()

    def read(self) -> Model:
        plain = self.plain
        entries = self._entries()
        named: dict[Node, str] = {}
        for entry in entries.values():
            named.setdefault(entry.node, entry.name)
        dims = {dim: self.reading.size(size) for dim, size in plain["dims"].items()}
        self._remember_places()
        for term in self.reading.graph.latents:
            if isinstance(term.value, Variable):
                term.value.domain = value_domain(term.law)
        model = Model()
        acts = self._acts(plain["acts"])
        variables = Variables(self.identity.name, self.identity, entries, dims, self._axes(), named, acts)
        object.__setattr__(model, "_variables", variables)
        object.__setattr__(model, "_lengths", {dim: int(length) for dim, length in plain["lengths"].items()})
        return model

    # -- leaves -----------------------------------------------------------------------------------
    def variable(self, name: str, shape: Shape, integer: bool) -> Variable:
        """Make a latent of this model."""
        return Variable(name, shape, self.identity, self.dims[name], integer=integer)

    def data(self, number: int, shape: Shape, integer: bool) -> Data:
        """Make the data of this number with the values that they were written with."""
        plain = self.plain["data"][str(number)]
        labels = tuple(None if own is None else self.labels[own] for own in plain["labels"])
        dims = None if plain["dims"] is None else _dims(plain["dims"])
        written = self._array(plain["written"])
        leaf = Data(written, shape, integer=integer, dims=dims, labels=labels, boolean=bool(plain["boolean"]))
        leaf.called = _text(plain["called"])
        leaf.coding = None if plain["coding"] is None else coding_from_plain(plain["coding"])
        repeated = self._array(plain.get("repeated"))
        if repeated is not None:
            self.repeated[leaf] = repeated
        if "now" in plain:
            self.now[leaf] = self._array(plain["now"])
        if any(array is not None and array.ndim != len(shape) for array in (written, self.now.get(leaf))):
            raise DamagedRecordError(f"the data `{leaf.called}` have other axes than they should")
        return leaf

    def _array(self, plain: Mapping[str, Any] | None) -> np.ndarray | None:
        if plain is None:
            return None
        kind, start, shape = plain["kind"], int(plain["start"]), tuple(int(length) for length in plain["shape"])
        if kind not in _KINDS:
            raise DamagedRecordError(f"{kind!r} is no kind of numbers")
        kept = self.arrays.get(kind, np.empty(0, kind))
        found = kept[start : start + math.prod(shape)]
        if start < 0 or kept.ndim != 1 or kept.dtype.name != kind or found.size != math.prod(shape):
            raise DamagedRecordError("its numbers are not those that were written")
        array = np.array(found.reshape(shape))
        array.setflags(write=False)
        return array

    def _check_complete(self) -> None:
        """Refuse data without values; only observations may be promised."""
        graph = self.reading.graph
        promised = {term.value for term in graph.observed}
        for leaf in graph.data:
            if leaf not in promised and self.now.get(leaf, leaf.default) is None:
                raise DamagedRecordError(f"the data `{leaf.called}` have no values")

    # -- entries ----------------------------------------------------------------------------------
    def _entries(self) -> dict[str, Entry]:
        graph = self.reading.graph
        terms = {term.name: term for term in graph.terms}
        equalities = iter(graph.equalities)
        found: dict[str, Entry] = {}
        for plain in self.plain["entries"]:
            name, role = _text(plain["name"]), plain["role"]
            term = terms[name] if role in ("latent", "observed") else None
            node = term.value if term else graph.derived[name] if role == "derived" else self._leaf(plain["node"])
            keys = tuple(self._key(key) for key in plain["keys"])
            if not len(node.shape) == len(keys) == len(self.dims[name]):
                raise DamagedRecordError(f"`{name}` has other axes than it should")
            equal = tuple(next(equalities) for _ in range(plain["equalities"]))
            found[name] = Entry(
                name, node, term.law if term else None, self.dims[name], self._place(plain["place"]), keys, equal
            )
        if len(found) != len(self.plain["entries"]) or not {*terms, *graph.derived} <= found.keys():
            raise DamagedRecordError("its names are not those of its graph")
        return found

    def _leaf(self, number: int) -> Data:
        node = self.reading.nodes[number]
        if not isinstance(node, Data):
            raise DamagedRecordError(f"the node {number} is no data")
        return node

    def _acts(self, plain: Mapping[str, Any]) -> Acts:
        outdated, given = (frozenset(self._leaf(number) for number in plain[kind]) for kind in ("outdated", "given"))
        return Acts(tuple(map(_text, plain["done"])), outdated, given, frozenset(map(_text, plain["idle"])))

    # -- axes -------------------------------------------------------------------------------------
    def _axes(self) -> Axes:
        plain = self.plain
        axes = Axes(
            coords={dim: [label_from_plain(one) for one in labels] for dim, labels in plain["coords"].items()},
            values=self.now,
            repeated=self.repeated,
            declared={_text(dim) for dim in plain["declared"]},
            moved=frozenset(self._place_of_data(at) for at in plain["moved"]),
        )
        for one in plain["axes"]:
            root, *others = (self._key(key) for key in one["keys"])
            axes.parents.update((key, root) for key in others)
            if one["labels"] is not None:
                axes.labels[root] = self.labels[one["labels"]]
            leaves = tuple(self._place_of_data(at) for at in one["leaves"])
            if leaves:
                axes.leaves[root] = leaves
            if one["ordered"]:
                axes.ordered |= {root}
        if not axes.parents.keys().isdisjoint(axes.parents.values()):
            raise DamagedRecordError("its axes are one with each other in a circle")
        return axes

    def _key(self, plain: Any) -> Key:
        first, second = plain
        return dim_key(_text(second)) if first == "dim" else self._axis(self.reading.nodes[first], second)

    def _place_of_data(self, plain: Any) -> tuple[Data, int]:
        leaf = self._leaf(plain[0])
        return leaf, self._axis(leaf, plain[1])[1]

    def _axis(self, node: Node, axis: int) -> tuple[Node, int]:
        if axis not in range(len(node.shape)):
            raise DamagedRecordError(f"a node of {len(node.shape)} axes has no axis {axis!r}")
        return node, axis

    # -- places -----------------------------------------------------------------------------------
    def _place(self, plain: Any) -> Place | None:
        return None if plain is None else Place(_text(self.plain["files"][plain[0]]), int(plain[1]))

    def _remember_places(self) -> None:
        for number, places in self.plain["places"].items():
            for place in places:
                remember(self.reading.nodes[int(number)], self._place(place))


def _check_arguments(graph: Graph) -> None:
    """Refuse ops and distributions that take other arguments than when the model was written."""
    for node in graph.nodes:
        arity = getattr(node.op, "arity", None) if isinstance(node, Apply) else None
        if isinstance(node, Apply) and arity not in (None, len(node.args)):
            raise DamagedRecordError(f"`{node.op.name}` takes {arity} argument(s), and has {len(node.args)}")
    for term in graph.terms:
        wanted, given = len(term.law.distribution.parameters), len(term.law.args)
        if wanted != given:
            name = term.law.distribution.name
            raise DamagedRecordError(f"`{name}` takes {wanted} argument(s), and has {given} in `{term.name}`")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise DamagedRecordError(f"{value!r} stands where a text should")
    return value


def _dims(plain: Any) -> tuple[str | None, ...]:
    return tuple(None if dim is None else _text(dim) for dim in plain)
