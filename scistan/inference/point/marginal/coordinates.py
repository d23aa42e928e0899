"""The coordinates in which latents are integrated: standard ones, for which a scale of 0 is no special case."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from scistan.distributions.innovations import has_innovations
from scistan.distributions.standard import frame_of
from scistan.graph.graph import Graph, Law, Term
from scistan.passes.factor import by_factor

__all__ = ["standardize"]


def standardize(graph: Graph, names: Container[str]) -> Graph:
    """Measure the latents named by their own location and scale, a series by its innovations."""
    return graph.with_draws(lambda term: _standard(term) if term.name in names else term.law)


def _standard(term: Term) -> Law:
    law = term.law
    if law.distribution.rule is not None:
        return replace(law, noncentred=has_innovations(law))
    law = by_factor(law)
    return law if frame_of(law) is None else replace(law, noncentred=True)
