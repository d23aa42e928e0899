"""Find the mode: climb from the best start, settle with exact curvature, then see whether the other starts agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.inference.point.adam import descend
from scistan.inference.point.arrow import guess_layout, measure_arrow
from scistan.inference.point.blame import not_finite
from scistan.inference.point.curvature import DENSE, Curvature, measure_dense
from scistan.inference.point.domains import bounded_blocks
from scistan.inference.point.lbfgs import Climb, climb
from scistan.inference.point.maximized import Maximized
from scistan.inference.point.newton import climb_newton
from scistan.inference.point.options import Options
from scistan.inference.point.products import Products
from scistan.inference.point.progress import Progress
from scistan.inference.point.rising import OUT, refuse_if_rising, refuse_if_rising_outwards
from scistan.profiling import staged

__all__ = ["Mode", "Searched", "count_places", "find_mode", "measure", "same_height", "settle"]

Tensor = Any
CLIMB = 1e-10  # promised gain of log density at which a climb ends; exact curvature does the rest
ROUGH = 1e-4  # the same for the other starts, which need only show where they are going
LEAST = 1e-14  # a squared distance to the mode, in standard errors, below which it is not worth a step
_NEAR = 1e-9  # a squared distance over which the curvature does not change enough to be measured again
_DENSE_IF_NEEDED = 4000
_MOST_FOR_OTHERS = 200  # iterations that each of the other starts may take at a stretch
_LITTLE_WORK = 2e7  # numbers computed on the way, about, that the other starts may take together in any case: seconds
_LEAST_POINTS = 30  # that each of them may take in any case
_UNPOLISHED = 0.5  # log density within which starts agree that Adam has left where they are: a standard error
_MANY = 5000  # coordinates from which Newton's steps are worth their products with the Hessian
_TWICE = 2  # the first climb's work, that the other starts may take together where points are dear
_DEAR = 2e8  # numbers computed on the way to the fewest points of all other starts, from which on they go in turn
_FAR = 25.0  # coordinates of a bounded latent this far out are on their way to its boundary


@dataclass(slots=True)
class Mode:
    """A point, its log density, gradient and curvature; `distance` is to the peak, in standard errors."""

    q: Tensor
    value: float
    gradient: Tensor
    free: Tensor
    curvature: Curvature | None
    distance: float
    stopped: str
    iterations: int
    interrupted: bool = False


@dataclass(slots=True)
class Searched:
    """The best mode and what all the starts did."""

    mode: Mode
    starts: int
    failed: int
    agreeing: int
    rest: Tensor  # where the other starts of that height ended
    gap: float  # how much lower the best start ended that does not agree
    moved: bool
    cut_short: bool = False  # the other starts had taken their share of the work before they came to rest
    left_out: int = 0  # starts that were not begun, for the same reason


@staged("climb")
def find_mode(objective: Maximized, starts: Tensor, verb: str, options: Options, progress: Progress) -> Searched:
    """Maximize from every start; the best one is settled exactly."""
    torch = objective.torch
    free = torch.ones(objective.dimension, dtype=torch.bool, device=starts.device)
    points, far = starts, _limits(objective, starts)
    lead, begun = _first_finite(objective, starts)
    if options.optimizer == "adam" or (options.optimizer == "auto" and objective.batches is not None):
        rng = np.random.default_rng(options.seed)
        down = descend(objective, starts, epochs=options.epochs, rate=options.learning_rate, rng=rng, progress=progress)
        if down.interrupted or not options.polish:
            return _unpolished(objective, starts, down)
        points = down.q
        lead = int(torch.argmax(down.value.nan_to_num(-float("inf"))))
        begun = (down.value[lead : lead + 1], down.gradient[lead : lead + 1])
    by_newton = options.optimizer == "newton" or (options.optimizer != "lbfgs" and objective.dimension > _MANY)
    ascend = climb_newton if by_newton else climb
    first = ascend(objective, points[lead : lead + 1], tolerance=CLIMB, max_iterations=options.max_iterations,
                   progress=progress, limit=far, begun=begun)
    if first.stopped[0] == "line search" and objective.dimension > DENSE and not by_newton:
        first = _helped(objective, first, options, progress, far)
    if first.stopped[0] == "limit" and not measure(objective, first.q[0], free).definite:
        refuse_if_rising_outwards(objective, first.q[0], float(first.value[0]), free, verb, measure)
    mode = settle(objective, first, free, progress)
    ended = points.new_full((len(points),), float("nan"))  # the height at which each start ended
    ended[lead] = mode.value
    if mode.stopped == "escaped" or (mode.curvature is not None and not mode.curvature.definite):
        refuse_if_rising(objective, mode.q, mode.value, mode.gradient, free, verb)
    begun_at, others = lead, [k for k in range(len(starts)) if k != lead]
    rest, heights = points[:0], ended[:0]
    failed, cut_short, left_out = 0, False, 0
    if others and not mode.interrupted:
        little = _LITTLE_WORK / objective.width
        allowed = max(first.evaluated, little, _LEAST_POINTS * len(others))
        if by_newton or _LEAST_POINTS * len(others) * objective.width > _DEAR:
            share = _TWICE * allowed if by_newton else max(_TWICE * first.evaluated, little, _LEAST_POINTS)
            one_by_one = _other_by_newton if by_newton else _climb_others
            second = _in_turn(one_by_one, objective, points[others], mode, options, progress, far, share)
            left_out = len(others) - len(second.q)
            others = others[: len(second.q)]
        else:
            second = _climb_others(objective, points[others], mode, options, progress, far, allowed)
            cut_short = second.evaluated >= allowed
        ended[others] = second.value
        rest, heights = second.q, second.value
        failed = int((~torch.isfinite(second.value)).sum())
        best = int(torch.argmax(second.value.nan_to_num(-float("inf")))) if others else 0
        if others and float(second.value[best]) > mode.value + same_height(mode.value):
            again = ascend(objective, rest[best : best + 1], tolerance=CLIMB, max_iterations=options.max_iterations,
                           limit=far, progress=progress)
            mode = settle(objective, again, free, progress)
            lead = others[best]
            ended[lead] = mode.value
            if mode.stopped == "escaped" or (mode.curvature is not None and not mode.curvature.definite):
                refuse_if_rising(objective, mode.q, mode.value, mode.gradient, free, verb)
        mode.interrupted = mode.interrupted or second.interrupted
    moved = bool((mode.q != starts[lead]).any())
    slack = same_height(mode.value)
    same = rest[heights >= mode.value - slack]
    searched = _compare(torch, mode, ended[sorted([begun_at, *others])], same, failed, moved, slack)
    searched.cut_short, searched.left_out = cut_short, left_out
    return searched


def _helped(objective: Maximized, first: Climb, options: Options, progress: Progress, far: Tensor) -> Climb:
    """Go on by Newton's steps from where line searches found no more."""
    further = climb_newton(objective, first.q, tolerance=CLIMB, max_iterations=options.max_iterations,
                           progress=progress, limit=far, begun=(first.value, first.gradient))
    further.iterations = further.iterations + first.iterations
    further.evaluated += first.evaluated
    return further


