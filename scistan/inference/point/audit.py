"""Whether to believe a mode: boundaries, flat directions, densities without a maximum, starts that disagree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scistan.inference.point.curvature import LEAST_CURVATURE
from scistan.inference.point.domains import boundary_words, bounded_blocks, latent_at
from scistan.inference.point.lbfgs import climb
from scistan.inference.point.maximized import Maximized
from scistan.inference.point.mode import Mode, Searched, count_places, settle
from scistan.inference.point.options import Options
from scistan.inference.point.progress import Progress
from scistan.inference.point.rising import FURTHER, OUT
from scistan.messages import point as messages
from scistan.profiling import staged

__all__ = ["Verdict", "judge", "release_boundaries"]

Tensor = Any
CLOSE = 1e-3  # standard errors to the peak that still count as having reached it
_CLOSE_SINGLE = 3e-2  # the same in single precision
_SLOPE = 1e-5  # of the log density, relative to its size, where there is no curvature to measure by
_LOOSE = 1.5  # standard error, in coordinates, from which a bounded latent may really be at its boundary
_FLAT = 0.05  # loss of log density over three standard errors that counts as none; a peak loses 4.5
_KINK = 0.05  # loss a tenth of a standard error away, or three, that no flat density has
_SHARE = 0.3  # of the loss that the curvature promises over a short way, below which the curvature is no peak's
_ROWS = 16
_CERTAIN = -1e-3  # log likelihood of discrete data above which every outcome is foretold
_LEVEL = 1e-2  # change of log density on the way out that still counts as level
_SUSPECTS = 8


@dataclass(frozen=True, slots=True)
class Verdict:
    """Converged or not, why, and everything else worth saying."""

    converged: bool
    reason: str
    findings: tuple[str, ...]
    boundary: tuple[str, ...]


@staged("audit")
def release_boundaries(
    objective: Maximized, searched: Searched, verb: str, progress: Progress
) -> dict[str, str]:
    """Hold what has run to its boundary there and settle the rest; refuse a density that grows all the way.

    Gives the latents at a boundary and which it is.
    """
    mode = searched.mode
    if mode.interrupted:
        return {}
    held: dict[str, str] = {}
    for _ in range(3):
        suspects = _suspects(objective, mode)
        fixed = [(k, side) for k, side in suspects if _level_outwards(objective, mode, k, side, verb)]
        if not fixed:
            break
        free = mode.free.clone()
        for k, side in fixed:
            free[k] = False
            held[latent_at(objective, k)] = boundary_words(objective, k, side)
        start = climb(objective, mode.q[None], tolerance=1e-10, max_iterations=200, free=free.to(mode.q.dtype))
        before = mode.iterations
        mode = settle(objective, start, free, progress)
        mode.iterations += before
        searched.mode = mode
    return held


def _suspects(objective: Maximized, mode: Mode) -> list[tuple[int, int]]:
    """List bounded coordinates whose place is poorly determined, with the side of their nearest boundary."""
    curvature = mode.curvature if mode.curvature is not None and mode.curvature.definite else None
    deviations = None if curvature is None else curvature.deviations()
    found: list[tuple[float, int, int]] = []
    for start, stop, low, high in bounded_blocks(objective):
        u = mode.q[start:stop]
        loose = mode.free[start:stop] & (((u < 0) & low) | ((u > 0) & high))
        if curvature is not None:
            loose = loose & (u.abs() >= 2)
        if deviations is not None:
            loose = loose & (deviations[start:stop] >= _LOOSE)
        at = loose.nonzero().flatten()
        found += [(abs(x), start + k, -1 if x < 0 else 1) for k, x in zip(at.tolist(), u[at].tolist(), strict=True)]
    found.sort(reverse=True)
    chosen = [(k, side) for _, k, side in found[:_SUSPECTS]]
    if curvature is None or deviations is not None or not chosen:
        return chosen
    units = mode.q.new_zeros((len(chosen), len(mode.q)))
    for row, (k, _) in enumerate(chosen):
        units[row, k] = 1.0
    variances = (curvature.solve(units) * units).sum(-1)  # those of all coordinates would need the whole inverse
    return [pair for pair, loose in zip(chosen, (variances >= _LOOSE**2).tolist(), strict=True) if loose]


def _level_outwards(objective: Maximized, mode: Mode, k: int, side: int, verb: str) -> bool:
    """Tell whether the density is level from here to the boundary; refuse it if it rises all the way.

    The other coordinates follow: a hierarchical scale rises only where its group's members close up with it.
    """
    torch = objective.torch
    rows = mode.q.repeat(2, 1)
    rows[0, k] += side * OUT
    rows[1, k] += side * FURTHER
    alone = objective.value(rows) - mode.value
    if bool((alone.abs() < _LEVEL).all()):
        return True
    free = mode.free.to(mode.q.dtype).clone()
    free[k] = 0.0
    moved = climb(objective, rows, tolerance=1e-3, max_iterations=200, free=free)
    gains = torch.where(torch.isfinite(moved.value), moved.value, -float("inf")) - mode.value
    near, far = float(gains[0]), float(gains[1])
    if abs(near) < _LEVEL and abs(far) < _LEVEL:
        return True
    if near > 0.1 and far > 1.5 * near:
        raise messages.unbounded([latent_at(objective, k)], verb, near)
    return False


@staged("audit")
def judge(
    objective: Maximized, searched: Searched, held: dict[str, str], options: Options, verb: str
) -> Verdict:
    """Weigh what was found."""
    mode = searched.mode
    gradient = float((mode.gradient * mode.free).abs().max()) if len(mode.q) else 0.0
    findings = [messages.at_boundary(name, where) for name, where in held.items()]
    if searched.failed:
        findings.append(messages.starts_failed(searched.failed, searched.starts))
    if searched.left_out:
        findings.append(messages.starts_left_out(searched.left_out, searched.starts))
    if searched.agreeing < searched.starts - searched.failed and not mode.interrupted:
        findings.append(messages.starts_disagree(searched.agreeing, searched.starts, searched.gap, searched.cut_short))
    if mode.interrupted:
        return Verdict(False, messages.interrupted(mode.iterations), tuple(findings), tuple(held))
    faults = _faults(objective, mode, gradient)
    if mode.stopped == "escaped" and not faults:
        raise messages.unbounded(_escaped(objective, mode), verb, gradient)
    if not faults:
        places = count_places(mode, searched.rest)
        if places > 1:
            findings.append(messages.equal_modes(places))
        reason = _reason(mode, gradient)
        return Verdict(True, reason, tuple(findings), tuple(held))
    if not searched.moved:
        faults.append(messages.never_moved())
    elif mode.stopped == "limit":
        faults.append(messages.out_of_iterations(options.max_iterations))
    elif mode.stopped == "epochs":
        faults.append(messages.out_of_epochs(options.epochs))
    elif mode.stopped == "line search":
        faults.append(messages.stalled(mode.iterations))
    return Verdict(False, "; ".join(faults), tuple(findings), tuple(held))


def _escaped(objective: Maximized, mode: Mode) -> list[str]:
    far = int(mode.q.abs().argmax())
    return [latent_at(objective, far)]


def _reason(mode: Mode, gradient: float) -> str:
    if mode.curvature is None:
        return messages.small_slope(gradient, _SLOPE * max(1.0, abs(mode.value)))
    return messages.converged(mode.distance, _close(mode), gradient)


def _close(mode: Mode) -> float:
    return CLOSE if mode.q.element_size() == 8 else _CLOSE_SINGLE


def _faults(objective: Maximized, mode: Mode, gradient: float) -> list[str]:
    """List why a mode is none."""
    curvature = mode.curvature
    limit = _SLOPE * max(1.0, abs(mode.value))
    if curvature is None:
        return [] if gradient <= limit else [messages.steep(gradient, limit)]
    close = _close(mode)
    if curvature.definite and mode.distance > close:
        return [messages.too_far(mode.distance, close, gradient)]
    observed = objective.density.instance.graph.observed
    certain = mode.value > _CERTAIN and all(t.law.distribution.discrete for t in observed)
    if objective.likelihood_only and certain and bool(mode.free.any()):  # at a boundary there would be a maximum
        return [messages.separated(mode.value)]
    faults = [(messages.flat if drop < _KINK else messages.kink)(names, drop)
              for names, drop in _flat_directions(objective, mode)]
    if not curvature.definite and not faults:
        direction = curvature.directions(1)
        names = _loaded(objective, direction[0], None) if len(direction) else []
        undecided = curvature.kind == "products" and curvature.lowest > 0
        faults.append((messages.undecided if undecided else messages.saddle)(names, curvature.lowest))
    return faults


def _flat_directions(objective: Maximized, mode: Mode) -> list[tuple[list[str], float]]:
    """Walk along the loosest directions, far and a little; name those along which hardly anything is lost."""
    curvature = mode.curvature
    if curvature is None or not bool(mode.free.any()):
        return []
    torch = objective.torch
    rounding = 1e-3 if mode.q.dtype == torch.float32 else 1e-9
    rows = curvature.directions(4)
    if not curvature.definite:
        if abs(curvature.lowest) > rounding or not len(rows):
            return []
        return [(_loaded(objective, rows[0], None), max(0.0, _drop(objective, mode, rows[0])))]
    deviations = curvature.deviations()
    if deviations is not None:
        rows = torch.cat([rows, _loosest(objective, mode, deviations)])
    if not len(rows):
        return []
    steps = (3.0, 1.0) if mode.q.dtype == torch.float32 else (3.0, 0.1)  # single precision cannot see the short one
    points = torch.cat([mode.q + sign * step * rows for step in steps for sign in (1, -1)])
    drops = (mode.value - _values(objective, points)).reshape(len(steps), 2, -1).nan_to_num(float("inf")).amin(1)
    found: dict[tuple[str, ...], float] = {}
    for k, row in enumerate(rows):
        long, short = float(drops[0, k]), float(drops[1, k])
        if long < _FLAT or short < _SHARE * 0.5 * steps[1] ** 2:
            found.setdefault(tuple(_loaded(objective, row, deviations)), max(0.0, min(long, short)))
    return [(list(names), drop) for names, drop in found.items()]


def _drop(objective: Maximized, mode: Mode, row: Tensor) -> float:
    """Give what is lost a tenth of a unit along a direction without curvature, if every curvature were 1: 0.005."""
    step = 0.1 * max(getattr(mode.curvature, "lowest", 0.0), LEAST_CURVATURE) ** 0.5 * row
    lost = mode.value - _values(objective, mode.q + objective.torch.stack([step, -step]))
    return float(lost.nan_to_num(float("inf")).min())


def _values(objective: Maximized, rows: Tensor) -> Tensor:
    """Give values a few rows at a time: with much data, all at once would not fit."""
    return objective.torch.cat([objective.value(rows[k : k + _ROWS]) for k in range(0, len(rows), _ROWS)])


def _loosest(objective: Maximized, mode: Mode, deviations: Tensor) -> Tensor:
    """Give, for each latent, the direction of its least determined coordinate, one standard error long."""
    torch = objective.torch
    picks = []
    for block in objective.density.blocks[:20]:
        part = deviations[block.start : block.stop]
        if len(part) and float(part.max()) > 0:
            picks.append(block.start + int(part.argmax()))
    if not picks or mode.curvature is None:
        return mode.q.new_zeros((0, len(mode.q)))
    units = mode.q.new_zeros((len(picks), len(mode.q)))
    units[torch.arange(len(picks)), torch.tensor(picks)] = 1.0
    return mode.curvature.solve(units) / deviations[picks][:, None]


def _loaded(objective: Maximized, row: Tensor, deviations: Tensor | None) -> list[str]:
    """Name the latents that move most along a direction, each measured by its own uncertainty."""
    size = row.abs() if deviations is None else row.abs() / deviations.clamp(min=1e-300)
    size = size.nan_to_num(0.0, 0.0, 0.0)
    most = float(size.max())
    blocks = objective.density.blocks
    return [b.term.name for b in blocks if float(size[b.start : b.stop].max()) > 0.3 * most]
