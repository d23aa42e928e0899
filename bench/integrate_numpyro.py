"""The models of bench/integrate.py as a user of NumPyro writes them, on the same arrays.

`TWINS` has a function by the name of a case's twin; it is given the arrays and a form, and makes the model. Where effects have
an estimated scale there are two forms: "non-centred", the custom, and "centred", which is better where rows are many. A
Gaussian process with normal noise is written with its values integrated out, as everybody does: "marginal".
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

with contextlib.suppress(ImportError):  # the file can be read where NumPyro is not
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist
    from numpyro import deterministic, sample

__all__ = ["FORMS", "TWINS"]

Data = dict[str, Any]
Twin = Callable[[Data, str], None]
TWINS: dict[str, Twin] = {}
FORMS: dict[str, tuple[str, ...]] = {}
BOTH = ("non-centred", "centred")


def twin(*forms: str) -> Callable[[Twin], Twin]:
    """Enter a model under its name, with its forms."""

    def enter(write: Twin) -> Twin:
        TWINS[write.__name__], FORMS[write.__name__] = write, forms
        return write

    return enter


def _count(codes: Any) -> int:
    # By NumPy: what JAX computes of constants while it traces is no number yet.
    return int(np.asarray(codes).max()) + 1


def _normals(name: str, mean: Any, scale: Any, size: int) -> Any:
    return sample(name, dist.Normal(mean, scale).expand([size]).to_event(1))


def _effects(form: str, name: str, mean: Any, scale: Any, size: int) -> Any:
    if form == "centred":
        return _normals(name, mean, scale, size)
    return deterministic(name, mean + scale * _normals(f"{name}_z", 0.0, 1.0, size))


@twin("plain")
def regression(d: Data, form: str) -> None:
    a, b = sample("a", dist.Normal(0, 5)), _normals("b", 0.0, 1.0, d["x"].shape[1])
    s = sample("s", dist.HalfNormal(1))
    sample("y", dist.Normal(a + d["x"] @ b, s), obs=d["y"])


@twin("plain")
def years(d: Data, form: str) -> None:
    a, b, s = sample("a", dist.Normal(0, 100)), sample("b", dist.Normal(0, 1)), sample("s", dist.HalfNormal(1))
    sample("y", dist.Normal(a + b * d["year"], s), obs=d["y"])


@twin(*BOTH)
def mixed(d: Data, form: str) -> None:
    a, b = sample("a", dist.Normal(0, 5)), sample("b", dist.Normal(0, 1))
    tau, s = sample("tau", dist.HalfNormal(1)), sample("s", dist.HalfNormal(1))
    u = _effects(form, "u", 0.0, tau, _count(d["group"]))
    sample("y", dist.Normal(a + b * d["x"] + u[d["group"]], s), obs=d["y"])


@twin(*BOTH)
def radon(d: Data, form: str) -> None:
    g, floor = _normals("g", 0.0, 2.0, 2), sample("floor", dist.Normal(0, 1))
    tau, s = sample("tau", dist.HalfNormal(1)), sample("s", dist.HalfNormal(1))
    county = _effects(form, "county", g[0] + g[1] * d["uranium"], tau, len(d["uranium"]))
    sample("y", dist.Normal(county[d["county"]] + floor * d["floor"], s), obs=d["y"])


@twin(*BOTH)
def slopes(d: Data, form: str) -> None:
    groups = _count(d["group"])
    mean, sd = _normals("mean", 0.0, 2.0, 2), sample("sd", dist.HalfNormal(1).expand([2]).to_event(1))
    factor, s = sample("factor", dist.LKJCholesky(2, 2.0)), sample("s", dist.HalfNormal(1))
    chol = sd[:, None] * factor
    if form == "centred":
        v = sample("v", dist.MultivariateNormal(mean, scale_tril=chol).expand([groups]).to_event(1))
    else:
        z = sample("v_z", dist.Normal(0, 1).expand([groups, 2]).to_event(2))
        v = deterministic("v", mean + z @ chol.T)
    sample("y", dist.Normal(v[d["group"], 0] + v[d["group"], 1] * d["x"], s), obs=d["y"])


@twin(*BOTH)
def crossed(d: Data, form: str) -> None:
    a, t = sample("a", dist.Normal(0, 5)), sample("t", dist.HalfNormal(1).expand([2]).to_event(1))
    s = sample("s", dist.HalfNormal(1))
    u, w = _effects(form, "u", 0.0, t[0], 60), _effects(form, "w", 0.0, t[1], 12)
    sample("y", dist.Normal(a + u[d["rater"]] + w[d["item"]], s), obs=d["y"])


@twin(*BOTH)
def nested(d: Data, form: str) -> None:
    a, t = sample("a", dist.Normal(0, 5)), sample("t", dist.HalfNormal(1).expand([2]).to_event(1))
    s = sample("s", dist.HalfNormal(1))
    school = _effects(form, "school", a, t[0], 20)
    room = _effects(form, "room", school[d["school"]], t[1], 60)
    sample("y", dist.Normal(room[d["room"]], s), obs=d["y"])


@twin(*BOTH)
def eight_schools(d: Data, form: str) -> None:
    mu, tau = sample("mu", dist.Normal(0, 5)), sample("tau", dist.HalfCauchy(5))
    theta = _effects(form, "theta", mu, tau, 8)
    sample("y", dist.Normal(theta, d["error"]), obs=d["y"])


@twin(*BOTH)
def measurement_error(d: Data, form: str) -> None:
    a, b, s = sample("a", dist.Normal(0, 5)), sample("b", dist.Normal(0, 1)), sample("s", dist.HalfNormal(1))
    mu, sx = sample("mu", dist.Normal(0, 1)), sample("sx", dist.HalfNormal(1))
    x = _effects(form, "x", mu, sx, len(d["y"]))
    sample("seen", dist.Normal(x, 0.5), obs=d["seen"])
    sample("y", dist.Normal(a + b * x, s), obs=d["y"])


def _free(name: str, size: int) -> Any:
    return sample(name, dist.ImproperUniform(dist.constraints.real, (), (size,)))


@twin(*BOTH)
def local_level(d: Data, form: str) -> None:
    steps = len(d["y"])
    tau, s = sample("tau", dist.HalfNormal(1)), sample("s", dist.HalfNormal(1))
    if form == "centred":
        level = _free("level", steps)
        numpyro.factor("steps", dist.Normal(0, 5).log_prob(level[0]) + dist.Normal(level[:-1], tau).log_prob(level[1:]).sum())
    else:
        first, z = sample("level_first", dist.Normal(0, 5)), _normals("level_z", 0.0, 1.0, steps - 1)
        level = deterministic("level", first + tau * jnp.concatenate([jnp.zeros(1), jnp.cumsum(z)]))
    sample("y", dist.Normal(level, s), obs=d["y"])


@twin(*BOTH)
def autoregression(d: Data, form: str) -> None:
    steps = len(d["y"])
    phi, a = sample("phi", dist.Uniform(-1, 1)), sample("a", dist.Normal(0, 2))
    tau, s = sample("tau", dist.HalfNormal(1)), sample("s", dist.HalfNormal(1))
    if form == "centred":
        h = _free("h", steps)
        numpyro.factor("steps", dist.Normal(0, 1).log_prob(h[0]) + dist.Normal(phi * h[:-1], tau).log_prob(h[1:]).sum())
    else:
        first, z = sample("h_first", dist.Normal(0, 1)), _normals("h_z", 0.0, 1.0, steps - 1)
        _, later = jax.lax.scan(lambda past, noise: (phi * past + tau * noise,) * 2, first, z)
        h = deterministic("h", jnp.concatenate([first[None], later]))
    sample("y", dist.Normal(a + h, s), obs=d["y"])


@twin(*BOTH)
def spline(d: Data, form: str) -> None:
    tau, s, a = sample("tau", dist.HalfNormal(1)), sample("s", dist.HalfNormal(1)), sample("a", dist.Normal(0, 2))
    c = _effects(form, "c", 0.0, tau, d["basis"].shape[1])
    sample("y", dist.Normal(a + d["basis"] @ c, s), obs=d["y"])


@twin("marginal")
def gaussian_process(d: Data, form: str) -> None:
    rho, alpha = sample("rho", dist.InverseGamma(5, 5)), sample("alpha", dist.HalfNormal(1))
    s = sample("s", dist.HalfNormal(1))
    distance = (d["x"][:, None] - d["x"][None]) ** 2
    cov = alpha**2 * jnp.exp(-distance / (2 * rho**2)) + (1e-6 + s**2) * jnp.eye(len(d["x"]))
    sample("y", dist.MultivariateNormal(jnp.zeros(len(d["x"])), covariance_matrix=cov), obs=d["y"])


@twin("plain")
def rates(d: Data, form: str) -> None:
    shape, mean = sample("shape", dist.Gamma(2, 1)), sample("mean", dist.Gamma(2, 1))
    rate = sample("rate", dist.Gamma(shape, shape / mean).expand([40]).to_event(1))
    sample("y", dist.Poisson(rate[d["group"]] * d["exposure"]), obs=d["y"])


@twin(*BOTH)
def counts(d: Data, form: str) -> None:
    a, tau = sample("a", dist.Normal(0, 2)), sample("tau", dist.HalfNormal(1))
    u = _effects(form, "u", a, tau, 50)
    sample("y", dist.Poisson(jnp.exp(u[d["group"]])), obs=d["y"])


@twin(*BOTH)
def binomial(d: Data, form: str) -> None:
    a, b, tau = sample("a", dist.Normal(0, 2)), sample("b", dist.Normal(0, 1)), sample("tau", dist.HalfNormal(1))
    u = _effects(form, "u", 0.0, tau, 60)
    sample("y", dist.Binomial(d["trials"], logits=a + b * d["x"] + u[d["group"]]), obs=d["y"])


@twin("plain")
def heavy_tails(d: Data, form: str) -> None:
    a, b = sample("a", dist.Normal(0, 5)), _normals("b", 0.0, 1.0, 4)
    s = sample("s", dist.HalfNormal(1))
    sample("y", dist.StudentT(4, a + d["x"] @ b, s), obs=d["y"])
