"""Latents that were integrated out: exact draws of them given all others, and the density by another way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import singledispatch

import numpy as np

from scistan.errors import InternalError
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.inference.compound import draw_compound
from scistan.inference.generated import over_draws
from scistan.passes.integrate import CompoundIntegral, Integrated, NormalIntegral
from scistan.passes.integrate.linear import element
from scistan.passes.integrate.statistics import Columns, Products
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy import JointDensity
from scistan.targets.scipy.normals import Drawn, Normals, Process, Walk
from scistan.targets.scipy.streams import stream
from scistan.targets.values import NUMPY

__all__ = ["IntegratedDensity", "draw_integrated"]

Arrays = Mapping[str, np.ndarray]
Density = Callable[[], np.ndarray]
_AT_ONCE = 8_000_000  # numbers of a block of draws


def draw_integrated(instance: Instance, posterior: Arrays, seed: int) -> dict[str, np.ndarray]:
    """Draw every latent that was integrated out, given the draws of all others (chains, draws, …)."""

    def compute(flat: dict[Node, np.ndarray], block: int, draws: int) -> dict[str, np.ndarray]:
        found, _ = _drawn(instance, flat, seed, block, draws)
        return {term.name: found[term.value] for made in instance.integrated for term in made.latents}

    if not instance.integrated:
        return {}
    widest = max(made.cells for made in instance.integrated)
    # Not the rows that are observed: they are not looked at.
    return over_draws(instance, posterior, compute, at_once=max(1, _AT_ONCE // widest))


class IntegratedDensity:
    """The density without them by another way: log p(y, θ) = log p(y, u, θ) - log p(u | y, θ) at one u.

    The first is that of the model as it was written, so that it tells whether they were integrated rightly.
    """

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._joint = JointDensity(instance.whole or instance)

    def at_each(self, points: Sequence[Mapping[Node, np.ndarray]]) -> list[tuple[float, float]]:
        """Give the log density at points, and the sum of its events' absolute values."""
        if not points:
            return []
        flat: dict[Node, np.ndarray] = {leaf: np.array([point[leaf] for point in points]) for leaf in points[0]}
        latents, densities = _drawn(self._instance, flat, 0, 0, len(points))
        conditional = sum((given() for given in densities), np.zeros(len(points)))
        whole = [{**point, **{leaf: array[k] for leaf, array in latents.items()}} for k, point in enumerate(points)]
        return [(value - given if np.isfinite(value) else -np.inf, size + abs(given))
                for (value, size), given in zip(self._joint.at_each(whole), conditional, strict=True)]


def _drawn(
    instance: Instance, flat: Mapping[Node, np.ndarray], seed: int, block: int, draws: int
) -> tuple[dict[Node, np.ndarray], list[Density]]:
    """Draw all of them; give their values, and what gives the log density of these draws given all else."""
    whole = instance.whole or instance
    whole = replace(whole, values={**whole.values, **instance.values})
    evaluator = Evaluator(whole, NUMPY)
    for leaf, array in flat.items():
        evaluator.set(leaf, array, batched=True)
    found: dict[Node, np.ndarray] = {}
    densities: list[Density] = []
    with np.errstate(all="ignore"):
        for made in reversed(instance.integrated):  # what went last depends on the fewest
            label = made.names[0] if block == 0 else f"{made.names[0]}, block {block}"
            values, given = draw_latents(made, whole, evaluator, draws, stream(seed, label))
            densities.append(given)
            found |= values
    return found, densities


@singledispatch
def draw_latents(
    made: Integrated, instance: Instance, evaluator: Evaluator, draws: int, rng: np.random.Generator
) -> tuple[dict[Node, np.ndarray], Density]:
    """Draw latents that were integrated out together, set them in the evaluator, and give what gives their density."""
    raise InternalError(f"nothing draws what was integrated as {type(made).__name__}")


draw_latents.register(CompoundIntegral, draw_compound)


@draw_latents.register
def _draw_normals(
    made: NormalIntegral, instance: Instance, evaluator: Evaluator, draws: int, rng: np.random.Generator
) -> tuple[dict[Node, np.ndarray], Density]:
    drawn = _draw(instance, made, evaluator, draws, rng)
    found: dict[Node, np.ndarray] = {}
    for term in made.latents:
        value = _rest(instance, made, drawn, term.value)
        if term.value in made.locations:
            value = value + _over_all(evaluator, made.locations[term.value], draws, value.ndim - 1)
        evaluator.set(term.value, value, batched=True)
        found[term.value] = value
    return found, lambda: drawn.log_density() + sum(one.log_determinant for one in made.sums.values())


def _rest(instance: Instance, made: NormalIntegral, drawn: Drawn, leaf: Node) -> np.ndarray:
    """Give a latent's draws in its own axes, from its location on."""
    structure = made.structure
    shape = instance.shape(leaf.shape)
    if leaf in structure.blocks:
        layout = structure.blocks[leaf]
        shift = made.statistics.shift.slots[layout.group, layout.slot]
        flat = np.moveaxis(drawn.slots, 0, -1)[:, layout.group, layout.slot] + shift
    else:
        first = structure.others[leaf]
        mine = slice(first, first + int(np.prod(shape)))
        flat = drawn.others[:, mine] + made.statistics.shift.others[mine]
    if leaf in made.sums:
        flat = made.sums[leaf].steps(flat)
    return np.asarray(flat.reshape(len(flat), *shape))


