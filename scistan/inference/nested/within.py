"""Draws of each group's numbers given all else, and the integral over them: by quadrature, or by weighed candidates.

A row's groups are independent of each other given what they share, so that each has points of its own about its mode.
One of them is taken by its weight, and the sum of the weights corrects the integral over that group.

*Quadrature*, for one or two numbers a group: a lattice, shifted by chance for each row and group, that reaches far
beyond the curvature's standard deviations. Sums over a lattice are exact to many digits for densities like a bell.
*Candidates*, for more numbers: draws of a narrow and of a wide normal, for the density may have heavier tails than its
curvature says. Both estimates are unbiased, so that rows weighed with them are draws of the exact posterior, however
few the candidates (Tran et al. 2013, "Importance sampling squared").
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from math import log, pi
from typing import Any

import numpy as np

from scistan.inference.nested.groups import Groups
from scistan.inference.point.elimination import Elimination

__all__ = ["COVERED", "MOST_BEYOND", "Points", "Within", "draw_within", "has_lattice", "points_for"]

Tensor = Any
_LATTICES = {1: (1.0, 8.0), 2: (1.4, 5.6)}  # for so many numbers: the step and the reach, in standard deviations
_NARROW, _WIDE = 12, 4  # candidates
_WIDTH = 2.5  # standard deviations of the wide ones
COVERED = 1e-3  # the probability at a lattice's edge up to which it counts as covering a group
MOST_BEYOND = 5e-3  # the same for all rows together, in the end


@dataclass(frozen=True, slots=True)
class Points:
    """Standard coordinates of points (M, S, J, K), the log volume that each stands for, and which are at the edge."""

    z: Tensor
    log_volume: Tensor
    edge: Tensor | None


@dataclass(frozen=True, slots=True)
class Within:
    """Rows with every group drawn, the logarithm of each row's integral over its groups, and what else it has.

    `told` is what tells of the groups: their candidates' log weights from their mean on (candidates, rows, groups), or
    the probability at the edge of their lattices (rows, groups).
    """

    u: Tensor
    integral: Tensor
    rest: Tensor
    told: Tensor


def has_lattice(width: int) -> bool:
    """Tell whether groups of so many numbers can be integrated by quadrature."""
    return width in _LATTICES


def points_for(width: int, by_lattice: bool) -> int:
    """Count the points that each group has."""
    return len(_lattice(width)[0]) if by_lattice else _NARROW + _WIDE


def draw_within(
    groups: Groups, precision: Elimination, theta: Tensor, u: Tensor, rng: np.random.Generator, by_lattice: bool
) -> Within:
    """Draw the groups of each row, about where they are in `u`, whose globals are drawn already."""
    torch = groups.torch
    many = precision.layout.locals
    centre = u[:, many]
    made = (_shifted if by_lattice else _candidates)(torch, rng, centre)
    root = precision.factor_hubs  # L L' is the precision
    away = torch.linalg.solve_triangular(root.mT, made.z[..., None], upper=True)[..., 0]
    rows, weights, rest = u.clone(), [], None
    for point in away:
        rows[:, many] = centre + point
        each, rest = groups.log_densities(theta, rows)
        weights.append(each)
    log_determinant = root.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    log_weights = (torch.stack(weights) + made.log_volume - log_determinant).nan_to_num(-float("inf"))
    total = torch.logsumexp(log_weights, 0)
    gumbel = torch.as_tensor(rng.gumbel(size=tuple(log_weights.shape)), dtype=u.dtype, device=u.device)
    taken = (log_weights + gumbel).argmax(0)
    rows[:, many] = centre + away.gather(0, taken[None, ..., None].expand(1, *centre.shape))[0]
    shares = log_weights - total
    told = shares if made.edge is None else shares[made.edge].exp().sum(0)
    return Within(rows, total.sum(-1), rest, told)


@cache
def _lattice(width: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the corners of the cells of a lattice within a ball, and which of them are at its edge."""
    step, reach = _LATTICES[width]
    steps = int(reach / step) + 1
    cells = np.array(list(product(range(-steps, steps), repeat=width)), float)
    distance = step * np.sqrt(((cells + 0.5) ** 2).sum(-1))
    inside = distance <= reach
    return step * cells[inside], distance[inside] > reach - step


def _shifted(torch: Any, rng: np.random.Generator, centre: Tensor) -> Points:
    """Put a lattice about every group, each shifted within a cell by chance."""
    width = centre.shape[-1]
    step = _LATTICES[width][0]
    corners, edge = _lattice(width)
    shift = torch.as_tensor(step * rng.random(tuple(centre.shape)), dtype=centre.dtype, device=centre.device)
    z = centre.new_tensor(corners)[:, None, None] + shift
    volume = centre.new_full((len(corners), 1, 1), width * log(step))
    return Points(z, volume, torch.as_tensor(edge, device=centre.device))


def _candidates(torch: Any, rng: np.random.Generator, centre: Tensor) -> Points:
    """Draw from the narrow and the wide normal; a volume is one over the density that there are points with."""
    width = centre.shape[-1]
    z = torch.cat([_stratified(torch, rng, _NARROW, centre), _WIDTH * _stratified(torch, rng, _WIDE, centre)])
    squares = z.square().sum(-1)
    narrow = log(_NARROW) - 0.5 * squares
    wide = log(_WIDE) - 0.5 * squares / _WIDTH**2 - width * log(_WIDTH)
    return Points(z, 0.5 * width * log(2 * pi) - torch.logaddexp(narrow, wide), None)


def _stratified(torch: Any, rng: np.random.Generator, count: int, like: Tensor) -> Tensor:
    """Draw standard normals, of which each comes from a stratum of its own in every coordinate."""
    shape = (count, *like.shape)
    uniform = torch.as_tensor(rng.random(shape), dtype=like.dtype, device=like.device)
    order = torch.as_tensor(rng.random(shape), device=like.device).argsort(0).to(like.dtype)
    return torch.special.ndtri(((order + uniform) / count).clamp(1e-15, 1 - 1e-15))
