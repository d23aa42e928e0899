"""Torch as an array library: its device, its precision, and how numbers enter it."""

from __future__ import annotations

from typing import Any

import numpy as np

from scistan.targets.torch.convert import to_tensor
from scistan.targets.torch.devices import import_torch

__all__ = ["TorchBackend", "import_torch"]


class TorchBackend:
    """The torch column of the ops' table on one device, in one precision."""

    column = "torch"

    def __init__(self, device: str = "cpu", dtype: str = "float64") -> None:
        self.module = import_torch()
        self.device = device
        self.precision = dtype
        self.dtype = getattr(self.module, dtype)

    def constant(self, number: float | np.ndarray) -> Any:
        """Give a number or an array as a tensor."""
        if isinstance(number, np.ndarray):
            return to_tensor(number, self.device, self.precision)
        return self.module.tensor(float(number), dtype=self.dtype, device=self.device)

    def zeros(self, *shape: int) -> Any:
        """Give a tensor of zeros."""
        return self.module.zeros(shape, dtype=self.dtype, device=self.device)
