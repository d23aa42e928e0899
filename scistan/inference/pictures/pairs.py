"""Pictures of numbers against each other, divergences marked; of many, the pair that hurts most."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.inference.pictures.canvas import ACCENT, ALARM, bare, finished, label, new_figure, styled
from scistan.inference.pictures.chains import divergences
from scistan.inference.pictures.density import density
from scistan.inference.pictures.elements import Element, Names, choose, moving
from scistan.messages import pictures as messages

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["Pair", "plot_pairs", "worst_pair"]

Path = str | PathLike[str] | None
_NUMBERS = 6
_COMPARED, _DRAWS = 600, 2000  # numbers, and draws of each, among which the worst pair is sought
_MOST_POINTS = 4000
_FEW = 5  # divergences that may lie anywhere
_CLEAR = 3.5  # standard errors: what one number in some hundreds shows by chance
_FIFTH = 0.2
_SKEWED = 20.0  # a positive number whose 95 % quantile is so many times its 5 % quantile is drawn by its logarithm


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two numbers, and why these."""

    first: Element
    second: Element
    why: str


def plot_pairs(fit: Fit, var_names: Names = None, limit: int | None = None, path: Path = None) -> Any:
    """Draw numbers against each other with the divergences; without names, the worst pair alone."""
    if var_names is None and limit is None:
        pair = worst_pair(fit)
        told = messages.pair(pair.first.label, pair.second.label, pair.why)
        return finished(_one(fit, pair), path, (told, _marks(fit)))
    chosen = choose(fit, "plot_pairs", var_names, limit, _NUMBERS)
    if len(chosen.elements) < 2:
        raise messages.one_variable()
    return finished(_matrix(fit, chosen.elements), path, (_marks(fit), *chosen.notes))


def _marks(fit: Fit) -> str:
    bad = divergences(fit)
    return messages.diverged(int(bad.sum())) if bad is not None and bad.any() else ""


# -- which pair ----------------------------------------------------------------------------------
def worst_pair(fit: Fit) -> Pair:
    """Find where divergences gather, or else the strongest rank correlation of two latents."""
    elements = _candidates(fit)
    if len(elements) < 2:
        raise messages.one_variable() if elements else messages.nothing_moves("plot_pairs")
    ranks = np.stack([_ranks(e.draws) for e in elements])
    bad = divergences(fit)
    flags = None if bad is None else bad.ravel()
    if flags is not None and flags.sum() >= _FEW and not flags.all():
        found = _where_gathered(elements, ranks, flags)
        if found is not None:
            return found
    step = -(-ranks.shape[1] // _DRAWS)
    related = np.corrcoef(ranks[:, ::step])
    np.fill_diagonal(related, 0.0)
    one, other = sorted(np.unravel_index(np.nanargmax(np.abs(related)), related.shape))
    why = messages.strongest(float(related[one, other]))
    if flags is not None and flags.any():
        why += f"; {messages.scattered(int(flags.sum()))}"
    return Pair(elements[one], elements[other], why)


def _candidates(fit: Fit) -> list[Element]:
    """Give the latents' numbers; what is derived from them hangs together with them by definition."""
    latents = fit.subject.whole.latents if fit.subject is not None else list(fit.posterior)
    names = [name for name in latents if name in fit.posterior] or list(fit.posterior)
    return moving(fit, names, _COMPARED)


def _ranks(draws: np.ndarray) -> np.ndarray:
    flat = np.asarray(draws, dtype=float).ravel()
    ranks = np.empty(flat.size)
    ranks[flat.argsort(kind="stable")] = (np.arange(flat.size) + 0.5) / flat.size
    return ranks


def _where_gathered(elements: list[Element], ranks: np.ndarray, bad: np.ndarray) -> Pair | None:
    """Take the number whose divergent draws lie furthest to one end, and the one whose spread changes most with it."""
    count = int(bad.sum())
    lean = (ranks[:, bad].mean(1) - 0.5) * np.sqrt(12 * count)
    one = int(np.argmax(np.abs(lean)))
    if abs(lean[one]) < _CLEAR:
        return None
    spread = np.abs(ranks - 0.5)
    with np.errstate(invalid="ignore"):
        own = ranks[one] - 0.5
        bend = np.abs((spread - spread.mean(1, keepdims=True)) @ own) / (spread.std(1) * own.std() * own.size)
        slope = np.abs((ranks - 0.5) @ own) / (own @ own)
    related = np.nan_to_num(np.maximum(bend, slope))
    related[one] = -1
    low = bool(lean[one] < 0)
    inside = int((ranks[one, bad] < _FIFTH).sum() if low else (ranks[one, bad] > 1 - _FIFTH).sum())
    why = messages.gathered(elements[one].label, inside, count, low)
    return Pair(elements[one], elements[int(np.argmax(related))], why)


# -- drawing -------------------------------------------------------------------------------------
def _one(fit: Fit, pair: Pair) -> Any:
    figure = new_figure(5.4, 5.0)
    axes = figure.subplots(2, 2, width_ratios=(4, 1), height_ratios=(1, 4), sharex="col", sharey="row")
    axes[0, 1].remove()
    middle, top, side = axes[1, 0], axes[0, 0], axes[1, 1]
    x, y = _scaled(middle, "x", pair.first), _scaled(middle, "y", pair.second)
    _scatter(middle, pair.first, pair.second, divergences(fit))
    styled(middle)
    for ax, values, log in ((top, pair.first.flat, x), (side, pair.second.flat, y)):
        at, height = density(np.log(values) if log else values)
        at = np.exp(at) if log else at
        (ax.fill_between if ax is top else ax.fill_betweenx)(at, height, color=ACCENT, alpha=0.3, lw=0)
        ax.axis("off")
    label(middle.set_xlabel(pair.first.label))
    label(middle.set_ylabel(pair.second.label))
    return figure


def _scaled(ax: Any, axis: str, element: Element) -> bool:
    """Draw a positive number by its logarithm where most of it would hide at zero."""
    flat = element.flat
    low, high = np.quantile(flat, (0.05, 0.95))
    log = bool(flat.min() > 0 and high > _SKEWED * low)
    if log:
        (ax.set_xscale if axis == "x" else ax.set_yscale)("log")
    return log


def _scatter(ax: Any, one: Element, other: Element, bad: np.ndarray | None) -> None:
    x, y = one.draws.ravel(), other.draws.ravel()
    step = -(-x.size // _MOST_POINTS)
    ax.plot(x[::step], y[::step], "o", color=ACCENT, ms=2.2, mew=0, alpha=0.3, rasterized=True)
    if bad is not None and bad.any():
        ax.plot(x[bad.ravel()], y[bad.ravel()], "o", color=ALARM, ms=3.4, mec="white", mew=0.4, zorder=5)


def _matrix(fit: Fit, elements: list[Element]) -> Any:
    count = len(elements)
    figure = new_figure(0.7 + 1.45 * count, 0.6 + 1.35 * count)
    axes = figure.subplots(count, count, squeeze=False, sharex="col")
    bad = divergences(fit)
    for row, column in np.ndindex(count, count):
        ax = axes[row, column]
        if column > row:
            ax.remove()
            continue
        styled(ax)
        if row == column:
            ax.fill_between(*density(elements[row].flat), color=ACCENT, alpha=0.3, lw=0)
            bare(ax)
        else:
            _scatter(ax, elements[column], elements[row], bad)
        if column == 0:
            label(ax.set_ylabel(elements[row].label))
        elif row != column:
            ax.tick_params(labelleft=False)
        if row == count - 1:
            label(ax.set_xlabel(elements[column].label))
    return figure
