"""What rests on data alone and is read by what does not: computed once, and an argument of what is compiled."""

from __future__ import annotations

from collections.abc import Iterable

from scistan.graph.node import Extent, Literal, Node, Variable
from scistan.graph.walk import topological

__all__ = ["read_by_latents"]


def read_by_latents(roots: Iterable[Node]) -> list[Node]:
    """List the nodes without latents that nodes with latents read, or that are asked for themselves.

    Numbers that are written in the model or count an axis stay in the trace, where XLA folds them.
    """
    roots = list(roots)
    order = topological(roots)
    moving: set[Node] = set()
    for node in order:
        if isinstance(node, Variable) or any(arg in moving for arg in node.args):
            moving.add(node)
    read = {arg for node in order if node in moving for arg in node.args} | set(roots)
    return [n for n in order if n in read and n not in moving and not isinstance(n, Literal | Extent)]
