"""Stable forms: rewrite expressions to the functions that keep their digits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scistan.distributions.declaration import REGISTRY as DISTRIBUTIONS
from scistan.distributions.declaration import Distribution
from scistan.graph.graph import Draw, Graph, Term
from scistan.graph.node import Apply, Literal, Node
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.declaration import Op
from scistan.shapes import ONE

__all__ = ["use_stable_forms"]


def use_stable_forms(graph: Graph) -> Graph:
    """Rewrite nodes, then distributions of a linked parameter."""
    return graph.mapped(_node).with_draws(_linked).with_draws(_standard)


def _is(node: Node, op: str) -> bool:
    return isinstance(node, Apply) and node.op.name == op


def _is_one(node: Node) -> bool:
    return isinstance(node, Literal) and node.value == 1


def _node(node: Node, args: tuple[Node, ...]) -> Node:
    if not isinstance(node, Apply) or not isinstance(node.op, Op):
        return node
    rebuilt = node if args == node.args else node.op.build(args, dict(node.attributes))
    if node.op.name == "log":
        return _log_of(args[0]) or rebuilt
    if node.op.name == "sum":
        return _sum_of(args[0], dict(node.attributes)) or rebuilt
    if node.op.name == "matmul":
        return _matmul_of(*args) or rebuilt
    return rebuilt


def _log_of(inner: Node) -> Node | None:
    if not isinstance(inner, Apply):
        return None
    name, args = inner.op.name, inner.args
    if name == "subtract" and _is_one(args[0]):
        if _is(args[1], "exp"):  # log(1 - exp(x)) -> log1m_exp(x)
            return OPS["log1m_exp"].build(args[1].args)
        return OPS["log1m"].build(args[1:])  # log(1 - x) -> log1m(x)
    if name == "add" and any(map(_is_one, args)):
        other = args[1] if _is_one(args[0]) else args[0]
        if _is(other, "exp"):  # log(1 + exp(x)) -> softplus(x)
            return OPS["softplus"].build(other.args)
        return OPS["log1p"].build((other,))  # log(1 + x) -> log1p(x)
    if name == "inv_logit":  # log(inv_logit(x)) -> log_inv_logit(x)
        return OPS["log_inv_logit"].build(args)
    if name == "sum" and _is(args[0], "exp"):  # log(sum(exp(x))) -> logsumexp(x)
        return OPS["logsumexp"].build(args[0].args, dict(inner.attributes))
    if name == "softmax":  # log(softmax(x)) -> log_softmax(x)
        return OPS["log_softmax"].build(args, dict(inner.attributes))
    if name == "exp":  # log(exp(x)) -> x
        return args[0]
    return None


def _sum_of(inner: Node, attributes: dict[str, Any]) -> Node | None:
    """sum(x * y) -> x @ y for two vectors, and sum(x * y, axis=1) -> x @ y for a matrix and a vector."""
    if not isinstance(inner, Apply) or inner.op.name != "multiply" or attributes["keepdims"]:
        return None
    left, right = inner.args
    if any(ONE in arg.shape for arg in inner.args):
        return None
    if len(left.shape) == len(right.shape) == 1 and left is not right:
        return OPS["matmul"].build((left, right), {"ranks": (1, 1)})
    if attributes["axes"] == (-1,) and sorted(len(arg.shape) for arg in inner.args) == [1, 2]:
        vector, matrix = sorted(inner.args, key=lambda arg: len(arg.shape))
        return OPS["matmul"].build((matrix, vector), {"ranks": (2, 1)})
    return None


def _matmul_of(left: Node, right: Node) -> Node | None:
    """y @ x' -> x @ y for a vector and a matrix."""
    if len(left.shape) == 1 and len(right.shape) == 2 and _is(right, "transpose"):
        return OPS["matmul"].build((right.args[0], left), {"ranks": (2, 1)})
    return None


def _standard(term: Term) -> Draw:
    """normal(0, 1) -> std_normal()."""
    draw = term.draw
    if draw.distribution.name != "Normal" or draw.truncated or "StdNormal" not in DISTRIBUTIONS:
        return draw
    mu, sigma = draw.args
    if isinstance(mu, Literal) and mu.value == 0 and isinstance(sigma, Literal) and sigma.value == 1:
        return replace(draw, distribution=DISTRIBUTIONS["StdNormal"], args=())
    return draw


def _linked(term: Term) -> Draw:
    """Move from a probability or a rate to its linear predictor: bernoulli(inv_logit(x)) -> bernoulli_logit(x)."""
    draw = term.draw
    d: Distribution = draw.distribution
    if not d.link or d.link_form not in DISTRIBUTIONS:
        return draw
    place = [p.name for p in d.parameters].index(d.linked_parameter)
    arg = draw.args[place]
    if not isinstance(arg, Apply) or arg.op.name != d.link or not _along_last(arg):
        return draw
    args = (*draw.args[:place], arg.args[0], *draw.args[place + 1 :])
    return replace(draw, distribution=DISTRIBUTIONS[d.link_form], args=args)


def _along_last(node: Apply) -> bool:
    return dict(node.attributes).get("axis", -1) == -1
