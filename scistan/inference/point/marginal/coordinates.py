"""The coordinates in which latents are integrated, in any of which the integral is the same.

Standard ones, for which a scale of 0 is no special case. What is seen of a series at a step says something of every
innovation before it, so that these are all tied to each other; a long series is measured by its path instead, which is
tied to its neighbours alone: a band.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from scistan.distributions.innovations import has_innovations
from scistan.distributions.paths import has_path
from scistan.distributions.standard import frame_of
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.instance import Instance
from scistan.passes.factor import by_factor

__all__ = ["standardize"]

_SHORT = 50  # steps of a series up to which a dense matrix costs less than a chain of blocks
# Elements before that a law may ask for: where the start leads with more of them is computed step by step on torch, and
# some hundred steps take minutes.
_LAGS = 1


def standardize(graph: Graph, names: Container[str], instance: Instance) -> Graph:
    """Measure the latents named by their own location and scale, a series by its innovations or its path."""
    return graph.with_draws(lambda term: _standard(term, instance) if term.name in names else term.law)


def _standard(term: Term, instance: Instance) -> Law:
    law = term.law
    if (rule := law.distribution.rule) is not None:
        pays = instance.shape(law.shape)[0] > _SHORT and rule.lead <= _LAGS
        return replace(law, noncentred=has_innovations(law), path=pays and has_path(law))
    law = by_factor(law)
    return law if frame_of(law) is None else replace(law, noncentred=True)
