"""Check that the twins in NumPyro and PyMC of bench/integrate.py's models have the same posterior as ours.

    python bench/integrate_check.py [model …]

At two points, drawn from the priors, the log densities of a twin and of our model differ by the same constant, once the change of
variables of a non-centred form is taken off. Printed is by how much they do not, relative to their size.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from integrate_models import CASES, Case

Values = dict[str, Any]


class NumpyroTwin:
    """A form of a model in NumPyro: its sites, what it makes of them, and its density."""

    def __init__(self, case: Case, form: str) -> None:
        import jax
        from integrate_numpyro import TWINS

        self.data = {name: jax.numpy.asarray(array) for name, array in case.data.items()}
        self.case, self.form, self.write = case, form, TWINS[case.twin]

    def model(self) -> None:
        self.write(self.data, self.form)

    def values(self, seed: int, fixed: Values) -> tuple[Values, Values]:
        """Give what is sampled, and what is made of it; what is not fixed is drawn from its prior."""
        from numpyro import handlers

        trace = handlers.trace(handlers.substitute(handlers.seed(self.model, seed), fixed)).get_trace()
        sampled = {n: s["value"] for n, s in trace.items() if s["type"] == "sample" and not s["is_observed"]}
        made = {n: s["value"] for n, s in trace.items() if s["type"] == "deterministic"}
        return sampled, made

    def log_density(self, sites: Values) -> float:
        from numpyro.infer.util import log_density

        return float(log_density(self.model, (), {}, sites)[0])

    def log_volume(self, sites: Values, names: list[str]) -> float:
        """Give the log determinant of our latents' derivatives by the sites that stand for them."""
        import jax
        from jax.flatten_util import ravel_pytree

        raw = {name: value for name, value in sites.items() if name not in names}
        if not raw:
            return 0.0
        flat, back = ravel_pytree(raw)
        latents = sorted(set(names) - set(sites))

        def made(q: Any) -> Any:
            values = self.values(0, {**sites, **back(q)})[1]
            return jax.numpy.concatenate([values[name].ravel() for name in latents])

        return float(np.linalg.slogdet(np.asarray(jax.jacobian(made)(flat)))[1])


def pymc_log_density(case: Case, form: str, points: list[Values]) -> list[float]:
    """Give the density of the form in PyMC at constrained values, without Jacobians."""
    import pymc as pm
    from integrate_pymc import TWINS

    with pm.Model() as model:
        TWINS[case.twin](case.data, form)
    density = model.compile_logp(jacobian=False, mode="FAST_COMPILE")
    found = []
    for point in points:
        given = {}
        for variable in model.free_RVs:
            value, transform = np.asarray(point[variable.name]), model.rvs_to_transforms[variable]
            if transform is not None:
                value = transform.forward(pm.math.constant(value), *variable.owner.inputs).eval()
            given[model.rvs_to_values[variable].name] = value
        found.append(float(density(given)))
    return found


def packed(values: Values) -> tuple[np.ndarray, float]:
    """Give what PyMC samples for two scales and a factor of correlations, and the change of variables."""
    (first, second), factor = np.asarray(values["sd"]), np.asarray(values["factor"])
    # (s1, s2 r, s2 √(1 - r²)) for (s1, s2, r).
    return np.array([first, second * factor[1, 0], second * factor[1, 1]]), float(np.log(second / factor[1, 1]))


def gap(twins: list[float], ours: list[float]) -> float:
    size = max(1.0, *(abs(value) for value in twins + ours))
    return abs((twins[0] - twins[1]) - (ours[0] - ours[1])) / size


def our_log_density(case: Case, values: Values, marginal: bool) -> float:
    from scistan.inference.density import log_density
    from scistan.inference.integrate import integrated

    instance = case.model.instance()
    instance = integrated(instance, True) if marginal else instance
    names = [term.name for term in instance.graph.latents]
    return log_density(instance, {name: np.asarray(values[name]) for name in names}, "scipy")


def check(name: str) -> None:
    from integrate_numpyro import FORMS
    from integrate_pymc import FORMS as PYMC_FORMS

    case = CASES[name]()
    forms = FORMS[case.twin]
    latents = [term.name for term in case.model.instance().graph.latents]
    first = NumpyroTwin(case, forms[0])
    drawn = [first.values(seed, {}) for seed in (1, 2)]
    whole = [{**sampled, **made} for sampled, made in drawn]
    ours = [our_log_density(case, values, forms[0] == "marginal") for values in whole]
    for form in forms:
        twin = NumpyroTwin(case, form)
        sites = [twin.values(0, values)[0] for values in whole]
        volumes = [twin.log_volume(one, latents) if form != "marginal" else 0.0 for one in sites]
        found = [twin.log_density(one) - volume for one, volume in zip(sites, volumes, strict=True)]
        print(f"{name:26s} {form:12s} NumPyro {gap(found, ours):.1e}", end="", flush=True)
        if form in PYMC_FORMS[case.twin]:
            volumes = list(volumes)
            if case.twin == "slopes":
                for k, values in enumerate(whole):
                    values["packed"], volume = packed(values)
                    volumes[k] -= volume
            found = pymc_log_density(case, form, whole)
            found = [value - volume for value, volume in zip(found, volumes, strict=True)]
            print(f"  PyMC {gap(found, ours):.1e}", end="")
        print(flush=True)


def main() -> None:
    import numpyro

    warnings.simplefilter("ignore")
    numpyro.enable_x64()
    for name in sys.argv[1:] or CASES:
        check(name)


if __name__ == "__main__":
    main()