def _over_all(evaluator: Evaluator, node: Node, draws: int, rank: int) -> np.ndarray:
    """Give a value at every draw, with axes in front of its own where it is broadcast to so many."""
    value = evaluator[node]
    array = np.asarray(value.array, float)
    if not value.batched:
        array = np.broadcast_to(array, (draws, *array.shape))
    found: np.ndarray = array.reshape(draws, *(1,) * (rank - (array.ndim - 1)), *array.shape[1:])
    return found


def _draw(
    instance: Instance, made: NormalIntegral, evaluator: Evaluator, draws: int, rng: np.random.Generator
) -> Drawn:
    spread = _spread(instance, made, made.statistics.columns, evaluator, draws)
    normals = _normals(made, spread, evaluator, draws)
    steps, kernel = made.statistics.walk, made.structure.kernel
    if kernel is not None:
        count = made.structure.groups
        covariance = np.broadcast_to(_over_all(evaluator, kernel, draws, 2), (draws, count, count))
        return Process(covariance).draw(normals, rng)
    if steps is None:
        return normals.draw(rng)
    slots, others, known = spread
    many = others.shape[1]
    precisions = [_over_all(evaluator, node, draws, 0)[:, None] * weights for node, weights in steps.weights.items()]
    precision = np.sum(precisions, axis=0)
    here, before = (np.einsum("ta,da->dt", table, slots[:, :, 0]) for table in (steps.here, steps.before))
    step_others = np.einsum("tm,dmi->dti", steps.beside[:, :many], others)
    step_known = np.einsum("tm,dm->dt", steps.beside[:, many:], known)
    return Walk(precision, here, before, step_others, step_known).draw(normals, rng)


def _normals(
    made: NormalIntegral, spread: tuple[np.ndarray, np.ndarray, np.ndarray], evaluator: Evaluator, draws: int
) -> Normals:
    weights = {node: _over_all(evaluator, node, draws, 0) for node in made.statistics.products}
    if not weights:
        raise ValueError("no layers")
    if made.statistics.columns.are_still:
        return Normals(*_weighed(made, np.stack(list(weights.values()), axis=1), [array[:1] for array in spread]))
    total: list[np.ndarray] | None = None
    for precision, products in made.statistics.products.items():
        parts = _contracted(products, weights[precision], *spread)
        total = parts if total is None else [a + b for a, b in zip(total, parts, strict=True)]
    return Normals(*(total or []))


def _weighed(made: NormalIntegral, weights: np.ndarray, spread: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Give the form where it is the same at all draws but for the `weights` (draws, layers) of its layers."""
    one = np.ones(1)
    layers = [_contracted(products, one, *spread) for products in made.statistics.products.values()]
    found = []
    for parts, axis in zip(zip(*layers, strict=True), _DRAWS, strict=True):
        shape = np.delete(parts[0].shape, axis)
        flat = weights @ np.stack([part.ravel() for part in parts])
        found.append(np.moveaxis(flat.reshape(len(weights), *shape), 0, axis))
    return found


def _spread(
    instance: Instance, made: NormalIntegral, columns: Columns, evaluator: Evaluator, draws: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give what each column is a multiple of: (draws, columns, slots), (draws, columns, others), (draws, columns)."""
    structure = made.structure
    slots = np.zeros((draws, len(columns.slots), structure.slots))
    for k, (slot, scale) in enumerate(columns.slots):
        slots[:, k, slot] = 1.0 if scale is None else _over_all(evaluator, scale, draws, 0)
    others = np.zeros((draws, len(columns.others), structure.count))
    for k, (at, scale) in enumerate(columns.others):
        others[:, k, at] = 1.0 if scale is None else _over_all(evaluator, scale, draws, 0)
    known = np.ones((draws, len(columns.known)))
    for k, (source, at, scale) in enumerate(columns.known):
        if source is not None:
            known[:, k] *= _over_all(evaluator, element(source, at, instance) if source.shape else source, draws, 0)
        if scale is not None:
            known[:, k] *= _over_all(evaluator, scale, draws, 0)
    return slots, others, known - made.statistics.shift.known


_DRAWS = (2, 2, 1, 1, 0, 0)  # the axis of draws in each part of what `_contracted` gives


def _contracted(
    products: Products, weight: np.ndarray, slots: np.ndarray, others: np.ndarray, known: np.ndarray
) -> list[np.ndarray]:
    """Put latents for columns in the sums of products, and weigh them."""
    many = others.shape[1]
    weighed = weight[:, None, None] * slots
    pairs = np.einsum("dai,dbk->ikdab", weighed, slots)
    return [
        np.tensordot(pairs, products.within, 2),
        np.tensordot(pairs, products.before, 2),
        np.einsum("agm,dai,dmj->idjg", products.across[:, :, :many], weighed, others, optimize=True),
        np.einsum("agm,dai,dm->idg", products.across[:, :, many:], weighed, known, optimize=True),
        np.einsum("d,mn,dmi,dnj->dij", weight, products.beside[:many, :many], others, others, optimize=True),
        np.einsum("d,mn,dmi,dn->di", weight, products.beside[:many, many:], others, known, optimize=True),
    ]
