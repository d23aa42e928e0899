"""A graph together with numbers: the data's values and the lengths that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from scistan.graph.graph import Graph
from scistan.graph.node import Data, Gathered, Literal, Node
from scistan.shapes import Equality, Shape, Size, SizeTable, Symbol

__all__ = ["Instance"]


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """What a target lowers: a graph, the values of its data leaves, and its lengths solved."""

    graph: Graph
    values: Mapping[Data, np.ndarray]
    coords: Mapping[str, list[object]] = field(default_factory=dict)
    dims: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    name: str = "model"
    given: tuple[Equality, ...] = ()  # lengths that follow from no data: coords of a dim of latents
    idle: frozenset[str] = frozenset()  # latents that nothing need use: an intervention cut their arrows
    counted: frozenset[str] = frozenset()  # axes whose rows are 0, 1, 2, …: labels beside other labels alone
    whole: Instance | None = None  # the model as it was written, where latents are gone from this one
    summed: tuple[Any, ...] = ()  # how they were: `Summed` of `passes/states`
    integrated: tuple[Any, ...] = ()  # or integrated out: `Integrated` of `passes/integrate`
    table: SizeTable = field(init=False)
    lengths: Mapping[Symbol, int] = field(init=False)

    def __post_init__(self) -> None:
        table = self.graph.sizes()
        gathered = {leaf: _gather(leaf, self.values) for leaf in self.graph.data if isinstance(leaf, Gathered)}
        object.__setattr__(self, "values", {**self.values, **gathered})
        known = [
            (size, Size(n))
            for leaf, array in self.values.items()
            for size, n in zip(leaf.shape, array.shape, strict=True)
        ] + list(self.given)
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "lengths", table.solve(known))

    def on(self, graph: Graph) -> Instance:
        """Give the same numbers on another form of the graph."""
        return replace(self, graph=graph)

    def length(self, size: Size) -> int:
        """Give a size's value on these data."""
        return self.table.evaluate(size, self.lengths)

    def shape(self, shape: Shape) -> tuple[int, ...]:
        """Give a shape's lengths on these data."""
        return tuple(self.length(size) for size in shape)

    @property
    def missing(self) -> list[str]:
        """The observed variables that were promised values and have none yet."""
        return [t.name for t in self.graph.observed if isinstance(t.value, Data) and t.value not in self.values]


def _gather(leaf: Gathered, values: Mapping[Data, np.ndarray]) -> np.ndarray:
    """Read values one after the other as one array; a part may be of such values itself, from a loop within a loop."""
    return np.stack([_part(part, values) for part in leaf.parts])


def _part(part: Node, values: Mapping[Data, np.ndarray]) -> np.ndarray:
    if isinstance(part, Gathered):
        return _gather(part, values)
    return np.asarray(part.value if isinstance(part, Literal) else values[part])  # type: ignore[index]
