"""Cholesky forms: a covariance that is computed enters by its factor, and that of `L L'` is `L`."""

from __future__ import annotations

from dataclasses import replace

from scistan.distributions.declaration import REGISTRY as DISTRIBUTIONS
from scistan.distributions.declaration import Distribution
from scistan.distributions.resolve import value_domain
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.node import Apply, Node, Variable, is_applied
from scistan.ops.declaration import Op
from scistan.ops.expression import Expression
from scistan.passes.signs import Signs
from scistan.shapes import ONE

__all__ = ["by_factor", "use_cholesky_forms"]


def use_cholesky_forms(graph: Graph) -> Graph:
    """Write multivariate normals by the Cholesky factor, but for a covariance that is itself a latent."""
    return graph.with_draws(_change).mapped(_Factors(graph).simplified)


def _change(term: Term) -> Law:
    law = term.law
    factored = by_factor(law)
    # A latent matrix is best left as it is, and a precision needs no factor: both have a form of their own.
    if factored is law or isinstance(law.args[-1], Variable) or factored.args[-1].args != law.args[-1:]:
        return law
    return factored


def by_factor(law: Law) -> Law:
    """Give the draw of the same vectors by the Cholesky factor of their covariance, where it has such a form."""
    d: Distribution = law.distribution
    if d.factor is None or len(law.args[-1].shape) != 2:
        return law
    factor = d.factor(Expression(law.args[-1]))._scistan_node_
    return replace(law, distribution=DISTRIBUTIONS[d.factor_form], args=(*law.args[:-1], factor))


class _Factors:
    """The latents that are Cholesky factors, and what is positive."""

    def __init__(self, graph: Graph) -> None:
        domains = {term.value: value_domain(term.law) for term in graph.latents}
        self._known = frozenset(v for v, d in domains.items() if d.structure in ("cholesky_corr", "cholesky_cov"))
        self._signs = Signs(graph)

    def simplified(self, node: Node, args: tuple[Node, ...]) -> Node:
        """cholesky(L @ L') -> L where `L` is lower triangular with a positive diagonal."""
        if not isinstance(node, Apply) or not isinstance(node.op, Op):
            return node
        if node.op.name == "cholesky" and is_applied(args[0], "matmul"):
            left, right = args[0].args
            if is_applied(right, "transpose") and right.args[0] is left and self.is_factor(left):
                return left
        return node if args == node.args else node.op.build(args, dict(node.attributes))

    def is_factor(self, node: Node) -> bool:
        """Tell whether a matrix is a Cholesky factor for certain: a latent one, its rows scaled or not."""
        while node not in self._known:
            if is_applied(node, "matmul") and is_applied(node.args[0], "diagonal_matrix"):
                scale, matrix = node.args[0].args[0], node.args[1]
            elif is_applied(node, "multiply"):
                scale, matrix = sorted(node.args, key=_is_square)
                if _is_square(scale) or len(scale.shape) == 1:
                    return False  # columns scaled, or elements
            else:
                return False
            if not self._signs.is_positive(scale):
                return False
            node = matrix
        return True


def _is_square(node: Node) -> bool:
    return len(node.shape) == 2 and ONE not in node.shape
