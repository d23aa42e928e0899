"""GLM fusion: a linear predictor inside a distribution becomes Stan's fused form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from scistan.distributions.declaration import Distribution, Glm, Parameter, StanForm
from scistan.domains import MATRIX, REAL, VECTOR
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.node import Apply, Node, is_applied, literal
from scistan.graph.walk import has_latents
from scistan.ops import FUNCTIONS
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.expression import Expression
from scistan.shapes import ONE

__all__ = ["fuse_glm"]


def fuse_glm(graph: Graph) -> Graph:
    """Fuse `alpha + x @ beta` into the observed terms that have a GLM form."""
    return graph.with_draws(_fuse)


def _fuse(term: Term) -> Law:
    law = term.law
    d: Distribution = law.distribution
    if not term.is_observed or d.glm is None or len(law.shape) != 1 or law.truncated or law.constraint:
        return law
    place = _place(d, d.glm)
    found = _split(law.args[place])
    if found is None or found.design.shape[0] == ONE != law.shape[0]:
        return law  # a single row for all observations has no fused form
    before, after = law.args[:place], law.args[place + 1 :]
    others = [p for p in d.parameters if p.name != d.glm.predictor]
    varies = any(len(o.shape) > p.domain.event_rank for o, p in zip(before + after, others, strict=True))
    repeated = any(p.domain.integer and ONE in o.shape for o, p in zip(before + after, others, strict=True))
    if (varies and not d.glm.others_vary) or (repeated and law.shape[0] != ONE):
        return law
    if not d.glm.intercept:
        if found.alpha is not None:
            return law
        linear: tuple[Node, ...] = (found.design, found.beta)
    else:
        alpha = _intercept(d.parameters[place].domain is VECTOR, found)
        if alpha is None:
            return law
        linear = (found.design, alpha, found.beta)
    return replace(law, distribution=_glm_form(d, d.glm), args=(*before, *linear, *after))


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


def _split(predictor: Node) -> _Linear | None:
    """Write a sum as `alpha + x @ beta`, with `x` a matrix of data; None if it is no such sum."""
    terms = _summands(predictor)
    products = [(k, found) for k, (t, _) in enumerate(terms) if (found := _product(t)) is not None]
    if not products:
        return None
    chosen, (design, beta) = products[0]
    if terms[chosen][1] < 0:
        beta = OPS["negative"].build((beta,))
    alpha: Node | None = None
    for k, (summand, sign) in enumerate(terms):
        if k == chosen:
            continue
        if alpha is None:
            alpha = summand if sign > 0 else OPS["negative"].build((summand,))
        else:
            alpha = OPS["add" if sign > 0 else "subtract"].build((alpha, summand))
    return _Linear(design, beta, alpha)


def _summands(node: Node) -> list[tuple[Node, int]]:
    result: list[tuple[Node, int]] = []
    stack: list[tuple[Node, int]] = [(node, 1)]
    while stack:
        top, sign = stack.pop()
        if isinstance(top, Apply) and top.op.name in ("add", "subtract"):
            right = sign if top.op.name == "add" else -sign
            stack += [(top.args[1], right), (top.args[0], sign)]
        elif is_applied(top, "negative"):
            stack.append((top.args[0], -sign))
        else:
            result.append((top, sign))
    return result


def _product(node: Node) -> tuple[Node, Node] | None:
    """Give design and coefficients of `x @ beta`, also where a number multiplies the product."""
    if not isinstance(node, Apply):
        return None
    if node.op.name == "multiply":
        for number, inner in (node.args, node.args[::-1]):
            found = _product(inner) if not number.shape else None
            if found is not None:
                return found[0], OPS["multiply"].build((number, found[1]))
        return None
    if node.op.name != "matmul":
        return None
    design, beta = node.args
    if len(design.shape) != 2 or not 1 <= len(beta.shape) <= 2:
        return None
    return None if has_latents(design) else (design, beta)


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
