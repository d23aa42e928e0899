"""Pictures of the chains: their paths, their ranks, their energies."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.diagnostics.statistics import e_bfmi
from scistan.inference.pictures.canvas import (
    ACCENT,
    ALARM,
    PALE,
    QUIET,
    bare,
    chain_color,
    finished,
    grid,
    label,
    new_figure,
    styled,
    write_title,
)
from scistan.inference.pictures.density import density
from scistan.inference.pictures.elements import Names, choose
from scistan.messages import pictures as messages

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["divergences", "plot_energy", "plot_rank", "plot_trace"]

Path = str | PathLike[str] | None
_TRACES, _RANKS = 8, 12
_MOST_POINTS = 1000  # of a path: a picture has no room for more
_BINS = 20


def divergences(fit: Fit) -> np.ndarray | None:
    """Give which draws (chain, draw) diverged; None where nothing was recorded of it."""
    return fit.draws.statistics.get("diverging")


def plot_trace(fit: Fit, var_names: Names = None, limit: int | None = None, path: Path = None) -> Any:
    """Draw each number's density in every chain, and its way through the draws."""
    chosen = choose(fit, "plot_trace", var_names, limit, _TRACES)
    count = len(chosen.elements)
    figure = new_figure(9.0, 0.4 + 1.15 * count)
    axes = figure.subplots(count, 2, squeeze=False, width_ratios=(1, 2.6))
    bad = divergences(fit)
    for (left, right), element in zip(axes, chosen.elements, strict=True):
        for chain, draws in enumerate(element.draws):
            finite = draws[np.isfinite(draws)]
            if finite.size and finite.min() < finite.max():
                left.plot(*density(finite), color=chain_color(chain), lw=0.9)
            step = -(-len(draws) // _MOST_POINTS)
            at = np.arange(0, len(draws), step)
            right.plot(at, draws[at], color=chain_color(chain), lw=0.45, alpha=0.8, rasterized=True)
        if bad is not None and bad.any():
            where = np.flatnonzero(bad.any(axis=0))
            right.plot(where, np.zeros(len(where)), "|", color=ALARM, ms=5, clip_on=False,
                       transform=right.get_xaxis_transform())  # fmt: skip
        bare(styled(left))
        styled(right).margins(x=0)
        write_title(left, element.label)
    for ax in axes[:-1, 1]:
        ax.tick_params(labelbottom=False)
    label(axes[-1, 1].set_xlabel("draw"))
    told = messages.chains_by_color(len(chosen.elements[0].draws), 0 if bad is None else int(bad.sum()))
    return finished(figure, path, (told, *chosen.notes))


def plot_rank(fit: Fit, var_names: Names = None, limit: int | None = None, path: Path = None) -> Any:
    """Draw how the ranks of each chain's draws among all draws are spread: evenly, where chains agree."""
    chosen = choose(fit, "plot_rank", var_names, limit, _RANKS)
    figure, axes = grid(len(chosen.elements), (2.4, 1.75))
    for ax, element in zip(axes, chosen.elements, strict=True):
        draws = np.asarray(element.draws, dtype=float)
        order = draws.ravel().argsort(kind="stable")
        ranks = np.empty(draws.size)
        ranks[order] = (np.arange(draws.size) + 0.5) / draws.size
        bins = max(2, min(_BINS, draws.shape[1] // 5))
        for chain, own in enumerate(ranks.reshape(draws.shape)):
            counts, edges = np.histogram(own, bins=bins, range=(0, 1))
            shares = counts * bins / max(1, len(own))
            ax.stairs(shares, edges, baseline=None, color=chain_color(chain), lw=1.1)
        ax.axhline(1, color=QUIET, lw=0.8, ls=":")
        ax.set(xlim=(0, 1), ylim=(0, max(2.0, ax.get_ylim()[1])), xticks=(0, 0.5, 1), yticks=(0, 1, 2))
        write_title(ax, element.label)
    return finished(figure, path, (messages.RANKS, *chosen.notes))


def plot_energy(fit: Fit, path: Path = None) -> Any:
    """Draw the energies beside their steps from draw to draw: where steps are short, tails are reached slowly."""
    energy = fit.draws.statistics.get("energy")
    if fit.method != "mcmc" or energy is None or not np.isfinite(energy).any():
        raise messages.no_energy(fit.method, fit.engine, "log_weight" in fit.draws.statistics)
    figure = new_figure(5.6, 3.0)
    ax = figure.subplots()
    parts = {
        "energy, around its mean": (energy - energy.mean(), PALE, QUIET),
        "step from draw to draw": (np.diff(energy, axis=1), ACCENT, ACCENT),
    }
    for name, (values, fill, line) in parts.items():
        x, y = density(values[np.isfinite(values)])
        ax.fill_between(x, y, color=fill, alpha=0.35 if fill == ACCENT else 0.8, lw=0)
        ax.plot(x, y, color=line, lw=1.2, label=name)
    bare(styled(ax))
    for text in ax.legend(frameon=False, loc="upper right").get_texts():
        label(text)
    return finished(figure, path, (messages.e_bfmi([float(value) for value in e_bfmi(energy)]),))
