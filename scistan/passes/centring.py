"""Centring by the data: what they say of each element of a non-centred latent becomes data of the graph itself.

Like equal rows this is a fact about the data, so that the program it leads to is one for these data alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain, count

import numpy as np

from scistan.distributions.standard import frame_of
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Data
from scistan.graph.places import copy_places
from scistan.messages import centring as messages
from scistan.passes.beside import besides
from scistan.passes.noncenter import noncenter

__all__ = ["centring_in", "learnable", "series_by_innovations", "set_centring", "wholly"]


def learnable(graph: Graph) -> list[Term]:
    """List the latents that are non-centred by default, element by element: where the user said nothing of it.

    Vectors that a Cholesky factor makes of independent normals stay as they are.
    """
    pairs = zip(graph.terms, noncenter(graph).terms, strict=True)
    return [old for old, new in pairs if new.law.noncentred and new.law.centred is None and _elementwise(new.law)]


def series_by_innovations(graph: Graph) -> list[Term]:
    """List the latent series that are sampled by their innovations by default: they can be centred wholly."""
    pairs = zip(graph.terms, noncenter(graph).terms, strict=True)
    return [old for old, new in pairs
            if new.law.noncentred and new.law.centred is None and new.law.distribution.rule is not None]


def wholly(shape: tuple[int, ...]) -> np.ndarray:
    """Give the centring of a latent that is sampled as it is: data that say all of every element."""
    return np.stack([np.full(shape, np.inf), np.zeros(shape)])


def _elementwise(law: Law) -> bool:
    frame = frame_of(law)
    return frame is not None and not frame.is_matrix


def set_centring(instance: Instance, centring: Mapping[str, np.ndarray]) -> Instance:
    """Give the instance in which the latents named here are centred as far as their data say.

    For each there is a pair of arrays of its shape: how much information the data have on each element, and how they
    pull it, which is that times where they have it. Without information an element is not centred; where that on all of
    them is infinite, the latent is sampled as it is. Of a latent that numbers stand beside they are about the sum. The
    posterior is the same whatever they are. An instance that nothing is said of is itself.
    """
    series = {term.name: term for term in series_by_innovations(instance.graph)}
    free = {term.name: term for term in learnable(instance.graph)} | series
    beside = besides(instance, learnable(instance.graph))
    made: dict[str, tuple[Data, Data]] = {}
    whole: set[str] = set()
    for name, given in centring.items():
        if name not in free:
            raise messages.of_no_latent(name, list(free))
        pair, shape = np.array(given, dtype=float), instance.shape(free[name].law.shape)
        if pair.shape != (2, *shape):
            raise messages.of_other_shape(name, shape, pair.shape[1:])
        if pair.size and np.isposinf(pair[0]).all():
            whole.add(name)
        elif not np.isfinite(pair).all() or (pair[0] < 0).any() or (name in series and pair.any()):
            raise messages.no_information(name)
        elif pair.any():
            made[name] = _leaf(pair[0], free[name]), _leaf(pair[1], free[name])
    if not made and not whole:
        return instance

    def change(term: Term) -> Law:
        if term.name not in made:
            return replace(term.law, centred=True) if term.name in whole else term.law
        return replace(term.law, centring=made[term.name], beside=beside.get(term.name, ()))

    graph = instance.graph.with_draws(change)
    names = {**graph.data_names, **_names(graph, made)}
    leaves = [leaf for pair in made.values() for leaf in pair]
    values = {**instance.values, **{leaf: leaf.default for leaf in leaves if leaf.default is not None}}
    return replace(instance, graph=replace(graph, data_names=names), values=values)


def centring_in(instance: Instance, written: Instance) -> dict[str, np.ndarray]:
    """Give what each latent of an instance is centred by, where it was `written` without."""
    found: dict[str, np.ndarray] = {}
    for term, own in zip(instance.graph.latents, written.graph.latents, strict=True):
        if term.law.centring is not None:
            found[term.name] = np.stack([instance.values[leaf] for leaf in term.law.centring])
        elif term.law.centred and not own.law.centred:
            found[term.name] = wholly(instance.shape(term.law.shape))
    return found


def _leaf(numbers: np.ndarray, term: Term) -> Data:
    numbers = np.array(numbers)
    numbers.flags.writeable = False
    leaf = Data(numbers, term.law.shape, integer=False)
    copy_places(term.value, leaf)
    return leaf


def _names(graph: Graph, made: Mapping[str, tuple[Data, Data]]) -> dict[Data, str]:
    """Name what was learnt after its latent, with a name that nothing else has."""
    taken = {term.name for term in graph.terms} | set(graph.derived) | set(graph.data_names.values())
    found: dict[Data, str] = {}
    for name, pair in made.items():
        for leaf, word in zip(pair, ("information", "pull"), strict=True):
            wishes = chain((f"{name}_{word}",), (f"{name}_{word}_{k}" for k in count(2)))
            found[leaf] = next(text for text in wishes if text not in taken)
            taken.add(found[leaf])
    return found
