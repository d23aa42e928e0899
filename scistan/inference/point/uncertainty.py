"""Standard errors of latents and derived quantities by the delta method."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import numpy as np

from scistan.graph.graph import Graph
from scistan.graph.node import Node
from scistan.graph.walk import topological
from scistan.inference.point.arrow import Arrow
from scistan.inference.point.curvature import Dense
from scistan.inference.point.mode import Mode
from scistan.inference.point.objective import Objective
from scistan.profiling import staged
from scistan.targets.torch import to_numpy

__all__ = ["Quantities", "standard_errors"]

Tensor = Any
_WIDTH = 5e6  # elements of Jacobian columns held at once
_ROWS = 200  # quantities whose Jacobian is computed row by row where columns are too many
_ROWS_WIDTH = 2e6  # numbers in these rows: each of them is a system to be solved


class Quantities:
    """The latents and derived quantities as functions of the coordinates, but for those that are not wanted."""

    def __init__(self, objective: Objective, graph: Graph, without: Container[str] = ()) -> None:
        self._density = objective.density
        self._torch = objective.torch
        known: dict[str, Node] = {t.name: t.value for t in graph.latents} | dict(graph.derived)
        self.nodes = {name: node for name, node in known.items() if name not in without}

    def at(self, q: Tensor) -> dict[str, Tensor]:
        """Give every quantity's value; rows of `q` make a first axis."""
        evaluator, _, _ = self._density.constrain(q)
        result = {}
        for name, node in self.nodes.items():
            value = evaluator[node]
            array = value.array
            result[name] = array if value.batched or q.ndim == 1 else array.expand(len(q), *array.shape)
        return result

    def number_at(self, q: Tensor) -> Callable[[Node], np.ndarray]:
        """Give what computes the value of any node at a point."""
        evaluator, _, _ = self._density.constrain(q)
        return lambda node: to_numpy(evaluator[node].array)

    def along(self, q: Tensor, rows: Tensor) -> dict[str, Tensor]:
        """Give the derivative of every quantity along each row, all rows at once.

        By differentiating a gradient in what it was multiplied by: every op has that, while torch's forward mode, and
        gradients of anything but a single number, take a second to load.
        """
        grad = self._torch.autograd.grad
        leaf = q.detach().repeat(len(rows), 1).requires_grad_(True)
        values = self.at(leaf)
        result = {name: self._torch.zeros_like(value).detach() for name, value in values.items()}
        moving = {name: value for name, value in values.items() if value.requires_grad}
        dummies = {name: self._torch.zeros_like(value, requires_grad=True) for name, value in moving.items()}
        if not moving:
            return result
        total = sum((value * dummies[name]).sum() for name, value in moving.items())
        (pulled,) = grad(total, leaf, create_graph=True, allow_unused=True)
        if pulled is not None and pulled.requires_grad:
            pushed = grad((pulled * rows).sum(), list(dummies.values()), allow_unused=True)
            result |= {name: slope.detach() for name, slope in zip(dummies, pushed, strict=True) if slope is not None}
        return result

    def jacobian_rows(self, name: str, q: Tensor) -> Tensor:
        """Give the gradient of every element of one quantity (reverse mode)."""
        leaf = q.detach().clone().requires_grad_(True)
        value = self.at(leaf)[name].reshape(-1)
        zero = self._torch.zeros_like(leaf)
        if not value.requires_grad:
            return zero.expand(len(value), -1)
        rows = [self._torch.autograd.grad(v, leaf, retain_graph=True, allow_unused=True)[0] for v in value]
        return self._torch.stack([zero if r is None else r for r in rows])


@staged("uncertainty")
def standard_errors(
    quantities: Quantities, mode: Mode, graph: Graph, boundary: tuple[str, ...], wanted: bool = True
) -> dict[str, np.ndarray]:
    """Give a standard error for every element; NaN for what depends on a latent at its boundary, or is not known."""
    values = quantities.at(mode.q)
    if mode.curvature is None or not mode.curvature.definite or not wanted:
        return {name: np.full(tuple(v.shape), np.nan) for name, v in values.items()}
    shapes = {name: tuple(v.shape) for name, v in values.items()}
    by_kind: dict[str, Callable[..., dict[str, Tensor | None]]] = {"dense": _by_columns, "arrow": _by_groups}
    variances = by_kind.get(mode.curvature.kind, _by_rows)(quantities, mode, shapes)
    spoiled = _depends_on(graph, quantities.nodes, boundary)
    result: dict[str, np.ndarray] = {}
    for name, shape in shapes.items():
        variance = variances[name]
        if variance is None or name in spoiled:
            result[name] = np.full(shape, np.nan)
        else:
            result[name] = to_numpy(variance.reshape(shape).clamp(min=0).sqrt())
    return result