def _in_turn(
    ascend: Callable[..., Climb], objective: Maximized, points: Tensor, mode: Mode, options: Options,
    progress: Progress, far: Tensor, allowed: float,
) -> Climb:
    """Climb from the other starts in turn: as many as come to an end with their share of the work, or higher up."""
    higher = mode.value + same_height(mode.value)
    ended: list[Climb] = []
    interrupted, evaluated = False, 0
    for row in points:
        one = ascend(objective, row[None], mode, options, progress, far, allowed - evaluated)
        interrupted, evaluated = one.interrupted, evaluated + one.evaluated
        over = interrupted or evaluated >= allowed
        if not over or float(one.value[0]) > higher:
            ended.append(one)
        if over:
            break
    none = points[:0], points.new_zeros(0), points[:0], points.new_zeros(0)
    each = [none, *((c.q, c.value, c.gradient, c.iterations) for c in ended)]
    q, value, gradient, iterations = map(objective.torch.cat, zip(*each, strict=True))
    return Climb(q, value, gradient, iterations, [c.stopped[0] for c in ended], interrupted, evaluated)


def _other_by_newton(
    objective: Maximized, point: Tensor, mode: Mode, options: Options, progress: Progress, far: Tensor, allowed: float
) -> Climb:
    """Climb from another start until it has come to the first mode or to rest elsewhere."""
    return climb_newton(objective, point, tolerance=ROUGH, max_iterations=options.max_iterations, progress=progress,
                        limit=far, goal=mode.value - same_height(mode.value) / 2, most=allowed)


def _first_finite(objective: Maximized, starts: Tensor) -> tuple[int, tuple[Tensor, Tensor]]:
    """Take the first start if it can be used, else the best that can; an error names what is wrong with them all."""
    torch = objective.torch
    for rows in (slice(0, 1), slice(0, None)):
        value, gradient = objective.value_and_gradient(starts[rows])
        finite = torch.isfinite(value) & torch.isfinite(gradient).all(-1)
        if bool(finite.any()):
            lead = int(torch.argmax(torch.where(finite, value, -float("inf"))))
            return lead, (value[lead : lead + 1], gradient[lead : lead + 1])
    raise not_finite(objective, starts)


