"""Arguments that were drawn themselves: whether they lie where the distribution has a meaning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scistan.distributions.declaration import Distribution
from scistan.domains import Domain
from scistan.errors import ModelError
from scistan.graph.graph import Graph, Term
from scistan.graph.node import Node
from scistan.graph.written import argument_text
from scistan.messages import inference as messages
from scistan.targets.values import Lookup

__all__ = ["check_drawn_arguments"]


def check_drawn_arguments(graph: Graph, term: Term, values: Lookup, arrays: Sequence[np.ndarray]) -> None:
    """Refuse arguments outside their domains: NumPy would draw from them, or stop in its own words.

    Ends of a range are let through, and infinity with them: what underflows or overflows is no mistake of the model.
    """
    d: Distribution = term.law.distribution
    for p, node, array in zip(d.parameters, term.law.args, arrays, strict=True):
        if p.domain.structure == "size" or not _suspect(p.domain, array):
            continue
        bad = _outside(p.domain, array)
        if bad.any():
            raise _outside_domain(graph, term, p.name, node, array, bad, values[node].batched, p.domain)


def _suspect(domain: Domain, array: np.ndarray) -> bool:
    """Look at the smallest and the largest number alone, which NaN would be."""
    if domain.holds is not None or domain.integer:
        return True
    if not array.size:
        return False
    least, most = array.min(), array.max()
    low = isinstance(domain.lower, int | float) and least < domain.lower
    high = isinstance(domain.upper, int | float) and most > domain.upper
    return bool(np.isnan(least) or low or high)


def _outside(domain: Domain, array: np.ndarray) -> np.ndarray:
    bad = np.isnan(array)
    if domain.integer:
        bad |= array != np.floor(array)
    if isinstance(domain.lower, int | float):
        bad |= array < domain.lower
    if isinstance(domain.upper, int | float):
        bad |= array > domain.upper
    if domain.event_rank:
        bad = bad.any(axis=tuple(range(-domain.event_rank, 0)))
    if domain.holds is not None and domain.event_rank == 1:  # matrices that rounding made singular are let through
        bad = bad | ~domain.holds(np.where(np.isfinite(array), array, 0.0))
    return np.asarray(bad)


def _outside_domain(
    graph: Graph,
    term: Term,
    parameter: str,
    node: Node,
    array: np.ndarray,
    bad: np.ndarray,
    batched: bool,
    domain: Domain,
) -> ModelError:
    first = array[tuple(np.argwhere(bad)[0])]
    shown = f"{float(first):.4g}" if first.ndim == 0 else np.array2string(first, precision=3, threshold=6)
    draws = len(array) if batched else 1
    count = int(bad.reshape(draws, -1).any(axis=1).sum()) if batched else 1
    names = [t.name for t in graph.latents if t.value is node] + [n for n, own in graph.derived.items() if own is node]
    latent = any(t.value is node for t in graph.latents)
    family, place = term.law.distribution, graph.place_of(term)
    number = [p.name for p in family.parameters].index(parameter)
    return messages.drawn_argument_outside(
        term.name,
        family,
        parameter,
        names[0] if names else "",
        latent,
        domain,
        bool(np.isnan(first).any()),
        shown,
        count,
        draws,
        argument_text(place, family.title, number, parameter),
        place,
    )
