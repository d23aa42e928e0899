"""`m.do` and `m.given`: the same model with some of its variables set to values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from scistan.graph.beside import labels_beside, order_beside
from scistan.graph.graph import Law
from scistan.graph.instance import Instance
from scistan.graph.labels import Labels, LabelsDiffer
from scistan.graph.node import Apply, Data, Node, apply
from scistan.graph.places import copy_places, warn_at_users_line
from scistan.graph.walk import rebuild, topological
from scistan.inference.density import idle_latents
from scistan.messages import data as data_messages
from scistan.messages import model as messages
from scistan.messages import observations as observations_messages
from scistan.model.acts import Acts
from scistan.model.numbers import check_values
from scistan.model.relevel import NewLevels
from scistan.model.repeated import followed_shape, repeat
from scistan.model.swap import as_numbers, check_swapped, read_values
from scistan.model.tables import read_table
from scistan.model.variables import Entry, Variables
from scistan.ops.coerce import read_array
from scistan.ops.turn import turned
from scistan.shapes import Size

if TYPE_CHECKING:
    from scistan.model.model import Model

__all__ = ["as_drawn", "condition", "intervene", "warn_of_outdated"]

AnyModel = TypeVar("AnyModel", bound="Model")


def intervene(
    model: AnyModel, values: Mapping[str, object], data: object = None,
    coords: Mapping[str, Sequence[object]] | None = None, *, predicting: bool = False, new_levels: str = "anew",
) -> AnyModel:
    """Give the model in which variables are these values, whatever they depended on, at other data if those are given.

    For prediction, what was observed is forgotten unless it is given anew.
    """
    variables, before = model._variables, model.instance()
    entries = {name: _known(variables, name) for name in values}
    arrays = {name: _numbers(variables, entry, values[name]) for name, entry in entries.items()}
    everywhere = [name for name, entry in entries.items() if entry.node.shape and not arrays[name].ndim]
    for name, entry in entries.items():
        shape = before.shape(entry.node.shape)
        array = np.broadcast_to(arrays[name], shape) if name in everywhere else arrays[name]
        _check_domain(variables, entry, array, shape)
    other, cut = copy(model), _without_arrows(variables, list(values))
    object.__setattr__(other, "_variables", cut)
    for name in everywhere:
        repeat(cut, _leaf(cut, name), arrays[name], before.shape(entries[name].node.shape))
    rest = [name for name in values if name not in everywhere]
    swapped = {name: values[name] for name in rest if isinstance(entries[name].node, Data)}
    entered = {name: values[name] for name in rest if name not in swapped}
    table = {name: column for name, column in read_table(cut, data).items() if name not in values}
    forgotten = [*(_seen(cut) if predicting else ()), *(_leaf(cut, name) for name in entered)]
    result = other._swapped(table, swapped, coords, forgotten=forgotten, new_levels=new_levels)
    _enter(result, entered, before)
    for name, entry in entries.items():
        law = _draw_of(variables, entry.node)
        if law is not None:
            _check_support(result._variables, name, law)
    return result


def condition(model: AnyModel, values: Mapping[str, object]) -> AnyModel:
    """Give the model in which latents are observed to be these values."""
    for name in values:
        entry = _known(model._variables, name)
        if entry.role != "latent":
            raise messages.not_latent(name, entry.role)
    other = copy(model)
    object.__setattr__(other, "_variables", _observing(model._variables, list(values)))
    _enter(other, values, model.instance())
    return other


def _known(variables: Variables, name: str) -> Entry:
    if name not in variables.entries:
        raise messages.unknown_variable(name, variables.entries)
    return variables.entries[name]


def _draw_of(variables: Variables, node: Node) -> Law | None:
    """Give what a value is distributed as, under whatever name."""
    return next((e.law for e in variables.entries.values() if e.node is node and e.law is not None), None)


def _leaf(variables: Variables, name: str) -> Data:
    node = variables.entries[name].node
    if not isinstance(node, Data):
        raise TypeError(f"`{name}` is no data")
    return node


# -- values come in ---------------------------------------------------------------------------------
def _numbers(variables: Variables, entry: Entry, value: object) -> np.ndarray:
    """Turn a value into numbers; data that remember their coding take labels and units as the first ones were."""
    coding = entry.node.coding if isinstance(entry.node, Data) else None
    if coding is None:
        return as_numbers(entry, read_array(value, entry.name).values)
    single = np.ndim(value) == 0  # type: ignore[arg-type]
    given = [value] if single else value
    codes = NewLevels.of(variables, {entry.name: given}, {}, "refuse").codes.get(entry.name)
    array = as_numbers(entry, (codes or coding.read(given, entry.name)).values)
    return array[0] if single else array


def _enter(model: Model, values: Mapping[str, object], before: Instance) -> None:
    """Enter values of what was no data: their lengths and labels are those that the model has."""
    variables, instance = model._variables, model.instance()
    for name, value in values.items():
        entry, leaf = variables.entries[name], _leaf(variables, name)
        given = turned(read_array(value, name), name, entry.dims)
        shape = followed_shape(leaf.shape, before.shape(leaf.shape), instance)
        if given.values.shape != shape:
            raise observations_messages.data_shape(name, shape, given.values.shape)
        labels = read_values(variables, name, value).labels
        beside = labels_beside(instance) if any(own is not None for own in labels) else {}
        for axis, (key, own) in enumerate(zip(entry.keys, labels, strict=True)):
            at = beside.get(instance.table.reduce(leaf.shape[axis])) if variables.axes.labels_of(key) is None else None
            if own is not None and at is None:
                variables.axes.take_labels(name, key, own, leaf, axis)
            elif own is not None and at is not None:
                _match_beside(variables, leaf, axis, own, at)
    if values:
        check_swapped(variables, model.instance())


def _match_beside(variables: Variables, leaf: Data, axis: int, own: Labels, beside: tuple[str, Labels]) -> None:
    """Put labelled values into the order of the data that they stand beside."""
    dim, known = beside
    try:
        order = order_beside(known, own)
    except LabelsDiffer as differ:
        raise data_messages.labels_differ(leaf.called, dim, "", differ, False, None) from None
    now = variables.axes.numbers(leaf)
    if order is not None and now is not None:
        variables.axes.values[leaf] = np.take(now, order, axis=axis)


def _check_domain(variables: Variables, entry: Entry, values: np.ndarray, shape: tuple[int, ...]) -> None:
    """Refuse values that a variable never has; bounds that are data count once these have labels and lengths."""
    if values.ndim != len(shape):
        raise observations_messages.data_shape(entry.name, shape, values.shape)
    law = _draw_of(variables, entry.node)
    if law is not None:
        check_values(entry.name, law, values, lambda _: False, variables.numbers, None)


def _check_support(variables: Variables, name: str, law: Law) -> None:
    """Refuse values beyond the bounds that a variable had; those that are data count, latent ones cannot."""
    values = variables.axes.numbers(_leaf(variables, name))
    if values is not None:
        check_values(name, law, values, lambda node: variables.facts.of(node).fixed, variables.numbers, None)


# -- the graph --------------------------------------------------------------------------------------
def _without_arrows(variables: Variables, names: list[str]) -> Variables:
    """Make variables data: what they were distributed as, or computed from, counts no more."""
    result = _substituted(variables, names)
    targets = {result.entries[name].node for name in names}
    for entry in result.entries.values():
        if entry.node in targets and entry.law is not None:
            equal = (*entry.equalities, *entry.law.equalities)
            result.entries[entry.name] = replace(entry, law=None, equalities=equal)
    graph = result.graph()
    idle = {t.name for t in idle_latents(graph)} - {t.name for t in idle_latents(variables.graph())}
    outdated = {leaf for leaf in _descendants(result, targets) if result.axes.numbers(leaf) is not None}
    result.acts = Acts(
        tuple(dict.fromkeys((*variables.acts.done, *names))),
        (variables.acts.outdated | outdated) - targets,
        variables.acts.given - targets,
        variables.acts.idle | idle,
    )
    return result


def _observing(variables: Variables, names: list[str]) -> Variables:
    """Make latents observed: what they are distributed as stays."""
    result = _substituted(variables, names)
    graph = variables.graph()
    # Without observations every latent is welcome: one that is given makes no mistake of the others.
    idle = () if graph.observed else (term.name for term in idle_latents(graph))
    given = variables.acts.given | {_leaf(result, name) for name in names}
    result.acts = replace(variables.acts, given=given, idle=variables.acts.idle.union(idle))
    return result


def _substituted(variables: Variables, names: Iterable[str]) -> Variables:
    """Put data in the place of variables, wherever these are used; data stay what they are."""
    axes = variables.axes.copy()
    memo: dict[Node, Node] = {}
    for name in names:
        entry = variables.entries[name]
        if isinstance(entry.node, Data):
            continue
        # The sizes are those of what it replaces, so that other data may still have other lengths.
        leaf = Data(None, entry.node.shape, integer=entry.node.integer, dims=entry.dims)
        leaf.called = name
        copy_places(entry.node, leaf)
        axes.enter(name, leaf, entry.dims, entry.keys)
        memo[entry.node] = leaf
    rebuild([root for entry in variables.entries.values() for root in entry.roots], _rebuilt, memo)
    entries = {
        name: replace(entry, node=memo[entry.node], law=entry.law and entry.law.mapped(memo.__getitem__))
        for name, entry in variables.entries.items()
    }
    named: dict[Node, str] = {}
    for entry in entries.values():
        named.setdefault(entry.node, entry.name)
    return Variables(variables.owner, variables.identity, entries, dict(variables.dims), axes, named, variables.acts)


def _rebuilt(node: Node, args: tuple[Node, ...]) -> Node:
    if args == node.args or not isinstance(node, Apply):
        return node
    # What is put in has the sizes of what it replaces, hence so has the result: lengths that are computed stay one.
    new = apply(node.op, args, node.attributes, node.shape, node.integer, node.equalities)
    copy_places(node, new)
    return new


def _descendants(variables: Variables, causes: Collection[Node]) -> list[Data]:
    """List what is observed and depends on `causes`, through latents and other observations too."""
    reached, found = set(causes), []
    for term in variables.graph().terms:
        if not reached.isdisjoint(topological(term.law.inputs)):
            reached.add(term.value)
            if isinstance(term.value, Data):
                found.append(term.value)
    return found


# -- what was observed before -----------------------------------------------------------------------
def _seen(variables: Variables) -> list[Data]:
    """List the observations that prediction forgets: latents that were given stay, unless `do` changed their causes."""
    kept = variables.acts.given - variables.acts.outdated
    return [t.value for t in variables.graph().observed if isinstance(t.value, Data) and t.value not in kept]


def as_drawn(instance: Instance, acts: Acts) -> Instance:
    """Forget values that were observed before an intervention on their causes: they are drawn anew, and used so."""
    gone = {leaf: instance.values[leaf] for leaf in acts.outdated if leaf in instance.values}
    lengths = [(size, Size(n)) for leaf, array in gone.items() for size, n in zip(leaf.shape, array.shape, strict=True)]
    values = {leaf: array for leaf, array in instance.values.items() if leaf not in gone}
    return replace(instance, values=values, given=(*instance.given, *lengths)) if gone else instance


def warn_of_outdated(variables: Variables) -> None:
    """Say that a fit conditions on what was observed before an intervention."""
    observed = [t.name for t in variables.graph().observed if t.value in variables.acts.outdated]
    if observed:
        warn_at_users_line(observations_messages.observed_before(variables.acts.done, observed), messages.ModelWarning)
