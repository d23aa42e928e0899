"""The paper that pictures are drawn on: matplotlib's figures without pyplot, our colors, and files."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from functools import partial
from os import PathLike
from typing import Any

from scistan.inference.files import writing
from scistan.inference.paths import as_path
from scistan.messages import pictures as messages

__all__ = ["ACCENT", "ALARM", "CHAINS", "INK", "PALE", "QUIET", "bare", "chain_color", "finished", "grid", "label",
           "new_figure", "write_title"]  # fmt: skip

# Okabe and Ito's colors, which people who see few colors tell apart too.
CHAINS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#7A6A00", "#8C564B")
ACCENT, ALARM, INK, QUIET, PALE = "#2468A2", "#C23B22", "#222222", "#6B6B6B", "#D9D9D9"
_SMALL, _USUAL = 7.5, 8.5
_DOTS = 150


def new_figure(width: float, height: float) -> Any:
    """Give an empty figure that pyplot knows nothing of; a notebook shows it."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise messages.no_matplotlib() from error
    figure: Any = Figure(figsize=(width, height), layout="constrained", facecolor="white", dpi=110)
    # Notebooks draw figures that pyplot made; asked for a PNG, this one gives it by itself.
    figure._repr_png_ = partial(_as_png, figure)
    return figure


def _as_png(figure: Any) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=_DOTS)
    return out.getvalue()


def grid(count: int, panel: tuple[float, float], most_columns: int = 4) -> tuple[Any, list[Any]]:
    """Give a figure with one panel for each of `count` things, side by side and in rows."""
    columns = min(count, most_columns if count != 2 * most_columns - 3 else most_columns - 1)
    rows = math.ceil(count / columns)
    figure = new_figure(max(columns * panel[0], 3.2), rows * panel[1])
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for spare in axes[count:]:
        spare.remove()
    return figure, [styled(ax) for ax in axes[:count]]


def styled(ax: Any) -> Any:
    """Take away the lines that say nothing."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(QUIET)
    ax.tick_params(labelsize=_SMALL, color=QUIET, labelcolor=INK, length=3)
    ax.set_facecolor("none")
    return ax


def bare(ax: Any) -> Any:
    """Take away the scale of a density: its height says nothing."""
    ax.spines["left"].set_visible(False)
    ax.set_yticks([])
    ax.set_ylim(bottom=0)
    return ax


def chain_color(number: int) -> str:
    return CHAINS[number % len(CHAINS)]


def label(text: Any, size: float = _USUAL, color: str = INK) -> Any:
    """Show words as they are: a dollar sign in a label of the user's is no mathematics."""
    text.set_parse_math(False)
    text.set_usetex(False)
    text.set_fontsize(size)
    text.set_color(color)
    return text


def write_title(ax: Any, text: str) -> None:
    """Name a panel."""
    label(ax.set_title(_cut(text), loc="left"))


def _cut(text: str, longest: int = 46) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def finished(figure: Any, path: str | PathLike[str] | None, notes: Sequence[str] = ()) -> Any:
    """Write what a picture says of itself below it, and the picture to a file where one is named."""
    told = "\n".join(_wrapped(note, figure.get_figwidth()) for note in notes if note)
    if told:
        label(figure.supxlabel(told, x=0.01, ha="left"), _SMALL, QUIET)
    if path is not None:
        _write(figure, path)
    return figure


def _wrapped(text: str, inches: float) -> str:
    from textwrap import fill

    return fill(text, max(40, int(inches * 17)))


def _write(figure: Any, path: str | PathLike[str]) -> None:
    target = as_path("path=", path)
    known = figure.canvas.get_supported_filetypes()
    if target.suffix.lstrip(".").lower() not in known:
        raise messages.unknown_ending(path, [f".{ending}" for ending in ("png", "svg", "pdf") if ending in known])
    out = io.BytesIO()  # matplotlib's writers have errors of their own where a disk is full
    figure.savefig(out, format=target.suffix[1:].lower(), dpi=_DOTS)
    with writing(target) as beside:
        beside.write_bytes(out.getbuffer())