def _depends_on(graph: Graph, nodes: dict[str, Node], boundary: tuple[str, ...]) -> set[str]:
    """Find the quantities whose value is computed from a latent at its boundary, non-centred ones included."""
    bad: set[Node] = {t.value for t in graph.latents if t.name in boundary}
    for term in graph.latents:
        if term.law.noncentred and any(node in bad for node in topological(term.law.args)):
            bad.add(term.value)
    return {name for name, node in nodes.items() if any(n in bad for n in topological([node]))}


def _by_columns(quantities: Quantities, mode: Mode, shapes: dict[str, tuple[int, ...]]) -> dict[str, Tensor | None]:
    """Add up squared derivatives along the roots of the covariance."""
    curvature: Dense = mode.curvature  # type: ignore[assignment]
    roots = curvature.roots
    total = sum(int(np.prod(shape)) for shape in shapes.values()) + len(mode.q)
    chunk = max(1, int(_WIDTH / max(1, total)))
    result: dict[str, Tensor | None] = {name: mode.q.new_zeros(shape) for name, shape in shapes.items()}
    for start in range(0, len(roots), chunk):
        for name, slope in quantities.along(mode.q, roots[start : start + chunk]).items():
            result[name] = result[name] + slope.square().sum(0)
    return result


def _by_rows(quantities: Quantities, mode: Mode, shapes: dict[str, tuple[int, ...]]) -> dict[str, Tensor | None]:
    """Solve for each element's gradient; only quantities with few elements."""
    most = min(_ROWS, _ROWS_WIDTH / len(mode.q))
    return {
        name: _row_variance(quantities, mode, name) if int(np.prod(shape)) <= most else None
        for name, shape in shapes.items()
    }


def _row_variance(quantities: Quantities, mode: Mode, name: str) -> Tensor | None:
    rows = quantities.jacobian_rows(name, mode.q) * mode.free
    if mode.curvature is None:
        return None
    return (rows * mode.curvature.solve(rows)).sum(-1)


def _by_groups(quantities: Quantities, mode: Mode, shapes: dict[str, tuple[int, ...]]) -> dict[str, Tensor | None]:
    """Take each group's quantities as functions of the globals and of its own coordinates; check that they are.

    A group of a chain has several steps, and what is left over of these at the beginning is among the globals.
    """
    curvature: Arrow = mode.curvature  # type: ignore[assignment]
    few, many = curvature.layout.globals, curvature.layout.locals
    groups, width = many.shape
    probes = mode.q.new_zeros((len(few) + width + 1, len(mode.q)))
    for row, k in enumerate(few.tolist()):
        probes[row, k] = 1.0
    for k in range(width):
        probes[len(few) + k, many[:, k]] = 1.0
    signs = 1.0 + 0.5 * (-1.0) ** np.arange(groups)[:, None] + 0.1 * np.arange(width)
    probes[-1, many] = mode.q.new_tensor(signs * np.linspace(0.5, 1.5, groups)[:, None])
    probes = probes * mode.free
    slopes = quantities.along(mode.q, probes)
    covariance = curvature.group_covariance()
    result: dict[str, Tensor | None] = {}
    for name, shape in shapes.items():
        variance = None
        over = shape[0] - groups * max(1, curvature.layout.steps) if shape else -1
        if over == 0 or (over > 0 and curvature.layout.steps):
            first = over * int(np.prod(shape[1:]))
            variance = _grouped(slopes[name].flatten(1), first, probes[-1][many], len(few), covariance)
        if variance is None and int(np.prod(shape)) <= _ROWS:
            variance = _row_variance(quantities, mode, name)
        result[name] = variance
    return result


def _grouped(
    slopes: Tensor, first: int, check: Tensor, few: int, covariance: tuple[Tensor, Tensor, Tensor]
) -> Tensor | None:
    """Give the variances of a quantity with as many elements for each group, behind those of the globals alone.

    None where elements depend on other groups.
    """
    groups = len(check)
    flat = slopes[:, first:].reshape(len(slopes), groups, -1)  # (probe, J, elements)
    globally, locally = flat[:few], flat[few:-1]
    expected = (locally * check.mT[:, :, None]).sum(0)
    astray = float((expected - flat[-1]).abs().max()), float(slopes[few:, :first].abs().sum())
    if max(astray) > 1e-8 * (1 + float(expected.abs().max())):
        return None
    among, across, within = covariance
    result = (slopes[:few] * (among @ slopes[:few])).sum(0)
    variance = 2 * (locally * _mix(across, globally)).sum(0)
    inner = (within[:, :, :, None] * locally.permute(1, 0, 2)[:, None]).sum(2)  # (J, K, elements)
    result[first:] += (variance + (locally.permute(1, 0, 2) * inner).sum(1)).flatten()
    return result


def _mix(across: Tensor, globally: Tensor) -> Tensor:
    """Multiply each group's covariance with the globals (J, K, G) by the slopes in them (G, J, E): (K, J, E)."""
    return (across @ globally.permute(1, 0, 2)).permute(1, 0, 2)
