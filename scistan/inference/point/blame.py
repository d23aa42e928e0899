"""Find the term and the variables that make a density or its gradient not finite."""

from __future__ import annotations

from typing import Any

import numpy as np

from scistan.errors import ModelError
from scistan.graph.graph import Term
from scistan.graph.node import Variable
from scistan.graph.places import first_place
from scistan.graph.walk import topological
from scistan.inference.cause import Cause, find_causes
from scistan.inference.point.maximized import Maximized
from scistan.messages import marginal as marginal_messages
from scistan.messages import point as messages

__all__ = ["not_finite"]

Tensor = Any


def not_finite(objective: Maximized, starts: Tensor) -> ModelError:
    """Give the error that names what is wrong at the first start."""
    torch, density = objective.torch, objective.density
    if (cause := _cause(objective, starts)) is not None:
        return messages.no_density(cause.fact, len(starts), cause.remedy, cause.place)
    evaluator, _, _ = density.constrain(starts[0])
    leaves = {}
    for block in density.blocks:
        leaf = evaluator[block.term.value].array.detach().clone().requires_grad_(True)
        leaves[block.term.name] = leaf
    fresh, _, _ = density.constrain(starts[0])
    for block in density.blocks:
        fresh.set(block.term.value, leaves[block.term.name], batched=False)
    values = ", ".join(f"{name} = {_shown(leaf)}" for name, leaf in leaves.items())
    terms = [t for t in density.instance.graph.terms if t.is_observed or not objective.likelihood_only]
    totals = {}
    for term in terms:
        try:
            totals[term.name] = density.term_density(term, fresh)
        except torch.linalg.LinAlgError:  # a matrix without a factor
            totals[term.name] = density.backend.constant(-np.inf)
        if not bool(torch.isfinite(totals[term.name]).all()):
            names = [t.name for t in density.instance.graph.latents if t.value in _latents_of(term)]
            return _error(term, "log density", names, values, len(starts))
    for term in terms:
        bad = [name for name, leaf in leaves.items() if _bad_gradient(torch, totals[term.name], leaf)]
        if bad:
            return _error(term, "gradient of the log density", bad, values, len(starts))
    names = [b.term.name for b in density.blocks]
    within = [b.term.name for b in objective.joint.density.blocks if b.term.name not in names]
    if within:
        return marginal_messages.no_inner_mode(within)
    return _error(terms[-1], "gradient over the coordinates", names, values, len(starts))


def _cause(objective: Maximized, starts: Tensor) -> Cause | None:
    """Say in the model's terms why there is no density; None where there is one in double precision.

    The first start is the middle of the priors, where a product is 0: others show the case better.
    """
    density = objective.density
    for start in (*starts[1:2], starts[0]):
        known, _, _ = density.constrain(start)
        numbers = {b.term.name: known[b.term.value].array.detach().cpu().numpy().astype(float) for b in density.blocks}
        for cause in find_causes(objective.written, numbers):
            if cause.term.is_observed or not objective.likelihood_only:
                return cause
    return None


def _bad_gradient(torch: Any, total: Tensor, leaf: Tensor) -> bool:
    if not total.requires_grad:
        return False
    (slope,) = torch.autograd.grad(total, leaf, retain_graph=True, allow_unused=True)
    return slope is not None and not bool(torch.isfinite(slope).all())


def _latents_of(term: Term) -> set[object]:
    own = [] if term.is_observed else [term.value]
    return {node for node in topological([*term.law.inputs, *own]) if isinstance(node, Variable)}


def _shown(leaf: Tensor) -> str:
    numbers = leaf.detach().cpu().numpy()
    return np.array2string(numbers, precision=3, threshold=4, edgeitems=1) if numbers.ndim else f"{numbers:.4g}"


def _error(term: Term, what: str, names: list[str], values: str, starts: int) -> ModelError:
    return messages.not_finite(
        term.name, term.law.distribution.title, what, names, values, starts, first_place(term.value)
    )
