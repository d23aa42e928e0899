"""`m.with_data`: the same model on other values, other lengths and other labels."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.labels import Labels, order_of
from scistan.graph.node import Data, Node, is_applied
from scistan.graph.walk import topological
from scistan.messages import coding as coding_messages
from scistan.messages import data as messages
from scistan.messages import observations as model_messages
from scistan.model.axes import Key, dim_key, matching_order
from scistan.model.given_labels import read_labels
from scistan.model.numbers import check_arguments, check_indices, check_values
from scistan.model.relevel import NewLevels, check_factors, level_dims, recode_others, with_the_others
from scistan.model.tables import data_names
from scistan.model.times import check_all_times
from scistan.model.variables import Entry, Variables
from scistan.ops.coerce import Labelled, read_array
from scistan.ops.standard import Standard
from scistan.ops.turn import contradicts, turned
from scistan.shapes import Size, SizeTable, values_of
from scistan.targets.evaluate import Evaluator

__all__ = ["as_numbers", "bind", "check_swapped", "read_values", "relabel"]


@dataclass(frozen=True, slots=True)
class _Given:
    """New values for named data, and the labels that came with them."""

    name: str
    leaf: Data
    labels: tuple[Labels | None, ...]


def bind(
    variables: Variables, data: Mapping[str, object], coords: Mapping[str, Sequence[object]],
    forgotten: Collection[Data] = (), new_levels: str = "anew",
) -> dict[str, Sequence[object]]:
    """Enter other values for named data; labels are matched with the model's, or replace them on everything.

    `forgotten` data need not be given: in prediction those are what was observed. `new_levels` tells what labels are
    that a factor did not have before: "anew", "refuse" or "extend". Gives the coords that were asked for, by the user
    or by the levels of a factor.
    """
    for dim in coords:
        if dim not in variables.dims:
            raise messages.unknown_coords(dim, variables.dims)
    before, levels = level_dims(variables), NewLevels.of(variables, data, coords, new_levels)
    given = [read_values(variables, name, value, levels, new_levels) for name, value in data.items()]
    asked = {**coords, **{dim: list(labels) for dim, labels in levels.levels.items()}}
    swapped = {one.leaf for one in given}
    table = variables.graph().sizes()
    for root, size in _touched(variables, given, asked, table).items():
        axes = [(one, k) for one in given for k in range(len(one.labels))]
        along = [(one, k) for one, k in axes if _group(variables, one, k, table)[0] == root]
        _label(variables, root, size, along, asked, swapped | set(forgotten), table, levels)
    recode_others(variables, before, swapped, list(data))
    _check_lengths(variables, given, swapped | set(forgotten), table)
    check_factors(variables)
    return asked


def read_values(
    variables: Variables, name: str, value: object, levels: NewLevels | None = None, new_levels: str = "anew"
) -> _Given:
    """Enter other values for one name; what a number everywhere, or observed too early, has been stands no more."""
    entry = variables.entries.get(name)
    if entry is None or not isinstance(entry.node, Data):
        raise messages.unknown_data(name, data_names(variables), name in variables.dims)
    labelled = (levels.codes.get(name) if levels else None) or _numbers(entry.node, name, value)
    if not isinstance(entry.node.coding, Standard):  # whose columns were found before: turned, they are others
        labelled = turned(labelled, name, entry.dims)
    _check_axes(name, entry, labelled)
    if levels is not None and new_levels != "anew":
        labelled = with_the_others(variables, entry.node, labelled, {**level_dims(variables), **levels.levels})
    if labelled.values.dtype.kind == "b" and not entry.node.boolean and _is_position(variables, entry.node):
        raise messages.truth_for_positions(name)
    values = as_numbers(entry, labelled.values)
    variables.axes.values[entry.node] = values
    variables.axes.repeated.pop(entry.node, None)
    variables.acts = replace(variables.acts, outdated=variables.acts.outdated - {entry.node})
    return _Given(name, entry.node, labelled.labels or (None,) * values.ndim)


def as_numbers(entry: Entry, given: np.ndarray) -> np.ndarray:
    """Copy and freeze values; counts and positions are whole however they were written."""
    values = np.array(given, dtype=np.int64 if given.dtype.kind in "biu" else np.float64)
    counts = entry.node.integer or (entry.law is not None and entry.law.distribution.discrete)
    if counts and (values == np.floor(values)).all():
        values = values.astype(np.int64)
    values.setflags(write=False)
    return values


def _numbers(leaf: Data, name: str, value: object) -> Labelled:
    """Turn values into numbers as the first ones were."""
    return read_array(value, name) if leaf.coding is None else leaf.coding.read(value, name)


def _group(variables: Variables, one: _Given, axis: int, table: SizeTable) -> tuple[Key, Size]:
    """Give what an axis of new data is matched along: its axis in the model, else all that is as long as it must be."""
    keys = variables.facts.of(one.leaf).keys
    root, size = variables.axes.root(keys[axis]), table.reduce(one.leaf.shape[axis])
    named = variables.axes.dim_of(root) is not None or root in variables.axes.labels
    return (root if named else ("size", size)), size


def _touched(
    variables: Variables, given: list[_Given], coords: Mapping[str, Sequence[object]], table: SizeTable
) -> dict[Key, Size]:
    """List the axes that new data or coords run along."""
    found = {variables.axes.root(dim_key(dim)): table.reduce(variables.dims[dim]) for dim in coords}
    for one in given:
        found.update(_group(variables, one, axis, table) for axis in range(len(one.labels)))
    return found


def _label(
    variables: Variables, root: Key, size: Size, along: list[tuple[_Given, int]],
    coords: Mapping[str, Sequence[object]], given: set[Data], table: SizeTable, levels: NewLevels,
) -> None:
    """Put new data along one axis into one order: the model's, or that of the labels that replace its own."""
    axes = variables.axes
    dim, known = axes.dim_of(root), axes.labels.get(root)
    declared = dim in axes.declared
    own = [(one.name, one.labels[axis]) for one, axis in along]
    asked = Labels(read_labels(dim, coords[dim])) if dim is not None and dim in coords else None
    wanted = asked or _wanted(known, [labels for _, labels in own if labels is not None], declared)
    if wanted is None:
        return
    factor = [dim] if dim is not None and dim in levels.levels else []
    speaker = next((name for name in factor), next((name for name, labels in own if labels is not None), ""))
    for one, axis in along:
        labels = one.labels[axis]
        if labels is None and dim is not None and levels.grown.get(dim) and levels.extended:
            raise coding_messages.level_not_labelled(one.name, dim, levels.grown[dim])
        if labels is None or len(labels) != len(wanted) == len(known or ()):
            continue  # without labels of its own it stands in the model's order; other lengths are told as such
        order = matching_order(one.name, dim, "" if wanted is known else speaker, wanted, labels, declared)
        if order is not None:
            _permute(variables, one.leaf, axis, order)
    if known is not None and known != wanted:
        _move_others(variables, root, known, wanted, factor + [name for name, _ in own], given)
    for key in [root] if not _is_size(root) else _unnamed_axes(variables, size, table):
        axes.set_labels(key, wanted)


