"""Factors in a model: the dim of their levels, and what they may index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.constrained import ORDERED
from scistan.distributions.declaration import Distribution
from scistan.distributions.unnamed import Unnamed
from scistan.domains import BINARY
from scistan.errors import Place
from scistan.graph.graph import Law
from scistan.graph.labels import Labels
from scistan.graph.node import Apply, Data, Node
from scistan.graph.places import first_place, warn_at_users_line
from scistan.messages import coding as messages
from scistan.messages import data as data_messages
from scistan.messages import model as model_messages
from scistan.model.axes import Axes, dim_key
from scistan.ops.days import Dates
from scistan.ops.expression import Expression
from scistan.ops.levels import Levels, is_factor, level_name
from scistan.shapes import Size

if TYPE_CHECKING:
    from scistan.model.entry import Entry

__all__ = [
    "check_factor_index",
    "check_factor_use",
    "check_levels_free",
    "check_outcome",
    "enter_levels",
    "factor_positions",
    "level_dim",
    "recoded",
    "unknown_levels",
]


_MOVING = frozenset(
    {"index", "pick", "transpose", "reshape", "stack", "concatenate", "broadcast_to", "positions", "scan", "ode"}
)


def level_dim(entries: Mapping[str, Entry], named: Mapping[Node, str], leaf: Node) -> str | None:
    """Name the dim of a factor's levels: the factor's own name; outcomes have none."""
    name = named.get(leaf)
    return name if name is not None and is_factor(leaf) and entries[name].role == "data" else None


def enter_levels(
    name: str, leaf: Data, dims: Sequence[str | None], sizes: dict[str, Size], axes: Axes
) -> None:
    """Make the dim of a factor's levels; where the model has that dim, its labels are the levels."""
    coding = leaf.coding
    if not isinstance(coding, Levels):
        return
    known = axes.labels_of(dim_key(name))
    if name in dims or (known is not None and known.repeated):
        raise messages.rows_called_as_levels(name)
    if known is None:
        length = sizes.setdefault(name, Size.of_dim(name, len(coding.levels)))
        if length.today != len(coding.levels):
            raise data_messages.dim_length(name, name, length.today, len(coding.levels), False)
        known = Labels(coding.levels)
    codes = axes.numbers(leaf)
    names = [level_name(label) for label in known]
    if codes is not None and names != list(coding.levels):
        unknown = unknown_levels(codes, coding.levels, names)
        if unknown:
            raise messages.not_declared(name, unknown, names)
        axes.values[leaf] = recoded(codes, coding.levels, names)
    axes.set_labels(dim_key(name), Labels(list(known)))


def check_levels_free(old: Entry, value: Expression, entries: Mapping[str, Entry], axes: Axes) -> None:
    """Refuse another factor under a name whose levels others run along; declared levels stay what they are."""
    was, new = getattr(old.node, "coding", None), None if isinstance(value, Unnamed) else value._scistan_node_
    if not isinstance(was, Levels) or not isinstance(new, Data) or new.coding == was or old.name in axes.declared:
        return
    users = [entry.name for entry in entries.values() if old.name in entry.dims]
    if users:
        raise model_messages.name_in_use(old.name, users, old.role)


def unknown_levels(codes: np.ndarray, old: Sequence[object], new: Sequence[object]) -> list[object]:
    """List the levels in use that are not among the new ones."""
    return [old[k] for k in np.unique(codes) if old[k] not in new]


def recoded(codes: np.ndarray, old: Sequence[object], new: Sequence[object]) -> np.ndarray:
    """Give the positions, among the new levels, of labels whose positions among the old ones are known."""
    places = {level: k for k, level in enumerate(new)}
    table = np.array([places.get(level, -1) for level in old], dtype=np.int64)
    moved = np.take(table, codes)
    moved.setflags(write=False)
    return moved


def check_outcome(name: str, law: Law, leaf: Data) -> None:
    """Refuse labels as observed values of a distribution whose values are no categories; say what dates become."""
    d: Distribution = law.distribution
    if isinstance(leaf.coding, Dates):
        warn_at_users_line(messages.observed_dates(name, d.title, leaf.coding.origin), model_messages.ModelWarning)
    if isinstance(leaf.coding, Levels) and d.support is not BINARY and not d.stan.one_based:
        raise messages.labels_for_numbers(name, d.title, leaf.coding.levels)
    if isinstance(leaf.coding, Levels) and leaf.coding.by_alphabet and any(p.domain == ORDERED for p in d.parameters):
        raise messages.labels_without_order(name, d.title, leaf.coding.levels)


def check_factor_index(
    node: Apply, args: Sequence[Node], dims: Sequence[str | None], levels_of: Callable[[Node], str | None],
    coords: Mapping[str, list[object]], place: Place | None,
) -> None:
    """Refuse a factor as an index along another dim, whose labels are not its levels: codes would mean others."""
    for axis, position in factor_positions(node, args):
        own, dim = levels_of(position), dims[axis]
        levels, labels = coords.get(own or "", []), coords.get(dim or "", [])
        if own is not None and own == dim:
            continue
        if own is not None and dim is not None and labels:
            if list(map(level_name, labels)) != list(map(level_name, levels)):
                raise messages.factor_of_another_dim(own, dim, levels, labels, place)
            continue
        length, written = node.args[0].shape[axis].today, position.default
        if written is not None and written.size and written.max() >= length:
            raise messages.more_levels(position.called, length, place)


def check_factor_use(node: Apply, args: Sequence[Node]) -> None:
    """Refuse to compute with the codes of a factor: they are positions of its levels, and change with these.

    Truth values are the numbers 0 and 1 as well; what only moves elements computes nothing.
    """
    for arg in () if node.op.name in _MOVING else args:
        coding = arg.coding if isinstance(arg, Data) else None
        if isinstance(arg, Data) and isinstance(coding, Levels) and coding.levels != (False, True):
            raise messages.codes_in_arithmetic(arg.called, coding.levels, first_place(node))


def factor_positions(node: Apply, args: Sequence[Node]) -> Iterator[tuple[int, Data]]:
    """Give each factor among the positions of an index, with the axis that it picks along.

    `args` are the node's own, or what they stand for inside a recurrence.
    """
    positions = iter(args[1:])
    items: Any = dict(node.attributes)["items"]
    for axis, item in enumerate(item for item in items if item[0] != "new"):
        position = next(positions) if item[0] == "array" else None
        if isinstance(position, Data) and is_factor(position):
            yield axis, position
