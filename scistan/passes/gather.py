"""Gather: numbers times columns of data, `a + b * x + c * z`, become a matrix of data times a vector, as in a GLM."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from scistan.distributions.declaration import Distribution, Glm
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.node import Apply, Literal, Node
from scistan.graph.places import copy_places, first_place
from scistan.graph.walk import topological, with_latents
from scistan.ops.declaration import REGISTRY as OPS
from scistan.passes.glm import predictor_place
from scistan.passes.linear import Signed, product_of, scaled_column, signed, sum_of, summands
from scistan.shapes import ONE

__all__ = ["gather_predictors"]

Product = tuple[Node, Node]  # data, and what they are multiplied by


def gather_predictors(graph: Graph) -> Graph:
    """Rewrite `a + b * x + c * z` as `a + stack(x, z) @ stack(b, c)` where a GLM form takes it."""
    latent = with_latents(graph.roots)
    return graph.with_draws(lambda term: _gather(term, latent))


def _gather(term: Term, latent: Container[Node]) -> Law:
    law = term.law
    place = predictor_place(term)
    if place is None or law.distribution.parameters[place].domain.event_rank:
        return law  # where each observation has a predictor for every category, coefficients are no numbers
    made = _gathered(law, law.args[place], latent)
    return law if made is None else replace(law, args=(*law.args[:place], made, *law.args[place + 1 :]))


def _gathered(law: Law, predictor: Node, latent: Container[Node]) -> Node | None:
    """Give a predictor with one product for all columns; None where no form comes of it, or none that pays."""
    designs: list[Product] = []
    columns: list[Product] = []
    rest: list[Signed] = []
    for part, added in summands(predictor):
        for found, kind in ((scaled_column(part, latent), columns), (product_of(part, latent), designs)):
            if found is not None and _has_rows(found[0], law):
                kind.append((found[0], signed(found[1], added)))
                break
        else:
            if not (isinstance(part, Literal) and part.value == 0):  # with which Python's own `sum` begins
                rest.append((part, added))
    d: Distribution = law.distribution
    if d.glm is None or not _pays(d.glm, len(designs), len(columns)) or (rest and not d.glm.intercept):
        return None
    made = _product(designs, columns)
    alpha = sum_of(rest)
    made = made if alpha is None else OPS["add"].build((alpha, made))
    for node in topological([made]):
        if isinstance(node, Apply) and first_place(node) is None:
            copy_places(predictor, node)
    return made


def _product(designs: list[Product], columns: list[Product]) -> Node:
    """Multiply all data, side by side, by all coefficients, one below the other."""
    if columns:
        stacked = [OPS["stack"].build(parts, {"axis": -1}) for parts in zip(*columns, strict=True)]
        designs = [*designs, (stacked[0], stacked[1])]
    factors = tuple(
        parts[0] if len(parts) == 1 else OPS["concatenate"].build(parts, {"axis": -1})
        for parts in zip(*designs, strict=True)
    )
    return OPS["matmul"].build(factors, {"ranks": (2, 1)})


def _pays(glm: Glm, designs: int, columns: int) -> bool:
    """Tell whether there is something to gather, and the fused form is faster than the sum as it is written."""
    if designs:  # it is fused with or without the columns, which else have to be added for each observation
        return designs + columns > 1
    return glm.fewest is not None and columns >= glm.fewest


def _has_rows(data: Node, law: Law) -> bool:
    """Tell whether data have a row for each observation, rather than one for all."""
    return data.shape[0] != ONE or law.shape[0] == ONE

