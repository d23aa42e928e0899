"""The probabilities behind an outcome, at every draw of the prior."""

from __future__ import annotations

import numpy as np

from scistan.constrained import SIMPLEX
from scistan.distributions import REGISTRY
from scistan.distributions.declaration import Distribution
from scistan.domains import UNIT
from scistan.graph.graph import Term
from scistan.targets.scipy.redraw import Drawn

__all__ = ["has_probability", "probabilities"]


def has_probability(term: Term) -> bool:
    """Tell whether a variable is an outcome with a probability among its arguments, or behind a link."""
    return _linked(term) is not None


def _linked(term: Term) -> tuple[Distribution, int] | None:
    """Find the family whose parameter is the probability, and the parameter's place."""
    name = term.law.distribution.name
    for family in REGISTRY.values():
        if not family.linked_parameter or name not in (family.name, family.link_form):
            continue
        for position, parameter in enumerate(family.parameters):
            if parameter.name == family.linked_parameter and parameter.domain in (UNIT, SIMPLEX):
                return family, position
    return None


def probabilities(drawn: Drawn, term: Term) -> np.ndarray | None:
    """Give the probability of success, or of the likeliest category; None for what is no such outcome."""
    found = _linked(term)
    if found is None:
        return None
    family, position = found
    linked = term.law.distribution.name != family.name
    with np.errstate(all="ignore"):
        array = np.asarray(drawn.evaluator[term.law.args[position]].array, dtype=float)
        if family.parameters[position].domain is UNIT:
            return 1 / (1 + np.exp(-array)) if linked else array
        if linked:
            array = np.exp(array - array.max(axis=-1, keepdims=True))
            array = array / array.sum(axis=-1, keepdims=True)
        return np.asarray(array.max(axis=-1))