def _is_size(root: Key) -> bool:
    return isinstance(root, tuple) and root[0] == "size"


def _unnamed_axes(variables: Variables, size: Size, table: SizeTable) -> list[Key]:
    """List the axes of this length that had neither labels nor a name."""
    keys = [
        key
        for entry in variables.entries.values()
        for key, own in zip(entry.keys, entry.node.shape, strict=True)
        if table.reduce(own) == size
    ]
    return [key for key in keys if variables.axes.labels_of(key) is None and variables.axes.dim_of(key) is None]


def _wanted(known: Labels | None, own: list[Labels], declared: bool) -> Labels | None:
    """Choose the labels that an axis has from now on; None where they stay as they are."""
    if not own:
        return None
    first = next((labels for labels in own if not labels.implied), own[0])
    if known is None or (known.implied and first.implied):
        return first
    same_rows = first.implied and declared and len(first) == len(known)
    return known if same_rows or known.same_set(first) else first


def _permute(variables: Variables, leaf: Data, axis: int, order: np.ndarray) -> None:
    now = variables.axes.numbers(leaf)
    if now is not None:
        moved = np.take(now, order, axis=axis)
        moved.setflags(write=False)
        variables.axes.values[leaf] = moved


def _move_others(
    variables: Variables, root: Key, known: Labels, wanted: Labels, names: list[str], given: set[Data]
) -> None:
    """Bring data that stay along an axis into its new order; those that belong to other labels must be given too."""
    axes = variables.axes
    others = [at for at in axes.leaves.get(root, ()) if at[0] not in given and axes.numbers(at[0]) is not None]
    if not others:
        return
    if not known.same_set(wanted):
        if known.implied and wanted.implied:
            return  # other lengths, told as such
        if not names:  # coords alone are new names for what has none of its own
            others = [(leaf, axis) for leaf, axis in others if _has_labels(leaf, axis)]
        if not others:
            return
        unknown = [label for label in wanted if label not in list(known)]
        absent = [leaf.called for leaf, _ in others]
        raise messages.not_given(axes.dim_of(root), names, absent, unknown)
    order = order_of(wanted, known)
    for leaf, axis in others if order is not None else ():
        _permute(variables, leaf, axis, order)  # type: ignore[arg-type]


