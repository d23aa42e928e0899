"""Sum hidden latents out of a density, one after the other: each where its own rows are, before what spans them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scistan.distributions.ruled_out import log_total
from scistan.graph.node import Node, Variable
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.items import FULL
from scistan.passes.states.hidden import Hidden
from scistan.passes.states.parts import in_state
from scistan.passes.states.paths import Along, Paths
from scistan.passes.states.raised import Raised, Raiser, in_order, indexed, repeated
from scistan.shapes import Size

__all__ = ["Factor", "Step", "TangledError", "eliminate", "eliminate_all_but", "on_plates"]


class TangledError(Exception):
    """Elements of a latent along an axis cannot be told apart."""

    def __init__(self, variable: Variable, axis: int) -> None:
        self.variable, self.axis = variable, axis


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """A part of a log density: its values for all states, and along which of its axes each latent's plates run."""

    value: Raised
    paths: Paths


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One latent that was summed out: `table` has its states, those of `others` and its plates, in this order.

    `others` are summed out later, so that they are drawn before; `paths` says where their plates run in the table.
    """

    hidden: Hidden
    table: Node
    states: tuple[Hidden, ...]
    paths: Paths

    @property
    def others(self) -> tuple[Hidden, ...]:
        return tuple(one for one in self.states if one is not self.hidden)


def eliminate(
    factors: Sequence[Factor], hidden: Sequence[Hidden], raiser: Raiser, is_finite: Callable[[Node], bool]
) -> tuple[Node, list[Step]]:
    """Sum all latents out; give what is left, whose axes are the plates of the last of them, and the steps."""
    left, steps = eliminate_all_but(factors, hidden, None, raiser, is_finite)
    (last,) = left
    return repeated(last.value.node, last.value.own), steps


def eliminate_all_but(
    factors: Sequence[Factor], hidden: Sequence[Hidden], kept: Hidden | None, raiser: Raiser,
    is_finite: Callable[[Node], bool],
) -> tuple[list[Factor], list[Step]]:
    """Sum latents out but for one; give the factors that are left, and the steps."""
    left, waiting = list(factors), [one for one in hidden if one is not kept]
    known = {one.variable: one for one in hidden}
    steps: list[Step] = []
    while waiting:
        one = _next(waiting, left, known)
        involved = [factor for factor in left if one.variable in factor.paths]
        made = [on_plates(factor, one, raiser, known) for factor in involved]
        step = _together(made, one, raiser)
        steps.append(step)
        waiting.remove(one)
        left = [factor for factor in left if factor not in involved]
        own = tuple(one.variable.shape[axis] for axis in one.plates)
        paths = {variable: along for variable, along in step.paths.items() if variable is not one.variable}
        left.append(Factor(Raised(_summed(step, is_finite), step.others, own), paths))
    return left, steps


def _summed(step: Step, is_finite: Callable[[Node], bool]) -> Node:
    """Sum a table over its latent's states; of two, each is a value by itself."""
    axis, rank = step.states.index(step.hidden), len(step.table.shape)
    if not step.hidden.is_pair:
        return OPS["logsumexp"].build((step.table,), {"axes": (axis - rank,), "keepdims": False})
    total = log_total([in_state(step.table, axis, state) for state in (0, 1)], is_finite)
    missing = rank - 1 - len(total.shape)  # in front, where all is alike
    return indexed(total, [*[("new",)] * missing, *[FULL] * len(total.shape)])


def _next(waiting: Sequence[Hidden], factors: Sequence[Factor], known: Mapping[Variable, Hidden]) -> Hidden:
    """Choose a latent on whose plates all rows of the others that it meets lie too."""
    for one in sorted(waiting, key=lambda h: -len(h.plates)):
        if all(_covers(factor, one, known) for factor in factors if one.variable in factor.paths):
            return one
    # Rows meet columns: nothing can be summed first.
    several = [h for h in waiting if h.plates]
    fewest = min(several, key=lambda h: h.variable.shape[h.plates[0]].today)
    raise TangledError(fewest.variable, fewest.plates[0])


