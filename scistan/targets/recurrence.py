"""Run a recurrence with an array library: its body, made ready once, step after step, over all draws together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from scistan.graph.body import Body
from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Extent, Literal, Node
from scistan.ops.declaration import Op
from scistan.ops.scan import parts_of
from scistan.targets.picking import pick_by_draw, picks_by_draw
from scistan.targets.values import Array, Backend, Value, aligned, concrete, implementation, meeting_rank

__all__ = ["Recurrence", "Steps"]


@dataclass(frozen=True, slots=True)
class _Step:
    """One op of a body: which values it reads, and how many axes those that run over draws need behind that axis."""

    function: Callable[..., Array]
    reads: tuple[int, ...]
    ranks: tuple[int, ...]
    meet: int | None
    attributes: dict[str, Any]


class Steps:
    """A body made ready in a library; `batched` says which of its parameters have a first axis over draws."""

    def __init__(self, instance: Instance, backend: Backend, body: Body, batched: Sequence[bool]) -> None:
        self._module = backend.module
        self._backend = backend
        self._flags = list(batched)
        self._place: dict[Node, int] = {parameter: k for k, parameter in enumerate(body.parameters)}
        self._steps: list[_Step] = []
        for inner in body.nodes:
            if inner not in self._place:
                self._take(instance, inner, self._flags)
        self._results = [self._place[result] for result in body.results]
        self.of_draws = [self._flags[k] for k in self._results]

    def _take(self, instance: Instance, node: Node, flags: list[bool]) -> None:
        """Make one value of the body ready; a constant is a step that reads nothing."""
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
        if node.op.binds:
            function: Callable[..., Array] = Recurrence(
                instance, self._backend, node, [flags[k] for k in reads]
            ).run
            attributes: dict[str, Any] = {}
        elif picks_by_draw(node, [flags[k] for k in reads]):
            function, attributes = self._picking(node, [flags[k] for k in reads]), {}
        else:
            function = implementation(node.op, self._backend.column, self._module)
            attributes = {key: concrete(instance, value) for key, value in node.attributes}
        meet = meeting_rank(node) if over_draws else None
        self._steps.append(_Step(function, reads, tuple(len(arg.shape) for arg in node.args), meet, attributes))
        flags.append(over_draws)

    def _picking(self, node: Apply, batched: list[bool]) -> Callable[..., Array]:
        def pick(*arrays: Array) -> Array:
            values = [Value(array, own) for array, own in zip(arrays, batched, strict=True)]
            return pick_by_draw(self._module, node, values)

        return pick

    def results(self, values: list[Array]) -> list[Array]:
        """Give what the body gives for these values of its parameters."""
        values = list(values)
        for step in self._steps:
            read = [values[k] for k in step.reads]
            if step.meet is not None:
                pairs = zip(read, step.reads, step.ranks, strict=True)
                read = [aligned(Value(a, self._flags[k]), rank, step.meet) for a, k, rank in pairs]
            values.append(step.function(*read, **step.attributes))
        return [values[k] for k in self._results]


class Recurrence:
    """The body of a recurrence in a library; `batched` says which arguments have a first axis over draws."""

    def __init__(self, instance: Instance, backend: Backend, node: Apply, batched: Sequence[bool]) -> None:
        parts = parts_of(node)
        self._module = backend.module
        self._backend = backend
        self._length = instance.length(parts.length)
        self._reverse = parts.reverse
        self._states, self._elements = len(parts.states), len(parts.elements)
        self._over_draws = any(batched)
        flags = [self._over_draws] * self._states + list(batched[self._states :])
        self._over_draws_of = flags[self._states : self._states + self._elements]
        self._given = tuple(batched)
        self._shapes = [instance.shape(result.shape) for result in parts.body.results]
        self._steps = Steps(instance, backend, parts.body, flags)

    def run(self, *arrays: Array) -> list[Array]:
        """Give every result of every step, the steps along the first axis behind that of the draws."""
        draws = [len(a) for a, over_draws in zip(arrays, self._given, strict=True) if over_draws]
        lead = tuple(draws[:1])
        states = [self._wide(a, own, lead) for a, own in zip(arrays, self._given, strict=False)][: self._states]
        over = arrays[self._states : self._states + self._elements]
        free = list(arrays[self._states + self._elements :])
        found: list[list[Array]] = [[] for _ in self._shapes]
        order = range(self._length - 1, -1, -1) if self._reverse else range(self._length)
        for t in order:
            elements = [a[:, t] if own else a[t] for a, own in zip(over, self._over_draws_of, strict=True)]
            found_now = self._steps.results([*states, *elements, *free])
            results = [self._wide(a, own, lead) for a, own in zip(found_now, self._steps.of_draws, strict=True)]
            states = results[: self._states]
            for kept, result in zip(found, results, strict=True):
                kept.append(result)
        if self._reverse:
            found = [kept[::-1] for kept in found]
        return [self._stacked(kept, shape, lead) for kept, shape in zip(found, self._shapes, strict=True)]

    def _wide(self, array: Array, over_draws: bool, lead: tuple[int, ...]) -> Array:
        """Repeat what is the same in all draws, where others differ."""
        return array if over_draws or not lead else self._module.broadcast_to(array, (*lead, *array.shape))

    def _stacked(self, kept: list[Array], shape: tuple[int, ...], lead: tuple[int, ...]) -> Array:
        if not kept:
            return self._module.broadcast_to(self._backend.constant(0.0), (*lead, 0, *shape))
        return self._module.stack(kept, len(lead))
