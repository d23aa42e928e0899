"""Levels of factors on other data: which they are from then on, and what runs along them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from scistan.graph.labelled import Labelled
from scistan.graph.labels import Labels
from scistan.graph.node import Data, is_applied
from scistan.messages import coding as messages
from scistan.messages import data as data_messages
from scistan.model.axes import Key, dim_key
from scistan.model.factors import check_factor_index, level_dim, recoded, unknown_levels
from scistan.model.given_labels import read_labels
from scistan.model.variables import Variables
from scistan.ops.levels import Levels, codes_of, level_labels, level_name, own_levels, refuse_codes
from scistan.shapes import ONE

__all__ = ["NewLevels", "check_factors", "level_dims", "recode_others", "with_the_others"]


@dataclass(slots=True)
class NewLevels:
    """The codes of every factor that was given, and the levels that each of their dims has from now on."""

    codes: dict[str, Labelled] = field(default_factory=dict)
    levels: dict[str, Labels] = field(default_factory=dict)
    grown: dict[str, list[object]] = field(default_factory=dict)  # levels that the dim did not have before
    extended: bool = False  # new levels stand after the old ones, in an order that nobody wrote down

    @classmethod
    def of(
        cls, variables: Variables, data: Mapping[str, object], coords: Mapping[str, Sequence[object]], new_levels: str
    ) -> NewLevels:
        """Read other values of factors as labels.

        Known labels leave the levels as they are. With others, `new_levels` tells what happens: "anew" takes the
        levels from the new data, as the first time; "refuse" names the others; "extend" puts them after the old ones.
        """
        new = cls(extended=new_levels == "extend")
        for name, value in data.items():
            entry = variables.entries.get(name)
            dim = None if entry is None else _level_dim(variables, entry.node)
            if entry is not None and dim is not None:
                asked = coords.get(dim)
                new._take(variables, name, dim, value, None if asked is None else read_labels(dim, asked), new_levels)
        return new

    def _take(
        self, variables: Variables, name: str, dim: str, value: object, asked: list[object] | None, new_levels: str
    ) -> None:
        labels = level_labels(value, name)
        known = variables.axes.labels_of(dim_key(dim)) or Labels([])
        names = _names(known)
        unknown = [one for one in dict.fromkeys(labels.values.flat) if one not in names]
        levels = known
        if asked is not None:
            levels = Labels(asked)
        elif unknown:
            refuse_codes(name, unknown, names)
            levels = _chosen(variables, name, dim, value, labels.values, known, new_levels)
        if variables.dims[dim] == ONE and len(levels) != 1:
            raise messages.one_level(dim, list(levels))
        self.codes[name] = codes_of(labels, _names(levels), name)
        self.levels[dim] = levels
        self.grown[dim] = [label for label in levels if level_name(label) not in names]


def _chosen(
    variables: Variables, name: str, dim: str, value: object, labels: np.ndarray, known: Labels, new_levels: str
) -> Labels:
    """Choose the levels of a dim for labels of which some are new."""
    names = _names(known)
    unknown = [one for one in own_levels(value, labels) if one not in names and one in set(labels.flat)]
    if new_levels == "refuse":
        raise messages.new_labels(name, unknown, names)
    if new_levels == "extend":
        return Labels([*known, *unknown])
    coding = getattr(variables.entries[dim].node, "coding", None)
    if dim in variables.axes.declared or (isinstance(coding, Levels) and coding.given):
        raise messages.not_declared(name, unknown, names)
    return Labels(own_levels(value, labels))


def _names(labels: Labels) -> list[object]:
    return [level_name(label) for label in labels]


def _level_dim(variables: Variables, node: object) -> str | None:
    return level_dim(variables.entries, variables.named, node) if isinstance(node, Data) else None


def level_dims(variables: Variables) -> dict[str, Labels]:
    """Give the levels of every factor that a model has, by the dim they make."""
    dims = {dim for entry in variables.entries.values() if (dim := _level_dim(variables, entry.node)) is not None}
    return {dim: labels for dim in dims if (labels := variables.axes.labels_of(dim_key(dim))) is not None}


def with_the_others(variables: Variables, leaf: Data, labelled: Labelled, levels: Mapping[str, Labels]) -> Labelled:
    """Complete data that were given for some of a factor's levels: the other levels keep what they have.

    What does not fit stays as it is, and is refused by name where labels are matched.
    """
    old, keys = variables.axes.numbers(leaf), variables.facts.of(leaf).keys
    if old is None or not labelled.labels:
        return labelled
    own_dim = _level_dim(variables, leaf)
    if own_dim is not None and own_dim in levels:  # a factor along another's levels: what stays is coded anew too
        old = recoded(old, _names(variables.axes.labels_of(dim_key(own_dim)) or Labels([])), _names(levels[own_dim]))
    for axis, key in enumerate(keys):
        own, known = labelled.labels[axis], variables.axes.labels_of(key)
        wanted = levels.get(variables.axes.dim_of(key) or "")
        if wanted is None or own is None or own.implied or own.repeated or known is None:
            continue
        absent = [label for label in wanted if label not in list(own)]
        fits = all(label in list(known) for label in absent) and all(label in list(wanted) for label in own)
        if absent and fits and _same_beside(variables, labelled, old, keys, axis):
            kept = np.take(old, [list(known).index(label) for label in absent], axis=axis)
            labels = tuple(Labels([*own, *absent]) if k == axis else one for k, one in enumerate(labelled.labels))
            labelled = Labelled(np.concatenate([labelled.values, kept], axis=axis), labelled.dims, labels)
    return labelled


def _same_beside(variables: Variables, labelled: Labelled, old: np.ndarray, keys: Sequence[Key], axis: int) -> bool:
    """Tell whether new and old data have the same lengths and labels along all axes but one."""
    return all(
        labelled.values.shape[k] == old.shape[k] and labelled.labels[k] in (None, variables.axes.labels_of(key))
        for k, key in enumerate(keys)
        if k != axis
    )


def recode_others(
    variables: Variables, before: Mapping[str, Labels], given: Collection[Data], names: Sequence[str]
) -> None:
    """Code factors that were not given by the levels that their dims have now."""
    for entry in variables.entries.values():
        dim, leaf = _level_dim(variables, entry.node), entry.node
        if dim is None or dim != entry.name or not isinstance(leaf, Data) or leaf in given:
            continue
        now, codes = variables.axes.labels_of(dim_key(dim)), variables.axes.numbers(leaf)
        if now is None or codes is None or now == before[dim]:
            continue
        unknown = unknown_levels(codes, _names(before[dim]), _names(now))
        if unknown:
            along = [name for name in names if dim in variables.entries[name].dims]
            raise data_messages.not_given(dim, along, [entry.name], list(now))
        variables.axes.values[leaf] = recoded(codes, _names(before[dim]), _names(now))


def check_factors(variables: Variables) -> None:
    """Check every index by a factor: its levels are still the labels of what it picks from."""
    for node in variables.graph().nodes if level_dims(variables) else ():
        if is_applied(node, "index"):
            dims = variables.facts.of(node.args[0]).dims
            check_factor_index(node, node.args, dims, lambda leaf: _level_dim(variables, leaf), variables.coords, None)  # type: ignore[arg-type]
