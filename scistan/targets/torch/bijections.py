"""From unconstrained coordinates to values of a domain and back in torch, with log Jacobians."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scistan.constrained import ConstrainedType
from scistan.targets.coordinates import Coordinates, Formula, numbers_alone
from scistan.targets.torch.backend import TorchBackend
from scistan.targets.torch.devices import import_torch
from scistan.targets.torch.schedule import Schedule, Stage

__all__ = ["Bijection", "bounded", "structured"]

Tensor = Any


@dataclass(frozen=True, slots=True)
class Bijection:
    """`constrain` gives the value and the log Jacobian of each element, `value` the value alone."""

    constrain: Callable[[Tensor], tuple[Tensor, Tensor]]
    unconstrain: Callable[[Tensor], Tensor]
    value: Callable[[Tensor], Tensor]


def bounded(lower: Tensor | None, upper: Tensor | None) -> Bijection:
    """Give the bijection onto an interval, elementwise; Stan Reference Manual, "Constraint transforms"."""
    torch = import_torch()
    logsigmoid = torch.nn.functional.logsigmoid

    def plain(u: Tensor) -> Tensor:
        if lower is not None and upper is not None:
            return lower + (upper - lower) * torch.sigmoid(u)
        if lower is not None:
            return lower + torch.exp(u)
        return u if upper is None else upper - torch.exp(u)

    def constrain(u: Tensor) -> tuple[Tensor, Tensor]:
        if lower is not None and upper is not None:
            return plain(u), torch.log(upper - lower) + logsigmoid(u) + logsigmoid(-u)
        unbounded = lower is None and upper is None
        return plain(u), torch.zeros_like(u) if unbounded else u

    def unconstrain(x: Tensor) -> Tensor:
        if lower is not None and upper is not None:
            return torch.log(x - lower) - torch.log(upper - x)
        if lower is not None:
            return torch.log(x - lower)
        return x if upper is None else torch.log(upper - x)

    return Bijection(constrain, unconstrain, plain)


def structured(kind: ConstrainedType, event: tuple[int, ...], backend: TorchBackend) -> Coordinates:
    """Give the bijection onto a constrained type."""
    return Coordinates(kind, event, backend, _scheduled)


def _scheduled(formula: Formula, backend: TorchBackend) -> Callable[[Tensor], list[Tensor]]:
    schedule = Schedule(numbers_alone(), backend, [Stage(formula.leaf)], formula.roots)

    def compute(rows: Tensor) -> list[Tensor]:
        values = schedule.run([lambda _: rows], batched=True)
        return [values.held[node] for node in formula.roots]

    return compute
