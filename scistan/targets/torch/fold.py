"""What the data alone decide, computed once on all of them: the graph that is left has it as data of its own.

A mini-batch cuts rows. `v[p]`, `x - mean(x)` or a number of rows mean all the data, whichever rows are at hand; cutting
`v` or `x` would change them, cutting their outcome does not.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scistan.graph.graph import Graph
from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Data, Extent, Gathered, Node, Variable
from scistan.graph.walk import topological
from scistan.ops.declaration import Op
from scistan.shapes import Equality
from scistan.targets.evaluate import Evaluator
from scistan.targets.torch.backend import TorchBackend
from scistan.targets.torch.convert import to_numpy

__all__ = ["fold_data"]


def fold_data(instance: Instance) -> Instance:
    """Give the same density with every expression free of latents as one array; derived quantities are left out."""
    graph = replace(instance.graph, derived={}, data_names={})
    roots = [node for term in graph.terms for node in term.law.inputs]
    order = topological(roots)
    free = _free(order)
    read = {arg for node in order if node not in free for arg in node.args} | set(roots)
    numbers = Evaluator(instance, TorchBackend())
    made: dict[Node, Data] = {}
    values: dict[Data, np.ndarray] = {}
    for node in order:
        if node in free and node in read and isinstance(node, Apply | Extent | Gathered):
            made[node] = leaf = Data(None, node.shape, integer=node.integer)
            values[leaf] = to_numpy(numbers[node].array)

    def rule(node: Node, args: tuple[Node, ...]) -> Node:
        if node in made:
            return made[node]
        if args == node.args or not isinstance(node, Apply) or not isinstance(node.op, Op):
            return node
        return node.op.build(args, dict(node.attributes))

    # What was computed is gone from the graph; that its lengths were equal is not.
    gone: list[Equality] = [e for node in order if node in free and isinstance(node, Apply) for e in node.equalities]
    folded = replace(graph.mapped(rule), equalities=(*graph.equalities, *gone))
    return replace(instance, graph=folded, values=_kept(instance, folded) | values)


def _free(order: list[Node]) -> set[Node]:
    """Find the nodes that no latent is part of."""
    found: set[Node] = set()
    for node in order:
        if not isinstance(node, Variable) and all(arg in found for arg in node.args):
            found.add(node)
    return found


def _kept(instance: Instance, graph: Graph) -> dict[Data, np.ndarray]:
    """Give the values of the leaves that are still read."""
    return {leaf: instance.values[leaf] for leaf in graph.data if leaf in instance.values}
