"""`fit.posterior_of`: how probable each value of a discrete latent is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scistan.inference.arviz_data import group
from scistan.inference.states import state_probabilities
from scistan.messages import sampling as sampling_messages
from scistan.messages import states as messages

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["posterior_of"]


def posterior_of(fit: Fit, name: str) -> Any:
    """Average the probabilities of each value over the draws; they are exact given each draw."""
    subject = fit._need("the probabilities of states")
    known = [one for summed in subject.instance.summed for one in summed.names]
    if name not in known:
        raise messages.no_states(name, known)
    if any(latent not in fit.posterior for latent in subject.latents):
        raise sampling_messages.not_kept("the probabilities of states")
    found, values = state_probabilities(subject.instance, fit.posterior, name, fit.seed)
    instance = subject.instance
    dims = (*instance.dims[name], f"{name}_value")
    coords = {**instance.coords, f"{name}_value": values.tolist()}
    return group({name: found}, {name: dims}, coords, ())[name]
