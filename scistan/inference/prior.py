"""`m.prior` and `m.simulate`: draws from the SciPy lowering."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from scistan.given import as_whole
from scistan.graph.instance import Instance
from scistan.graph.node import Data
from scistan.inference.arviz_data import group, to_inference_data
from scistan.inference.memory import check_draws_fit
from scistan.inference.planning.remember import after_prior
from scistan.inference.planning.start import Start
from scistan.ops.levels import is_factor
from scistan.profiling import staged
from scistan.targets.scipy import ancestral_draws
from scistan.targets.scipy.streams import use_seed
from scistan.targets.unsolved import telling_failures

__all__ = ["as_inference_data", "constant_data", "draw_prior", "observed_data", "simulate"]


@staged("prior")
def draw_prior(instance: Instance, draws: int, seed: int | None) -> Any:
    """Draw every variable `draws` times: prior, prior_predictive, observed_data, constant_data."""
    start = Start.now("prior", "scipy")
    draws, used = as_whole("draws", draws, most=None), use_seed(seed)
    check_draws_fit(instance, draws)
    with telling_failures():
        arrays, _ = ancestral_draws(instance, draws, used)
    drawn = as_inference_data(instance, arrays, used)
    after_prior(start, instance, draws)
    return drawn


def as_inference_data(instance: Instance, arrays: Mapping[str, np.ndarray], seed: int) -> Any:
    """Sort prior draws into groups, with what was observed beside them."""
    observed = {term.name for term in instance.graph.observed}
    one_chain = {name: array[None] for name, array in arrays.items()}
    prior = {name: array for name, array in one_chain.items() if name not in observed}
    predictive = {name: array for name, array in one_chain.items() if name in observed}
    attributes = {"seed": seed, "model": instance.name, "engine": "scipy"}
    return to_inference_data(
        {
            "prior": group(prior, instance.dims, instance.coords, attributes=attributes),
            "prior_predictive": group(predictive, instance.dims, instance.coords, attributes=attributes),
            "observed_data": observed_data(instance),
            "constant_data": constant_data(instance),
        }
    )


def simulate(instance: Instance, seed: int | None) -> dict[str, np.ndarray]:
    """Draw everything once: true latents, derived quantities and data."""
    used = use_seed(seed)
    check_draws_fit(instance, 1)
    with telling_failures():
        arrays, _ = ancestral_draws(instance, 1, used)
    return {name: array[0] for name, array in arrays.items()}


def observed_data(instance: Instance) -> Any:
    """Give the observed values at hand as a dataset."""
    arrays = {
        t.name: instance.values[t.value]
        for t in instance.graph.observed
        if isinstance(t.value, Data) and t.value in instance.values
    }
    return group(arrays, instance.dims, instance.coords, ())


def constant_data(instance: Instance) -> Any:
    """Give the named data as a dataset; the codes of a factor beside its levels, which have its name."""
    observed = {t.value for t in instance.graph.observed}
    held = {
        name: leaf
        for leaf, name in instance.graph.data_names.items()
        if leaf not in observed and leaf in instance.values
    }
    factors = [name for name, leaf in held.items() if is_factor(leaf)]
    shown = {name: _code_name(name, instance.dims) if name in factors else name for name in held}
    arrays = {shown[name]: instance.values[leaf] for name, leaf in held.items()}
    dims = {**instance.dims, **{shown[name]: instance.dims[name] for name in factors}}
    return group(arrays, dims, instance.coords, (), listed=factors)


def _code_name(name: str, taken: Container[str]) -> str:
    shown = f"{name}_code"
    return _code_name(shown, taken) if shown in taken else shown
