"""Draws of variables with a constraint between their elements."""

from __future__ import annotations

import numpy as np

from scistan.constrained import CONSTRAINTS, TYPES
from scistan.distributions.declaration import Distribution
from scistan.graph.graph import Term
from scistan.graph.places import first_place
from scistan.messages import inference as messages
from scistan.targets.scipy.truncated import draw_truncated

__all__ = ["draw_constrained"]


def draw_constrained(
    rng: np.random.Generator, size: tuple[int, ...], term: Term, args: list[np.ndarray]
) -> np.ndarray:
    """Draw the elements given that they keep their constraint."""
    d: Distribution = term.law.distribution
    kind = term.law.constraint or ""
    lower = TYPES[kind].element[0]
    cut = np.isfinite(lower) and d.domain(term.law.args).lower is None

    def free(size: tuple[int, ...], args: list[np.ndarray]) -> np.ndarray:
        drawn = draw_truncated(rng, size, d, args, lower, None) if cut else d.draw(rng, size, *args)
        return np.broadcast_to(drawn, size)

    found = CONSTRAINTS[kind].draw(free, d, size, args)
    if found is None:
        raise messages.no_constrained_draws(term.name, d.title, kind, first_place(term.value))
    return found
