"""GLM fusion: a linear predictor inside a distribution becomes Stan's fused form."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from scistan.distributions.declaration import Distribution, Glm, Parameter, StanForm
from scistan.domains import MATRIX, REAL, VECTOR
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.node import Node, literal
from scistan.graph.walk import with_latents
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.passes.linear import product_of, signed, sum_of, summands
from scistan.shapes import ONE

__all__ = ["fuse_glm", "predictor_place"]


def fuse_glm(graph: Graph) -> Graph:
    """Fuse `alpha + x @ beta` into the observed terms that have a GLM form."""
    latent = with_latents(graph.roots)
    return graph.with_draws(lambda term: _fuse(term, latent))


def predictor_place(term: Term) -> int | None:
    """Tell which argument a GLM form takes apart; None where there is no such form beside the other arguments."""
    law = term.law
    d: Distribution = law.distribution
    if not term.is_observed or d.glm is None or len(law.shape) != 1 or law.truncated or law.constraint:
        return None
    place = _place(d, d.glm)
    others = [(p, arg) for p, arg in zip(d.parameters, law.args, strict=True) if p.name != d.glm.predictor]
    varies = any(len(arg.shape) > p.domain.event_rank for p, arg in others)
    repeated = any(p.domain.integer and ONE in arg.shape for p, arg in others)
    if (varies and not d.glm.others_vary) or (repeated and law.shape[0] != ONE):
        return None
    return place


def _fuse(term: Term, latent: Container[Node]) -> Law:
    law = term.law
    d: Distribution = law.distribution
    place = predictor_place(term)
    if place is None or d.glm is None:
        return law
    found = _split(law.args[place], latent)
    if found is None or found.design.shape[0] == ONE != law.shape[0]:
        return law  # a single row for all observations has no fused form
    if not d.glm.intercept:
        if found.alpha is not None:
            return law
        linear: tuple[Node, ...] = (found.design, found.beta)
    else:
        alpha = _intercept(d.parameters[place].domain is VECTOR, found)
        if alpha is None:
            return law
        linear = (found.design, alpha, found.beta)
    return replace(law, distribution=_glm_form(d, d.glm), args=(*law.args[:place], *linear, *law.args[place + 1 :]))


def _place(d: Distribution, glm: Glm) -> int:
    return [p.name for p in d.parameters].index(glm.predictor)


@dataclass(frozen=True, slots=True)
class _Linear:
    """A predictor `alpha + design @ beta`, with a design of data; `alpha` is None where there is none."""

    design: Node
    beta: Node
    alpha: Node | None


def _intercept(many: bool, found: _Linear) -> Node | None:
    """Give the intercept as the form wants it, for `many` categories; None where it cannot take this one."""
    if not many:
        return literal(0) if found.alpha is None else found.alpha
    if len(found.beta.shape) == 1 or (found.alpha is not None and len(found.alpha.shape) > 1):
        return None
    categories = found.beta.shape[-1]  # one intercept for each category, the same for all observations
    if found.alpha is None or found.alpha.shape in ((), (ONE,)):
        alpha = 0 if found.alpha is None else Expression(found.alpha)
        return FUNCTIONS["broadcast_to"](alpha, (categories,))._scistan_node_
    return found.alpha


def _split(predictor: Node, latent: Container[Node]) -> _Linear | None:
    """Write a sum as `alpha + x @ beta`, with `x` a matrix of data; None if it is no such sum."""
    parts = list(summands(predictor))
    for chosen, (part, added) in enumerate(parts):
        found = product_of(part, latent)
        if found is not None:
            design, beta = found
            return _Linear(design, signed(beta, added), sum_of(parts[:chosen] + parts[chosen + 1 :]))
    return None


@cache
def _glm_form(d: Distribution, glm: Glm) -> Distribution:
    """Derive the fused distribution: the same density, with the linear predictor taken apart."""
    place = _place(d, glm)
    many = d.parameters[place].domain is VECTOR  # a predictor for each category
    alpha = (Parameter("alpha", VECTOR if many else REAL),) if glm.intercept else ()
    linear = (Parameter("x", MATRIX), *alpha, Parameter("beta", MATRIX if many else VECTOR))
    taken = {p.name for p in linear}
    others = [replace(p, name=f"{p.name}_") if p.name in taken else p for p in d.parameters]

    def log_density(y: Any, *args: Any) -> Expression:
        design, *more = args[place : place + len(linear)]
        beta = more.pop()
        predictor = FUNCTIONS["matmul"](design, beta)
        predictor = more[0] + predictor if more else predictor
        return d.log_density(y, *args[:place], predictor, *args[place + len(linear) :])

    return d.form(
        f"{d.name}GLM",
        parameters=(*others[:place], *linear, *others[place + 1 :]),
        log_density=log_density,
        stan=StanForm(glm.name, fused=True, one_based=d.stan.one_based, truncates=False, repeats=("N",)),
    )
