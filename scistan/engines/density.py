"""Stan's own log density and gradient in milliseconds, through stanli's BridgeStan interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from scistan.engines.columns import Columns
from scistan.engines.data_file import DataText
from scistan.engines.encoding import to_json
from scistan.engines.loading import load_stanli, text_for_stanli
from scistan.engines.translate import program_for_stanli, with_program
from scistan.messages import inference as messages

__all__ = ["StanDensity"]


class StanDensity:
    """A Stan program on data: densities (constants dropped, Jacobian in), and its transform both ways."""

    def __init__(self, text: str, data: Mapping[str, Any] | DataText) -> None:
        given = to_json(data) if isinstance(data, Mapping) else data
        try:
            self._model = _open(text_for_stanli(text), given)
        except RuntimeError as error:
            raise messages.program_refused("stanli", str(error), text) from None
        self.columns = Columns(self._model.param_names(include_tp=True))

    @property
    def dimension(self) -> int:
        return int(self._model.param_unc_num())

    def log_density_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """Give the log density and its gradient at unconstrained coordinates."""
        value, gradient = self._model.log_density_gradient(np.ascontiguousarray(q, dtype=float))
        return float(value), np.array(gradient)

    def unconstrain(self, values: Mapping[str, Any]) -> np.ndarray:
        """Give the coordinates of parameters' values."""
        return self.unconstrain_json(to_json(values))

    def unconstrain_json(self, values: str) -> np.ndarray:
        """Give the coordinates of parameters' values that are written as JSON already."""
        return np.array(self._model.param_unconstrain_json(values))

    def constrain(self, q: np.ndarray) -> dict[str, np.ndarray]:
        """Give parameters and transformed parameters at unconstrained coordinates."""
        return self.columns.gather(self.constrain_flat(q))

    def constrain_flat(self, q: np.ndarray) -> np.ndarray:
        """Give them as one row, in the order of `columns`."""
        return np.asarray(self._model.param_constrain(np.ascontiguousarray(q, dtype=float), include_tp=True))

    def coordinate_names(self) -> list[str]:
        """Give the parameter that each coordinate is of."""
        return [name.partition(".")[0] for name in self._model.param_unc_names()]


def _open(text: str, data: DataText) -> Any:
    stanli = load_stanli()
    if isinstance(data, str):
        return stanli.bridgestan_model(**program_for_stanli(text), data=data)
    import bridgestan

    with with_program(text, data) as path:
        return bridgestan.StanModel(stanli._runtime_lib_path(), path, warn=False)
