"""What stanc would remark on under `--warn-pedantic` and the user should know, said of the model, not its program."""

from __future__ import annotations

from collections.abc import Iterator

from scistan.distributions.constraints import is_known
from scistan.graph.graph import Graph, Term
from scistan.graph.node import Literal
from scistan.messages import constraints
from scistan.messages import inference as messages

__all__ = ["hints"]

SMALLEST, LARGEST = 0.1, 10.0  # beyond these stanc takes a number for one that is not of unit scale


def hints(graph: Graph) -> tuple[str, ...]:
    """Find latents without a prior, within hard bounds, or of a scale far from 1; and densities without a constant."""
    unnormalized = (
        constraints.missing_constant(t.name, t.law.constraint)
        for t in graph.terms
        if t.law.constraint is not None and not is_known(t.law.constraint, t.law.distribution, t.law.args)
    )
    return (*(hint for term in graph.latents for hint in _hints(term)), *unnormalized)


def _hints(term: Term) -> Iterator[str]:
    d, law = term.law.distribution, term.law
    if d.improper:
        yield messages.no_prior(term.name)
        return
    named = d.named(law.args)
    low, high = (named["alpha"], named["beta"]) if d.name == "Uniform" else (law.lower, law.upper)
    if isinstance(low, Literal) and isinstance(high, Literal) and (low.value, high.value) not in ((0, 1), (-1, 1)):
        yield messages.hard_bounds(term.name, f"[{low.value:g}, {high.value:g}]")
        return
    for node in law.args:
        number = abs(float(node.value)) if isinstance(node, Literal) else 1.0
        if number != 0 and not SMALLEST <= number <= LARGEST:
            yield messages.far_from_one(term.name, float(node.value) if isinstance(node, Literal) else 1.0)
            return
