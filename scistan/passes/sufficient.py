"""Sufficient statistics: many independent, identical observations enter through a few sums of the data."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from scistan.distributions.declaration import Distribution, Formula
from scistan.domains import VECTOR
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.node import extent
from scistan.ops.expression import Expression
from scistan.shapes import Shape

__all__ = ["use_sufficient_statistics"]


def use_sufficient_statistics(graph: Graph) -> Graph:
    """Rewrite observed vectors whose arguments are the same for every element."""
    return graph.with_draws(_change)


def _change(term: Term) -> Law:
    law = term.law
    scalar = all(not node.shape for node in law.args)
    if not term.is_observed or not scalar or len(law.shape) != 1 or law.truncated or law.constraint:
        return law
    d: Distribution = law.distribution
    return law if d.sample is None else replace(law, distribution=_joint_form(d, d.sample, law.shape))


@cache
def _joint_form(d: Distribution, sample: Formula, shape: Shape) -> Distribution:
    """Derive the distribution of the whole vector."""

    def log_density(y: Any, *args: Any) -> Any:
        return sample(y, Expression(extent(shape[0])), *args)

    return d.form(
        f"{d.name}Sample",
        support=VECTOR,
        discrete=False,
        log_density=log_density,
        remark=f"{d.name}, by its sufficient statistics",
    )
