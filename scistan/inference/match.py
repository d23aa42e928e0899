"""Put the draws of a file into the order of a model's labels."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.labels import Labels, LabelsDiffer, order_of
from scistan.inference.arviz_data import plain_labels
from scistan.messages import data as data_messages
from scistan.messages import fits as messages
from scistan.shapes import Size

if TYPE_CHECKING:
    from scistan.inference.subject import Subject

__all__ = ["in_order_of"]


def in_order_of(subject: Subject, groups: Mapping[str, Any], file: str) -> dict[str, Any]:
    """Match every group with a model by label; labels that the model does not have are refused by name."""
    instance = subject.instance
    own = {axis for dims in instance.dims.values() for axis in dims}
    orders = {name: _orders(dataset, instance.coords, own, file) for name, dataset in groups.items()}
    turned = {dim: order for found in orders.values() for dim, order in found.items()}
    beside = _axes_beside_data(instance)
    for name, dataset in groups.items():  # an axis without labels of its own has those of the data along it
        orders[name] |= {axis: turned[beside[axis]] for axis in dataset.dims if beside.get(axis) in turned}
    matched = {name: _recoded(dataset.isel(orders[name]), turned) for name, dataset in groups.items()}
    for name, array in matched["posterior"].data_vars.items():
        if name in subject.names and array.shape[2:] != subject.shape(str(name)):
            raise messages.other_shape(str(name), array.shape[2:], subject.shape(str(name)))
    return matched


def _orders(dataset: Any, coords: Mapping[str, list[object]], own: Collection[str], file: str) -> dict[str, np.ndarray]:
    """Give, for each axis that stands in another order than the model's, the positions that put it in order."""
    orders: dict[str, np.ndarray] = {}
    for axis in dataset.dims:
        dim = _dim_of(str(axis), coords, own)
        if dim is None or axis not in dataset.coords:
            continue
        saved, wanted = Labels(_comparable(dataset[axis].values)), Labels(_comparable(plain_labels(coords[dim])))
        if list(saved) == list(range(len(saved))) and len(saved) == len(wanted) and not saved.same_set(wanted):
            continue  # saved without labels, so that it pairs by position
        try:
            order = order_of(wanted, saved)
        except LabelsDiffer as differ:
            raise data_messages.labels_differ(file, dim, "", differ, False, None) from None
        if order is not None:
            orders[str(axis)] = order
    return orders


def _axes_beside_data(instance: Instance) -> dict[str, str]:
    """Name, for each axis that has no labels, the labelled axis of data that is as long as it must be."""
    graph, table = instance.graph, instance.table
    labelled: dict[Size, str] = {}
    for leaf, name in graph.data_names.items():
        for axis, size in zip(instance.dims[name], leaf.shape, strict=True):
            if axis in instance.coords and size.terms:
                labelled.setdefault(table.reduce(size), axis)
    shapes = {t.name: t.law.shape for t in graph.terms} | {name: node.shape for name, node in graph.derived.items()}
    return {
        axis: labelled[table.reduce(size)]
        for name, shape in shapes.items()
        for axis, size in zip(instance.dims[name], shape, strict=True)
        if axis not in instance.coords and table.reduce(size) in labelled
    }


def _recoded(dataset: Any, orders: Mapping[str, np.ndarray]) -> Any:
    """Let the codes of factors mean the same levels, whose positions are others now."""
    codes = {f"{dim}_code": np.argsort(order) for dim, order in orders.items() if f"{dim}_code" in dataset.data_vars}
    return dataset.assign({name: dataset[name].copy(data=place[dataset[name].values]) for name, place in codes.items()})


def _dim_of(axis: str, coords: Mapping[str, object], own: Collection[str]) -> str | None:
    """Give the dim that an axis of a file is: a dim called as a variable, or met twice, has a longer name there."""
    if axis in own:
        return axis if axis in coords else None
    once = re.sub(r"_\d+$", "", axis)
    names = (axis, once, axis.removesuffix("_dim"), once.removesuffix("_dim"))
    return next((dim for dim in names if dim in coords), None)


def _comparable(labels: np.ndarray) -> list[object]:
    """Give labels as a file has them: numbers, times in one unit, and text for all else."""
    if labels.dtype.kind in "mM":
        return list(labels.astype(f"{labels.dtype.kind}8[ns]").astype(np.int64).tolist())
    plain = labels.tolist()
    return list(plain) if labels.dtype.kind in "biuf" else [str(label) for label in plain]
