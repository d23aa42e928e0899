"""Evaluate nodes with an array library, with an optional leading axis over draws or starts."""

from __future__ import annotations

from collections.abc import Container, Iterable

from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Data, Extent, Literal, Node
from scistan.graph.places import first_place
from scistan.messages import foreign
from scistan.ops.declaration import Op
from scistan.targets.bound import runner_of
from scistan.targets.picking import pick_by_draw, picks_by_draw
from scistan.targets.values import Array, Backend, Value, aligned, concrete, implementation, meeting_rank

__all__ = ["Evaluator"]


class Evaluator:
    """Values of nodes on one instance; each node is computed once, when it is first asked for."""

    def __init__(self, instance: Instance, backend: Backend, leaves: dict[Node, Value] | None = None) -> None:
        self._instance = instance
        self._backend = backend
        self._values: dict[Node, Value] = dict(leaves or {})

    def set(self, leaf: Node, array: Array, *, batched: bool) -> None:
        """Give a leaf its value."""
        self._values[leaf] = Value(array, batched)

    def __getitem__(self, node: Node) -> Value:
        if node not in self._values:
            self.compute([node])
        return self._values[node]

    def __contains__(self, node: Node) -> bool:
        return node in self._values

    def kept(self, instance: Instance, gone: Container[Node]) -> Evaluator:
        """Give the values that hold on another instance too: those of nodes that are not `gone`."""
        known = {node: value for node, value in self._values.items() if node not in gone}
        return Evaluator(instance, self._backend, known)

    def compute(self, roots: Iterable[Node]) -> None:
        """Compute every node below `roots`, arguments first."""
        self.compute_in_order(self.pending(roots))

    def compute_in_order(self, nodes: Iterable[Node]) -> None:
        """Compute nodes whose arguments are known or stand before them."""
        for node in nodes:
            try:
                self._values[node] = self._evaluate(node)
            except MemoryError as error:
                raise foreign.no_memory(*foreign.of_memory(str(error)), first_place(node)) from None

    def pending(self, roots: Iterable[Node]) -> list[Node]:
        """List what has to be computed for `roots`, arguments first."""
        order: list[Node] = []
        done = self._values
        queued: set[Node] = set()
        for root in roots:
            stack: list[tuple[Node, bool]] = [(root, False)]
            while stack:
                node, expanded = stack.pop()
                if node in done or node in queued:
                    continue
                if expanded:
                    queued.add(node)
                    order.append(node)
                else:
                    stack.append((node, True))
                    stack.extend((arg, False) for arg in node.args)
        return order

    def _evaluate(self, node: Node) -> Value:
        if isinstance(node, Apply):
            return self._apply(node)
        if isinstance(node, Literal):
            return Value(self._backend.constant(node.value))
        if isinstance(node, Extent):
            return Value(self._backend.constant(self._instance.length(node.size)))
        if isinstance(node, Data) and node in self._instance.values:
            return Value(self._backend.constant(self._instance.values[node]))
        if isinstance(node, Data) and node.default is not None:  # a constant of a formula that was declared
            return Value(self._backend.constant(node.default))
        raise KeyError(f"{node!r} has no value yet")

    def _apply(self, node: Apply) -> Value:
        op = node.op
        if not isinstance(op, Op):
            raise TypeError(f"{op.name} is not a declared op")
        values = [self._values[arg] for arg in node.args]
        batched = any(v.batched for v in values)
        if op.binds:
            run = runner_of(self._instance, self._backend, node, [v.batched for v in values])
            return Value(run(*(v.array for v in values)), batched or op.random)
        if picks_by_draw(node, [v.batched for v in values]):
            return Value(pick_by_draw(self._backend.module, node, values), batched)
        rank = meeting_rank(node)
        if batched and rank is not None:
            arrays = [aligned(v, len(arg.shape), rank) for v, arg in zip(values, node.args, strict=True)]
        else:
            arrays = [v.array for v in values]
        function = implementation(op, self._backend.column, self._backend.module)
        attributes = {key: concrete(self._instance, value) for key, value in node.attributes}
        return Value(function(*arrays, **attributes), batched)
