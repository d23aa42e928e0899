"""Write a fit to a file, with the model it is of: netCDF or Zarr."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scistan.inference.files import check_room, sealing
from scistan.inference.netcdf import engine_for
from scistan.inference.record import Record, record_to_dataset
from scistan.messages import fits as messages

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["MODEL_GROUP", "PLAN_GROUP", "VARIABLE_ORDER", "save"]

VARIABLE_ORDER = "variable_order"
MODEL_GROUP = "scistan_model"  # of the model's record
PLAN_GROUP = "scistan_plan"  # of the plan, a record without arrays: starts of many latents are no short text


def save(fit: Fit, path: Path) -> Path:
    """Write a fit; a write that fails leaves nothing behind and an older file as it was."""
    kind = engine_for(path)
    datasets = {name: _storable(dataset) for name, dataset in fit._datasets().items()}
    record = fit.subject.model.record() if fit.subject is not None and fit.subject.model is not None else None
    if record is not None:
        datasets[MODEL_GROUP] = record_to_dataset(record)
    if fit.plan is not None:
        datasets[PLAN_GROUP] = record_to_dataset(Record(json.dumps(fit.plan.to_dict())))
    if kind != "zarr":
        _check_names(datasets)
    with sealing(path) as beside:
        if kind != "zarr":
            check_room(beside, sum(map(_room_of, datasets.values())))
        for name, dataset in datasets.items():
            if kind == "zarr":
                dataset.to_zarr(beside, group=name, mode="a", consolidated=False, zarr_format=2)
            else:
                dataset.to_netcdf(beside, group=name, mode="a", engine=kind)
    return path


def _check_names(datasets: dict[str, Any]) -> None:
    """Refuse names that netCDF would take for paths within the file."""
    names = [str(name) for dataset in datasets.values() for name in (*dataset.dims, *dataset.variables)]
    slashed = [name for name in dict.fromkeys(names) if "/" in name]
    if slashed:
        raise messages.name_with_slash("netCDF", slashed[0])


def _room_of(dataset: Any) -> int:
    """Give bytes that suffice for a dataset in a file: its numbers, and what HDF5 keeps of each of them."""
    texts = sum(len(str(value)) for value in dataset.attrs.values())
    labels = sum(sum(map(len, map(str, c.values.ravel()))) for c in dataset.coords.values() if c.dtype.kind in "OU")
    return int(1.1 * dataset.nbytes) + 16_384 * (1 + len(dataset.variables)) + 4 * (texts + labels)


def _plain(value: Any) -> Any:
    """Give a whole number of more bits than a file has, as a seed may be, as text that `int(text, 0)` reads."""
    return hex(value) if isinstance(value, int) and not -(2**63) <= value < 2**63 else value


def _storable(dataset: Any) -> Any:
    """Make labels and attributes plain: files know numbers and text only."""
    found = dataset.copy()
    for name, labels in dataset.coords.items():
        if labels.dtype == object and not all(isinstance(x, str) for x in labels.values.ravel()):
            found = found.assign_coords({name: [str(x) for x in labels.values]})
    found.attrs = {key: _plain(value) for key, value in dataset.attrs.items() if value is not None}
    found.attrs[VARIABLE_ORDER] = json.dumps([str(name) for name in dataset.data_vars])
    return found
