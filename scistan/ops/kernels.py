"""Covariance functions of Gaussian processes."""

from __future__ import annotations

from typing import Any

from scistan.messages import expressions as messages
from scistan.ops.axes import kernel
from scistan.ops.declaration import Attributes, declare
from scistan.ops.expression import function_of
from scistan.ops.linear_back import of_exp_quad
from scistan.shapes import Equality, Shape, values_of

__all__ = ["gp_exp_quad_cov"]


def _kernel_shape(shapes: tuple[Shape, ...], _: Attributes) -> tuple[Shape, tuple[Equality, ...]]:
    if tuple(map(len, shapes)) != (1, 0, 0):
        why = "a vector and two numbers are needed"
        raise messages.bad_shapes("gp_exp_quad_cov", [values_of(s) for s in shapes], why)
    return shapes[0] * 2, ()


def _exp_quad(xp: Any, x: Any, alpha: Any, rho: Any) -> Any:
    apart = (x[..., :, None] - x[..., None, :]) / rho[..., None, None]
    return xp.square(alpha)[..., None, None] * xp.exp(-0.5 * xp.square(apart))


EXP_QUAD = declare(
    "gp_exp_quad_cov",
    "The covariances `alpha² exp(-(x_i - x_j)² / (2 rho²))` of a Gaussian process at the points `x`.",
    arity=3,
    arguments=("x", "alpha", "rho"),
    shape=_kernel_shape,
    axes=kernel,
    numpy=_exp_quad,
    torch=_exp_quad,
    gradient=of_exp_quad,
)
gp_exp_quad_cov = function_of(EXP_QUAD)
