"""How a point estimate shows itself: a table as text, HTML or pandas, and its loss curve."""

from __future__ import annotations

from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.messages.marginal import integrated_out

if TYPE_CHECKING:
    from scistan.inference.point.estimate import PointEstimate

__all__ = ["as_html", "as_text", "labels", "plot_loss", "to_dataframe"]

_MOST_ROWS = 40
_WORDS = {
    "map": ("posterior mode", "log density"),
    "mle": ("maximum likelihood", "log likelihood"),
    "marginal map": ("marginal posterior mode", "marginal log density"),
    "marginal mle": ("marginal maximum likelihood", "marginal log likelihood"),
    "reml": ("restricted maximum likelihood", "restricted log likelihood"),
}

Row = tuple[str, float, float]


def labels(estimate: PointEstimate, name: str, most: int | None = None) -> list[str]:
    """Name every number of a quantity by its coords, or the first of them."""
    shape = np.shape(estimate.values[name])
    if not shape:
        return [name]
    dims = estimate.dims.get(name) or tuple(f"{name}_dim_{k}" for k in range(len(shape)))
    marks = [_marks(estimate, dim, n) for dim, n in zip(dims, shape, strict=True)]
    return [f"{name}[{', '.join(m[i] for m, i in zip(marks, at, strict=True))}]"
            for at in islice(np.ndindex(shape), most)]


def _marks(estimate: PointEstimate, dim: str, n: int) -> list[str]:
    known = estimate.coords.get(dim)
    return [str(label) for label in known] if known is not None and len(known) == n else [str(i) for i in range(n)]


def _rows(estimate: PointEstimate, most: int | None = None) -> list[Row]:
    rows: list[Row] = []
    for name, value in estimate.values.items():
        if most is not None and len(rows) >= most:
            break
        rest = None if most is None else most - len(rows)
        numbers, errors = (np.ravel(array)[:rest].tolist() for array in (value, estimate.std_errors[name]))
        rows += zip(labels(estimate, name, rest), numbers, errors, strict=True)
    return rows[:most]


def to_dataframe(estimate: PointEstimate) -> Any:
    """Give one row per number; the interval is ± 1.96 standard errors on the scale without bounds."""
    import pandas as pd

    rows = _rows(estimate)
    lower, upper = (
        np.concatenate([np.ravel(estimate.intervals[name][side]) for name in estimate.values] or [np.zeros(0)])
        for side in (0, 1)
    )
    columns = {
        "estimate": np.array([row[1] for row in rows]),
        "std_error": np.array([row[2] for row in rows]),
        "lower_95": lower,
        "upper_95": upper,
    }
    return pd.DataFrame(columns, index=pd.Index([row[0] for row in rows], name="parameter"))


def _verdict(estimate: PointEstimate) -> list[str]:
    head = "converged" if estimate.converged else "NOT converged"
    agree = f"{estimate.starts_agreeing} of {estimate.starts} start{'s' if estimate.starts > 1 else ''} agree"
    groups = [integrated_out(estimate.integrated, estimate.exact, estimate.maximized)] if estimate.integrated else []
    return [f"{head}: {estimate.reason}", agree, *groups, *estimate.findings]


def _title(estimate: PointEstimate) -> str:
    title, what = _WORDS[estimate.kind]
    return f"{title}, {what} {estimate.log_density:.6g}"


def _hidden(estimate: PointEstimate) -> int:
    return max(0, sum(np.size(v) for v in estimate.values.values()) - _MOST_ROWS)


def as_text(estimate: PointEstimate) -> str:
    """Write the table, the verdict and the findings."""
    rows = _rows(estimate, _MOST_ROWS)
    width = max([8, *(len(row[0]) for row in rows)])
    lines = [_title(estimate), f"{'':<{width}}  {'estimate':>11}  {'std error':>11}"]
    lines += [f"{name:<{width}}  {value:>11.5g}  {_number(error):>11}" for name, value, error in rows]
    if _hidden(estimate):
        lines.append(f"… and {_hidden(estimate)} more; see to_dataframe()")
    return "\n".join(lines + _verdict(estimate))


def _number(error: float) -> str:
    return "–" if np.isnan(error) else f"{error:.4g}"


def as_html(estimate: PointEstimate) -> str:
    """Write the same for a notebook."""
    head = "<tr><th></th><th>estimate</th><th>std error</th></tr>"
    body = "".join(
        f"<tr><th>{escape(name)}</th><td>{value:.5g}</td><td>{_number(error)}</td></tr>"
        for name, value, error in _rows(estimate, _MOST_ROWS)
    )
    more = f"<p>… and {_hidden(estimate)} more; see to_dataframe()</p>" if _hidden(estimate) else ""
    notes = "".join(f"<li>{escape(line)}</li>" for line in _verdict(estimate))
    return f"<p>{escape(_title(estimate))}</p><table>{head}{body}</table>{more}<ul>{notes}</ul>"


def plot_loss(estimate: PointEstimate, ax: Any = None) -> Any:
    """Plot how far the loss was from its best value at each iteration."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots()
    losses = np.array([loss for loss, _ in estimate.history])
    best = -estimate.log_density
    above = np.maximum(losses - best, np.finfo(float).tiny)
    shown = np.maximum(above, 1e-12 * max(1.0, abs(best)))
    ax.semilogy(np.arange(1, len(losses) + 1), shown)
    ax.set(xlabel="iteration", ylabel="log density below the best", title=_title(estimate))
    return ax
