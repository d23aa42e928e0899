"""A picture of a prior check: the prior predictive against the data, and the priors."""

from __future__ import annotations

import io
import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.inference.prior_check.panels import Counts, panel, panel_names
from scistan.messages import prior_check as messages

if TYPE_CHECKING:
    from scistan.inference.prior_check.result import PriorCheck

__all__ = ["plot"]

_COLUMNS = 3
_MOST = 24
_DOTS = 150
_DRAWN, _DATA = "#4079c8", "#c05e38"


def plot(check: PriorCheck) -> Any:
    """Draw a panel for each observed variable, then one for each latent and derived quantity; give the figure."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise messages.no_matplotlib() from None
    names = panel_names(check.state.drawn)
    shown, counts = names[:_MOST], Counts()
    rows, columns = max(1, math.ceil(len(shown) / _COLUMNS)), max(1, min(_COLUMNS, len(shown)))
    figure: Any = Figure(figsize=(4.0 * columns, 2.7 * rows), layout="constrained", facecolor="white")
    # Notebooks draw figures that pyplot made; asked for a PNG, this one gives it by itself.
    figure._repr_png_ = partial(_as_png, figure)
    axes = np.atleast_1d(figure.subplots(rows, columns, squeeze=False)).reshape(-1)
    for ax, (name, role) in zip(axes, shown, strict=False):
        _panel(ax, panel(check.state, name, role, None, None, counts))
    for ax in axes[len(shown) :]:
        ax.set_visible(False)
    more = f"; {len(names) - len(shown)} more are not shown" if len(names) > len(shown) else ""
    title = f"{check.state.drawn.instance.name}: {check.draws} prior draws, seed {check.seed}{more}"
    figure.suptitle(title, fontsize=10).set_parse_math(False)  # a dollar sign in a name is no mathematics
    return figure


def _as_png(figure: Any) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=_DOTS)
    return out.getvalue()


def _panel(ax: Any, told: dict[str, Any]) -> None:
    low, high = told["axis"]
    edges = np.linspace(low, high, len(told["counts"]) + 1)
    width = edges[1] - edges[0]
    observed = told["role"] == "observed"
    probability = told["view"] == "probability"
    label = "prior probability" if probability else "prior predictive" if observed else told["role"]
    ax.stairs(np.asarray(told["counts"]) / (max(told["total"], 1) * width), edges, fill=True, alpha=0.45, color=_DRAWN,
              label=label)
    data = told["data"]
    if data is not None and data["ticks"]:
        at = np.zeros(len(data["ticks"]))
        ax.plot(data["ticks"], at, "|", color=_DATA, markersize=14, clip_on=False, label="data")
    elif data is not None:
        ax.stairs(np.asarray(data["counts"]) / (data["total"] * width), edges, color=_DATA, label="data")
    outside = told["below"] + told["above"]
    note = f" ({outside:.0%} beyond the axis)" if outside >= 0.005 else ""
    ax.set_title(f"{told['name']}{note}", fontsize=10, loc="left")
    ax.set_xlim(low, high)
    ax.set_yticks([])
    ax.spines[["top", "right", "left"]].set_visible(False)
    if observed:
        ax.legend(frameon=False, fontsize=8)
