"""95 % intervals that stay where the quantity lives: estimate ± 1.96 standard errors on its unconstrained scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from scistan.distributions.resolve import value_domain
from scistan.graph.graph import Law
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.passes.signs import Signs

__all__ = ["STRUCTURES", "Limits", "intervals", "limits_of"]

_NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Limits:
    """Between which numbers each element lies for certain; infinite where there is no bound."""

    lower: np.ndarray | float = -np.inf
    upper: np.ndarray | float = np.inf


def intervals(
    values: Mapping[str, np.ndarray], errors: Mapping[str, np.ndarray], limits: Mapping[str, Limits]
) -> dict[str, np.ndarray]:
    """Give the ends of every number's interval, along a first axis; NaN where its standard error is."""
    return {name: _ends(np.asarray(v, float), errors[name], limits.get(name, Limits())) for name, v in values.items()}


def _ends(value: np.ndarray, error: np.ndarray, limits: Limits) -> np.ndarray:
    """Go 1.96 standard errors both ways on the scale of log(x - lower), log(upper - x), or the logit between them."""
    lower, upper = (np.broadcast_to(np.asarray(end, float), value.shape) for end in (limits.lower, limits.upper))
    step = _NORMAL_95 * np.stack([-error, error])
    with np.errstate(all="ignore"):
        above, below = value - lower, upper - value
        ends = np.select(
            [np.isfinite(lower) & np.isfinite(upper), np.isfinite(lower), np.isfinite(upper)],
            [
                # logit(s) + step / (s (1 - s)) / width, with s the share of the width, back by its inverse
                lower + (upper - lower) / (1 + below / above * np.exp(-step * (upper - lower) / (above * below))),
                lower + above * np.exp(step / above),
                upper - below * np.exp(-step / below),
            ],
            value + step,
        )
    ends = np.where((error == 0) | ((above <= 0) | (below <= 0)) & ~np.isnan(error), value, ends)
    return np.clip(ends, lower, upper)


def limits_of(
    instance: Instance, values: Mapping[str, np.ndarray], at: Callable[[Node], np.ndarray]
) -> dict[str, Limits]:
    """Give the limits of latents by their domains, of derived quantities by what is certain of their signs.

    `at` gives the value of a bound that the model computes.
    """
    graph = instance.graph
    found = {term.name: _of_law(term.law, values[term.name], at) for term in graph.latents}
    signs = Signs(graph, instance.values)
    for name, node in graph.derived.items():
        if signs.is_unit(node):
            found[name] = Limits(0.0, 1.0)
        elif signs.is_positive(node):
            found[name] = Limits(0.0)
    return found


def _of_law(law: Law, value: np.ndarray, at: Callable[[Node], np.ndarray]) -> Limits:
    domain = value_domain(law)
    if domain.structure:
        return STRUCTURES[domain.structure](value)
    ends = []
    for bound, none in ((domain.lower, -np.inf), (domain.upper, np.inf)):
        if isinstance(bound, Node):
            ends.append(np.asarray(at(bound), float))
        else:
            ends.append(np.asarray(bound if isinstance(bound, int | float) else none, float))
    return Limits(*ends)


def _on_diagonal(of_diagonal: Limits, elsewhere: Limits) -> Callable[[np.ndarray], Limits]:
    """Give limits of matrices: some for the diagonal, others for the rest."""

    def limits(value: np.ndarray) -> Limits:
        eye = np.eye(value.shape[-1], dtype=bool)
        return Limits(*(np.where(eye, getattr(of_diagonal, s), getattr(elsewhere, s)) for s in ("lower", "upper")))

    return limits


STRUCTURES: Mapping[str, Callable[[np.ndarray], Limits]] = {
    "simplex": lambda value: Limits(0.0, 1.0),
    "log_simplex": lambda value: Limits(upper=0.0),
    "ordered": lambda value: Limits(),
    "positive_ordered": lambda value: Limits(0.0),
    "sum_to_zero": lambda value: Limits(),
    "corr": _on_diagonal(Limits(), Limits(-1.0, 1.0)),
    "cholesky_corr": _on_diagonal(Limits(0.0, 1.0), Limits(-1.0, 1.0)),
    "cov": _on_diagonal(Limits(0.0), Limits()),
    "cholesky_cov": _on_diagonal(Limits(0.0), Limits()),
}
