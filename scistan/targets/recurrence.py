"""Run a recurrence with an array library: its body, made ready once, step after step, over all draws together.

One whose steps can be computed at once is, where that keeps the numbers of a loop or where the library differentiates:
for torch and JAX every op of every step is a node to go back through. NumPy takes linear steps one by one: it is what
the others are held to, and over many draws that is the faster way.
"""

from __future__ import annotations

from collections.abc import Sequence

from scistan.graph.instance import Instance
from scistan.graph.node import Apply
from scistan.ops.at_once import EXTREMES, AtOnce, at_once
from scistan.ops.scan import parts_of
from scistan.targets import all_steps
from scistan.targets.ready_body import ReadyBody, RunnerOf
from scistan.targets.values import Array, Backend

__all__ = ["Recurrence"]

FEWEST = 8  # steps, from which on joining them is the faster way


class Recurrence:
    """A recurrence in a library; `batched` says which arguments have a first axis over draws."""

    def __init__(
        self, instance: Instance, backend: Backend, node: Apply, batched: Sequence[bool], runner_of: RunnerOf
    ) -> None:
        parts = parts_of(node)
        self._module = backend.module
        self._backend = backend
        self._length = instance.length(parts.length)
        self._reverse = parts.reverse
        self._states, self._elements = len(parts.states), len(parts.elements)
        self._given = tuple(batched)
        self._flags = [any(batched)] * self._states + list(batched[self._states :])
        self._shapes = [instance.shape(result.shape) for result in parts.body.results]
        self._whole = _found(node, backend, self._length)
        inner, flags = (parts.body, self._flags) if self._whole is None else (self._whole.body, self._flags[1:])
        self._body = ReadyBody(instance, backend, inner, flags, runner_of)

    def run(self, *arrays: Array) -> list[Array]:
        """Give every result of every step, the steps along the first axis behind that of the draws."""
        draws = [len(a) for a, over_draws in zip(arrays, self._given, strict=True) if over_draws]
        lead = tuple(draws[:1])
        if self._whole is not None:
            return [self._at_once(self._whole, lead, *arrays)]
        states = [self._wide(a, own, lead) for a, own in zip(arrays, self._given, strict=False)][: self._states]
        over = arrays[self._states : self._states + self._elements]
        free = list(arrays[self._states + self._elements :])
        found: list[list[Array]] = [[] for _ in self._shapes]
        order = range(self._length - 1, -1, -1) if self._reverse else range(self._length)
        for t in order:
            elements = [a[:, t] if self._flags[self._states + k] else a[t] for k, a in enumerate(over)]
            values = self._body.results([*states, *elements, *free])
            results = [self._wide(a, own, lead) for a, own in zip(values, self._body.over_draws, strict=True)]
            states = results[: self._states]
            for kept, result in zip(found, results, strict=True):
                kept.append(result)
        if self._reverse:
            found = [kept[::-1] for kept in found]
        return [self._stacked(kept, shape, lead) for kept, shape in zip(found, self._shapes, strict=True)]

    def _at_once(self, how: AtOnce, lead: tuple[int, ...], start: Array, *arrays: Array) -> Array:
        """Give the states of all steps, from what the body gives of all of them."""
        xp, made = self._module, self._body.results(list(arrays))
        whole = [self._all_steps(one, has_axis, lead) for one, has_axis in zip(made, how.has_axis, strict=True)]
        start = self._wide(start, self._given[0], lead)
        if self._reverse:
            whole = [xp.flip(one, (-1,)) for one in whole]
        if how.kind in EXTREMES:
            found = all_steps.extremes(xp, how.kind, start, *whole)
        else:
            found = (all_steps.products if how.kind == "product" else all_steps.linear)(xp, start, *whole)
        return xp.flip(found, (-1,)) if self._reverse else found

    def _all_steps(self, array: Array, has_axis: bool, lead: tuple[int, ...]) -> Array:
        array = array if has_axis else array[..., None]
        return self._module.broadcast_to(array, (*lead, self._length))

    def _wide(self, array: Array, over_draws: bool, lead: tuple[int, ...]) -> Array:
        """Repeat what is the same in all draws, where others differ."""
        return array if over_draws or not lead else self._module.broadcast_to(array, (*lead, *array.shape))

    def _stacked(self, kept: list[Array], shape: tuple[int, ...], lead: tuple[int, ...]) -> Array:
        if not kept:
            return self._module.broadcast_to(self._backend.constant(0.0), (*lead, 0, *shape))
        return self._module.stack(kept, len(lead))


def _found(node: Apply, backend: Backend, length: int) -> AtOnce | None:
    found = at_once(node) if length >= FEWEST else None
    return None if found is not None and found.kind == "linear" and backend.column == "numpy" else found