def _climb_others(
    objective: Maximized, points: Tensor, mode: Mode, options: Options, progress: Progress, far: Tensor,
    allowed: float,
) -> Climb:
    """Climb from the other starts until each has come to the first mode or to rest elsewhere.

    Near that mode its curvature leads there in a few steps, and further away L-BFGS leads near, so they take turns.
    What has come to rest below and far out gets a second chance. All of it takes about `allowed` points at most.
    """
    torch = objective.torch
    most = min(options.max_iterations, _MOST_FOR_OTHERS)
    found = Climb(points.clone(), points.new_full((len(points),), -float("inf")), torch.zeros_like(points),
                  points.new_zeros(len(points)), [""] * len(points))
    open_ = torch.ones(len(points), dtype=torch.bool, device=points.device)
    height = mode.value - same_height(mode.value) / 2
    stages = [(True, 12, ROUGH), (False, 40, ROUGH), (True, 12, ROUGH), (False, most, ROUGH), (True, 30, ROUGH)]
    if any(block.term.law.noncentred for block in objective.density.blocks):
        del stages[0]  # far from the mode the curvature of a scale's members is another
    for part in ([*stages, (False, most, CLIMB)], stages):
        goal = height
        for curved, iterations, tolerance in part:
            over = found.interrupted or found.evaluated >= allowed
            if over or not bool(open_.any()) or (curved and mode.curvature is None):
                continue
            climbed = climb(objective, found.q[open_], tolerance=tolerance, limit=far, progress=progress, goal=goal,
                            max_iterations=min(iterations, options.max_iterations), most=allowed - found.evaluated,
                            precondition=mode.curvature.precondition if curved and mode.curvature else None)
            found.q[open_], found.value[open_], found.gradient[open_] = climbed.q, climbed.value, climbed.gradient
            found.interrupted = climbed.interrupted
            found.evaluated += climbed.evaluated
            open_ = open_ & ~((found.value >= height) & _same_place(mode, found.q))
            if not curved and iterations == most:
                goal = float("inf")  # what has come to that height elsewhere may rise further
        open_ = open_ & (found.value < height)
        back = _brought_back(objective, found.q[open_])
        if back is None or found.evaluated >= allowed:
            break
        found.q[open_] = back
    return found


def _brought_back(objective: Maximized, rows: Tensor) -> Tensor | None:
    """Bring bounded coordinates that have run out back to the middle, non-centred ones with them; None if none has.

    A scale near 0 is a plateau: it has no slope there whatever the data say, once its members have gone to 0.
    """
    back, gone = rows.clone(), False
    for start, stop, _, _ in bounded_blocks(objective):
        out = rows[:, start:stop].abs() > OUT
        gone = gone or bool(out.any())
        back[:, start:stop] = back[:, start:stop].masked_fill(out, 0.0)
    for block in objective.density.blocks:
        if block.term.law.noncentred:
            back[:, block.start : block.stop] = 0.0
    return back if gone else None


def _same_place(mode: Mode, rows: Tensor) -> Tensor:
    """Tell which rows are within a standard error of the mode, coordinate by coordinate."""
    deviations = mode.curvature.deviations() if mode.curvature is not None and mode.curvature.definite else None
    if deviations is None:
        return (rows == rows).all(-1)
    near = (rows - mode.q).abs() <= deviations.clamp(min=1e-12)
    return (near | ~mode.free).all(-1)


def _unpolished(objective: Maximized, starts: Tensor, down: Climb) -> Searched:
    torch = objective.torch
    heights = down.value.nan_to_num(-float("inf"))
    k = int(torch.argmax(heights))
    free = torch.ones(objective.dimension, dtype=torch.bool, device=starts.device)
    mode = Mode(down.q[k], float(down.value[k]), down.gradient[k], free, None, float("nan"), down.stopped[k],
                int(down.iterations[k]), down.interrupted)
    if not down.interrupted:
        mode.curvature = measure(objective, mode.q, free)
        mode.distance = _distance(mode)
    failed = int((~torch.isfinite(down.value)).sum())
    slack = _UNPOLISHED + same_height(mode.value)
    return _compare(torch, mode, down.value, down.q[:0], failed, bool((mode.q != starts[k]).any()), slack)


def same_height(value: float) -> float:
    """Give the difference in log density below which two starts have reached the same height."""
    return 1e-2 + 1e-9 * abs(value)


