"""How well a model's covariates tell its coefficients apart, as they are and standardized."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scistan.errors import Place
from scistan.graph.graph import Graph
from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Data, Node, Variable
from scistan.graph.places import first_place
from scistan.graph.walk import topological

__all__ = ["Design", "condition_numbers", "correlation_condition"]

_PRODUCTS = ("multiply", "matmul")
_MOST = 200  # columns


@dataclass(frozen=True, slots=True)
class Design:
    """Covariates of one length, and the condition number of their products with an intercept, before and after."""

    names: tuple[str, ...]
    before: float
    after: float
    place: Place | None


def condition_numbers(instance: Instance) -> list[Design]:
    """Find the covariates that coefficients multiply, and what a diagonal metric cannot take away of them."""
    groups: dict[int, list[Data]] = {}
    for leaf in dict.fromkeys(_covariates(instance.graph)):
        groups.setdefault(len(instance.values[leaf]), []).append(leaf)
    found = []
    for rows, leaves in groups.items():
        columns = np.column_stack([instance.values[leaf].reshape(rows, -1).astype(float) for leaf in leaves])
        spread = columns.std(0)
        moving = columns[:, spread > 0]
        if rows < 3 or not 0 < moving.shape[1] <= _MOST or not np.isfinite(moving).all():
            continue
        standard = (moving - moving.mean(0)) / moving.std(0)
        names = tuple(instance.graph.data_names[leaf] for leaf in leaves)
        found.append(Design(names, _condition(moving), _condition(standard), first_place(leaves[0])))
    return found


def _covariates(graph: Graph) -> Iterator[Data]:
    """Give named data of whole axes that stand beside latents in a product."""
    moving: set[Node] = set()
    for node in topological([n for term in graph.observed for n in term.law.inputs]):
        if isinstance(node, Variable) or any(arg in moving for arg in node.args):
            moving.add(node)
        if isinstance(node, Apply) and node.op.name in _PRODUCTS and any(arg in moving for arg in node.args):
            for arg in node.args:
                if isinstance(arg, Data) and arg in graph.data_names and len(arg.shape) in (1, 2):
                    yield arg


def _condition(columns: np.ndarray) -> float:
    """Give the condition number of the columns' products, an intercept among them, each scaled to length 1."""
    whole = np.column_stack([np.ones(len(columns)), columns])
    return _ratio(np.linalg.svd(whole / np.linalg.norm(whole, axis=0), compute_uv=False) ** 2)


def correlation_condition(draws: np.ndarray) -> float:
    """Give the condition number of the correlations of draws (rows) of coordinates; NaN where there is none."""
    if draws.shape[1] < 2 or len(draws) <= 5 * draws.shape[1] or (np.ptp(draws, axis=0) == 0).any():
        return float("nan")
    return _ratio(np.linalg.eigvalsh(np.corrcoef(draws.T)))


def _ratio(values: np.ndarray) -> float:
    return float(values.max() / max(values.min(), 1e-12 * values.max()))
