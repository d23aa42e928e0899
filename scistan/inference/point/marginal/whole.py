"""A mode of what is left, with what was integrated beside it: where, and how sure, all together.

`theta` has the curvature of its marginal density; given it, `u` lies about a mode that moves with `theta`. So the
precision of both is that of the joint density, but for the corner of `theta`, of which eliminating `u` must leave the
marginal curvature.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scistan.inference.point.arrow import Arrow
from scistan.inference.point.curvature import DENSE, Curvature, Dense
from scistan.inference.point.elimination import Elimination, Layout, multiply_blocks
from scistan.inference.point.marginal.bend import Split
from scistan.inference.point.marginal.inner import Peak
from scistan.inference.point.mode import Mode
from scistan.inference.point.objective import Objective

__all__ = ["whole_mode"]

Tensor = Any


def whole_mode(joint: Objective, split: Split, peak: Peak | None, mode: Mode) -> Mode:
    """Put the two together; without a curvature where there is none to be had."""
    torch = joint.torch
    u = mode.q.new_zeros(len(split.inner)) if peak is None else peak.u
    q = split.join(mode.q, u)
    free = torch.ones(len(q), dtype=torch.bool, device=q.device)
    free[split.outer] = mode.free
    gradient = torch.zeros_like(q)
    gradient[split.outer] = mode.gradient
    curvature: Curvature | None = None
    if peak is not None and isinstance(mode.curvature, Dense) and mode.curvature.definite:
        curvature = _together(joint, split, peak.precision, mode, q, free)
    return replace(mode, q=q, free=free, gradient=gradient, curvature=curvature)


def _together(joint: Objective, split: Split, precision: Elimination, mode: Mode, q: Tensor, free: Tensor) -> Curvature:
    torch = joint.torch
    left: Dense = mode.curvature  # type: ignore[assignment]
    outer, inner = split.outer, split.inner
    mixed = -joint.hessian_products(q, split.units())[:, inner]  # (D, k)
    corner = torch.eye(len(outer), dtype=q.dtype, device=q.device)
    corner[mode.free.nonzero(), mode.free.nonzero().T] = left.matrix
    corner = corner + mixed @ precision.solve(mixed).mT if len(outer) else corner
    corner = 0.5 * (corner + corner.mT)
    few, many = precision.layout.globals, precision.layout.locals
    own_corner, own_arms, hubs, links = precision.blocks
    if len(many) and len(q) > DENSE:
        top = torch.cat([torch.cat([corner, mixed[:, few]], 1), torch.cat([mixed[:, few].mT, own_corner], 1)])
        arms = torch.cat([mixed[:, many], own_arms])
        layout = Layout(torch.cat([outer, inner[few]]), inner[many], precision.layout.steps)
        made = Arrow(torch, layout, free, (top, arms, hubs, links))
        made.factorize()
        return made
    eye = torch.eye(len(inner), dtype=q.dtype, device=q.device)
    matrix = q.new_zeros((len(q), len(q)))
    matrix[inner[:, None], inner] = multiply_blocks(torch, precision.layout, precision.blocks, eye)
    matrix[outer[:, None], outer] = corner
    matrix[outer[:, None], inner] = mixed
    matrix[inner[:, None], outer] = mixed.mT
    return Dense(torch, matrix, free)

