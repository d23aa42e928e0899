"""A group of a fit that was a method once: a dataset that may still be called, `fit.posterior_predictive()`."""

from __future__ import annotations

from functools import cache
from typing import Any

__all__ = ["callable_dataset"]


def callable_dataset(dataset: Any) -> Any:
    """Give the same dataset, which gives itself when it is called."""
    return _kind()(data_vars=dict(dataset.data_vars), coords=dataset.coords, attrs=dataset.attrs)


@cache
def _kind() -> Any:
    import xarray as xr

    def itself(dataset: Any) -> Any:
        return dataset

    # By its own name it would show itself as something other than a Dataset.
    return type("Dataset", (xr.Dataset,), {"__slots__": (), "__call__": itself, "__module__": xr.Dataset.__module__})
