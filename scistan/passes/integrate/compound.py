"""Integrate conjugate latents out: a gamma under Poisson counts, a beta under successes, a Dirichlet under categories.

Observations enter by their sums for each element of the latent; what is left is a compound distribution's density.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scistan.graph.graph import Graph, Law, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Data
from scistan.graph.walk import leaves
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.passes.integrate.conjugates import CONJUGATES, Conjugate, Likelihood, Sums
from scistan.passes.integrate.integral import Integrated, carrier_of, without
from scistan.passes.integrate.linear import LinearReader, NotLinear, Numbers
from scistan.passes.integrate.tables import Tables

__all__ = ["CompoundIntegral", "compound_latents", "integrate_compounds"]

dot, total = FUNCTIONS["dot"], FUNCTIONS["sum"]


@dataclass(frozen=True, slots=True, eq=False)
class CompoundIntegral(Integrated):
    """A conjugate latent that is gone; `posterior` is the term that it is, given all else."""

    posterior: Term
    conjugate: Conjugate
    elements: int

    @property
    def how(self) -> str:
        return self.conjugate.sums

    @property
    def family(self) -> str:
        return str(self.posterior.law.distribution.title)

    @property
    def cells(self) -> int:
        return self.elements


# -- which ------------------------------------------------------------------------------------------
def compound_latents(graph: Graph) -> list[Term]:
    """List the latents that may be integrated, by their own laws and those of what depends on them."""
    return [term for term in graph.latents if _is_plain(term) and (users := _users(graph, term)) and all(
        isinstance(user.value, Data) and _is_plain(user) and _likelihood(term, user) is not None for user in users
    )]


def _is_plain(term: Term) -> bool:
    return not (term.law.truncated or term.law.constraint is not None or term.is_potential)


def _users(graph: Graph, latent: Term) -> list[Term]:
    return [term for term in graph.terms if latent.value in leaves(term.law.inputs)]


def _likelihood(latent: Term, user: Term) -> Likelihood | None:
    """Give how a term depends on a latent; None where it leads out of the family."""
    conjugate = CONJUGATES.get(latent.law.distribution.name)
    found = None if conjugate is None else conjugate.likelihoods.get(user.law.distribution.name)
    if found is None:
        return None
    named = user.law.distribution.named(user.law.args)
    met = [name for name, arg in named.items() if latent.value in leaves([arg])]
    return found if met == [found.parameter] else None


# -- how --------------------------------------------------------------------------------------------
def integrate_compounds(instance: Instance, numbers: Numbers, names: Collection[str] | None = None) -> Instance:
    """Give the model without the conjugate latents that can be integrated out, or of those `names`."""
    for latent in compound_latents(instance.graph):
        if names is None or latent.name in names:
            instance = _integrated(instance, latent, numbers) or instance
    return instance


def _integrated(instance: Instance, latent: Term, numbers: Numbers) -> Instance | None:
    children = _users(instance.graph, latent)
    reader = LinearReader(instance, numbers, [latent.value], {})  # type: ignore[list-item]
    found = [_sums(latent, child, reader, instance, numbers) for child in children]
    kept = [sums for sums in found if sums is not None]
    if len(kept) < len(found):
        return None
    tables, law = Tables(), latent.law
    conjugate = CONJUGATES[law.distribution.name]
    arrays = _added_up(kept, instance.shape(law.shape))
    prior = [Expression(arg) for arg in law.args]
    density = _log_marginal(conjugate, prior, arrays, law, instance, tables) + tables.number(
        sum(sums.constant for sums in kept)
    )
    posterior = conjugate.posterior(prior, [tables.leaf(array, law.shape) for array in arrays])
    drawn = replace(latent, law=replace(law, args=tuple(value._scistan_node_ for value in posterior)))
    carrier = carrier_of(children, density, [latent])
    made = CompoundIntegral(
        (latent,), tuple(child.name for child in children), carrier.name, drawn, conjugate, arrays[0].size
    )
    return without(instance, [latent, *children], carrier, tables, made)


def _sums(
    latent: Term, child: Term, reader: LinearReader, instance: Instance, numbers: Numbers
) -> Sums | None:
    """Read what the rows of a term add to the sums; None where they are no rows of single elements of the latent."""
    likelihood = _likelihood(latent, child)
    if likelihood is None or child.value not in instance.values:
        return None
    named = child.law.distribution.named(child.law.args)
    argument = named.pop(likelihood.parameter)
    for other in named.values():
        reader.look_below(other)
    if not all(map(reader.is_known, named.values())):
        return None
    shape = instance.shape(child.law.shape)
    own = instance.shape(latent.law.shape)
    try:
        parts = reader.read(argument)
    except NotLinear:
        return None
    if len(parts) != 1 or parts[0].source is not latent.value or parts[0].scale is not None:
        return None
    part = parts[0].on((*shape, own[-1]) if likelihood.axis else shape)
    if part.columns.shape[-1] != 1:
        return None
    positions, multiples = part.positions[..., 0], part.columns[..., 0]
    if not likelihood.multiples and np.any(multiples != 1.0):
        return None
    if latent.law.distribution.event_rank and not _are_vectors(positions, own[-1]):
        return None
    values: np.ndarray = np.asarray(instance.values[child.value], np.float64)  # type: ignore[index]
    others = {name: np.asarray(numbers(node), float) for name, node in named.items()}
    return likelihood.sums(values, others, positions, multiples)


def _are_vectors(positions: np.ndarray, length: int) -> bool:
    """Tell whether the elements along the last axis are whole vectors of a latent, in their order."""
    first = positions[..., :1]
    return bool(np.all(first % length == 0) and np.all(positions == first + np.arange(length)))


def _added_up(found: Sequence[Sums], shape: tuple[int, ...]) -> list[np.ndarray]:
    """Add up for each element of a latent, over all terms that depend on it."""
    size = math.prod(shape)
    each = [[np.bincount(sums.positions.ravel(), np.broadcast_to(added, sums.positions.shape).ravel(), size)
             for added in sums.added] for sums in found]
    return [np.sum(arrays, axis=0).reshape(shape) for arrays in zip(*each, strict=True)]


def _log_marginal(
    conjugate: Conjugate, prior: Sequence[Expression], arrays: Sequence[np.ndarray], law: Law, instance: Instance,
    tables: Tables,
) -> Expression:
    """Write the log density of sums, but for a constant; rows that share all their sums and parameters are one."""
    event = law.distribution.event_rank
    batch = arrays[0].shape[: arrays[0].ndim - event]
    rows = math.prod(batch)
    if batch and all(len(arg.shape) == event for arg in law.args):
        table = np.stack([array.reshape(rows, -1) for array in arrays], axis=1)
        cells, weights = np.unique(table, axis=0, return_counts=True)
        size = tables.size("cells", len(cells))
        shape = (size, *law.shape[len(batch) :])
        lengths = (len(cells), *arrays[0].shape[len(batch) :])
        sums = [tables.leaf(np.array(cells[:, k].reshape(lengths)), shape) for k in range(len(arrays))]
        given = dot(tables.leaf(weights.astype(float), (size,)), conjugate.given(prior, sums))
    else:
        given = conjugate.given(prior, [tables.leaf(array, law.shape) for array in arrays])
        given = total(given) if batch else given
    alone = conjugate.alone(prior)
    # Parameters that several rows share stand for each of them.
    lengths = instance.shape(alone._scistan_node_.shape)
    shared = tables.number(rows / math.prod(lengths))
    return given - shared * (total(alone) if lengths else alone)
