"""How a fit shows itself in a notebook: what ran, how it went, and the first of its variables."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["as_html"]

_ROWS = 12
_QUANTILES = (0.05, 0.5, 0.95)
_HEAD = ("", "mean", "sd", "5 %", "median", "95 %")
_LEFT = "style='text-align:left'"


def as_html(fit: Fit) -> str:
    """Write a fit as two small tables; nothing is computed that takes long."""
    facts = "".join(
        f"<tr><th {_LEFT}>{escape(what)}</th><td {_LEFT}>{escape(text)}</td></tr>" for what, text in _facts(fit)
    )
    rows = list(islice(_elements(fit), _ROWS))
    cells = "".join(f"<tr><th {_LEFT}>{escape(name)}</th>{_numbers(draws)}</tr>" for name, draws in rows)
    head = "".join(f"<th>{word}</th>" for word in _HEAD)
    total = sum(array[0, 0].size for array in fit.posterior.values())
    more = f"<p>and {total - len(rows)} more: <code>fit.summary()</code></p>" if total > len(rows) else ""
    caption = f"<caption {_LEFT}>{escape(fit.model_name)}</caption>"
    return f"<table>{caption}{facts}</table><table><tr>{head}</tr>{cells}</table>{more}"


def _facts(fit: Fit) -> Iterator[tuple[str, str]]:
    chains, draws = fit.shape
    seconds = ", ".join(f"{part} {spent:.1f} s" for part, spent in fit.timing.items())
    yield "engine", f"{fit.engine}: {chains} chains × {draws} draws" + (f" ({seconds})" if seconds else "")
    yield "health", fit.diagnose().verdict
    if fit.certificate is not None:
        yield "certificate", repr(fit.certificate).splitlines()[0]
    yield from (("note", text) for text in (fit.why, *fit.notes) if text)


def _elements(fit: Fit) -> Iterator[tuple[str, np.ndarray]]:
    """Give the draws of every number, named by its labels, one variable after the other."""
    for name, array in fit.posterior.items():
        dims = fit.dims.get(name, ())
        for at in np.ndindex(array.shape[2:]):
            yield name + _subscript(fit, dims, at), array[(slice(None), slice(None), *at)]


def _subscript(fit: Fit, dims: object, at: tuple[int, ...]) -> str:
    names = list(dims) if isinstance(dims, list | tuple) and len(dims) == len(at) else [""] * len(at)
    labels = [fit.coords.get(dim, ()) for dim in names]
    shown = [str(known[k]) if len(known) > k else str(k) for known, k in zip(labels, at, strict=True)]
    return f"[{', '.join(shown)}]" if at else ""


def _numbers(draws: np.ndarray) -> str:
    low, middle, high = np.quantile(draws, _QUANTILES)
    return "".join(f"<td>{number:.3g}</td>" for number in (draws.mean(), draws.std(), low, middle, high))