def _covers(factor: Factor, one: Hidden, hidden: Mapping[Variable, Hidden]) -> bool:
    rows = {at.axis for at in _plates(factor, one) if at.by is None}
    others = [hidden[variable] for variable in factor.paths if variable is not one.variable]
    return all(at.axis in rows for other in others for at in _plates(factor, other))


def _plates(factor: Factor, one: Hidden) -> list[Along]:
    paths = factor.paths[one.variable]
    found: list[Along] = []
    for axis in one.plates:
        at = paths[axis]
        if at is None:
            raise TangledError(one.variable, axis)
        found.append(at)
    return found


def on_plates(factor: Factor, one: Hidden, raiser: Raiser, hidden: Mapping[Variable, Hidden]) -> Factor:
    """Add a factor's rows up until its own axes are the plates of a latent: within groups, or all of them."""
    kept = _plates(factor, one)
    value, front = factor.value, len(factor.value.states)
    node, rank = value.node, value.rank
    if [at.axis for at in kept] != list(range(rank)) or any(at.by is not None for at in kept):
        node = raiser.filled(value)
        gone = tuple(axis - rank for axis in range(rank) if all(at.axis != axis for at in kept))
        if gone:
            node = OPS["sum"].build((node,), {"axes": gone, "keepdims": False})
        left = [axis for axis in range(rank) if axis - rank not in gone]
        for at, plate in zip(kept, one.plates, strict=True):
            if at.by is not None:
                node = _grouped(node, front + left.index(at.axis), at.by, one.variable.shape[plate])
        node = in_order(node, [*range(front), *(front + left.index(at.axis) for at in kept)])
    moved = {at.axis: k for k, at in enumerate(kept)}
    paths = {variable: _moved(hidden[variable], own, moved) for variable, own in factor.paths.items()}
    own = tuple(range(len(one.variable.shape)))
    paths[one.variable] = _moved(one, own, dict(zip(one.plates, moved.values(), strict=True)))
    return Factor(Raised(node, value.states, tuple(one.variable.shape[axis] for axis in one.plates)), paths)


def _moved(one: Hidden, own: Sequence[Along | int | None], places: Mapping[int, int]) -> tuple[Along | None, ...]:
    """Tell where the plates of a latent run once axes have moved; its other axes run nowhere."""
    return tuple(
        None if axis not in one.plates or at is None
        else Along(places[at]) if isinstance(at, int) else Along(places[at.axis], at.by)
        for axis, at in enumerate(own)
    )


def _grouped(node: Node, axis: int, by: Node, size: Size) -> Node:
    """Add up the rows of each group: the other way round from `z[group]`."""
    shape = (*node.shape[:axis], size, *node.shape[axis + 1 :])
    items = tuple(("array", 1) if k == axis else FULL for k in range(len(shape)))
    return OPS["scatter"].build((node, by), {"items": items, "shape": shape, "rank": len(shape)})


def _together(factors: Sequence[Factor], one: Hidden, raiser: Raiser) -> Step:
    """Add factors on the plates of one latent."""
    values = [factor.value for factor in factors]
    states = raiser.united([*values, Raised(one.values, (one,), one.variable.shape)])
    rank = len(one.plates)
    paths: dict[Variable, tuple[Along | None, ...]] = {}
    for factor in factors:
        for variable, own in factor.paths.items():
            known = paths.setdefault(variable, own)
            if known != own:
                raise TangledError(variable, next(k for k, at in enumerate(own) if at != known[k]))
    table = raiser.aligned(values[0], states, rank)
    for value in values[1:]:
        table = OPS["add"].build((table, raiser.aligned(value, states, rank)))
    if not any(one in value.states for value in values):  # as likely in every state
        wide = repeated(table, (*table.shape[: len(states) - 1], *values[0].own)) if len(states) > 1 else table
        inner = len(wide.shape) - (len(states) - 1 if len(states) > 1 else 0)
        at = states.index(one)
        items = [*[FULL] * at, ("new",), *[FULL] * (len(wide.shape) - at)] if len(states) > 1 else [
            ("new",), *[("new",)] * (rank - inner), *[FULL] * inner]
        table = indexed(wide, items)
        table = repeated(table, (*table.shape[:at], one.size, *table.shape[at + 1 :]))
    return Step(one, table, states, paths)
