"""Solve a differential equation with an array library: its states as one vector, for all draws together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Node, Variable
from scistan.ops.scan import parts_of
from scistan.targets.ready_body import ReadyBody, RunnerOf
from scistan.targets.unsolved import Failure, note_failures
from scistan.targets.values import Array, Backend, implementation

__all__ = ["Asked", "Equation", "Slope"]

Slope = Callable[[Any, Array], Array]  # of the time and the states, a row for each draw


@dataclass(frozen=True, slots=True)
class Asked:
    """How an equation is to be solved: the user's method and limits."""

    method: str
    rtol: float
    atol: float
    max_steps: int


class Equation:
    """An equation in a library; `batched` says which arguments have a first axis over draws."""

    def __init__(
        self, instance: Instance, backend: Backend, node: Apply, batched: Sequence[bool], runner_of: RunnerOf
    ) -> None:
        parts = parts_of(node)
        attributes: dict[str, Any] = dict(node.attributes)
        self._asked = Asked(*(attributes[key] for key in ("method", "rtol", "atol", "max_steps")))
        self._module = backend.module
        self._given = tuple(batched)
        self._states = len(parts.states)
        self._own = [instance.shape(parameter.shape) for parameter in parts.body.parameters[: self._states]]
        self._times_vary = any(batched[self._states : self._states + 2])
        flags = [True] * self._states + [self._times_vary, False, *batched[self._states + 2 :]]
        self._body = ReadyBody(instance, backend, parts.body, flags, runner_of)
        self._solve = implementation(node.op, backend.column, self._module)  # type: ignore[arg-type]
        self._free: tuple[Node, ...] = node.args[self._states + 2 :]

    def run(self, *arrays: Array) -> list[Array]:
        """Give every state at every time, the times along the first axis behind that of the draws."""
        draws = [len(a) for a, over_draws in zip(arrays, self._given, strict=True) if over_draws]
        rows = draws[0] if draws else 1
        starts = self._packed([self._wide(a, own, rows) for a, own in zip(arrays, self._given, strict=False)], rows)
        times, start, *free = arrays[self._states :]
        if self._times_vary:
            times, start = (
                self._wide(a, own, rows)
                for a, own in zip((times, start), self._given[self._states :], strict=False)
            )
        solution, failures = self._solve(
            lambda chosen: self._slope_of(free, chosen), starts, start, times, self._asked
        )
        if failures:
            note_failures([self._named(failure, free) for failure in failures], rows, self._asked.method)
        found = self._unpacked(solution)
        return found if draws else [a[0] for a in found]

    def _slope_of(self, free: Sequence[Array], chosen: Any) -> Slope:
        """Give the slope for some of the draws."""
        moving = self._given[self._states + 2 :]
        held = [a[chosen] if over_draws else a for a, over_draws in zip(free, moving, strict=True)]

        def slope(t: Any, y: Array) -> Array:
            results = self._body.results([*self._unpacked(y), t, t, *held])
            pairs = zip(results, self._body.over_draws, strict=True)
            return self._packed([self._wide(a, own, len(y)) for a, own in pairs], len(y))

        return slope

    def _packed(self, parts: Sequence[Array], rows: int) -> Array:
        """Lay the states side by side, a row for each draw."""
        flat = [part.reshape(rows, -1) for part in parts[: self._states]]
        return flat[0] if len(flat) == 1 else self._module.concatenate(flat, -1)

    def _unpacked(self, packed: Array) -> list[Array]:
        """Give each state its own shape again."""
        found, at = [], 0
        for shape in self._own:
            count = shape[0] if shape else 1
            part = packed[..., at : at + count] if len(self._own) > 1 else packed
            found.append(part.reshape((*packed.shape[:-1], *shape)))
            at += count
        return found

    def _wide(self, array: Array, over_draws: bool, rows: int) -> Array:
        return array if over_draws else self._module.broadcast_to(array, (rows, *array.shape))

    def _named(self, failure: Failure, free: Sequence[Array]) -> Failure:
        """Say which values of the latents an equation failed at: single numbers tell most."""
        moving = self._given[self._states + 2 :]
        values = {
            node.name: float(array[failure.row] if over_draws else array)
            for node, array, over_draws in zip(self._free, free, moving, strict=True)
            if isinstance(node, Variable) and not node.shape
        }
        return Failure(failure.row, failure.time, failure.reason, values)
