"""Draws of variables with a constraint between their elements."""

from __future__ import annotations

import numpy as np

from scistan.distributions.constraints import NORMALS
from scistan.distributions.declaration import Distribution
from scistan.graph.graph import Term
from scistan.graph.places import first_place
from scistan.messages import inference as messages
from scistan.targets.scipy.truncated import draw_truncated

__all__ = ["draw_constrained"]

_ROUNDS = 500


def draw_constrained(
    rng: np.random.Generator, size: tuple[int, ...], term: Term, args: list[np.ndarray]
) -> np.ndarray:
    """Draw the elements given that they are ordered or sum to zero."""
    if term.law.constraint == "sum_to_zero":
        return _draw_sum_to_zero(rng, size, term, args)
    # Exchangeable elements given their order are the sorted elements.
    if all(np.ndim(a) == 0 or np.shape(a)[-1] == 1 for a in args):
        return np.sort(_draw_free(rng, size, term, args), axis=-1)
    return _draw_until_ordered(rng, size, term, args)


def _draw_free(
    rng: np.random.Generator, size: tuple[int, ...], term: Term, args: list[np.ndarray]
) -> np.ndarray:
    d: Distribution = term.law.distribution
    support = d.domain(term.law.args)
    if term.law.constraint == "positive_ordered" and support.lower is None:
        return draw_truncated(rng, size, d, args, 0.0, None)
    return np.broadcast_to(d.draw(rng, size, *args), size)


def _draw_sum_to_zero(
    rng: np.random.Generator, size: tuple[int, ...], term: Term, args: list[np.ndarray]
) -> np.ndarray:
    d: Distribution = term.law.distribution
    if d.name not in NORMALS:
        raise messages.no_constrained_draws(term.name, d.title, "sum_to_zero", first_place(term.value))
    variance = np.broadcast_to(np.square(args[1] if args else 1.0), size)
    free = np.broadcast_to(d.draw(rng, size, *args), size)
    # Normals given their sum: x - Cov(x, Σx) / Var(Σx) · Σx.
    return np.asarray(free - variance * (free.sum(-1, keepdims=True) / variance.sum(-1, keepdims=True)))


def _draw_until_ordered(
    rng: np.random.Generator, size: tuple[int, ...], term: Term, args: list[np.ndarray]
) -> np.ndarray:
    """Draw each vector again until it rises; exact, and fast where the order is likely."""
    rows = [np.broadcast_to(a, size).reshape(-1, size[-1]) for a in args]
    result = np.empty((int(np.prod(size[:-1])), size[-1]))
    waiting = np.arange(len(result))
    for _ in range(_ROUNDS):
        drawn = _draw_free(rng, (len(waiting), size[-1]), term, [row[waiting] for row in rows])
        rises = (np.diff(drawn, axis=-1) > 0).all(-1)
        result[waiting[rises]] = drawn[rises]
        waiting = waiting[~rises]
        if not len(waiting):
            return result.reshape(size)
    d: Distribution = term.law.distribution
    raise messages.no_constrained_draws(term.name, d.title, term.law.constraint or "", first_place(term.value))
