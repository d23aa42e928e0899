"""`fit.posterior_of`: how probable each value of a discrete latent is, and each component of a mixture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.distributions.mixture import is_mixture, log_weighted
from scistan.graph.graph import Term
from scistan.graph.node import Node
from scistan.inference.arviz_data import group
from scistan.inference.generated import over_draws
from scistan.inference.states import most_likely_paths, state_probabilities
from scistan.messages import sampling as sampling_messages
from scistan.messages import states as messages
from scistan.ops.expression import Expression
from scistan.passes.states.series import ChainStep
from scistan.targets.evaluate import Evaluator
from scistan.targets.values import NUMPY

if TYPE_CHECKING:
    from scistan.inference.fit import Fit
    from scistan.inference.subject import Subject

__all__ = ["most_likely_path", "posterior_of"]


def posterior_of(fit: Fit, name: str) -> Any:
    """Average the probabilities of each value over the draws; they are exact given each draw."""
    mixture = None if fit.subject is None or not isinstance(name, str) else _mixture(fit.subject, name)
    if mixture is not None:
        return _components(fit, mixture)
    subject = _checked(fit, name, "the probabilities of states")
    found, values = state_probabilities(subject.instance, fit.posterior, name, fit.seed)
    instance = subject.instance
    dims = (*instance.dims[name], f"{name}_value")
    coords = {**instance.coords, f"{name}_value": values.tolist()}
    return group({name: found}, {name: dims}, coords, ())[name]


def _mixture(subject: Subject, name: str) -> Term | None:
    """Find a variable that follows a mixture."""
    terms = subject.written_instance.graph.terms
    return next((t for t in terms if t.name == name and is_mixture(t.law.distribution)), None)


def _components(fit: Fit, term: Term) -> Any:
    """Give the probability that each element of a mixture came from each component, averaged over the draws."""
    instance = fit._need("the probabilities of components").written_instance
    if any(t.name not in fit.posterior for t in instance.graph.latents):
        raise sampling_messages.not_kept("the probabilities of components")
    node = log_weighted(term.law.distribution, Expression(term.value), list(map(Expression, term.law.args)))
    total: list[np.ndarray] = []

    def compute(flat: dict[Node, np.ndarray], _: int, draws: int) -> dict[str, np.ndarray]:
        evaluator = Evaluator(instance, NUMPY)
        for leaf, array in flat.items():
            evaluator.set(leaf, array, batched=True)
        with np.errstate(all="ignore"):
            logs = evaluator[node._scistan_node_].array
            weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
            total.append((weights / weights.sum(axis=-1, keepdims=True)).sum(0))
        return {}

    over_draws(instance, fit.posterior, compute, cells=math.prod(instance.shape(node._scistan_node_.shape)))
    chains, draws = fit.shape
    name = term.name
    dims = (*instance.dims[name], f"{name}_component")
    return group({name: np.sum(total, axis=0) / (chains * draws)}, {name: dims}, instance.coords, ())[name]


def most_likely_path(fit: Fit, name: str) -> Any:
    """Give the most likely path of a chain at each draw."""
    subject = _checked(fit, name, "the most likely path")
    step = next(s for summed in subject.instance.summed for s in summed.steps if s.hidden.name == name)
    if not isinstance(step, ChainStep):
        raise messages.no_chain(name)
    found = most_likely_paths(subject.instance, fit.posterior, name)
    instance = subject.instance
    return group({name: found}, {name: instance.dims[name]}, instance.coords)[name]


def _checked(fit: Fit, name: str, what: str) -> Subject:
    """Give what was fitted, if it has a discrete latent of this name and the draws to tell of it."""
    subject = fit._need(what)
    known = [one for summed in subject.instance.summed for one in summed.names]
    if not isinstance(name, str) or name not in known:
        raise messages.no_states(name, known)
    if any(latent not in fit.posterior for latent in subject.latents):
        raise sampling_messages.not_kept(what)
    return subject
