"""Run a recurrence with an array library: its body, made ready once, step after step, over all draws together.

One that is linear in its state is run for all steps at once by the libraries that differentiate: for them every op of
every step is a node to go back through. NumPy goes step by step: it is what the others are held to.
"""

from __future__ import annotations

from collections.abc import Sequence

from scistan.graph.instance import Instance
from scistan.graph.node import Apply
from scistan.ops.linear_steps import linear_steps
from scistan.ops.scan import parts_of
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
        self._linear = linear_steps(node) if backend.column != "numpy" and self._length >= FEWEST else None
        inner, flags = (parts.body, self._flags) if self._linear is None else (self._linear[0], self._flags[1:])
        self._body = ReadyBody(instance, backend, inner, flags, runner_of)

    def run(self, *arrays: Array) -> list[Array]:
        """Give every result of every step, the steps along the first axis behind that of the draws."""
        draws = [len(a) for a, over_draws in zip(arrays, self._given, strict=True) if over_draws]
        lead = tuple(draws[:1])
        if self._linear is not None:
            return [self._at_once(lead, *arrays)]
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

    def _at_once(self, lead: tuple[int, ...], start: Array, *arrays: Array) -> Array:
        """Give the states of all steps of `state -> a * state + b`.

        Steps are joined in pairs, pairs of pairs and so on: two of them are one, with `a` of both multiplied.
        """
        xp, (made, axes) = self._module, (self._body.results(list(arrays)), self._linear[1])  # type: ignore[index]
        a, b = (self._all_steps(one, has_axis, lead) for one, has_axis in zip(made, axes, strict=True))
        start = self._wide(start, self._given[0], lead)[..., None]
        if self._reverse:
            a, b = xp.flip(a, (-1,)), xp.flip(b, (-1,))
        b = xp.concatenate([a[..., :1] * start + b[..., :1], b[..., 1:]], -1)
        joined = 1
        while joined < self._length:
            b = xp.concatenate([b[..., :joined], a[..., joined:] * b[..., :-joined] + b[..., joined:]], -1)
            a = xp.concatenate([a[..., :joined], a[..., joined:] * a[..., :-joined]], -1)
            joined *= 2
        return xp.flip(b, (-1,)) if self._reverse else b

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
