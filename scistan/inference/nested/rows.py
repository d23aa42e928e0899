"""Draws of everything with their weights: the outer numbers first, then what is approximated about its mode."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import lgamma, log, pi
from typing import Any

import numpy as np

from scistan.engines.proposal import Proposal, adapted, freedom_for
from scistan.inference.nested.field import Field
from scistan.inference.nested.groups import Groups
from scistan.inference.nested.lowered import Middle
from scistan.inference.nested.peaks import Peaks, find_peaks
from scistan.inference.nested.within import COVERED, MOST_BEYOND, draw_within, has_lattice, points_for
from scistan.inference.point.elimination import Elimination
from scistan.targets.torch import to_numpy

__all__ = ["Rows", "draw_rows"]

Tensor = Any
_CELLS = 2e7  # numbers of candidates held at once
_WORK = 1e9  # numbers that finding modes may compute, about: beyond it several draws share their outer numbers
_LEAST_POINTS = 200
_TRIED = 64  # rows that show whether a group is covered
_NEWTON = 5  # steps to a mode, about


@dataclass(frozen=True, slots=True)
class Rows:
    """Draws of outer numbers and of the others, and the logarithm of the density over that which they come from.

    Where groups were drawn apart, `ratios` holds the log weights of their candidates (candidates and rows, groups), or
    `beyond` the probability at the edge of each group's lattice.
    """

    theta: np.ndarray
    u: np.ndarray
    log_weights: np.ndarray
    ratios: np.ndarray | None = None
    beyond: np.ndarray | None = None

    @property
    def usable(self) -> np.ndarray:
        """The numbers of the rows that have a weight."""
        return np.flatnonzero(np.isfinite(self.log_weights))


def draw_rows(field: Field, groups: Groups | None, middle: Middle, count: int, rng: np.random.Generator) -> Rows:
    """Draw at least `count` rows of everything."""
    outer = middle.outer
    few = len(outer.centre)
    if few:
        outer = adapted(outer, lambda rows: _heights(field, middle, rows), rng)
    points = _points(field, count) if few else 1
    each = -(-count // points)
    by_lattice = groups is not None and _covers(field, groups, middle, rng)
    made = _all_drawn(field, groups, middle, outer, (points, each), by_lattice, rng)
    if made.beyond is not None and made.beyond.max() > MOST_BEYOND:  # elsewhere lattices do not reach far enough
        return _all_drawn(field, groups, middle, outer, (points, each), False, rng)
    return made


def _all_drawn(
    field: Field, groups: Groups | None, middle: Middle, outer: Proposal, count: tuple[int, int], by_lattice: bool,
    rng: np.random.Generator,
) -> Rows:
    """Draw so many values of the outer numbers, and so often all else given each."""
    points, each = count
    theta = outer.draw(rng, points)
    parts = [
        _drawn(field, groups, part, find_peaks(field, part, middle.near(part)), each, by_lattice, rng)
        for part in _tensor(theta, middle).split(_rows_at_once(field, groups, each, by_lattice))
    ]
    u, log_weights = (np.concatenate([to_numpy(part[k]) for part in parts]) for k in (0, 1))
    proposed = outer.log_density(theta)
    made = Rows(np.repeat(theta, each, 0), u, log_weights - np.repeat(proposed, each))
    if groups is None:
        return made
    within = [to_numpy(part[2]).reshape(-1, groups.count) for part in parts]
    if by_lattice:
        counts = [len(part) for part in within]
        return replace(made, beyond=np.average([p.mean(0) for p in within], axis=0, weights=counts))
    return replace(made, ratios=np.concatenate(within))


def _covers(field: Field, groups: Groups, middle: Middle, rng: np.random.Generator) -> bool:
    """Tell by a few rows whether lattices reach far enough."""
    if not has_lattice(field.structure.layout.locals.shape[1]):
        return False
    theta = middle.theta.repeat(_TRIED, 1)
    peaks = find_peaks(field, theta, middle.near(theta))
    beyond = _drawn(field, groups, theta, peaks, 1, True, rng)[2]
    return bool(peaks.found.all()) and float(to_numpy(beyond).mean(0).max()) <= COVERED


def _tensor(rows: np.ndarray, middle: Middle) -> Tensor:
    return middle.theta.new_tensor(rows)


def _heights(field: Field, middle: Middle, rows: np.ndarray) -> np.ndarray:
    """Give the log density of outer numbers, all else integrated as if it were normal; -∞ where it has no mode."""
    parts = _tensor(rows, middle).split(field.rows_at_once)
    return np.concatenate([to_numpy(find_peaks(field, part, middle.near(part)).height) for part in parts])


def _points(field: Field, wanted: int) -> int:
    """Give how many values of the outer numbers can be afforded."""
    few = len(field.structure.layout.globals)
    cost = _NEWTON * ((len(field.structure.probes) + 2) * field.split.joint.width + few**3)
    return int(min(wanted, max(_LEAST_POINTS, _WORK / cost)))


def _rows_at_once(field: Field, groups: Groups | None, each: int, by_lattice: bool) -> int:
    if groups is None:
        return field.rows_at_once
    width = field.structure.layout.locals.numel() * points_for(field.structure.layout.locals.shape[1], by_lattice)
    return max(1, min(field.rows_at_once // each, int(_CELLS / (each * width))))


def _drawn(
    field: Field, groups: Groups | None, theta: Tensor, peaks: Peaks, each: int, by_lattice: bool,
    rng: np.random.Generator,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Give `each` draws for every row of outer numbers, their log weights but for those, and what tells of groups."""
    torch, layout, precision = field.torch, field.structure.layout, peaks.precision
    noise = torch.as_tensor(rng.standard_normal((len(theta), each, field.inner))).to(theta)

    def about(z: Tensor) -> Tensor:
        return (peaks.u[:, None] + precision.draw(z)).reshape(len(theta) * each, -1)

    if field.structure.constant:  # normal as it is: every draw has the weight of its outer numbers
        return about(noise), peaks.height.repeat_interleave(each, 0), None
    wide, found = (one.repeat_interleave(each, 0) for one in (theta, peaks.found))
    if groups is None:
        z, proposed = _student(noise, rng, torch)
        u = about(z)
        log_weights = field.value(wide, u) - (proposed + 0.5 * precision.log_determinant()[:, None]).reshape(-1)
        return u, _where_found(torch, found, log_weights), None
    # What groups share first; the groups follow it, and are then drawn about where it leads them.
    z = torch.zeros_like(noise)
    z[..., layout.globals], proposed = _student(noise[..., layout.globals], rng, torch)
    u = about(z)
    proposed = proposed + precision.factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)[:, None]
    drawn = draw_within(groups, _repeated(torch, precision, each), wide, u, rng, by_lattice)
    log_weights = drawn.rest + drawn.integral - proposed.reshape(-1)
    told = drawn.told[..., found, :]
    return drawn.u, _where_found(torch, found, log_weights), told


def _student(z: Tensor, rng: np.random.Generator, torch: Any) -> tuple[Tensor, Tensor]:
    """Stretch rows of standard normals to Student's t; give them and their log density."""
    d = z.shape[-1]
    if not d:
        return z, z.sum(-1)
    nu = freedom_for(d)
    stretch = torch.as_tensor(np.sqrt(nu / rng.chisquare(nu, tuple(z.shape[:-1])))).to(z)
    made = stretch[..., None] * z
    constant = lgamma((nu + d) / 2) - lgamma(nu / 2) - 0.5 * d * log(nu * pi)
    return made, constant - 0.5 * (nu + d) * torch.log1p(made.square().sum(-1) / nu)


def _where_found(torch: Any, found: Tensor, log_weights: Tensor) -> Tensor:
    return torch.where(found & torch.isfinite(log_weights), log_weights, torch.full_like(log_weights, -float("inf")))


def _repeated(torch: Any, precision: Elimination, each: int) -> Elimination:
    if each == 1:
        return precision
    return Elimination(torch, precision.layout, *(block.repeat_interleave(each, 0) for block in precision.blocks))
