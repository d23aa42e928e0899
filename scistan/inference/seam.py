"""The seam to ArviZ: the one module that knows which ArviZ is installed."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from scistan.parts import import_part

__all__ = ["combine", "dataset_names", "dataset_of", "group", "summary_table", "to_inference_data"]


def group(
    arrays: Mapping[str, np.ndarray],
    dims: Mapping[str, tuple[str, ...]],
    coords: Mapping[str, list[object]],
    sample_dims: tuple[str, ...] = ("chain", "draw"),
    attributes: Mapping[str, Any] | None = None,
) -> Any:
    """Make an xarray Dataset of arrays whose first axes are `sample_dims`."""
    import xarray as xr

    data: dict[str, Any] = {}
    used: dict[str, int] = {}
    for name, array in arrays.items():
        own = _distinct(dims.get(name) or tuple(f"{name}_dim_{k}" for k in range(array.ndim - len(sample_dims))))
        data[name] = ((*sample_dims, *own), array)
        used.update(zip((*sample_dims, *own), array.shape, strict=True))
    labels = {d: (list(coords[d]) if d in coords and len(coords[d]) == n else np.arange(n)) for d, n in used.items()}
    return xr.Dataset(data, coords=labels, attrs=dict(attributes or {}))


def _distinct(dims: tuple[str, ...]) -> tuple[str, ...]:
    """Tell the two axes of a square matrix apart."""
    return tuple(d if d not in dims[:k] else f"{d}_{dims[:k].count(d) + 1}" for k, d in enumerate(dims))


def to_inference_data(groups: Mapping[str, Any]) -> Any:
    """Make InferenceData (ArviZ 0.x) or a DataTree (1.x) of named datasets."""
    present = {name: dataset for name, dataset in groups.items() if dataset is not None and dataset.data_vars}
    if version("arviz").startswith("0."):
        lent = {"__version__": version("arviz"), "_log": logging.getLogger("arviz")}
        data = import_part("arviz.data", lent, postponed="matplotlib.pyplot")
        return data.InferenceData(**present)
    import xarray as xr

    return xr.DataTree.from_dict({f"/{name}": dataset for name, dataset in present.items()})


def dataset_names(idata: Any) -> list[str]:
    """List the groups of InferenceData or a DataTree."""
    return list(idata.groups()) if callable(idata.groups) else [g.strip("/") for g in idata.groups if g != "/"]


def dataset_of(idata: Any, name: str) -> Any:
    """Give one group as a Dataset."""
    found = idata[name]
    return found.to_dataset() if hasattr(found, "to_dataset") else found


def combine(idata: Any, groups: Mapping[str, Any]) -> Any:
    """Give a copy of `idata` with further groups."""
    known = {name: dataset_of(idata, name) for name in dataset_names(idata)}
    return to_inference_data({**known, **groups})


def summary_table(posterior: Any, **options: Any) -> Any:
    """Summarize a posterior with ArviZ: means, sds, intervals, ESS and R-hat."""
    import arviz

    return arviz.summary(to_inference_data({"posterior": posterior}), **options)
