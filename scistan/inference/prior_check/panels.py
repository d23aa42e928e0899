"""Histograms for a page: draws counted in bins on an axis, the data and the draws as written beside them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.given import is_number
from scistan.inference.prior_check.probability import has_probability, probabilities
from scistan.inference.prior_check.state import State
from scistan.inference.prior_check.summary import Spread, data_of, describe, outside_share
from scistan.targets.scipy.redraw import Drawn

__all__ = ["VIEWS", "Axis", "Counts", "counted", "natural_axis", "panel", "panel_names", "views_of"]

_BINS, _FEW_BINS = 60, 40
_FEW = 5000  # numbers that are noisy in many bins
_KEPT = 256
_TICKS = 60  # data that are shown one by one
VIEWS: Mapping[str, Callable[..., Any] | None] = {
    "values": None, "mean": np.mean, "sd": np.std, "smallest": np.min, "largest": np.max,
}  # fmt: skip
_PROBABILITY = "probability"


@dataclass(frozen=True, slots=True)
class Axis:
    """Where a histogram begins and ends, and into how many bins it is cut."""

    low: float
    high: float
    bins: int


def panel_names(drawn: Drawn) -> list[tuple[str, str]]:
    """List what is shown, with its role: observed variables first."""
    graph = drawn.instance.graph
    latents = [(term.name, "latent") for term in graph.latents]
    return [*((t.name, "observed") for t in graph.observed), *latents, *((name, "derived") for name in graph.derived)]


def views_of(drawn: Drawn, name: str) -> list[str]:
    """List what can be shown of a variable, the first unless another is asked for.

    Of an outcome that is 0 or 1 every prior shows the same two columns: its probability says more.
    """
    term = next((t for t in drawn.instance.graph.observed if t.name == name), None)
    several = list(VIEWS) if drawn.arrays[name][0].size > 1 else ["values"]
    if term is None:
        return ["values"]
    return [_PROBABILITY, *several] if has_probability(term) else several


def panel(
    state: State, name: str, role: str, axis: object, view: object, counts_before: Counts
) -> dict[str, Any]:
    """Describe one variable for the page; `axis` is where its histogram goes from and to, None for its natural one."""
    drawn, term = state.drawn, next((t for t in state.drawn.instance.graph.terms if t.name == name), None)
    views = views_of(drawn, name)
    view = view if isinstance(view, str) and view in views else views[0]
    discrete = term is not None and term.law.distribution.discrete and view == "values"
    now = _viewed(drawn, name, view)
    data = data_of(drawn, term) if term is not None and role == "observed" else None
    seen = None if data is None or not data.size else _seen(np.asarray(data, dtype=float), view)
    spread, bins = describe(now), _BINS if now.size > _FEW else _FEW_BINS
    ends = (0.0, 1.0) if view == _PROBABILITY else _given(axis) or natural_axis(spread, seen)
    where = _whole_bins(*ends, bins) if discrete else Axis(*ends, bins)
    counts, below, above = counted(now, where)
    unchanged = drawn.arrays[name] is state.start.arrays[name]
    return {
        "name": name,
        "role": role,
        "view": view,
        "views": views,
        "elements": int(drawn.arrays[name][0].size),
        "discrete": discrete,
        "axis": [where.low, where.high],
        "counts": counts,
        "start": counts if unchanged else counts_before.of(state.start, name, view, where),
        "below": below,
        "above": above,
        "total": int(now.size),
        "spread": _numbers(spread),
        "data": None if seen is None else _data(seen, where),
        "outside": None if seen is None or view != "values" or data is None else outside_share(now, data),
        "fits": view == _PROBABILITY or _fits(where, spread, seen, below + above),
    }


class Counts:
    """Counts of the draws as written: they stand behind every redraw, on axes that seldom change."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, Axis], list[int]] = {}

    def of(self, start: Drawn, name: str, view: str, axis: Axis) -> list[int]:
        """Count once for each axis."""
        key = name, view, axis
        if key not in self._known:
            if len(self._known) > _KEPT:
                self._known.clear()
            self._known[key] = counted(_viewed(start, name, view), axis)[0]
        return self._known[key]


def _viewed(drawn: Drawn, name: str, view: str) -> np.ndarray:
    if view == _PROBABILITY:
        term = next(t for t in drawn.instance.graph.observed if t.name == name)
        array = probabilities(drawn, term)
        if array is None:
            raise TypeError(f"`{name}` has no probability")
        return np.asarray(np.minimum(array, np.nextafter(1.0, 0.0)))  # 1 itself belongs to the last bin
    return _statistic(drawn.arrays[name], view)


