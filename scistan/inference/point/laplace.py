"""Draws from the normal approximation at the mode, in unconstrained coordinates, as InferenceData."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.given import as_whole
from scistan.graph.node import Node
from scistan.inference.arviz_data import group, to_inference_data
from scistan.inference.generated import derived_quantities, likelihood_axes
from scistan.inference.memory import check_draws_fit
from scistan.inference.point.uncertainty import Quantities
from scistan.inference.prior import constant_data, observed_data
from scistan.inference.states import draw_states, log_likelihoods
from scistan.inference.summed import as_written
from scistan.messages import point as messages
from scistan.targets.scipy import predictive_draws
from scistan.targets.scipy.streams import stream, use_seed
from scistan.targets.torch import to_numpy

if TYPE_CHECKING:
    from scistan.inference.point.estimate import PointEstimate, Source

__all__ = ["laplace_draws"]


def laplace_draws(estimate: PointEstimate, source: Source, draws: int, seed: int) -> Any:
    """Give posterior, posterior_predictive, log_likelihood, observed_data and constant_data: one chain of `draws`."""
    draws, seed = as_whole("draws", draws, most=None), use_seed(seed)
    sampled, instance = source.instance, as_written(source.instance)
    # Each of them once more while it is computed: noise, coordinates and values of the latents, densities.
    check_draws_fit(instance, draws, copies=3)
    values = _values(estimate, source, draws, seed)
    values |= {name: array[0] for name, array in draw_states(sampled, _chain(values), seed).items()}
    absent = [name for name in instance.graph.derived if name not in values]
    derived = derived_quantities(instance, _chain(values), absent, seed=seed)
    values |= {name: array[0] for name, array in derived.items()}
    latents: dict[Node, np.ndarray] = {t.value: values[t.name] for t in instance.graph.latents}
    with np.errstate(all="ignore"):
        predicted = predictive_draws(instance, latents, seed, instance.graph.observed, int(draws))
    log_lik = {name: array[0] for name, array in log_likelihoods(sampled, _chain(values)).items()}
    attributes = {
        "model": instance.name,
        "engine": "torch",
        "approximation": "normal, at the mode, in unconstrained coordinates",
        "converged": int(estimate.converged),
        "at_boundary": ", ".join(estimate.boundary),
        "findings": "\n".join(estimate.findings),
        "seed": seed,
    }
    dims, coords = instance.dims, instance.coords
    return to_inference_data(
        {
            "posterior": group(_chain(values), dims, coords, attributes=attributes),
            "posterior_predictive": group(_chain(predicted), dims, coords, attributes=attributes),
            "log_likelihood": group(_chain(log_lik), *likelihood_axes(instance)),
            "observed_data": observed_data(instance),
            "constant_data": constant_data(instance),
        }
    )


def _chain(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: array[None] for name, array in arrays.items()}


def _values(estimate: PointEstimate, source: Source, draws: int, seed: int) -> dict[str, np.ndarray]:
    mode, objective = source.whole, source.objective.joint
    if mode.curvature is None or not mode.curvature.definite or not estimate.converged:
        raise messages.no_draws(estimate.reason)
    noise = objective.density.backend.constant(stream(seed, "laplace").standard_normal((draws, objective.dimension)))
    offsets = mode.curvature.draw(noise)
    if offsets is None:
        raise messages.no_draws("its covariance would need an n² matrix")
    with objective.torch.no_grad():
        made = Quantities(objective, source.instance.graph).at(mode.q + offsets)
    return {name: to_numpy(value) for name, value in made.items()}
