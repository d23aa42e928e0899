"""Pictures of observations beside what the model predicts of them."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.given import as_names
from scistan.inference.pictures.calibration import (
    ecdf_band,
    left_out_chances,
    left_out_means,
    left_out_weights,
    reliability,
)
from scistan.inference.pictures.canvas import ACCENT, INK, QUIET, bare, finished, grid, label, write_title
from scistan.inference.pictures.density import density, is_discrete
from scistan.inference.pictures.elements import Names
from scistan.messages import pictures as messages
from scistan.messages import sampling as sampling_messages

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["observed_names", "plot_calibration", "plot_ppc"]

Path = str | PathLike[str] | None
_MOST_CURVES, _MOST_BARS = 60, 25
_MOST_DRAWS = 2000  # for calibration: weights need no more
_PANELS = 9
_FEW = 40  # observations that have no density worth drawing


def plot_ppc(fit: Fit, var_names: Names = None, limit: int | None = None, path: Path = None) -> Any:
    """Draw the observations (black) over data that the model draws anew, one curve for each."""
    names, notes = _chosen(fit, "plot_ppc", var_names, limit)
    predicted = _group(fit, "plot_ppc", "posterior_predictive")
    figure, axes = grid(len(names), (4.4, 2.7), most_columns=2)
    for ax, name in zip(axes, names, strict=True):
        seen = np.asarray(fit.group("observed_data")[name].values).ravel()
        drawn = _flat(predicted[name])
        good = np.isfinite(seen.astype(float))
        seen, drawn = seen[good], drawn[:, good]
        write_title(ax, name)
        if not seen.size:
            bare(ax)
        elif is_discrete(seen) and is_discrete(drawn) and np.unique(seen).size <= _MOST_BARS:
            _bars(ax, seen, drawn)
        else:
            _curves(ax, seen, drawn)
    return finished(figure, path, (messages.PREDICTIVE, *notes))


def plot_calibration(fit: Fit, var_names: Names = None, limit: int | None = None, path: Path = None) -> Any:
    """Draw whether each observation lies where the others predict it: outside the band, predictions are off."""
    names, notes = _chosen(fit, "plot_calibration", var_names, limit)
    predicted = _group(fit, "plot_calibration", "posterior_predictive")
    likelihood = _group(fit, "plot_calibration", "log_likelihood")
    figure, axes = grid(len(names), (3.6, 2.9), most_columns=3)
    kinds = set()
    for ax, name in zip(axes, names, strict=True):
        seen = np.asarray(fit.group("observed_data")[name].values)
        step = -(-fit.shape[0] * fit.shape[1] // _MOST_DRAWS)
        drawn = _flat(predicted[name])[::step]
        by_event = left_out_weights(_flat(likelihood[name])[::step])
        # Numbers that have one density together are left out together.
        weights = np.repeat(by_event, seen.size // max(1, by_event.shape[1]), axis=1)
        kinds.add(_calibrated(ax, seen.ravel(), drawn, weights, int(fit.settings["seed"])))
        write_title(ax, name)
    return finished(figure, path, (*sorted(kinds), *notes))


def observed_names(fit: Fit) -> list[str]:
    """List the observed variables whose values are at hand."""
    if fit.subject is None and "observed_data" not in fit.groups:
        return []
    found = fit.group("observed_data")
    return [] if found is None else [str(name) for name in found.data_vars]


def _chosen(fit: Fit, what: str, var_names: Names, limit: object) -> tuple[list[str], tuple[str, ...]]:
    known = observed_names(fit)
    if not known:
        raise messages.nothing_to_predict(what)
    names = known if var_names is None else as_names("var_names", var_names)
    for name in names:
        if name not in known:
            raise messages.unknown_observed(name, known)
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise messages.bad_limit(limit)
    shown = names[: limit or _PANELS]
    gone = dict.fromkeys(names[len(shown) :], (1, 1))
    return shown, (messages.left_out(len(shown), len(names), gone),) if gone else ()


def _group(fit: Fit, what: str, name: str) -> Any:
    if name in fit._left_out:
        raise sampling_messages.left_out(name)
    found = fit.group(name)
    if found is None:
        raise messages.no_predictions(what, name)
    return found


def _flat(array: Any) -> np.ndarray:
    """Give draws as (draw, observation)."""
    chains, draws = array.shape[:2]
    found: np.ndarray = array.values.reshape(chains * draws, -1)
    return found


def _bars(ax: Any, seen: np.ndarray, drawn: np.ndarray) -> None:
    """Compare how often each value is seen with how often it is drawn."""
    low, high = int(seen.min()), int(seen.max())
    low, high = min(low, int(np.quantile(drawn, 0.005))), max(high, int(np.quantile(drawn, 0.995)))
    values = np.arange(low, high + 1) if high - low <= 2 * _MOST_BARS else np.unique(seen)
    shares = np.stack([(drawn == value).mean(1) for value in values])
    below, middle, above = np.quantile(shares, (0.05, 0.5, 0.95), axis=1)
    ax.bar(values, middle, width=0.8, color=ACCENT, alpha=0.25)
    ax.vlines(values, below, above, color=ACCENT, lw=2)
    ax.plot(values, [(seen == value).mean() for value in values], "o", color=INK, ms=4)
    ax.set_ylim(bottom=0)
    if len(values) <= 12:
        ax.set_xticks(values)
    label(ax.set_ylabel("share"))


def _curves(ax: Any, seen: np.ndarray, drawn: np.ndarray) -> None:
    """Compare densities; of few observations, how many lie below each value."""
    few = seen.size < _FEW
    step = max(1, len(drawn) // _MOST_CURVES)
    low, high = np.quantile(drawn[np.isfinite(drawn)], (0.001, 0.999))
    for one in drawn[::step][:_MOST_CURVES]:
        good = one[np.isfinite(one)].astype(float)
        if few:
            ax.ecdf(good, color=ACCENT, lw=0.6, alpha=0.35, rasterized=True)
        elif good.size and good.min() < good.max():
            ax.plot(*density(good), color=ACCENT, lw=0.6, alpha=0.35, rasterized=True)
    if few:
        ax.ecdf(seen.astype(float), color=INK, lw=1.8)
        label(ax.set_ylabel("share below"))
    else:
        if seen.min() < seen.max():
            ax.plot(*density(seen.astype(float)), color=INK, lw=1.8)
        bare(ax)
        ax.plot(seen, np.zeros(seen.size), "|", color=INK, ms=5, mew=0.6, clip_on=False, rasterized=True)
    ax.set_xlim(min(low, seen.min()), max(high, seen.max()))


def _calibrated(ax: Any, seen: np.ndarray, drawn: np.ndarray, weights: np.ndarray, seed: int) -> str:
    if is_discrete(seen) and is_discrete(drawn) and set(np.unique(seen)) <= {0, 1} and drawn.max(initial=0) <= 1:
        return _reliable(ax, seen, left_out_means(drawn, weights), seed)
    chances = np.sort(left_out_chances(drawn, seen, weights, seed))
    band = ecdf_band(len(chances))
    ax.fill_between(band.points, band.lower, band.upper, step="mid", color=ACCENT, alpha=0.18, lw=0)
    share = np.searchsorted(chances, band.points, side="right") / len(chances)
    ax.step(band.points, share - band.points, where="mid", color=INK, lw=1.2)
    ax.axhline(0, color=QUIET, lw=0.8, ls=":")
    ax.set(xlim=(0, 1), xticks=(0, 0.5, 1))
    label(ax.set_xlabel("predictive probability of less than was observed"))
    label(ax.set_ylabel("share below, less expected"))
    return messages.LOO_PIT


def _reliable(ax: Any, seen: np.ndarray, predicted: np.ndarray, seed: int) -> str:
    found = reliability(predicted, seen, seed)
    ax.fill_between(found.predicted, found.lower, found.upper, color=ACCENT, alpha=0.18, lw=0)
    ax.plot(found.predicted, found.came_true, color=INK, lw=1.2)
    ax.plot([0, 1], [0, 1], color=QUIET, lw=0.8, ls=":")
    ax.set(xlim=(0, 1), ylim=(-0.02, 1.02))
    label(ax.set_xlabel("predicted probability"))
    label(ax.set_ylabel("how often it came true"))
    return messages.RELIABILITY