def _compare(
    torch: Any, mode: Mode, ended: Tensor, rest: Tensor, failed: int, moved: bool, slack: float
) -> Searched:
    high = ended >= mode.value - slack
    lower = ended[torch.isfinite(ended) & ~high]
    gap = mode.value - float(lower.max()) if len(lower) else 0.0
    return Searched(mode, len(ended), failed, int(high.sum()), rest, gap, moved)


def count_places(mode: Mode, rows: Tensor) -> int:
    """Count the points of the mode's height that are apart by more than their own uncertainty; what is held is not."""
    away = rows[~_same_place(mode, rows)]
    if not len(away) or mode.curvature is None:
        return 1
    deviations = mode.curvature.deviations()
    size = 1.0 if deviations is None else deviations.clamp(min=1e-12)
    found = [mode.q]
    for row in away:
        if all(bool(((row - other).abs() > size)[mode.free].any()) for other in found):
            found.append(row)
    return len(found)


def _limits(objective: Maximized, like: Tensor) -> Tensor:
    """Give how far out each coordinate may go before its latent counts as at a boundary or beyond all bounds."""
    limit = like.new_full((objective.dimension,), 1e15)
    for start, stop, _, _ in bounded_blocks(objective):
        limit[start:stop] = _FAR
    return limit


def measure(objective: Maximized, q: Tensor, free: Tensor) -> Curvature:
    """Measure the curvature in the form that suits its size."""
    n = objective.dimension
    if n > DENSE:
        layout = guess_layout(objective)
        arrow = measure_arrow(objective, q, free, layout) if layout is not None else None
        if arrow is not None:
            return arrow
    if n <= _DENSE_IF_NEEDED:
        return measure_dense(objective, q, free)
    return Products(objective, q, free)


def settle(objective: Maximized, found: Climb, free: Tensor, progress: Progress) -> Mode:
    """Take exact Newton steps to the peak, as far as there is one, and leave saddles."""
    mode = Mode(found.q[0], float(found.value[0]), found.gradient[0], free, None, float("nan"), found.stopped[0],
                int(found.iterations[0]), found.interrupted)
    if mode.interrupted or mode.stopped == "escaped":
        return mode
    try:
        for attempt in range(6):
            mode.curvature = measure(objective, mode.q, free)
            mode.distance = _distance(mode)
            if mode.curvature.definite and mode.distance**2 <= LEAST:
                break
            start = mode.q[None]
            kicked = not mode.curvature.definite and mode.curvature.lowest < -1e-6 and attempt < 3
            if kicked:
                start = _kick(objective, mode)
            near = mode.curvature.definite and mode.distance**2 < _NEAR
            further = _further(objective, start, mode.curvature, free, 50 if near else 200, progress)
            gain = float(further.value[0]) - mode.value
            if gain >= 0:
                mode.q, mode.value, mode.gradient = further.q[0], float(further.value[0]), further.gradient[0]
                mode.iterations += int(further.iterations[0])
            if near:
                mode.distance = _distance(mode)  # the curvature has not changed over so short a way
                break
            if gain < 1e-9 * (1 + abs(mode.value)) and not kicked:
                break
    except KeyboardInterrupt:
        mode.interrupted = True
    return mode


def _further(
    objective: Maximized, start: Tensor, curvature: Curvature, free: Tensor, iterations: int, progress: Progress
) -> Climb:
    """Climb on with the curvature that was measured; where there is no matrix of it, by its products."""
    if curvature.kind == Products.kind:
        return climb_newton(objective, start, tolerance=1e-15, max_iterations=iterations, progress=progress, free=free)
    return climb(objective, start, tolerance=1e-15, max_iterations=iterations, progress=progress,
                 precondition=curvature.precondition, free=free.to(start.dtype))


def _distance(mode: Mode) -> float:
    """Give the length of a Newton step in standard errors."""
    if mode.curvature is None or not mode.curvature.definite:
        return float("inf")
    gradient = mode.gradient * mode.free
    return float((gradient * mode.curvature.solve(gradient[None])[0]).sum().clamp(min=0).sqrt())


def _kick(objective: Maximized, mode: Mode) -> Tensor:
    """Step off a saddle to the higher side of its upward direction."""
    if mode.curvature is None:
        return mode.q[None]
    direction = mode.curvature.directions(1)
    direction = direction / direction.norm().clamp(min=1e-300)
    both = mode.q + objective.torch.cat([direction, -direction]) * 0.1
    return both[int(objective.value(both).nan_to_num(-float("inf")).argmax())][None]
