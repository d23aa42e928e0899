"""`fit.posterior_of`: how probable each value of a discrete latent is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scistan.inference.arviz_data import group
from scistan.inference.states import most_likely_paths, state_probabilities
from scistan.messages import sampling as sampling_messages
from scistan.messages import states as messages
from scistan.passes.states.series import ChainStep

if TYPE_CHECKING:
    from scistan.inference.fit import Fit
    from scistan.inference.subject import Subject

__all__ = ["most_likely_path", "posterior_of"]


def posterior_of(fit: Fit, name: str) -> Any:
    """Average the probabilities of each value over the draws; they are exact given each draw."""
    subject = _checked(fit, name, "the probabilities of states")
    found, values = state_probabilities(subject.instance, fit.posterior, name, fit.seed)
    instance = subject.instance
    dims = (*instance.dims[name], f"{name}_value")
    coords = {**instance.coords, f"{name}_value": values.tolist()}
    return group({name: found}, {name: dims}, coords, ())[name]


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
    if name not in known:
        raise messages.no_states(name, known)
    if any(latent not in fit.posterior for latent in subject.latents):
        raise sampling_messages.not_kept(what)
    return subject