def _has_labels(leaf: Data, axis: int) -> bool:
    labels = leaf.labels[axis]
    return labels is not None and not labels.implied


def _check_lengths(variables: Variables, given: list[_Given], swapped: set[Data], table: SizeTable) -> None:
    """Name the data that were not given and still have the old length of an axis that has a new one."""
    lengths = {
        table.reduce(size): (one.name, length)
        for one in given
        for size, length in zip(one.leaf.shape, _shape(variables, one.leaf), strict=True)
    }
    for leaf, name in variables.graph().data_names.items():
        if leaf in swapped:
            continue
        for size, length in zip(leaf.shape, _shape(variables, leaf), strict=True):
            speaker, wanted = lengths.get(table.reduce(size), ("", length))
            if length != wanted:
                raise messages.length_not_given(speaker, wanted, name, length)


def _shape(variables: Variables, leaf: Data) -> tuple[int, ...]:
    numbers = variables.axes.numbers(leaf)
    return values_of(leaf.shape) if numbers is None else numbers.shape


def _check_axes(name: str, entry: Entry, labelled: Labelled) -> None:
    shape, given = entry.node.shape, labelled.values.shape
    if len(given) != len(shape):
        raise messages.data_rank(name, values_of(shape), given)
    for size, length in zip(shape, given, strict=True):
        if not size.terms and length != size.constant:
            raise model_messages.data_shape(name, values_of(shape), given)
    if contradicts(labelled.dims or (), entry.dims):
        raise messages.dims_differ(name, entry.dims, labelled.dims or ())


def _is_position(variables: Variables, leaf: Data) -> bool:
    """Tell whether data are an index, or an index is computed from them."""
    indices = [node for node in variables.graph().nodes if is_applied(node, "index")]
    return leaf in topological([position for node in indices for position in node.args[1:]])


def relabel(
    variables: Variables, instance: Instance, asked: Mapping[str, Sequence[object]], data: Mapping[str, object]
) -> None:
    """Give every dim labels of its new length; labels that were given must fit."""
    for dim, size in variables.dims.items():
        length = instance.length(size)
        if dim not in variables.coords or len(variables.coords[dim]) == length:
            continue
        if dim in asked:
            raise messages.dim_length(_user_of(variables, dim, data), dim, len(variables.coords[dim]), length, True)
        variables.axes.set_labels(dim_key(dim), Labels(range(length), implied=True))
        variables.coords[dim] = list(range(length))


def _user_of(variables: Variables, dim: str, data: Mapping[str, object]) -> str:
    users = [name for name, e in variables.entries.items() if dim in e.dims]
    return next((name for name in users if name in data), users[0] if users else dim)


def check_swapped(variables: Variables, instance: Instance) -> None:
    """Check the new numbers as the old ones were checked when the model was written."""
    from scistan.targets.scipy.evaluate import NUMPY

    evaluator = Evaluator(instance, NUMPY)

    def is_fixed(node: Node) -> bool:
        return variables.facts.of(node).fixed

    def numbers(node: Node) -> np.ndarray | None:
        with np.errstate(all="ignore"):
            try:
                return np.asarray(evaluator[node].array)
            except KeyError:  # a promise that is still open
                return None

    check_indices(instance.graph, instance, numbers)
    check_all_times(instance.graph, numbers)
    for entry in variables.entries.values():
        if entry.law is None:
            continue
        check_arguments(entry.name, entry.law, map(is_fixed, entry.law.args), numbers, None)
        if isinstance(entry.node, Data) and entry.node in instance.values:
            check_values(entry.name, entry.law, instance.values[entry.node], is_fixed, numbers, None)
