"""The record of a model that is saved with a fit: a text and arrays, and the dataset they are in a file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["DamagedRecordError", "Record", "record_from_dataset", "record_to_dataset"]

_TEXT, _DIGEST = "record", "sha256"


class DamagedRecordError(ValueError):
    """A record that is not as it was written."""


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """All that a model is: a text (JSON), and the arrays that the text speaks of by name."""

    text: str
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """What tells whether the record has been changed."""
        digest = hashlib.sha256(self.text.encode())
        for name in sorted(self.arrays):
            array = self.arrays[name]
            digest.update(f"{name} {array.dtype.kind} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes())
        return digest.hexdigest()


def record_to_dataset(record: Record) -> Any:
    """Put a record into a dataset: its text as bytes, for attributes of a file hold no long texts."""
    import xarray as xr

    arrays = {_TEXT: np.frombuffer(record.text.encode(), dtype=np.uint8), **record.arrays}
    data = {name: ([f"{name}_{k}" for k in range(array.ndim)], array) for name, array in arrays.items()}
    return xr.Dataset(data, attrs={_DIGEST: record.digest})


def record_from_dataset(dataset: Any) -> Record:
    """Take a record out of a dataset, or say that it is not as it was written."""
    arrays = {str(name): np.array(array.values) for name, array in dataset.data_vars.items()}
    if _TEXT not in arrays or arrays[_TEXT].dtype != np.uint8:
        raise DamagedRecordError("it has no text")
    try:
        found = Record(arrays.pop(_TEXT).tobytes().decode(), arrays)
    except UnicodeDecodeError:
        raise DamagedRecordError("its text is none") from None
    if found.digest != dataset.attrs.get(_DIGEST):
        raise DamagedRecordError("it has been changed since it was written")
    return found
