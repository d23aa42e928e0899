"""A body made ready in an array library: computed again and again, over all draws together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from scistan.graph.body import Body
from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Extent, Literal, Node
from scistan.ops.declaration import Op
from scistan.targets.picking import pick_by_draw, picks_by_draw
from scistan.targets.values import Array, Backend, Value, aligned, concrete, implementation, meeting_rank

__all__ = ["ReadyBody", "RunnerOf"]

# Gives what runs a node that holds a body, from which of its arguments have a first axis over draws.
RunnerOf = Callable[[Instance, Backend, Apply, Sequence[bool]], Callable[..., Any]]


@dataclass(frozen=True, slots=True)
class _Step:
    """One op of a body: which values it reads, and how many axes those that run over draws need behind that axis."""

    function: Callable[..., Array]
    reads: tuple[int, ...]
    ranks: tuple[int, ...]
    meet: int | None
    attributes: dict[str, Any]


class ReadyBody:
    """A body in a library; `batched` says which parameters have a first axis over draws, `over_draws` which results."""

    def __init__(
        self, instance: Instance, backend: Backend, body: Body, batched: Sequence[bool], runner_of: RunnerOf
    ) -> None:
        self._backend = backend
        self._runner_of = runner_of
        self._flags = list(batched)
        self._place: dict[Node, int] = {parameter: k for k, parameter in enumerate(body.parameters)}
        self._steps: list[_Step] = []
        for inner in body.nodes:
            if inner not in self._place:
                self._take(instance, inner)
        self._results = [self._place[result] for result in body.results]
        self.over_draws = [self._flags[k] for k in self._results]

    def _take(self, instance: Instance, node: Node) -> None:
        """Make one value of the body ready; a constant is a step that reads nothing."""
        flags = self._flags
        self._place[node] = len(flags)
        if isinstance(node, Literal | Extent):
            number = node.value if isinstance(node, Literal) else instance.length(node.size)
            constant = self._backend.constant(number)
            flags.append(False)
            self._steps.append(_Step(lambda: constant, (), (), None, {}))
            return
        if not isinstance(node, Apply) or not isinstance(node.op, Op):
            raise KeyError(f"{node!r} has no value in a step")
        reads = tuple(self._place[arg] for arg in node.args)
        over_draws = any(flags[k] for k in reads)
        attributes: dict[str, Any] = {}
        if node.op.binds:
            function = self._runner_of(instance, self._backend, node, [flags[k] for k in reads])
        elif picks_by_draw(node, [flags[k] for k in reads]):
            function = self._picking(node, [flags[k] for k in reads])
        else:
            function = implementation(node.op, self._backend.column, self._backend.module)
            attributes = {key: concrete(instance, value) for key, value in node.attributes}
        meet = meeting_rank(node) if over_draws else None
        self._steps.append(_Step(function, reads, tuple(len(arg.shape) for arg in node.args), meet, attributes))
        flags.append(over_draws)

    def _picking(self, node: Apply, batched: list[bool]) -> Callable[..., Array]:
        def pick(*arrays: Array) -> Array:
            values = [Value(array, own) for array, own in zip(arrays, batched, strict=True)]
            return pick_by_draw(self._backend.module, node, values)

        return pick

    def results(self, values: list[Array]) -> list[Array]:
        """Compute the results from the parameters' values."""
        for step in self._steps:
            read = [values[k] for k in step.reads]
            if step.meet is not None:
                pairs = zip(read, step.reads, step.ranks, strict=True)
                read = [aligned(Value(a, self._flags[k]), rank, step.meet) for a, k, rank in pairs]
            values.append(step.function(*read, **step.attributes))
        return [values[k] for k in self._results]
