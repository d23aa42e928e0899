"""Non-centring: mark location–scale latents that depend on other latents, exactly and reversibly."""

from __future__ import annotations

from dataclasses import replace

from scistan.distributions.innovations import has_innovations
from scistan.distributions.standard import frame_of
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.walk import has_latents
from scistan.passes.factor import by_factor

__all__ = ["noncenter"]


def noncenter(graph: Graph) -> Graph:
    """Sample `z` in `x = location + scale · z` wherever location or scale is latent and nothing forbids it.

    The scale of a vector is the Cholesky factor of its covariance.
    """
    return graph.with_draws(_change)


def _change(term: Term) -> Law:
    if term.law.distribution.rule is not None:
        return _of_series(term)
    law = by_factor(term.law)
    frame = frame_of(law)
    if term.is_observed or frame is None or law.truncated or law.constraint is not None or law.centred:
        return term.law
    if law.centred is None and not any(map(has_latents, frame.nodes)):
        return term.law
    return replace(law, noncentred=True)


def _of_series(term: Term) -> Law:
    """Sample a latent series by its innovations, unless it is asked for as it is or has none."""
    law = term.law
    if term.is_observed or law.centred or not has_innovations(law):
        return law
    return replace(law, noncentred=True)
