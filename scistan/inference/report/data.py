"""A summary of the data behind a fit: what there is, how much of it, and what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.inference.report.table import Line, Table, number, row_decimals
from scistan.ops.levels import Levels

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["data_table"]

_LEVELS = 6
_ROWS = 60
_HEAD = ("role", "axes", "values", "missing", "mean", "sd", "least", "median", "largest")


def data_table(fit: Fit) -> Table:
    """Summarize the observed variables and the data, one row each."""
    lines = [_line(fit, name, array, "observed") for name, array in _arrays(fit, "observed_data")]
    lines += [_line(fit, name, array, "data") for name, array in _arrays(fit, "constant_data")]
    note = f"{_ROWS} of {len(lines)} variables are shown." if len(lines) > _ROWS else ""
    return Table(_HEAD, tuple(lines[:_ROWS]), note)


def _arrays(fit: Fit, group: str) -> list[tuple[str, Any]]:
    found = fit.group(group)
    return [] if found is None else [(str(name), array) for name, array in found.data_vars.items()]


def _line(fit: Fit, name: str, array: Any, role: str) -> Line:
    axes = ", ".join(
        str(length) if str(dim).startswith(f"{name}_dim_") else f"{dim}: {length}"
        for dim, length in array.sizes.items()
    )
    values = np.asarray(array.values).ravel()
    first = (role, axes or "one number", str(values.size))
    levels = _levels(fit, name)
    if levels is not None:
        missing = int((values < 0).sum())
        counts = np.bincount(values[values >= 0].astype(int), minlength=len(levels))
        told = [f"{level}: {count}" for level, count in zip(levels, counts, strict=False)][:_LEVELS]
        more = f", and {len(levels) - _LEVELS} more" if len(levels) > _LEVELS else ""
        return Line(name, (*first, str(missing), f"levels: {', '.join(told)}{more}"))
    numbers = values.astype(float)
    finite = numbers[np.isfinite(numbers)]
    missing = values.size - finite.size
    if not finite.size:
        return Line(name, (*first, str(missing), *("–",) * 5))
    spread = float(finite.std(ddof=1)) if finite.size > 1 else 0.0
    decimals = row_decimals(spread)
    told_numbers = (finite.mean(), spread, finite.min(), np.median(finite), finite.max())
    return Line(name, (*first, str(missing), *(number(float(value), decimals) for value in told_numbers)))


def _levels(fit: Fit, name: str) -> tuple[object, ...] | None:
    """Give the levels of a factor, whose codes are the data; None where numbers are numbers."""
    if fit.subject is None:
        return None
    for leaf, known in fit.subject.whole.instance.graph.data_names.items():
        # The codes of a factor stand beside its levels, which have its name.
        own = name == known or name.removeprefix(known).replace("_code", "") == "" != name.removeprefix(known)
        if own and isinstance(leaf.coding, Levels):
            return leaf.coding.levels
    return None
