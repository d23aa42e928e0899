"""Cholesky forms: a covariance that is computed enters by its factor, and that of `L L'` is `L`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scistan.distributions.declaration import REGISTRY as DISTRIBUTIONS
from scistan.distributions.declaration import Distribution
from scistan.distributions.resolve import value_domain
from scistan.graph.graph import Draw, Graph, Term
from scistan.graph.node import Apply, Literal, Node, Variable
from scistan.ops.declaration import Op
from scistan.ops.expression import Expression

__all__ = ["by_factor", "use_cholesky_forms"]


def use_cholesky_forms(graph: Graph) -> Graph:
    """Write multivariate normals by the Cholesky factor, but for a covariance that is itself a latent."""
    known = _Known.of(graph)
    return graph.with_draws(_change).mapped(known.simplified)


def _change(term: Term) -> Draw:
    draw = term.draw
    factored = by_factor(draw)
    # A latent matrix is best left as it is, and a precision needs no factor: both have a form of their own.
    if factored is draw or isinstance(draw.args[-1], Variable) or factored.args[-1].args != draw.args[-1:]:
        return draw
    return factored


def by_factor(draw: Draw) -> Draw:
    """Give the draw of the same vectors by the Cholesky factor of their covariance, where it has such a form."""
    d: Distribution = draw.distribution
    if d.factor is None or len(draw.args[-1].shape) != 2:
        return draw
    factor = d.factor(Expression(draw.args[-1]))._scistan_node_
    return replace(draw, distribution=DISTRIBUTIONS[d.factor_form], args=(*draw.args[:-1], factor))


@dataclass(frozen=True, slots=True)
class _Known:
    """The latents that are Cholesky factors, and those that are positive."""

    factors: frozenset[Node]
    positive: frozenset[Node]

    @classmethod
    def of(cls, graph: Graph) -> _Known:
        domains = {term.value: value_domain(term.draw) for term in graph.latents}
        factors = frozenset(v for v, d in domains.items() if d.structure in ("cholesky_corr", "cholesky_cov"))
        positive = frozenset(v for v, d in domains.items() if isinstance(d.lower, int | float) and d.lower >= 0)
        return cls(factors, positive)

    def simplified(self, node: Node, args: tuple[Node, ...]) -> Node:
        """cholesky(L @ L') -> L where `L` is lower triangular with a positive diagonal."""
        if not isinstance(node, Apply) or not isinstance(node.op, Op):
            return node
        if node.op.name == "cholesky" and _is(args[0], "matmul"):
            left, right = args[0].args
            if _is(right, "transpose") and right.args[0] is left and self.is_factor(left):
                return left
        return node if args == node.args else node.op.build(args, dict(node.attributes))

    def is_factor(self, node: Node) -> bool:
        """Tell whether a matrix is a Cholesky factor for certain: a latent one, its rows scaled or not."""
        while node not in self.factors:
            if _is(node, "matmul") and _is(node.args[0], "diagonal_matrix") and self.is_positive(node.args[0].args[0]):
                node = node.args[1]
            elif _is(node, "multiply") and any(len(arg.shape) < 2 or arg.shape[1].today == 1 for arg in node.args):
                scale, matrix = sorted(node.args, key=lambda arg: len(arg.shape) == 2 and arg.shape[1].today != 1)
                by_rows = not scale.shape or len(scale.shape) == 2
                base = scale.args[0] if _is(scale, "index") else scale
                if not by_rows or not self.is_positive(base):
                    return False
                node = matrix
            else:
                return False
        return True

    def is_positive(self, node: Node) -> bool:
        """Tell whether a value is positive for certain."""
        return node in self.positive or _is(node, "exp") or (isinstance(node, Literal) and node.value > 0)


def _is(node: Node, op: str) -> bool:
    return isinstance(node, Apply) and node.op.name == op
