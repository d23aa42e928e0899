"""The one place where numbers cross between NumPy and torch: shared where they can be, copied once where not."""

from __future__ import annotations

import warnings
import weakref
from typing import Any

import numpy as np

from scistan.messages import point as messages
from scistan.targets.torch.devices import import_torch

__all__ = ["forget", "to_numpy", "to_tensor"]

Tensor = Any
_Key = tuple[int, str, str]

# Copies of frozen arrays, for as long as the array lives. Tensors that share an array's memory are not kept: they
# cost nothing to make, and would keep the array alive.
_copies: dict[_Key, Tensor] = {}


def to_tensor(array: np.ndarray, device: str, dtype: str, *, exact: bool = True) -> Tensor:
    """Give an array as a tensor of this precision on this device.

    Whole numbers that the precision cannot hold are an error if `exact`. An array of the right kind is
    shared, not copied; the copy of a frozen one is remembered from call to call.
    """
    torch = import_torch()
    kind = getattr(torch, dtype)
    if array.dtype == np.dtype(dtype) and device == "cpu":
        return _shared(torch, array)
    frozen = not array.flags.writeable and array.ndim > 0
    key = (id(array), device, dtype)
    if frozen and key in _copies:
        return _copies[key]
    if exact and array.dtype.kind in "iu" and array.size:
        largest = max(abs(int(array.max())), abs(int(array.min())))
        if largest > 2 ** (np.finfo(dtype).nmant + 1):
            raise messages.rounded(dtype, largest)
    source = torch.as_tensor(np.array(array)) if array.dtype.kind in "biu" else _shared(torch, array)
    tensor = source.to(device=device, dtype=kind)
    if frozen:
        _copies[key] = tensor
        weakref.finalize(array, _copies.pop, key, None)
    return tensor


def _shared(torch: Any, array: np.ndarray) -> Tensor:
    if not array.flags.aligned or any(step < 0 for step in array.strides):
        array = np.ascontiguousarray(array)  # torch has no negative steps
    if array.ndim == 0:
        return torch.tensor(array[()], dtype=getattr(torch, str(array.dtype)))
    with warnings.catch_warnings():
        # Data are frozen and torch would rather they were not; nothing here writes to a tensor of data.
        warnings.simplefilter("ignore", UserWarning)
        return torch.from_numpy(array)


def to_numpy(tensor: Tensor) -> np.ndarray:
    """Give a tensor's numbers as an array of the same precision."""
    return np.asarray(tensor.detach().cpu().numpy())


def forget() -> None:
    """Drop every remembered copy."""
    _copies.clear()
