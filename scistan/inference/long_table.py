"""ArviZ's table of a posterior that has thousands of elements, made in one go."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from scistan.diagnostics.table import DIAGNOSTICS, tabulate

__all__ = ["long_table"]

MANY = 200  # elements from which on a table is made here
_KNOWN = frozenset({"var_names", "round_to", "hdi_prob"})
_DIGITS = {"ess_bulk": 0, "ess_tail": 0, "r_hat": 2}
_OTHERS = 3
_FEWEST = 4  # draws of a chain that ArviZ takes diagnostics of


def long_table(posterior: Any, options: Mapping[str, Any], probability: float) -> Any | None:
    """Give the table that ArviZ 0.x would give; None where it is short, or where ArviZ must be asked."""
    given = {name: value for name, value in options.items() if value is not None}
    names = _names(posterior, given.get("var_names"))
    if names is None or not given.keys() <= _KNOWN:
        return None
    arrays = {name: np.asarray(posterior[name].transpose("chain", "draw", ...)) for name in names}
    elements = sum(int(np.prod(array.shape[2:])) for array in arrays.values())
    draws = min((array.shape[1] for array in arrays.values()), default=0)
    chance = given.get("hdi_prob", probability)
    if elements < MANY or draws < _FEWEST or not _is_share(chance):
        return None
    if not all(array.dtype.kind in "iuf" and np.isfinite(array).all() for array in arrays.values()):
        return None
    return _framed(posterior, arrays, float(chance), given.get("round_to"))


def _names(posterior: Any, names: Any) -> list[str] | None:
    wanted = [*posterior.data_vars] if names is None else [names] if isinstance(names, str) else [*names]
    return wanted if all(isinstance(n, str) and n in posterior.data_vars for n in wanted) else None


def _is_share(chance: Any) -> bool:
    return isinstance(chance, float | int) and 0 < chance < 1


def _framed(posterior: Any, arrays: Mapping[str, np.ndarray], chance: float, digits: Any) -> Any:
    import pandas as pd

    alpha = 1 - chance
    ends = (f"hdi_{100 * alpha / 2:g}%", f"hdi_{100 * (1 - alpha / 2):g}%")
    columns = ["mean", "sd", *ends, *DIAGNOSTICS]
    values = [tabulate(array.reshape(*array.shape[:2], -1), chance) for array in arrays.values()]
    labels = [label for name in arrays for label in _labels(name, posterior[name])]
    table = pd.DataFrame(np.concatenate(values), index=labels, columns=columns)
    if isinstance(digits, str):  # "none"
        return table
    return table.round({name: _DIGITS.get(name, _OTHERS) for name in columns} if digits is None else digits)


def _labels(name: str, array: Any) -> list[str]:
    """Give each element's name as ArviZ writes it: `u[a, 1]`."""
    own = [dim for dim in array.dims if dim not in ("chain", "draw")]
    if not own:
        return [name]
    texts = [[f"{label}" for label in array[dim].values] for dim in own]
    return [f"{name}[{', '.join(place)}]" for place in product(*texts)]
