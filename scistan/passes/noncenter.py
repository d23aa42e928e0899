"""Non-centring: mark location–scale latents that depend on other latents, exactly and reversibly."""

from __future__ import annotations

from dataclasses import replace

from scistan.distributions.declaration import Distribution
from scistan.graph.graph import Draw, Graph, Term
from scistan.graph.node import Node, Variable
from scistan.graph.walk import topological

__all__ = ["noncenter"]


def noncenter(graph: Graph) -> Graph:
    """Sample `z` in `x = location + scale · z` wherever location or scale is latent and nothing forbids it."""
    return graph.with_draws(_change)


def _change(term: Term) -> Draw:
    draw = term.draw
    d: Distribution = draw.distribution
    free = d.location_scale is not None and not draw.truncated and draw.constraint is None and not draw.centred
    if term.is_observed or not free or d.location_scale is None:
        return draw
    names = [p.name for p in d.parameters]
    location_scale = [draw.args[names.index(name)] for name in d.location_scale]
    if draw.centred is None and not any(_is_latent(node) for node in location_scale):
        return draw
    return replace(draw, noncentred=True)


def _is_latent(node: Node) -> bool:
    return any(isinstance(n, Variable) for n in topological([node]))
