"""What transforms work on: nodes as a function of other nodes, and its derivatives as nodes, made once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from scistan.graph.graph import Graph
from scistan.graph.instance import Instance
from scistan.graph.node import Node, Variable
from scistan.graph.walk import leaves
from scistan.ops.derivative import plus
from scistan.passes.branches import held
from scistan.transforms.reverse import gradients

__all__ = ["Computation", "instance_of", "placeholder", "variables_below"]


@dataclass(slots=True, eq=False)
class Computation:
    """`outputs` as a function of `inputs`, on the numbers of an instance."""

    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]
    instance: Instance
    compiled: dict[object, Any] = field(default_factory=dict)  # what backends have made of it
    _made: dict[object, tuple[Node, ...]] = field(default_factory=dict)
    _seeds: dict[Node, Node] = field(default_factory=dict)

    @property
    def held(self) -> tuple[Node, ...]:
        """The outputs for a library that differentiates by itself: it feels nothing of branches that are not taken."""
        if "held" not in self._made:
            self._made["held"] = held(self.outputs)
        return self._made["held"]

    def seed_of(self, node: Node) -> Node:
        """Give the stand-in for what comes back to a node."""
        return self._seeds.setdefault(node, placeholder("seed", node))

    def gradient(self, wrt: tuple[int, ...]) -> tuple[Node, ...]:
        """Give the derivatives of the first output, which is one number."""
        if wrt not in self._made:
            self._made[wrt] = tuple(gradients(self.outputs[0], [self.inputs[k] for k in wrt]))
        return self._made[wrt]

    def back(self, output: Node, wrt: tuple[int, ...]) -> tuple[Node, ...]:
        """Give what goes back to the inputs when `seed_of(output)` comes back to an output."""
        key = (output, wrt)
        if key not in self._made:
            chosen = [self.inputs[k] for k in wrt]
            self._made[key] = tuple(gradients(output, chosen, self.seed_of(output)))
        return self._made[key]

    def hessian_times(self, wrt: tuple[int, ...]) -> tuple[Node, ...]:
        """Give the Hessian times a vector: the seeds of the gradient are its parts."""
        key = ("hvp", wrt)
        if key not in self._made:
            rows = [self.back(slope, wrt) for slope in self.gradient(wrt)]
            total = rows[0] if rows else ()
            for row in rows[1:]:
                total = tuple(map(plus, total, row))
            self._made[key] = total
        return self._made[key]


def placeholder(name: str, like: Node) -> Variable:
    """Make an input of a node's shape."""
    return Variable(name, like.shape, None, None)


def instance_of(*nodes: Node) -> Instance:
    """Give what nodes are evaluated on: the data that stand in them."""
    graph = Graph(derived={f"out{k}": node for k, node in enumerate(nodes)})
    return Instance(graph, {leaf: leaf.default for leaf in graph.data if leaf.default is not None})


def variables_below(*nodes: Node) -> list[Variable]:
    """List the latents that nodes depend on."""
    return [leaf for leaf in leaves(nodes) if isinstance(leaf, Variable)]
