"""Gather: numbers times columns of data, `a + b * x + c * z`, become a matrix of data times a vector, as in a GLM."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from scistan.distributions.declaration import Distribution
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.node import Apply, Node
from scistan.graph.places import copy_places, first_place
from scistan.graph.walk import topological, with_latents
from scistan.ops.declaration import REGISTRY as OPS
from scistan.passes.glm import predictor_place
from scistan.passes.linear import Signed, product_of, scaled_column, signed, sum_of, summands
from scistan.shapes import ONE

__all__ = ["gather_predictors"]


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
    """Give a predictor with one product for all columns; None where there is nothing to gather, or no form for it."""
    d: Distribution = law.distribution
    designs: list[tuple[Node, Node]] = []
    columns: list[tuple[Node, Node]] = []
    rest: list[Signed] = []
    for part, added in summands(predictor):
        column, product = scaled_column(part, latent), product_of(part, latent)
        if column is not None and _has_rows(column[0], law):
            columns.append((column[0], signed(column[1], added)))
        elif product is not None and _has_rows(product[0], law):
            designs.append((product[0], signed(product[1], added)))
        else:
            rest.append((part, added))
    if not columns and len(designs) < 2:
        return None
    if rest and d.glm is not None and not d.glm.intercept:
        return None
    if columns:
        data, numbers = zip(*columns, strict=True)
        designs.append((OPS["stack"].build(data, {"axis": -1}), OPS["stack"].build(numbers, {"axis": -1})))
    matrices, vectors = zip(*designs, strict=True)
    product = OPS["matmul"].build((_joined(matrices), _joined(vectors)), {"ranks": (2, 1)})
    alpha = sum_of(rest)
    made = product if alpha is None else OPS["add"].build((alpha, product))
    for node in topological([made]):
        if isinstance(node, Apply) and first_place(node) is None:
            copy_places(predictor, node)
    return made


def _has_rows(data: Node, law: Law) -> bool:
    """Tell whether data have a row for each observation, rather than one for all."""
    return data.shape[0] != ONE or law.shape[0] == ONE


def _joined(parts: tuple[Node, ...]) -> Node:
    """Put matrices side by side, and vectors one after the other."""
    return parts[0] if len(parts) == 1 else OPS["concatenate"].build(parts, {"axis": -1})
