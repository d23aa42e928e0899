"""The bijections onto constrained types, as schedules of torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scistan.constrained import ConstrainedType
from scistan.targets.coordinates import Coordinates, Formula, numbers_alone
from scistan.targets.torch.backend import TorchBackend
from scistan.targets.torch.schedule import Schedule, Stage

__all__ = ["structured"]

Tensor = Any


def structured(kind: ConstrainedType, event: tuple[int, ...], backend: TorchBackend) -> Coordinates:
    """Give the bijection onto a constrained type."""
    return Coordinates(kind, event, backend, _scheduled)


def _scheduled(formula: Formula, backend: TorchBackend) -> Callable[[Tensor], list[Tensor]]:
    schedule = Schedule(numbers_alone(), backend, [Stage(formula.leaf)], formula.roots)

    def compute(rows: Tensor) -> list[Tensor]:
        values = schedule.run([lambda _: rows], batched=True)
        return [values.held[node] for node in formula.roots]

    return compute
