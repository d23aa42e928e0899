"""Set the single numbers among the latents together, by domain: each step of torch, and its gradient, has a price."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.graph.node import Node, Variable
from scistan.shapes import Size
from scistan.targets.interval import Interval
from scistan.targets.torch.backend import TorchBackend

__all__ = ["ScalarGroup", "group_scalars"]

Tensor = Any
Picked = Callable[[Tensor], Tensor]


@dataclass(frozen=True, slots=True)
class ScalarGroup:
    """Latents without axes that share a bijection with known bounds, and where their coordinates lie.

    `row` stands for all of them side by side. A stack of some is taken from there, so that they do not come apart into
    single numbers and together again.
    """

    row: Variable
    order: dict[Node, int]  # where in the row each latent stands
    cut: Picked  # the coordinates, out of the flat vector (…, dimension)
    bijection: Interval
    backend: TorchBackend

    @property
    def leaves(self) -> tuple[Node, ...]:
        """The latents."""
        return tuple(self.order)

    def stack_of(self, nodes: Sequence[Node]) -> Picked | None:
        """Give a function from the row to a stack of `nodes`; None where some are not of the group."""
        if not all(node in self.order for node in nodes):
            return None
        return _pick([self.order[node] for node in nodes], len(self.order), self.backend)


def group_scalars(
    latents: Iterable[tuple[Node, int, tuple[object, object]]],
    bijection: Callable[[object, object], Interval],
    dimension: int,
    backend: TorchBackend,
) -> tuple[ScalarGroup, ...]:
    """Group single numbers, given with their coordinate and bounds, by these; one by itself gains nothing."""
    found: dict[tuple[object, object], dict[Node, int]] = {}
    for leaf, place, bounds in latents:
        found.setdefault(bounds, {})[leaf] = place
    return tuple(
        ScalarGroup(
            Variable(f"row {k}", (Size(len(members)),), found, None),
            {leaf: at for at, leaf in enumerate(members)},
            _pick(list(members.values()), dimension, backend),
            bijection(*bounds),
            backend,
        )
        for k, (bounds, members) in enumerate(found.items())
        if len(members) > 1
    )


def _pick(places: list[int], among: int, backend: TorchBackend) -> Picked:
    """Give the elements at `places` of a row, the whole or a part of it as it is where they lie side by side."""
    first, count = places[0], len(places)
    if places == list(range(among)):
        return lambda row: row
    if places == list(range(first, first + count)):
        return lambda row: row.narrow(-1, first, count)
    at = backend.constant(np.array(places)).long()  # made once: a device would have to be waited for
    return lambda row: row.index_select(-1, at)
