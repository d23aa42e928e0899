"""GLM fusion: a linear predictor inside a distribution becomes Stan's fused form."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from scistan.distributions.declaration import Distribution, Parameter, StanForm
from scistan.domains import MATRIX, REAL, VECTOR
from scistan.graph.graph import Draw, Graph, Term
from scistan.graph.node import Apply, Node, Variable, literal
from scistan.graph.walk import topological
from scistan.ops import FUNCTIONS
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.expression import Expression

__all__ = ["fuse_glm"]


def fuse_glm(graph: Graph) -> Graph:
    """Fuse `alpha + x @ beta` into the observed terms that have a GLM form."""
    return graph.with_draws(_fuse)


def _fuse(term: Term) -> Draw:
    draw = term.draw
    d: Distribution = draw.distribution
    if not term.is_observed or not d.glm or len(draw.shape) != 1 or draw.truncated:
        return draw
    names = [p.name for p in d.parameters]
    place = names.index(d.linear_predictor)
    found = _split(draw.args[place])
    if found is None:
        return draw
    design, alpha, beta = found
    others = draw.args[:place] + draw.args[place + 1 :]
    if any(len(o.shape) > p.domain.event_rank for o, p in zip(others, _others(d), strict=True)) and d.name != "Normal":
        return draw
    form = _glm_form(d)
    intercept = () if d.name == "OrderedLogistic" else (alpha,)
    if not intercept and not _is_zero(alpha):
        return draw
    return replace(draw, distribution=form, args=(design, *intercept, beta, *others))


def _others(d: Distribution) -> list[Parameter]:
    return [p for p in d.parameters if p.name != d.linear_predictor]


def _is_zero(node: Node) -> bool:
    return node is literal(0)


def _split(predictor: Node) -> tuple[Node, Node, Node] | None:
    """Write a sum as `alpha + x @ beta`, with `x` a matrix of data; None if it is no such sum."""
    terms = _summands(predictor)
    products = [t for t, sign in terms if sign > 0 and _is_design_product(t)]
    if not products:
        return None
    product = products[0]
    alpha: Node | None = None
    for summand, sign in terms:
        if summand is product:
            continue
        if alpha is None:
            alpha = summand if sign > 0 else OPS["negative"].build((summand,))
        else:
            alpha = OPS["add" if sign > 0 else "subtract"].build((alpha, summand))
    design, beta = product.args
    if [t for t, _ in terms].count(product) > 1:
        return None
    return design, literal(0) if alpha is None else alpha, beta


def _summands(node: Node) -> list[tuple[Node, int]]:
    result: list[tuple[Node, int]] = []
    stack: list[tuple[Node, int]] = [(node, 1)]
    while stack:
        top, sign = stack.pop()
        if isinstance(top, Apply) and top.op.name in ("add", "subtract"):
            right = sign if top.op.name == "add" else -sign
            stack += [(top.args[1], right), (top.args[0], sign)]
        else:
            result.append((top, sign))
    return result


def _is_design_product(node: Node) -> bool:
    if not isinstance(node, Apply) or node.op.name != "matmul":
        return False
    design, beta = node.args
    known = not any(isinstance(n, Variable) for n in topological([design]))
    return known and len(design.shape) == 2 and len(beta.shape) == 1


@cache
def _glm_form(d: Distribution) -> Distribution:
    """Derive the fused distribution: the same density, with the linear predictor taken apart."""
    names = [p.name for p in d.parameters]
    place = names.index(d.linear_predictor)
    intercept = d.name != "OrderedLogistic"
    head = (Parameter("x", MATRIX), *((Parameter("alpha", REAL),) if intercept else ()), Parameter("beta", VECTOR))
    rest = tuple(p for p in d.parameters if p.name != d.linear_predictor)
    taken = {p.name for p in head}
    rest = tuple(replace(p, name=f"{p.name}_") if p.name in taken else p for p in rest)

    def log_density(y: Any, *args: Any) -> Expression:
        design, *more = args
        alpha = more.pop(0) if intercept else 0.0
        beta, *others = more
        predictor = alpha + FUNCTIONS["matmul"](design, beta)
        return d.log_density(y, *others[:place], predictor, *others[place:])

    return replace(
        d,
        name=f"{d.name}GLM",
        parameters=(*head, *rest),
        log_density=log_density,
        stan=StanForm(d.glm, one_based=d.stan.one_based, truncates=False),
        location_scale=None,
        glm="",
        linear_predictor="",
        link="",
        public=False,
        title="",
    )
