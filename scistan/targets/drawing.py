"""Random draws inside expressions: whose random numbers they take, and for how many draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np

from scistan.distributions.drawn import law_of
from scistan.errors import InternalError
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Apply
from scistan.targets.ready_body import RunnerOf
from scistan.targets.values import Array, Backend, Value, implementation

__all__ = ["DerivedDraw", "Drawing", "drawing"]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A seed, and the number of draws that each expression is computed for."""

    seed: int
    draws: int


_asked: ContextVar[Drawing | None] = ContextVar("scistan_drawing", default=None)


@contextmanager
def drawing(seed: int, draws: int) -> Iterator[None]:
    """Make random draws with this seed, so many at a time."""
    token = _asked.set(Drawing(seed, draws))
    try:
        yield
    finally:
        _asked.reset(token)


class DerivedDraw:
    """A random draw in a library; `batched` says which of what it depends on has a first axis over draws."""

    def __init__(
        self, instance: Instance, backend: Backend, node: Apply, batched: Sequence[bool], _: RunnerOf
    ) -> None:
        self._instance, self._node, self._batched = instance, node, tuple(batched)
        self._draw = implementation(node.op, backend.column, backend.module)  # type: ignore[arg-type]

    def run(self, *arrays: Array) -> np.ndarray:
        """Draw once for each draw."""
        asked = _asked.get()
        if asked is None:
            raise InternalError("a random draw was asked for where nobody said how many, or with which seed")
        name, law = law_of(self._node)
        known = {
            arg: Value(array, over_draws)
            for arg, array, over_draws in zip(self._node.args, arrays, self._batched, strict=True)
        }
        term = Term(name, self._node, law)  # type: ignore[arg-type]
        found: np.ndarray = self._draw(self._instance, term, known, asked)
        return found
