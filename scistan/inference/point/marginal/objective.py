"""The density with latents integrated out by Laplace's method, which is exact where it is normal in them.

Its value at `theta` is `f - log det H / 2 + k log(2π) / 2` at the mode `u` of the joint log density `f` given `theta`,
`H` the negative Hessian in `u` there. Its gradient is exact: the trace of `H⁻¹` times the derivative of `H`, in `theta`
and by the way of `u`, which moves with `theta` as `H⁻¹` times the mixed derivatives say.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import log, pi
from typing import TYPE_CHECKING, Any

from scistan.inference.point.marginal.bend import Split
from scistan.inference.point.marginal.inner import Peak, TooFarError, find_peak
from scistan.inference.point.marginal.latents import OuterLatents
from scistan.inference.point.marginal.structure import Structure, find_structure
from scistan.inference.point.marginal.whole import whole_mode
from scistan.inference.point.objective import Objective, guard_memory
from scistan.targets.torch import Batches

if TYPE_CHECKING:
    from scistan.inference.point.mode import Mode

__all__ = ["MarginalObjective"]

Tensor = Any
_STEP = 3e-4  # of the differences that second derivatives are made of, in standard deviations given all else
_STEP_SINGLE = 5e-2  # the same in single precision
_LEAST_BEND = 1e-6  # curvature that a coordinate is taken to have, at least, for that
_KNOWN = 24  # modes of what is integrated that are remembered: some for each of the starts that climb side by side
_PATIENCE = 10  # times that Newton's steps may be halved before another beginning is tried
_WORK = 6  # evaluations of the joint density that a gradient takes for each product with its Hessian, about


class MarginalObjective:
    """The marginal log density or log likelihood of rows of the coordinates that are left; counts its evaluations."""

    batches: Batches | None = None

    def __init__(self, joint: Objective, names: tuple[str, ...], points: Tensor) -> None:
        self.joint = joint
        self.torch = joint.torch
        self.split = Split(joint, names)
        self.density = OuterLatents(self.split)
        self.dimension = self.density.dimension
        self.written, self.likelihood_only = joint.written, joint.likelihood_only
        self.evaluations = self.products = 0
        self.wrap: Callable[[Tensor], Tensor] | None = None
        self._known: deque[tuple[Tensor, Tensor]] = deque(maxlen=_KNOWN)
        with guard_memory(self._device, 0):
            self.structure: Structure = find_structure(self.split, self.chosen(points))
        self.density.u = points[0, self.split.inner]
        self.width = joint.width * _WORK * (2 + len(self.structure.probes))

    @property
    def _device(self) -> str:
        return self.joint.density.backend.device

    def chosen(self, rows: Tensor) -> Tensor:
        """Give the coordinates that are left, of rows of all of them."""
        return rows[:, self.split.outer]

    def peak(self, theta: Tensor, both: bool = False) -> Peak | None:
        """Find the mode of what is integrated; several starts climb side by side, and each begins by its own last."""
        waiting = self._beginnings(theta)
        while waiting:
            u, patience = waiting.pop(0)
            try:
                found = find_peak(self.split, self.structure, theta, u, both, patience)
            except TooFarError:
                waiting.append((u, None))
                continue
            except self.torch.linalg.LinAlgError:  # a matrix of the model without a factor
                found = None
            if found is not None:
                self.density.u = found.u
                self._known.append((theta.detach().clone(), found.u))
                return found
        return None

    def _beginnings(self, theta: Tensor) -> list[tuple[Tensor, int | None]]:
        """Give where it was for the nearest `theta`, and the middle, and how often steps from there may be halved.

        Where a scale has grown, what was near is far out, and thousands of short steps lead back from where a few lead
        from the middle; so patience comes last.
        """
        known = self._known or [(theta, self.density.u)]
        near = min(known, key=lambda pair: float((pair[0] - theta).square().sum()))[1]
        return [(near, _PATIENCE), (self.torch.zeros_like(near), _PATIENCE)]

    def _height(self, peak: Peak) -> Tensor:
        count = len(self.split.inner)
        return peak.value - 0.5 * peak.precision.log_determinant() + 0.5 * count * log(2 * pi)

    def value(self, q: Tensor) -> Tensor:
        """Give the log density of each row; NaN where what is integrated has no mode."""
        if q.ndim == 1:
            return self.value(q[None])[0]
        self.evaluations += 1
        rows = q if self.wrap is None else self.wrap(q)
        with guard_memory(self._device, 0):
            peaks = (self.peak(row) for row in rows.detach())
            heights = [q.new_tensor(float("nan")) if peak is None else self._height(peak) for peak in peaks]
        return self.torch.stack(heights)

    def value_and_gradient(self, q: Tensor) -> tuple[Tensor, Tensor]:
        """Give the log density of each row (S,) and its gradient (S, D); NaN where there is none."""
        self.evaluations += 1
        leaf = q.detach().requires_grad_(self.wrap is not None)
        rows = leaf if self.wrap is None else self.wrap(leaf)
        with guard_memory(self._device, 0):
            each = [self._at(row) for row in rows.detach()]
        value, gradient = (self.torch.stack(parts) for parts in zip(*each, strict=True))
        if self.wrap is not None:
            (gradient,) = self.torch.autograd.grad(rows, leaf, gradient)
        return value, gradient

    def _at(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        peak = self.peak(theta, both=True)
        if peak is None:
            return theta.new_tensor(float("nan")), self.torch.full_like(theta, float("nan"))
        bend, constant = peak.bend, self.structure.constant
        weights = self.structure.weights(peak.precision, self.torch)
        in_theta, in_u = bend.slopes_of_trace(weights, self.structure.probes, constant)
        # Where what is integrated does not change the Hessian, it matters to nothing where it has gone.
        through = 0.0 if constant else bend.slope_in_theta(peak.precision.solve(in_u[None])[0])
        return self._height(peak), bend.slope_in_theta() + 0.5 * (in_theta + through)

    def hessian_products(self, q: Tensor, vectors: Tensor) -> Tensor:
        """Give `H v` at one point for each row `v`, by central differences of the gradient."""
        self.products += len(vectors)
        size = (vectors.abs() * self._bends(q).sqrt()).amax(-1, keepdim=True)
        step = (_STEP if q.element_size() == 8 else _STEP_SINGLE) / size.clamp(min=1e-30)
        ends = [self.value_and_gradient(q + side * step * vectors)[1] for side in (1, -1)]
        return (ends[0] - ends[1]) / (2 * step)

    def _bends(self, q: Tensor) -> Tensor:
        """Give the size of the joint curvature along each coordinate, all else held."""
        if self.peak(q) is None:
            return self.torch.ones_like(q)
        full = self.split.join(q, self.density.u)
        units = self.split.units()
        own = (self.joint.hessian_products(full, units) * units).sum(-1)
        return own.abs().nan_to_num(1.0, 1.0, 1.0).clamp(min=_LEAST_BEND)

    def hessian(self, q: Tensor) -> Tensor:
        """Give the matrix of second derivatives at one point."""
        products = self.hessian_products(q, self.torch.eye(self.dimension, dtype=q.dtype, device=q.device))
        return 0.5 * (products + products.mT)

    def products_at(self, q: Tensor) -> Callable[[Tensor], Tensor]:
        """Give what multiplies a vector, or rows of them, by the Hessian at one point."""

        def multiply(vectors: Tensor) -> Tensor:
            rows = vectors.reshape(-1, vectors.shape[-1])
            return self.hessian_products(q, rows).reshape(vectors.shape)

        return multiply

    def over_all(self, mode: Mode) -> Mode:
        """Give a mode over everything: what is integrated at its own mode, with the uncertainty of both."""
        return whole_mode(self.joint, self.split, self.peak(mode.q), mode)
