"""One fold: the model fitted without some rows, and the log density of those rows under it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.diagnostics.statistics import measure
from scistan.graph.graph import Term
from scistan.graph.node import Node
from scistan.inference.fit import Fit
from scistan.inference.judge.carried import GRAPH_WORK, Carried
from scistan.inference.judge.split import Rows, rows_of
from scistan.inference.judge.tasks import task_seed
from scistan.inference.sample import sampled
from scistan.inference.summed import as_written, conditional_terms, summed
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy import NUMPY, draw_term, pointwise_log_densities
from scistan.targets.scipy.streams import stream

__all__ = ["FoldSettings", "fit_fold", "log_mean", "observed_term"]


@dataclass(frozen=True, slots=True)
class FoldSettings:
    """What every fold does alike: which rows of what, and how it is sampled."""

    name: str
    axis: int
    seed: int
    engine: str
    draws: int
    warmup: int
    chains: int
    options: Mapping[str, Any]


def observed_term(carried: Carried, name: str) -> Term:
    """Give the observed variable of a name."""
    return next(t for t in carried.instance.graph.observed if t.name == name)


def fit_fold(carried: Carried, settings: FoldSettings, number: int, held: np.ndarray) -> dict[str, np.ndarray]:
    """Fit without the rows `held`; give their log densities, the errors of these, and how the fit fared."""
    seed = task_seed(settings.seed, number)
    with GRAPH_WORK:
        rows = rows_of(carried.instance, observed_term(carried, settings.name), settings.axis)
        train = rows.taken(np.setdiff1d(np.arange(rows.count), held))
    lengths = settings.draws, settings.warmup, settings.chains
    fit = sampled(summed(train), *lengths, seed, settings.engine, None, False, **settings.options)
    with GRAPH_WORK:
        density = _density(rows, held, fit, seed)
    elpd, error = log_mean(density)
    told = fit.diagnose()
    ill = "" if told.ok else told.verdict
    return {"elpd": elpd, "mcse": error, "ill": np.asarray(ill), "rows": held}


def _density(rows: Rows, held: np.ndarray, fit: Fit, seed: int) -> np.ndarray:
    """Give the log density of each held-out element at each draw: (chains, draws, rows, …)."""
    part = summed(rows.taken(held))
    if rows.term.name in conditional_terms(part):
        part = as_written(part)
    chains, draws = fit.shape
    evaluator = Evaluator(part, NUMPY)
    latents: dict[Node, np.ndarray] = {}
    for term in part.graph.latents:  # in the order they were written: parents first
        if rows.axes(term.law.shape):
            # A latent of its own for each row: that of a row left out has its distribution given the others.
            array = draw_term(part, term, chains * draws, stream(seed, term.name), evaluator)
        else:
            own = fit.posterior[term.name]
            array = own.reshape(chains * draws, *own.shape[2:])
        latents[term.value] = array
        evaluator.set(term.value, array, batched=True)
    term = next(t for t in part.graph.observed if t.name == rows.term.name)
    found = pointwise_log_densities(part, latents, [term])[term.name]
    return np.moveaxis(found.reshape(chains, draws, *found.shape[1:]), rows.axis + 2, 2)


def log_mean(log_densities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the log of the mean density over chains and draws, and its Monte-Carlo error."""
    largest = log_densities.max(axis=(0, 1))
    with np.errstate(all="ignore"):
        relative = np.exp(log_densities - largest)
        mean = relative.mean(axis=(0, 1))
        spread = relative.std(axis=(0, 1)) / mean
        moving = relative.std(axis=(0, 1)) > 0
        ess = measure({"p": relative})["p"].bulk_ess if relative.shape[1] >= 4 else np.full(mean.shape, np.nan)
        total = relative.shape[0] * relative.shape[1]
        counted = np.clip(np.where(np.isfinite(ess), ess, total), 1, total)
        return largest + np.log(mean), np.where(moving, spread / np.sqrt(counted), 0.0)
