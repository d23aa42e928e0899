"""The pictures of simulation-based calibration: rank histograms, and the empirical distribution beside its band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.diagnostics import Context
from scistan.given import as_choice, as_names, as_whole
from scistan.inference.judge.uniform import band
from scistan.messages import judge as messages

if TYPE_CHECKING:
    from scistan.inference.judge.calibration import Calibration

__all__ = ["plot_places", "plot_ranks"]

_LEVEL = 0.05
_INK, _BAND = "#1f4e79", "#cfd8e3"


def plot_ranks(found: Calibration, var_names: Sequence[str] | str | None, kind: str, most: int) -> Any:
    """Draw a row for each element: those asked for, the smallest p-values first where there are too many."""
    as_choice("kind", kind, ("both", "hist", "ecdf"))
    most = as_whole("most", most)
    pyplot = _pyplot()
    chosen = _chosen(found, var_names, most)
    kinds = ("hist", "ecdf") if kind == "both" else (kind,)
    figure, axes = pyplot.subplots(
        len(chosen), len(kinds), figsize=(3.4 * len(kinds), 1.9 * len(chosen)), squeeze=False, layout="constrained"
    )
    for row, (element, places) in zip(axes, chosen.items(), strict=True):
        for axis, one in zip(row, kinds, strict=True):
            (_draw_histogram if one == "hist" else draw_ecdf)(axis, places)
            axis.set_title(element, fontsize="small")
    return figure


def plot_places(places: Mapping[str, np.ndarray], label: str) -> Any:
    """Draw a histogram and the empirical distribution of each variable's places."""
    figure, axes = _pyplot().subplots(
        len(places), 2, figsize=(6.8, 1.9 * len(places)), squeeze=False, layout="constrained"
    )
    for row, (name, own) in zip(axes, places.items(), strict=True):
        for axis, draw in zip(row, (_draw_histogram, draw_ecdf), strict=True):
            draw(axis, own)
            axis.set_title(name, fontsize="small")
            axis.set_xlabel(label)
    return figure


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise messages.no_matplotlib() from None
    return pyplot


def _chosen(found: Calibration, var_names: Sequence[str] | str | None, most: int) -> dict[str, np.ndarray]:
    names = list(found.places) if var_names is None else as_names("var_names", var_names)
    for name in names:
        if name not in found.places:
            raise messages.nothing_to_rank(name, found.places)
    context, p_values = Context(found.dims, found.coords), found.p_values
    elements: dict[str, np.ndarray] = {}
    for name in names:
        places = found.places[name]
        for at in np.ndindex(places.shape[1:]):
            own = places[(slice(None), *at)]
            if np.isfinite(own).any():
                elements[context.element(name, at, places.shape[1:])] = own[np.isfinite(own)]
    if len(elements) > most:
        worst = sorted(elements, key=lambda element: p_values[element])[:most]
        elements = {element: elements[element] for element in elements if element in worst}
    return elements


def _draw_histogram(axis: Any, places: np.ndarray) -> None:
    """Count places in bins; the band is where one bin's count lies with 95 % chance."""
    from scipy.stats import binom

    bins = max(5, min(20, len(places) // 10))
    low, high = binom.ppf([0.025, 0.975], len(places), 1 / bins)
    axis.axhspan(low, high, color=_BAND)
    axis.hist(places, bins=np.linspace(0, 1, bins + 1), color=_INK, alpha=0.8, rwidth=0.9)
    axis.set(xlim=(0, 1), xlabel="place of the truth", yticks=[])


def draw_ecdf(axis: Any, places: np.ndarray) -> None:
    """Draw how far the empirical distribution lies from the uniform one, and where it lies with 95 % chance."""
    points, low, high = band(len(places), _LEVEL)
    share = np.searchsorted(np.sort(places), points, side="right") / len(places)
    axis.fill_between(points, low - points, high - points, color=_BAND, step="mid")
    axis.step(points, share - points, where="mid", color=_INK)
    axis.axhline(0, color="black", linewidth=0.5)
    axis.set(xlim=(0, 1), xlabel="place of the truth", ylabel="ECDF - uniform")
