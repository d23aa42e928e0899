"""Pictures of one number after the other: densities, intervals, and the prior beside the posterior."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.inference.memory import check_draws_fit
from scistan.inference.pictures.canvas import (
    ACCENT,
    INK,
    QUIET,
    bare,
    finished,
    grid,
    label,
    new_figure,
    styled,
    write_title,
)
from scistan.inference.pictures.density import density, is_discrete
from scistan.inference.pictures.elements import Element, Names, choose, draws_at
from scistan.messages import options as option_messages
from scistan.messages import pictures as messages
from scistan.targets.scipy import ancestral_draws
from scistan.targets.scipy.streams import use_seed

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["plot_forest", "plot_posterior", "plot_prior_posterior", "prior_draws"]

Path = str | PathLike[str] | None
_PANELS, _ROWS = 12, 60
_INNER = 0.5  # the share of the draws within the thick line of an interval
_PRIOR_DRAWS = 2000
_TAIL = 0.002  # of the draws at each end of a heavy tail are not drawn


def plot_posterior(
    fit: Fit, var_names: Names = None, limit: int | None = None, probability: float = 0.9, path: Path = None
) -> Any:
    """Draw each number's posterior density, its median and the interval that holds `probability`."""
    probability = as_probability(probability)
    chosen = choose(fit, "plot_posterior", var_names, limit, _PANELS)
    figure, axes = grid(len(chosen.elements), (2.4, 1.8))
    for ax, element in zip(axes, chosen.elements, strict=True):
        low, middle, high = _quantiles(element, probability)
        _draw_density(ax, element.flat, ACCENT, ACCENT)
        bare(ax)
        ax.plot([low, high], [0, 0], color=INK, lw=3, solid_capstyle="butt", clip_on=False)
        ax.plot(middle, 0, "o", color="white", mec=INK, ms=4.5, clip_on=False, zorder=5)
        write_title(ax, element.label)
        label(ax.set_xlabel(f"{middle:.3g}  [{low:.3g}, {high:.3g}]"), 7.5, QUIET)
    return finished(figure, path, (messages.medians(probability), *chosen.notes))


def plot_forest(
    fit: Fit, var_names: Names = None, limit: int | None = None, probability: float = 0.9, path: Path = None
) -> Any:
    """Draw the intervals of many numbers below each other: thick lines hold half of the draws."""
    probability = as_probability(probability)
    chosen = choose(fit, "plot_forest", var_names, limit, _ROWS)
    count = len(chosen.elements)
    figure = new_figure(6.2, 0.9 + 0.19 * count)
    ax = styled(figure.subplots())
    for row, element in enumerate(chosen.elements):
        low, middle, high = _quantiles(element, probability)
        inner_low, _, inner_high = _quantiles(element, _INNER)
        ax.plot([low, high], [row, row], color=ACCENT, lw=1.1, solid_capstyle="butt")
        ax.plot([inner_low, inner_high], [row, row], color=ACCENT, lw=3.4, solid_capstyle="butt")
        ax.plot(middle, row, "o", color="white", mec=ACCENT, ms=4.2, zorder=5)
    ax.set_ylim(count - 0.4, -0.6)
    ax.set_yticks(range(count), [element.label for element in chosen.elements])
    for text in ax.get_yticklabels():
        label(text)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    first, last = ax.get_xlim()
    if first < 0 < last:
        ax.axvline(0, color=QUIET, lw=0.8, ls=":", zorder=0)
    for row in range(1, count):
        if chosen.elements[row].name != chosen.elements[row - 1].name and count > 3:
            ax.axhline(row - 0.5, color="#EEEEEE", lw=0.8, zorder=0)
    return finished(figure, path, (messages.medians(probability, _INNER), *chosen.notes))


