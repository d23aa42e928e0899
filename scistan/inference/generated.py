"""What follows from posterior draws: predictive draws, log likelihood, log prior, derived quantities, by SciPy."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.targets.drawing import drawing
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy import pointwise_log_densities, predictive_draws
from scistan.targets.scipy.evaluate import NUMPY

__all__ = ["derived_quantities", "likelihood_axes", "log_likelihood", "log_prior", "over_draws", "predictive"]

Arrays = Mapping[str, np.ndarray]
# Numbers that one array of a block may hold: 64 MB, so that intermediate results stay small.
_BLOCK = 8_000_000


def predictive(
    instance: Instance, posterior: Arrays, seed: int, shape: tuple[int, ...] | None = None
) -> dict[str, np.ndarray]:
    """Draw every observed variable once for each posterior draw; `shape` is told where there are no latents.

    One of a distribution that nobody said how to draw from is left out.
    """
    terms = [term for term in instance.graph.observed if term.law.distribution.drawable]

    def draw(flat: dict[Node, np.ndarray], block: int, draws: int) -> dict[str, np.ndarray]:
        return predictive_draws(instance, flat, _seed(seed, block), terms, draws)

    return over_draws(instance, posterior, draw, shape)


def log_likelihood(
    instance: Instance, posterior: Arrays, names: Collection[str] | None = None
) -> dict[str, np.ndarray]:
    """Give the log density of each observation at each draw, or of some."""
    terms = [term for term in instance.graph.observed if names is None or term.name in names]
    return over_draws(instance, posterior, lambda flat, *_: pointwise_log_densities(instance, flat, terms))


def likelihood_axes(instance: Instance) -> tuple[dict[str, tuple[str, ...]], dict[str, list[object]]]:
    """Give the dims and labels of the log likelihood: no events, and of a series only what is not conditioned on.

    A shorter time has a dim of its own where another variable runs along the whole.
    """
    dims, coords = {}, dict(instance.coords)
    observed = instance.graph.observed
    for term in observed:
        own = instance.dims[term.name]
        dims[term.name] = own[: len(own) - term.law.event_rank]
    for term in observed:
        skipped = term.law.distribution.rule.given if term.law.distribution.rule is not None else 0
        if not skipped:
            continue
        time, *rest = dims[term.name]
        labels = instance.coords.get(time) or list(range(instance.length(term.law.shape[0])))
        if sum(time in along for along in dims.values()) > 1:
            time = f"{term.name}_{time}"
        dims[term.name] = (time, *rest)
        coords[time] = list(labels[skipped:])
    return dims, coords


def log_prior(instance: Instance, posterior: Arrays) -> np.ndarray | None:
    """Give the joint log density of the latents at each draw; None for a model without latents.

    That of latents whose density depends on states that were summed out is a term of its own.
    """
    sums = {group.carrier for group in instance.summed}
    terms = [*instance.graph.latents, *(term for term in instance.graph.potentials if term.name in sums)]

    def total(flat: dict[Node, np.ndarray], *_: int) -> dict[str, np.ndarray]:
        parts = pointwise_log_densities(instance, flat, terms).values()
        return {"log_prior": np.sum([part.reshape(len(part), -1).sum(-1) for part in parts], axis=0)}

    return over_draws(instance, posterior, total)["log_prior"] if instance.graph.latents else None


def derived_quantities(
    instance: Instance,
    posterior: Arrays,
    names: list[str],
    shape: tuple[int, ...] | None = None,
    drawn: Arrays = MappingProxyType({}),
    seed: int = 0,
) -> dict[str, np.ndarray]:
    """Compute derived quantities at each draw; observed variables without values are as they were `drawn`."""

    def compute(flat: dict[Node, np.ndarray], block: int, draws: int) -> dict[str, np.ndarray]:
        evaluator = Evaluator(instance, NUMPY)
        for leaf, array in flat.items():
            evaluator.set(leaf, array, batched=True)
        found = {}
        with np.errstate(all="ignore"), drawing(_seed(seed, block), draws):
            for name in names:
                node = instance.graph.derived[name]
                value = evaluator[node]
                own = (draws, *instance.shape(node.shape))
                found[name] = value.array if value.batched else np.broadcast_to(value.array, own)
        return found

    open_terms = [t for t in instance.graph.observed if t.name in drawn and t.value not in instance.values]
    return over_draws(instance, {**posterior, **drawn}, compute, shape, open_terms) if names else {}


def _seed(seed: int, block: int) -> int:
    """Give each block of draws a seed of its own, the first the seed itself."""
    return seed if block == 0 else int(np.random.SeedSequence([seed, block]).generate_state(1)[0])


def over_draws(
    instance: Instance,
    posterior: Arrays,
    compute: Callable[[dict[Node, np.ndarray], int, int], dict[str, np.ndarray]],
    shape: tuple[int, ...] | None = None,
    more: Sequence[Term] = (),
    cells: int = 1,
    at_once: int | None = None,
) -> dict[str, np.ndarray]:
    """Compute something for all draws, chains and draws as one axis, block by block, and part them again.

    `cells` are the numbers that are computed for each draw, where no variable tells; `at_once` says how many draws
    make a block where they do not.
    """
    terms = [*instance.graph.latents, *more]
    if not terms and shape is None:
        return {}
    chains, draws = posterior[terms[0].name].shape[:2] if terms else shape or (0, 0)
    flat = {t.value: _flat(posterior[t.name]) for t in terms}
    total = chains * draws
    whole: dict[str, np.ndarray] = {}
    step = at_once or max(1, _BLOCK // max(1, cells, _biggest(instance)))
    for number, rows in enumerate(slice(start, start + step) for start in range(0, total, step)):
        block: dict[Node, np.ndarray] = {leaf: array[rows] for leaf, array in flat.items()}
        count = min(rows.stop, total) - rows.start
        for name, array in compute(block, number, count).items():
            if count == total:
                whole[name] = array
                continue
            # Filled block by block: never more memory than the result and one block.
            if name not in whole:
                whole[name] = np.empty((total, *array.shape[1:]), array.dtype)
            whole[name][rows] = array
    return {name: array.reshape(chains, draws, *array.shape[1:]) for name, array in whole.items()}


def _flat(array: np.ndarray) -> np.ndarray:
    return array.reshape(array.shape[0] * array.shape[1], *array.shape[2:])


def _biggest(instance: Instance) -> int:
    terms: tuple[Term, ...] = instance.graph.terms
    return max((math.prod(instance.shape(t.law.shape)) for t in terms), default=1)
