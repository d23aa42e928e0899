"""Put the draws of a file into the order of a model's labels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.graph.labels import Labels, LabelsDiffer, order_of
from scistan.inference.seam import plain_labels
from scistan.messages import data as data_messages
from scistan.messages import sampling as messages

if TYPE_CHECKING:
    from scistan.inference.subject import Subject

__all__ = ["in_order_of"]


def in_order_of(subject: Subject, groups: Mapping[str, Any], file: str) -> dict[str, Any]:
    """Match every group with a model by label; labels that the model does not have are refused by name."""
    matched = {name: _matched(dataset, subject.instance.coords, file) for name, dataset in groups.items()}
    for name, array in matched["posterior"].data_vars.items():
        if name in subject.names and array.shape[2:] != subject.shape(str(name)):
            raise messages.other_shape(str(name), array.shape[2:], subject.shape(str(name)))
    return matched


def _matched(dataset: Any, coords: Mapping[str, list[object]], file: str) -> Any:
    orders: dict[str, np.ndarray] = {}
    for axis in dataset.dims:
        dim = _dim_of(str(axis), coords)
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
    return dataset.isel(orders) if orders else dataset


def _dim_of(axis: str, coords: Mapping[str, object]) -> str | None:
    """Give the dim that an axis of a file is: a dim called as a variable, or met twice, has a longer name there."""
    once = re.sub(r"_\d+$", "", axis)
    names = (axis, once, axis.removesuffix("_dim"), once.removesuffix("_dim"))
    return next((dim for dim in names if dim in coords), None)


def _comparable(labels: np.ndarray) -> list[object]:
    """Give labels as a file has them: numbers, times in one unit, and text for all else."""
    if labels.dtype.kind in "mM":
        return list(labels.astype(f"{labels.dtype.kind}8[ns]").astype(np.int64).tolist())
    plain = labels.tolist()
    return list(plain) if labels.dtype.kind in "biuf" else [str(label) for label in plain]
