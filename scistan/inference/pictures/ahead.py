"""The picture of a forecast: what was seen or fitted, and the fan of what may come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.given import as_names, as_whole
from scistan.inference.forecast import axes_of_time
from scistan.inference.pictures.canvas import ACCENT, INK, QUIET, finished, grid, write_title
from scistan.inference.pictures.elements import Names
from scistan.messages import forecast as words
from scistan.messages import pictures as messages

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["plot_forecast"]

_PANELS = 6
_LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)  # the ends of two bands, and the median
_TICKS = 8  # labels that are neither numbers nor dates


@dataclass(frozen=True, slots=True, eq=False)
class _Panel:
    """One number through time: its label, its past (drawn or observed), what comes, and the labels of both."""

    label: str
    past: np.ndarray  # (draw, time); (time,) where it was observed
    ahead: np.ndarray
    before: np.ndarray
    after: np.ndarray


def plot_forecast(
    fit: Fit, steps: int, data: object, var_names: Names, steps_shown: int | None, limit: int | None, seed: int | None,
    path: str | PathLike[str] | None,
) -> Any:
    """Draw the past and, behind it, bands that hold half and nine tenths of what may come."""
    shown = None if steps_shown is None else as_whole("steps_shown", steps_shown, most=None)
    most = _PANELS if limit is None else as_whole("limit", limit, most=None)
    axes = axes_of_time(fit)
    names = _chosen(fit, list(axes), var_names)
    drawn = fit.forecast(steps, data, names, seed=seed)["predictions"]
    panels = [panel for name in names for panel in _panels(fit, name, axes[name], drawn[name], shown)]
    figure, places = grid(len(panels[:most]), (6.4, 2.7), most_columns=1 if len(panels) < 4 else 2)
    for ax, panel in zip(places, panels, strict=False):
        _draw(ax, panel)
    left = messages.left_out(most, len(panels), {p.label: (1, 1) for p in panels[most:]}) if panels[most:] else ""
    return finished(figure, path, (messages.FORECAST, left))


def _chosen(fit: Fit, known: list[str], asked: Names) -> list[str]:
    """Take what was asked for; else what was observed along time, or all that runs along it."""
    if asked is None:
        return [name for name in known if _is_observed(fit, name)] or known
    names = as_names("var_names", asked)
    for name in names:
        if name not in known:
            raise words.not_along_time(name, known)
    return names


def _is_observed(fit: Fit, name: str) -> bool:
    observed = fit.group("observed_data")
    return observed is not None and name in observed


def _panels(fit: Fit, name: str, axis: int, ahead: Any, shown: int | None) -> list[_Panel]:
    observed = _is_observed(fit, name)
    past = fit.group("observed_data" if observed else "posterior")[name]
    dim = str(ahead.dims[2 + axis])
    before, after = np.asarray(past[dim].values), np.asarray(ahead[dim].values)
    coming = np.moveaxis(_flat(ahead), 1 + axis, 1)
    gone = np.moveaxis(np.asarray(past.values)[None] if observed else _flat(past), 1 + axis, 1)
    start = 0 if shown is None else max(0, gone.shape[1] - shown)
    found = []
    for at in np.ndindex(coming.shape[2:]):
        label = _labelled(name, [d for d in ahead.dims[2:] if d != dim], ahead, at)
        own = gone[(slice(None), slice(start, None), *at)]
        found.append(_Panel(label, own[0] if observed else own, coming[(slice(None), slice(None), *at)],
                            before[start:], after))
    return found


def _flat(array: Any) -> np.ndarray:
    """Give draws of all chains as one axis."""
    found: np.ndarray = np.asarray(array.values).reshape(-1, *array.shape[2:])
    return found


def _labelled(name: str, dims: Sequence[str], array: Any, at: tuple[int, ...]) -> str:
    labels = [str(array[dim].values[k]) for dim, k in zip(dims, at, strict=True)]
    return f"{name}[{', '.join(labels)}]" if labels else name


def _draw(ax: Any, panel: _Panel) -> None:
    before, after = _positions(ax, panel)
    if panel.past.ndim == 1:
        ax.plot(before, panel.past, color=INK, lw=1, marker="o", ms=2.2)
    else:
        _bands(ax, before, panel.past, INK)
    _bands(ax, after, panel.ahead, ACCENT)
    if len(before):
        ax.axvline(before[-1], color=QUIET, lw=0.8, ls=":")
    write_title(ax, panel.label)


def _bands(ax: Any, at: np.ndarray, draws: np.ndarray, color: str) -> None:
    low, lower, middle, upper, high = np.quantile(draws, _LEVELS, axis=0)
    ax.fill_between(at, low, high, color=color, alpha=0.16, lw=0)
    ax.fill_between(at, lower, upper, color=color, alpha=0.3, lw=0)
    ax.plot(at, middle, color=color, lw=1.3, marker="o" if len(at) == 1 else "", ms=3)


def _positions(ax: Any, panel: _Panel) -> tuple[np.ndarray, np.ndarray]:
    """Give where times stand: at their numbers or dates; other labels one beside the other."""
    kinds = {panel.before.dtype.kind, panel.after.dtype.kind}
    if kinds <= set("iu"):
        ax.xaxis.get_major_locator().set_params(integer=True)
    if kinds <= set("iuf") or kinds == {"M"}:
        return panel.before, panel.after
    labels = [*map(str, panel.before), *map(str, panel.after)]
    apart = max(1, -(-len(labels) // _TICKS))
    ax.set_xticks(range(0, len(labels), apart), labels[::apart])
    where = np.arange(len(labels))
    return where[: len(panel.before)], where[len(panel.before) :]
