"""`fit.predict`: the observed variables at new inputs, drawn by the SciPy lowering over posterior draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scistan.graph.instance import Instance
from scistan.inference.generated import derived_quantities, predictive
from scistan.inference.prior import constant_data
from scistan.inference.seam import group, to_inference_data
from scistan.messages import sampling as messages
from scistan.targets.scipy.streams import use_seed

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["predict"]


def predict(
    fit: Fit, data: Mapping[str, object], coords: Mapping[str, Sequence[object]] | None, seed: int | None
) -> Any:
    """Give `predictions` (observed and derived quantities) and `predictions_constant_data`."""
    subject = fit.known("prediction")
    if subject.model is None:
        raise messages.needs_model("prediction")
    instance = subject.model.elsewhere(data, coords, "refuse", {})
    _check_latents(fit, instance)
    used = int(fit.settings["seed"]) if seed is None else use_seed(seed)
    arrays = predictive(instance, fit.posterior, used)
    arrays |= derived_quantities(instance, fit.posterior, list(instance.graph.derived))
    attributes = {"seed": used, "model": fit.model_name, "model_hash": fit.model_hash, "engine": "scipy"}
    return to_inference_data(
        {
            "predictions": group(arrays, instance.dims, instance.coords, attributes=attributes),
            "predictions_constant_data": constant_data(instance),
        }
    )


def _check_latents(fit: Fit, instance: Instance) -> None:
    """Refuse data that need elements of latents which were never fitted."""
    for term in instance.graph.latents:
        if term.name not in fit.posterior:
            raise messages.not_kept("prediction")
        fitted, wanted = fit.posterior[term.name].shape[2:], instance.shape(term.draw.shape)
        if fitted != wanted:
            raise messages.latent_grows(term.name, fitted, wanted)
