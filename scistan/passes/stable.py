"""Stable forms: rewrite expressions to the functions that keep their digits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from typing import Any

from scistan.distributions.declaration import REGISTRY as DISTRIBUTIONS
from scistan.distributions.declaration import Distribution
from scistan.graph.graph import Draw, Graph, Term
from scistan.graph.node import Apply, Literal, Node, is_applied
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.declaration import Op
from scistan.passes.kernels import kernel_of
from scistan.passes.signs import Signs
from scistan.shapes import ONE

__all__ = ["use_stable_forms"]


def use_stable_forms(graph: Graph) -> Graph:
    """Rewrite nodes, then distributions of a linked parameter."""
    return graph.mapped(_Rules(Signs(graph)).rewrite).with_draws(_linked).with_draws(_standard)


def _is_one(node: Node) -> bool:
    return isinstance(node, Literal) and node.value == 1


def _negative(node: Node) -> Node:
    return node.args[0] if is_applied(node, "negative") else OPS["negative"].build((node,))


class _Rules:
    """The rules of nodes; those that hold for positive values only ask `signs`."""

    def __init__(self, signs: Signs) -> None:
        self._signs = signs

    def rewrite(self, node: Node, args: tuple[Node, ...]) -> Node:
        """Rebuild a node on new arguments, in a better form where there is one."""
        if not isinstance(node, Apply) or not isinstance(node.op, Op):
            return node
        rebuilt = node if args == node.args else node.op.build(args, dict(node.attributes))
        name = node.op.name
        if name in ("frozen", "live"):  # marks for prediction: there is nothing to compute
            return args[0]
        if name == "log":
            return self.log_of(args[0]) or rebuilt
        if name == "sum":
            return _sum_of(args[0], dict(node.attributes)) or rebuilt
        if name == "matmul":
            return _matmul_of(*args) or rebuilt
        if name == "subtract":
            return _difference(*args) or rebuilt
        if name == "divide":
            return _ratio(*args) or rebuilt
        if name in ("exp", "multiply"):
            return kernel_of(name, args, self._signs) or rebuilt
        return rebuilt

    def log_of(self, inner: Node) -> Node | None:
        """Give a better form of a logarithm; None if there is none."""
        if not isinstance(inner, Apply):
            return None
        name, args, attributes = inner.op.name, inner.args, dict(inner.attributes)
        if name == "subtract" and _is_one(args[0]):
            if is_applied(args[1], "exp"):  # log(1 - exp(x)) -> log1m_exp(x)
                return OPS["log1m_exp"].build(args[1].args)
            return OPS["log1m"].build(args[1:])  # log(1 - x) -> log1m(x)
        if name == "add" and any(map(_is_one, args)):
            other = args[1] if _is_one(args[0]) else args[0]
            if is_applied(other, "exp"):  # log(1 + exp(x)) -> softplus(x)
                return OPS["softplus"].build(other.args)
            return OPS["log1p"].build((other,))  # log(1 + x) -> log1p(x)
        if name == "inv_logit":  # log(inv_logit(x)) -> log_inv_logit(x)
            return OPS["log_inv_logit"].build(args)
        if name == "Phi":  # log(Phi(x)) -> log_Phi(x)
            return OPS["log_Phi"].build(args)
        if name == "sum" and is_applied(args[0], "exp"):  # log(sum(exp(x))) -> logsumexp(x)
            return OPS["logsumexp"].build(args[0].args, attributes)
        if name == "softmax":  # log(softmax(x)) -> log_softmax(x)
            return OPS["log_softmax"].build(args, attributes)
        if name == "exp":  # log(exp(x)) -> x
            return args[0]
        return self._log_of_positive(name, args, inner)

    def _log_of_positive(self, name: str, args: tuple[Node, ...], inner: Apply) -> Node | None:
        positive = name in ("add", "multiply", "divide", "prod", "sum", "matmul") and all(
            map(self._signs.is_positive, args)
        )
        if not positive:
            return None
        attributes = dict(inner.attributes)
        if name == "prod" and self._is_small(args[0]):  # log(prod(p)) -> sum(log(p)) for probabilities p
            return OPS["sum"].build((self._log(args[0]),), attributes)
        if name == "sum" and _is_exponential(args[0]):  # log(sum(p * exp(x))) -> logsumexp(log(p) + x)
            return OPS["logsumexp"].build((self._log(args[0]),), attributes)
        vectors = all(len(arg.shape) == 1 for arg in args)
        if name == "matmul" and vectors and any(map(_is_exponential, args)):  # the same, as a product of vectors
            both = OPS["add"].build(tuple(map(self._log, args)))
            return OPS["logsumexp"].build((both,), {"axes": (-1,), "keepdims": False})
        if name in ("multiply", "divide"):  # log(p * q / r) -> log(p) + log(q) - log(r) where they may be tiny
            factors = list(_parts(inner, "multiply", "divide"))
            if not any(self._is_small(factor) for factor, _ in factors):
                return None
            return _joined([(self._log(factor), above) for factor, above in factors])
        summands = [part for part, _ in _parts(inner, "add")]
        if name == "add" and all(map(_is_exponential, summands)):  # log(exp(x) + exp(y)) -> logaddexp(x, y)
            logs = [self._log(part) for part in summands]
            return reduce(lambda total, part: OPS["logaddexp"].build((total, part)), logs)
        return None

    def _log(self, node: Node) -> Node:
        return self.log_of(node) or OPS["log"].build((node,))

    def _is_small(self, node: Node) -> bool:
        """Tell whether a positive value can be too small for its product with others: a probability, or exp(x)."""
        return not isinstance(node, Literal) and (self._signs.is_unit(node) or _is_exponential(node))


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


def _difference(left: Node, right: Node) -> Node | None:
    if _is_one(left) and is_applied(right, "inv_logit"):  # 1 - inv_logit(x) -> inv_logit(-x)
        return OPS["inv_logit"].build((_negative(right.args[0]),))
    if _is_one(left) and is_applied(right, "Phi"):  # 1 - Phi(x) -> Phi(-x)
        return OPS["Phi"].build((_negative(right.args[0]),))
    if _is_one(right) and is_applied(left, "exp"):  # exp(x) - 1 -> expm1(x)
        return OPS["expm1"].build(left.args)
    return None


def _ratio(top: Node, bottom: Node) -> Node | None:
    if is_applied(bottom, "add") and any(map(_is_one, bottom.args)):
        other = bottom.args[1] if _is_one(bottom.args[0]) else bottom.args[0]
        if is_applied(other, "exp") and _is_one(top):  # 1 / (1 + exp(-x)) -> inv_logit(x)
            return OPS["inv_logit"].build((_negative(other.args[0]),))
        if other is top and is_applied(top, "exp"):  # exp(x) / (1 + exp(x)) -> inv_logit(x)
            return OPS["inv_logit"].build(top.args)
    whole = is_applied(bottom, "sum") and is_applied(top, "exp") and bottom.args[0] is top
    if whole and isinstance(bottom, Apply) and len(top.shape) == 1:  # exp(x) / sum(exp(x)) -> softmax(x)
        return OPS["softmax"].build(top.args, {"axis": -1})
    return None


def _sum_of(inner: Node, attributes: dict[str, Any]) -> Node | None:
    """sum(x * y) -> x @ y for two vectors, and sum(x * y, axis=1) -> x @ y for a matrix and a vector."""
    if not isinstance(inner, Apply) or inner.op.name != "multiply" or attributes["keepdims"]:
        return None
    left, right = inner.args
    if inner.integer or any(ONE in arg.shape for arg in inner.args):
        return None  # a product of vectors is no whole number in Stan
    if len(left.shape) == len(right.shape) == 1 and left is not right:
        return OPS["matmul"].build((left, right), {"ranks": (1, 1)})
    if attributes["axes"] == (-1,) and sorted(len(arg.shape) for arg in inner.args) == [1, 2]:
        vector, matrix = sorted(inner.args, key=lambda arg: len(arg.shape))
        return OPS["matmul"].build((matrix, vector), {"ranks": (2, 1)})
    return None


def _matmul_of(left: Node, right: Node) -> Node | None:
    """y @ x' -> x @ y for a vector and a matrix."""
    if len(left.shape) == 1 and len(right.shape) == 2 and is_applied(right, "transpose"):
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
