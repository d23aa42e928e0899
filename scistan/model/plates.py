"""Plates of a model's picture: a frame around the variables along each dim, and columns that leave room for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scistan.model.variables import Variables

__all__ = ["Columns", "Frame", "columns_of"]

_MOST_DIMS = 12  # beyond this, frames within frames are no help


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of variables with the same dims, in an order that keeps each dim's together; 0 is for those without."""

    dims: tuple[frozenset[str], ...]
    column: Mapping[str, int]

    @property
    def plates(self) -> list[tuple[str, list[int]]]:
        """Give each dim with the columns next to each other that it frames; one that lies apart is framed twice."""
        found = []
        for dim in dict.fromkeys(dim for own in self.dims for dim in sorted(own)):
            run: list[int] = []
            for number, own in enumerate([*self.dims, frozenset()]):
                if dim in own:
                    run.append(number)
                elif run:
                    found.append((dim, run))
                    run = []
        return found


@dataclass(frozen=True, slots=True)
class Frame:
    """A plate: its dim, the rectangle, and how many frames lie within it."""

    dim: str
    left: float
    top: float
    right: float
    bottom: float
    depth: int


def columns_of(variables: Variables) -> Columns:
    """Sort the variables of a model into columns by their dims."""
    own = {name: frozenset(dim for dim in entry.dims if dim is not None) for name, entry in variables.entries.items()}
    kinds = list(dict.fromkeys(dims for dims in own.values() if dims))
    if len(frozenset().union(*kinds)) > _MOST_DIMS:
        return Columns((frozenset(),), dict.fromkeys(own, 0))
    order: list[frozenset[str]] = [frozenset()]
    while kinds:
        # Next comes what shares most with the last one; else what shares least with the rest, the end of a chain.
        last = order[-1]
        nearest = max(kinds, key=lambda dims: (len(dims & last), -sum(len(dims & other) for other in kinds)))
        order.append(nearest)
        kinds.remove(nearest)
    number = {dims: k for k, dims in enumerate(order)}
    return Columns(tuple(order), {name: number[dims] for name, dims in own.items()})
