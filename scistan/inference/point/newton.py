"""Truncated Newton in a trust region: for many coordinates, and where L-BFGS comes to a stop.

Each step solves the Newton equations by conjugate gradients on products with the Hessian, as closely as the slope left
to go deserves; no matrix is made. Conn, Gould and Toint, Trust Region Methods, chapters 5 to 7.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scistan.inference.point.lbfgs import Climb, runs_away
from scistan.inference.point.maximized import Maximized
from scistan.inference.point.preconditioner import Preconditioner
from scistan.inference.point.progress import Progress
from scistan.inference.point.steihaug import Inner, inner_step

__all__ = ["climb_newton"]

Tensor = Any
_MOST_PRODUCTS = 2000  # for one step
_CLOSEST, _LOOSEST = 1e-4, 0.1  # share of the gradient that a step may leave over
_ACCEPTED, _GOOD = 1e-4, 0.75  # of the gain that the model promises
_SHORTENED = 12  # times that a step is shortened before the climb ends
_NEAR = 0.1  # slope for each coordinate, in standard errors, from which the preconditioner is not measured anew
_WIDER = 3.0


def climb_newton(
    objective: Maximized,
    start: Tensor,
    *,
    tolerance: float,
    max_iterations: int,
    progress: Progress | None = None,
    free: Tensor | None = None,
    limit: Tensor | None = None,
    goal: float = float("inf"),
    begun: tuple[Tensor, Tensor] | None = None,
    most: float = float("inf"),
) -> Climb:
    """Maximize from one row; arguments as those of L-BFGS. A product with the Hessian counts as a point evaluated."""
    value, gradient = objective.value_and_gradient(start) if begun is None else begun
    state = Climb(start.clone(), value, gradient, start.new_zeros(1), [""], evaluated=1)
    newton = _Newton(objective, state, free)
    if not newton.finite(value, gradient):
        state.stopped = ["not finite"]
        return state
    try:
        state.stopped = [newton.run(tolerance, max_iterations, progress, limit, goal, most)]
    except KeyboardInterrupt:
        state.interrupted, state.stopped = True, ["interrupted"]
    return state


class _Newton:
    """One climb: where it is, how far steps are trusted, and what they are preconditioned by."""

    def __init__(self, objective: Maximized, state: Climb, free: Tensor | None) -> None:
        self._torch = objective.torch
        self._objective = objective
        self._state = state
        everything = self._torch.ones_like(state.q[0], dtype=self._torch.bool)
        self._free = everything if free is None else free.to(self._torch.bool)
        self._mask = self._free.to(state.q.dtype)
        self._preconditioner = Preconditioner(objective, self._free)
        self._precondition: Callable[[Tensor], Tensor] = lambda row: row
        self._radius: Tensor = None
        self._rounding = 8 * self._torch.finfo(state.q.dtype).eps
        state.gradient = state.gradient * self._mask

    def finite(self, value: Tensor, gradient: Tensor) -> bool:
        """Tell whether a point can be stood on."""
        return bool(self._torch.isfinite(value).all() & self._torch.isfinite(gradient).all())

    def run(
        self, tolerance: float, max_iterations: int, progress: Progress | None, limit: Tensor | None, goal: float,
        most: float,
    ) -> str:
        """Take steps until there is a reason to stop, which is given."""
        state = self._state
        for _ in range(max_iterations):
            if limit is not None and bool(runs_away(state, limit)[0]):
                return "escaped"
            if float(state.value[0]) >= goal:
                return "arrived"
            if state.evaluated >= most:
                return "limit"
            inner = self._step()
            promised = float(inner.promised)
            if not promised > 0:
                return "done" if not bool(state.gradient.any()) else "line search"
            last = not bool(inner.at_edge) and promised <= tolerance + self._rounding * abs(float(state.value[0]))
            moved = self._take(inner)
            state.iterations = state.iterations + int(moved)
            if progress is not None:
                progress.note(-float(state.value[0]), float(state.gradient[0].abs().max()))
            if last or not moved:
                return "done" if last else "line search"
        return "limit"

    def _step(self) -> Inner:
        """Solve for a step inside of the region, as closely as it is worth."""
        state, before = self._state, self._objective.products
        gradient = state.gradient[0]
        products = self._objective.products_at(state.q[0])

        def multiply(rows: Tensor) -> Tensor:
            return -products(rows * self._mask) * self._mask

        first = self._radius is None
        if first or self._slope(gradient) > _NEAR:
            self._precondition = self._preconditioner.measure(state.q[0], multiply)
        if first:
            self._radius = self._squared(gradient).sqrt().clamp(min=1.0)
        share = min(max(self._slope(gradient), _CLOSEST), _LOOSEST)
        inner = inner_step(
            self._torch, gradient, multiply, self._precondition, self._radius, share, _MOST_PRODUCTS
        )
        state.evaluated += self._objective.products - before
        return inner

    def _take(self, inner: Inner) -> bool:
        """Take a step if the density rises along it as promised, else a shorter one; and see how far to trust the next.

        Where rounding hides what is promised, a smaller slope is progress.
        """
        state, torch = self._state, self._torch
        here = float(state.value[0])
        slope = float((state.gradient[0] * inner.step).sum())
        bend = 2 * (slope - float(inner.promised))
        length = inner.squared_step.clamp(min=0).sqrt()
        share, noise = 1.0, self._rounding * (1 + abs(here))
        for _ in range(_SHORTENED):
            q = (state.q[0] + share * inner.step)[None]
            value, gradient = self._objective.value_and_gradient(q)
            gradient = gradient * self._mask
            state.evaluated += 1
            promised = share * slope - 0.5 * share * share * bend
            gain = float(value[0]) - here
            if promised <= noise:
                rises = abs(gain) <= noise and bool(self._squared(gradient[0]) < self._squared(state.gradient[0]))
            else:
                rises = gain > _ACCEPTED * promised
            if rises and self.finite(value, gradient):
                state.q, state.value, state.gradient = q, value, gradient
                if share < 1.0:
                    self._radius = share * length
                elif gain > _GOOD * promised:
                    self._radius = torch.maximum(self._radius, _WIDER * length)
                return True
            share *= 0.25
        return False

    def _squared(self, gradient: Tensor) -> Tensor:
        return (gradient * self._precondition(gradient)).sum().clamp(min=0)

    def _slope(self, gradient: Tensor) -> float:
        """Give the slope for each coordinate, in standard errors as far as the preconditioner knows them."""
        return float((self._squared(gradient) / self._mask.sum().clamp(min=1)).sqrt())
