"""Stable forms: rewrite expressions to the functions that keep their digits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from scistan.distributions.declaration import REGISTRY as DISTRIBUTIONS
from scistan.distributions.declaration import Distribution
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.node import Apply, Literal, Node, is_applied
from scistan.ops.declaration import REGISTRY as OPS
from scistan.passes.kernels import kernel_of
from scistan.passes.rules import Guard, Rewriter, read_rules
from scistan.passes.signs import Signs
from scistan.shapes import ONE

__all__ = ["use_stable_forms"]


RULES = read_rules("""
frozen(x) -> x                                       # marks for prediction: there is nothing to compute
live(x) -> x
-(-x) -> x
1 - inv_logit(x) -> inv_logit(-x)
1 - Phi(x) -> Phi(-x)
exp(x) - 1 -> expm1(x)
1 / (1 + exp(x)) -> inv_logit(-x)
exp(x) / (1 + exp(x)) -> inv_logit(x)
exp(x) / sum(exp(x)) -> softmax(x)                    where vector(x)
log(1 - exp(x)) -> log1m_exp(x)
log(1 - x) -> log1m(x)
log1m(1 - x) -> log(x)
log1m(inv_logit(x)) -> log_inv_logit(-x)
log1m(Phi(x)) -> log_Phi(-x)
log1m(exp(x)) -> log1m_exp(x)
log(1 + exp(x)) -> softplus(x)
log(1 + x) -> log1p(x)
log(inv_logit(x)) -> log_inv_logit(x)
log(Phi(x)) -> log_Phi(x)
log(exp(x)) -> x
log(softmax(x)) -> log_softmax(x)
log(sum(exp(x))) -> logsumexp(x)
log(sum(x)) -> logsumexp(log(x))                      where positive(x) and exponential(x)
log(x @ y) -> logsumexp(log(x) + log(y))              where vectors(x, y) and positives(x, y) and any_exp(x, y)
log(prod(x)) -> sum(log(x))                           where positive(x) and small(x)
sum(x * y, keepdims=False) -> x @ y                   where vectors(x, y) and differ(x, y) and real(x, y) and long(x, y)
sum(x * y, axes=(-1,), keepdims=False) -> x @ y       where matrix(x) and vector(y) and real(x, y) and long(x, y)
y @ transpose(x) -> x @ y                             where matrix(x) and vector(y)
""")


def use_stable_forms(graph: Graph) -> Graph:
    """Rewrite nodes, then distributions of a linked parameter."""
    return graph.mapped(_rewriter(Signs(graph)).rewrite).with_draws(_linked).with_draws(_standard)


def _rewriter(signs: Signs) -> Rewriter:
    """Give the rewriter for a graph; laws that hold for positive values only ask its `signs`."""

    def is_small(node: Node) -> bool:
        """Tell whether a positive value can be too small for its product with others: a probability, or exp(x)."""
        return not isinstance(node, Literal) and (signs.is_unit(node) or _is_exponential(node))

    def log_of_chain(node: Apply) -> Node | None:
        """Rewrite the logarithm of a product or sum of many: of every part at once."""
        (inner,) = node.args
        name = inner.op.name if isinstance(inner, Apply) else ""
        if name not in ("add", "multiply", "divide") or not all(map(signs.is_positive, inner.args)):
            return None
        if name == "add":  # log(exp(x) + exp(y)) -> logaddexp(x, y)
            summands = [part for part, _ in _parts(inner, "add")]
            if not all(map(_is_exponential, summands)):
                return None
            logs = [rewriter.apply("log", part) for part in summands]
            return reduce(lambda total, part: OPS["logaddexp"].build((total, part)), logs)
        factors = list(_parts(inner, "multiply", "divide"))
        if not any(is_small(factor) for factor, _ in factors):
            return None  # log(p * q / r) -> log(p) + log(q) - log(r) only where they may be tiny
        return _joined([(rewriter.apply("log", factor), above) for factor, above in factors])

    def kernel(node: Apply) -> Node | None:
        return kernel_of(node.op.name, node.args, signs)

    guards: dict[str, Guard] = {
        "vector": lambda x: len(x.shape) == 1,
        "vectors": lambda x, y: len(x.shape) == len(y.shape) == 1,
        "matrix": lambda x: len(x.shape) == 2,
        "long": lambda x, y: ONE not in (*x.shape, *y.shape),
        "real": lambda x, y: not (x.integer and y.integer),  # a product of vectors is no whole number in Stan
        "differ": lambda x, y: x is not y,
        "positive": signs.is_positive,
        "positives": lambda x, y: signs.is_positive(x) and signs.is_positive(y),
        "small": is_small,
        "exponential": _is_exponential,
        "any_exp": lambda x, y: _is_exponential(x) or _is_exponential(y),
    }
    rewriter = Rewriter(RULES, guards, {"log": log_of_chain, "exp": kernel, "multiply": kernel})
    return rewriter


def _parts(node: Node, forward: str, backward: str = "") -> Iterator[tuple[Node, bool]]:
    """Take a chain of sums or products apart, from the left; the flag is False behind a minus or a division."""
    stack = [(node, True)]
    while stack:
        top, ahead = stack.pop()
        if is_applied(top, forward) or (backward and is_applied(top, backward)):
            left, right = top.args
            stack += [(right, ahead == is_applied(top, forward)), (left, ahead)]
        else:
            yield top, ahead


def _joined(parts: list[tuple[Node, bool]]) -> Node:
    (total, _), *rest = sorted(parts, key=lambda part: not part[1])
    for part, ahead in rest:
        total = OPS["add" if ahead else "subtract"].build((total, part))
    return total


def _is_exponential(node: Node) -> bool:
    """Tell whether a value is exp(x), alone or times something."""
    return any(is_applied(factor, "exp") for factor, _ in _parts(node, "multiply", "divide"))


def _standard(term: Term) -> Law:
    """normal(0, 1) -> std_normal()."""
    law = term.law
    if law.distribution.name != "Normal" or law.truncated or "StdNormal" not in DISTRIBUTIONS:
        return law
    mu, sigma = law.args
    if isinstance(mu, Literal) and mu.value == 0 and isinstance(sigma, Literal) and sigma.value == 1:
        return replace(law, distribution=DISTRIBUTIONS["StdNormal"], args=())
    return law


def _linked(term: Term) -> Law:
    """Move from a probability or a rate to its linear predictor: bernoulli(inv_logit(x)) -> bernoulli_logit(x)."""
    law = term.law
    d: Distribution = law.distribution
    if not d.link or d.link_form not in DISTRIBUTIONS:
        return law
    place = [p.name for p in d.parameters].index(d.linked_parameter)
    arg = law.args[place]
    if not isinstance(arg, Apply) or arg.op.name != d.link or not _along_last(arg):
        return law
    args = (*law.args[:place], arg.args[0], *law.args[place + 1 :])
    return replace(law, distribution=DISTRIBUTIONS[d.link_form], args=args)


def _along_last(node: Apply) -> bool:
    return dict(node.attributes).get("axis", -1) == -1
