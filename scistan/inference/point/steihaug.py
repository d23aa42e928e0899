"""Conjugate gradients inside of a trust region: the step of a truncated Newton method (Steihaug 1983, Toint 1981).

Where the model curves upwards, the step goes along that direction to the edge of the region. All of a step is tensors
on the device of the coordinates; one truth value per step comes back from it, to know when to end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Inner", "advance", "begin", "inner_step"]

Tensor = Any
Multiply = Callable[[Tensor], Tensor]


@dataclass(frozen=True, slots=True)
class Inner:
    """A step so far and what is left of the gradient; norms are those of the preconditioner's inverse, M."""

    step: Tensor
    rest: Tensor
    along: Tensor
    squared_rest: Tensor  # r' M⁻¹ r
    squared_step: Tensor  # s' M s
    squared_along: Tensor  # p' M p
    step_times_along: Tensor  # s' M p
    promised: Tensor  # gain of the quadratic model
    ended: Tensor
    at_edge: Tensor


def begin(torch: Any, gradient: Tensor, precondition: Multiply) -> Inner:
    """Begin with no step at all."""
    along = precondition(gradient)
    squared = (gradient * along).sum()
    zero, no = torch.zeros_like(squared), torch.zeros_like(squared, dtype=torch.bool)
    return Inner(torch.zeros_like(gradient), gradient, along, squared, zero, squared, zero, zero, no, no)


def advance(torch: Any, at: Inner, multiply: Multiply, precondition: Multiply, radius: Tensor, goal: Tensor) -> Inner:
    """Take one step of conjugate gradients; `goal` is the squared rest at which it is enough."""
    product = multiply(at.along)
    curvature = (at.along * product).sum()
    upwards = curvature <= torch.finfo(curvature.dtype).eps * at.squared_along
    length = at.squared_rest / torch.where(upwards, torch.ones_like(curvature), curvature)
    room = radius * radius - at.squared_step
    inside = 2 * length * at.step_times_along + length * length * at.squared_along < room
    edge = upwards | torch.logical_not(inside)
    root = (at.step_times_along * at.step_times_along + at.squared_along * room).clamp(min=0).sqrt()
    length = torch.where(edge, room.clamp(min=0) / (at.step_times_along + root), length)
    rest = at.rest - length * product
    turned = precondition(rest)
    squared = (rest * turned).sum()
    ratio = squared / at.squared_rest
    return Inner(
        step=at.step + length * at.along,
        rest=rest,
        along=turned + ratio * at.along,
        squared_rest=squared,
        squared_step=at.squared_step + 2 * length * at.step_times_along + length * length * at.squared_along,
        squared_along=squared + ratio * ratio * at.squared_along,
        step_times_along=ratio * (at.step_times_along + length * at.squared_along),
        promised=at.promised + length * at.squared_rest - 0.5 * length * length * curvature,
        ended=edge | (squared <= goal),
        at_edge=edge,
    )


def inner_step(
    torch: Any, gradient: Tensor, multiply: Multiply, precondition: Multiply, radius: Tensor, share: float, most: int
) -> Inner:
    """Go on until the rest of the gradient is a `share` of it, or the edge is reached, or `most` products are made."""
    at = begin(torch, gradient, precondition)
    goal = share * share * at.squared_rest
    for _ in range(most):
        at = advance(torch, at, multiply, precondition, radius, goal)
        if bool(at.ended):
            break
    return at