def _seen(data: np.ndarray, view: str) -> np.ndarray | None:
    """Give what of the data goes with a view; beside probabilities the share of outcomes that are 1."""
    if view == _PROBABILITY:
        return data.mean(keepdims=True) if np.isin(data, (0.0, 1.0)).all() else None
    return _statistic(data[None], view)


def _statistic(array: np.ndarray, view: str) -> np.ndarray:
    statistic = VIEWS[view]
    if statistic is None:
        return array
    with np.errstate(all="ignore"):
        return np.asarray(statistic(array.reshape(len(array), -1).astype(float), axis=1))


def _data(seen: np.ndarray, axis: Axis) -> dict[str, Any]:
    flat = seen.reshape(-1)
    return {
        "counts": counted(flat, axis)[0],
        "ticks": flat.tolist() if flat.size <= _TICKS else [],
        "total": int(flat.size),
        "spread": _numbers(describe(flat, data=True)),
    }


def _numbers(spread: Spread) -> dict[str, float | None]:
    values = {"mean": spread.mean, "sd": spread.sd, "low": spread.low, "middle": spread.middle, "high": spread.high}
    return {name: value if math.isfinite(value) else None for name, value in values.items()}


def counted(array: np.ndarray, axis: Axis) -> tuple[list[int], float, float]:
    """Count numbers in bins; give the counts, and the shares below and above (with all that is not finite)."""
    place = np.subtract(array.reshape(-1), axis.low, dtype=float)
    with np.errstate(all="ignore"):
        place *= axis.bins / (axis.high - axis.low)
        np.floor(place, out=place)
        np.fmax(np.fmin(place, axis.bins, out=place), -1, out=place)  # `fmin` sends NaN above
    counts = np.bincount(place.astype(np.intp) + 1, minlength=axis.bins + 2)
    size = max(place.size, 1)
    return counts[1:-1].tolist(), float(counts[0] / size), float(counts[-1] / size)


def _given(axis: object) -> tuple[float, float] | None:
    """Read the axis that a page shows; None for what is none."""
    if not isinstance(axis, list | tuple) or len(axis) != 2 or not all(map(is_number, axis)):
        return None
    low, high = float(axis[0]), float(axis[1])
    return (low, high) if math.isfinite(high - low) and high > low else None


# -- axes -------------------------------------------------------------------------------------------
def natural_axis(spread: Spread, seen: np.ndarray | None) -> tuple[float, float]:
    """Show the middle 90 % with half as much again to either side, and all the data."""
    low, high, width = spread.low, spread.high, spread.width
    if not math.isfinite(width):
        low, high, width = 0.0, 1.0, 1.0
    floor = 0.0 if low >= 0 and low < 0.3 * high else -math.inf  # numbers that end at 0 are shown from there
    low, high = low - 0.5 * width, high + 0.5 * width
    if seen is not None:
        least, most = float(np.min(seen)), float(np.max(seen))
        edge = 0.02 * (max(high, most) - min(low, least))
        low, high = min(low, least - edge), max(high, most + edge)
    low = max(low, floor) if seen is None or float(np.min(seen)) >= floor else low
    if not high - low > 1e-9 * max(abs(low), abs(high)):  # a constant
        middle = 0.5 * (low + high)
        return middle - max(1.0, abs(middle)) * 0.5, middle + max(1.0, abs(middle)) * 0.5
    return low, high


def _whole_bins(low: float, high: float, bins: int) -> Axis:
    """Let each bin hold as many whole numbers as every other, so that no comb appears."""
    first, last = math.ceil(low - 0.25), math.floor(high + 0.25)  # so that an axis made here stays as it is
    each = max(1, math.ceil((last - first + 1) / bins))
    bins = max(1, math.ceil((last - first + 1) / each))
    return Axis(first - 0.5, first - 0.5 + each * bins, bins)


def _fits(axis: Axis, spread: Spread, seen: np.ndarray | None, outside: float) -> bool:
    """Tell whether an axis still serves: most draws lie on it, and they take up more than a corner."""
    low, high = natural_axis(spread, seen)
    return outside < 0.15 and high - low > 0.3 * (axis.high - axis.low)