def plot_prior_posterior(
    fit: Fit, var_names: Names = None, limit: int | None = None, path: Path = None, seed: int | None = None
) -> Any:
    """Draw each number's prior (grey) and posterior; the prior is drawn where the fit does not have it."""
    prior = prior_draws(fit, seed)
    chosen = choose(fit, "plot_prior_posterior", var_names, limit, _PANELS)
    figure, axes = grid(len(chosen.elements), (2.4, 1.75))
    for ax, element in zip(axes, chosen.elements, strict=True):
        before = draws_at(prior[element.name], element.at)
        before = np.asarray(before, dtype=float).ravel()
        before = before[np.isfinite(before)]
        window = _window(element.flat, before)
        _draw_density(ax, before, "#BBBBBB", QUIET, window)
        _draw_density(ax, element.flat, ACCENT, ACCENT, window)
        ax.set_xlim(window)
        bare(ax)
        write_title(ax, element.label)
    return finished(figure, path, (messages.PRIOR_POSTERIOR, *chosen.notes))


def prior_draws(fit: Fit, seed: int | None = None) -> Mapping[str, np.ndarray]:
    """Give the prior's draws (chain, draw, …): the fit's own, or drawn now with the fit's seed."""
    found = fit.group("prior") if seed is None else None
    if found is not None:
        return {str(name): array.values for name, array in found.data_vars.items()}
    instance = fit._need("the prior").written_instance
    check_draws_fit(instance, _PRIOR_DRAWS)
    drawn, _ = ancestral_draws(instance, _PRIOR_DRAWS, use_seed(int(fit.settings["seed"]) if seed is None else seed))
    return {name: drawn[name][None] for name in fit.posterior}


def as_probability(given: object) -> float:
    """Read how much an interval holds."""
    if isinstance(given, bool) or not isinstance(given, int | float | np.number) or not 0 < float(given) < 1:
        raise option_messages.bad_option("probability", given, "a number between 0 and 1", "0.9")
    return float(given)


def _quantiles(element: Element, probability: float) -> tuple[float, float, float]:
    tail = (1 - probability) / 2
    low, middle, high = np.quantile(element.flat, (tail, 0.5, 1 - tail))
    return float(low), float(middle), float(high)


def _draw_density(
    ax: Any, values: np.ndarray, fill: str, line: str, window: tuple[float, float] | None = None
) -> None:
    if not values.size:
        return
    if is_discrete(values):
        found, counts = np.unique(values, return_counts=True)
        ax.bar(found, counts / values.size, width=0.8, color=fill, alpha=0.4, edgecolor=line, lw=0.8)
        return
    x, y = density(values, window or _most(values))
    ax.fill_between(x, y, color=fill, alpha=0.3, lw=0)
    ax.plot(x, y, color=line, lw=1.2)


def _most(values: np.ndarray) -> tuple[float, float] | None:
    """Give what is to be drawn where single draws lie so far out that the rest would be a spike."""
    least, low, high, most = np.quantile(values, (_TAIL, 0.02, 0.98, 1 - _TAIL))
    heavy = values.max() - values.min() > 5 * (high - low) > 0
    return (float(max(least, low - 2 * (high - low))), float(min(most, high + 2 * (high - low)))) if heavy else None


def _window(posterior: np.ndarray, prior: np.ndarray) -> tuple[float, float]:
    """Show the posterior whole, and as much of the prior as leaves the posterior a fifth of the width."""
    low, high = np.quantile(posterior, (0.001, 0.999))
    width = max(high - low, 1e-300)
    middle = (low + high) / 2
    wanted_low, wanted_high = np.quantile(prior, (0.01, 0.99)) if prior.size else (low, high)
    left = min(low - 0.1 * width, max(wanted_low, middle - 2.5 * width))
    right = max(high + 0.1 * width, min(wanted_high, middle + 2.5 * width))
    least, most = min(posterior.min(), prior.min(initial=np.inf)), max(posterior.max(), prior.max(initial=-np.inf))
    edge = 0.02 * (right - left)
    return float(max(left, least - edge)), float(min(right, most + edge))
