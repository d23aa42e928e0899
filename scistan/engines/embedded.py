"""The density as the embedded engines compute it: stanli's own model, ready in a third of BridgeStan's time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from scistan.engines.columns import Columns
from scistan.engines.data_file import DataText
from scistan.engines.density import StanDensity
from scistan.engines.encoding import to_json
from scistan.engines.loading import has_tape, load_stanli
from scistan.engines.protocol import Request
from scistan.engines.stanli import prepare

__all__ = ["KERNELS", "Density", "EmbeddedDensity", "open_density"]

# Whose kernels all embedded engines run on: a certificate speaks of them.
KERNELS = "stanli"


class Density(Protocol):
    """A program on its data: its log density (Jacobian in, constants dropped), and its transform."""

    @property
    def dimension(self) -> int: ...
    def log_density_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]: ...
    def constrain(self, q: np.ndarray) -> dict[str, np.ndarray]: ...
    def unconstrain(self, values: Mapping[str, Any]) -> np.ndarray: ...


class EmbeddedDensity:
    """What stanli's chains evaluate, asked from the thread that loaded it."""

    def __init__(self, model: Any) -> None:
        self.model = model

    @cached_property
    def _columns(self) -> Columns:
        """Read when asked for: thousands of names take longer than the densities."""
        return Columns(self.model._column_names()[0])

    @property
    def dimension(self) -> int:
        return int(self.model.n_unconstrained)

    def log_density_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """Give the log density and its gradient at unconstrained coordinates; a RuntimeError where it has none."""
        value, gradient = self.model.log_prob_grad(q)
        return float(value), gradient

    def constrain(self, q: np.ndarray) -> dict[str, np.ndarray]:
        """Give parameters and transformed parameters, as a draw would hold them."""
        stanli = load_stanli()
        given, row = np.ascontiguousarray(q, dtype=float), np.empty(self._columns.count)
        if stanli._lib.stanli_wa_row(self.model._m, stanli._dptr(given), stanli._dptr(row)):
            raise RuntimeError("stanli cannot write a draw at this point")
        return self._columns.gather(row)

    def unconstrain(self, values: Mapping[str, Any]) -> np.ndarray:
        """Give the coordinates of parameters' values."""
        return np.asarray(self.model.unconstrain(to_json(values)))


def open_density(text: str, data: DataText, seed: int) -> Density:
    """Make a program's density ready; without a tape of this thread's own, through BridgeStan, which brings one."""
    if not has_tape():
        return StanDensity(text, data)
    return EmbeddedDensity(prepare(Request(text, data, draws=1, warmup=0, chains=1, seed=seed)))
