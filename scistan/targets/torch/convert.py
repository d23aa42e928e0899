"""The one place where numbers cross between NumPy and torch: shared where they can be, copied once where not."""

from __future__ import annotations

import warnings
import weakref
from typing import Any

import numpy as np

from scistan.messages import point as messages
from scistan.profiling import CONVERTED, count
from scistan.targets.torch.devices import import_torch

__all__ = ["forget", "lay_out", "to_numpy", "to_tensor"]

Tensor = Any
_Key = tuple[int, str, str, str]
_MATRIX = 10_000  # elements from which the layout of a matrix matters

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
    key = (id(array), device, dtype, "")
    if key in _copies:
        return _copies[key]
    if exact and array.dtype.kind in "iu" and array.size:
        largest = max(abs(int(array.max())), abs(int(array.min())))
        if largest > 2 ** (np.finfo(dtype).nmant + 1):
            raise messages.rounded(dtype, largest)
    count(CONVERTED, "NumPy to torch", array.nbytes)
    source = torch.as_tensor(np.array(array)) if array.dtype.kind in "biu" else _shared(torch, array)
    return _remember(array, key, source.to(device=device, dtype=kind))


def lay_out(tensor: Tensor, array: np.ndarray | None = None) -> Tensor:
    """Give a matrix on the processor with its longer axis contiguous, as products with vectors want it.

    That is up to three times as fast as the other layout, and the copy costs as much as five products
    (docs/decisions/0005). The copy of a frozen `array` is remembered from call to call.
    """
    if tensor.device.type != "cpu" or tensor.ndim != 2 or tensor.numel() < _MATRIX:
        return tensor
    longer = int(tensor.shape[1] > tensor.shape[0])
    if tensor.stride(longer) == 1:
        return tensor
    key = (id(array), "cpu", str(tensor.dtype), "long axis contiguous")
    if key in _copies:
        return _copies[key]
    count(CONVERTED, "torch, to another layout", tensor.nbytes)
    copy = tensor.contiguous() if longer else tensor.mT.contiguous().mT
    return copy if array is None else _remember(array, key, copy)


def _remember(array: np.ndarray, key: _Key, tensor: Tensor) -> Tensor:
    if not array.flags.writeable and array.ndim > 0:
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
    if tensor.device.type != "cpu":
        count(CONVERTED, "torch to NumPy", tensor.nbytes)
    return np.asarray(tensor.detach().cpu().numpy())


def forget() -> None:
    """Drop every remembered copy."""
    _copies.clear()
