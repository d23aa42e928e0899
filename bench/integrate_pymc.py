"""The models of bench/integrate.py as a user of PyMC writes them, on the same arrays.

Made as bench/integrate_numpyro.py is, with the same names and forms; what differs is what PyMC has a word for: correlated
effects (`LKJCholeskyCov`), a random walk, an autoregression, a Gaussian process with its values integrated out (`gp.Marginal`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

with contextlib.suppress(ImportError):  # the file can be read where PyMC is not
    import pymc as pm
    import pytensor.tensor as pt

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


def _effects(form: str, name: str, mean: Any, scale: Any, size: int) -> Any:
    if form == "centred":
        return pm.Normal(name, mean, scale, shape=size)
    return pm.Deterministic(name, mean + scale * pm.Normal(f"{name}_z", 0, 1, shape=size))


@twin("plain")
def regression(d: Data, form: str) -> None:
    a, b, s = pm.Normal("a", 0, 5), pm.Normal("b", 0, 1, shape=d["x"].shape[1]), pm.HalfNormal("s", 1)
    pm.Normal("y", a + d["x"] @ b, s, observed=d["y"])


@twin("plain")
def years(d: Data, form: str) -> None:
    a, b, s = pm.Normal("a", 0, 100), pm.Normal("b", 0, 1), pm.HalfNormal("s", 1)
    pm.Normal("y", a + b * d["year"], s, observed=d["y"])


@twin(*BOTH)
def mixed(d: Data, form: str) -> None:
    a, b, tau, s = pm.Normal("a", 0, 5), pm.Normal("b", 0, 1), pm.HalfNormal("tau", 1), pm.HalfNormal("s", 1)
    u = _effects(form, "u", 0, tau, int(d["group"].max()) + 1)
    pm.Normal("y", a + b * d["x"] + u[d["group"]], s, observed=d["y"])


@twin(*BOTH)
def radon(d: Data, form: str) -> None:
    g, floor = pm.Normal("g", 0, 2, shape=2), pm.Normal("floor", 0, 1)
    tau, s = pm.HalfNormal("tau", 1), pm.HalfNormal("s", 1)
    county = _effects(form, "county", g[0] + g[1] * d["uranium"], tau, len(d["uranium"]))
    pm.Normal("y", county[d["county"]] + floor * d["floor"], s, observed=d["y"])


@twin(*BOTH)
def slopes(d: Data, form: str) -> None:
    groups = int(d["group"].max()) + 1
    mean, s = pm.Normal("mean", 0, 2, shape=2), pm.HalfNormal("s", 1)
    chol, _, sd = pm.LKJCholeskyCov("packed", n=2, eta=2.0, sd_dist=pm.HalfNormal.dist(1, shape=2), compute_corr=True)
    pm.Deterministic("sd", sd)
    pm.Deterministic("factor", chol / sd[:, None])
    if form == "centred":
        v = pm.MvNormal("v", mean, chol=chol, shape=(groups, 2))
    else:
        v = pm.Deterministic("v", mean + pm.Normal("v_z", 0, 1, shape=(groups, 2)) @ chol.T)
    pm.Normal("y", v[d["group"], 0] + v[d["group"], 1] * d["x"], s, observed=d["y"])


@twin(*BOTH)
def crossed(d: Data, form: str) -> None:
    a, t, s = pm.Normal("a", 0, 5), pm.HalfNormal("t", 1, shape=2), pm.HalfNormal("s", 1)
    u, w = _effects(form, "u", 0, t[0], 60), _effects(form, "w", 0, t[1], 12)
    pm.Normal("y", a + u[d["rater"]] + w[d["item"]], s, observed=d["y"])


@twin(*BOTH)
def nested(d: Data, form: str) -> None:
    a, t, s = pm.Normal("a", 0, 5), pm.HalfNormal("t", 1, shape=2), pm.HalfNormal("s", 1)
    school = _effects(form, "school", a, t[0], 20)
    room = _effects(form, "room", school[d["school"]], t[1], 60)
    pm.Normal("y", room[d["room"]], s, observed=d["y"])


@twin(*BOTH)
def eight_schools(d: Data, form: str) -> None:
    mu, tau = pm.Normal("mu", 0, 5), pm.HalfCauchy("tau", 5)
    pm.Normal("y", _effects(form, "theta", mu, tau, 8), d["error"], observed=d["y"])


@twin(*BOTH)
def measurement_error(d: Data, form: str) -> None:
    a, b, s = pm.Normal("a", 0, 5), pm.Normal("b", 0, 1), pm.HalfNormal("s", 1)
    mu, sx = pm.Normal("mu", 0, 1), pm.HalfNormal("sx", 1)
    x = _effects(form, "x", mu, sx, len(d["y"]))
    pm.Normal("seen", x, 0.5, observed=d["seen"])
    pm.Normal("y", a + b * x, s, observed=d["y"])


@twin(*BOTH)
def local_level(d: Data, form: str) -> None:
    steps = len(d["y"])
    tau, s = pm.HalfNormal("tau", 1), pm.HalfNormal("s", 1)
    if form == "centred":
        level = pm.GaussianRandomWalk("level", mu=0, sigma=tau, init_dist=pm.Normal.dist(0, 5), steps=steps - 1)
    else:
        first, z = pm.Normal("level_first", 0, 5), pm.Normal("level_z", 0, 1, shape=steps - 1)
        level = pm.Deterministic("level", first + tau * pt.concatenate([np.zeros(1), pt.cumsum(z)]))
    pm.Normal("y", level, s, observed=d["y"])


@twin("centred")
def autoregression(d: Data, form: str) -> None:
    phi, a = pm.Uniform("phi", -1, 1), pm.Normal("a", 0, 2)
    tau, s = pm.HalfNormal("tau", 1), pm.HalfNormal("s", 1)
    h = pm.AR("h", rho=[phi], sigma=tau, init_dist=pm.Normal.dist(0, 1), steps=len(d["y"]) - 1)
    pm.Normal("y", a + h, s, observed=d["y"])


@twin(*BOTH)
def spline(d: Data, form: str) -> None:
    tau, s, a = pm.HalfNormal("tau", 1), pm.HalfNormal("s", 1), pm.Normal("a", 0, 2)
    c = _effects(form, "c", 0, tau, d["basis"].shape[1])
    pm.Normal("y", a + d["basis"] @ c, s, observed=d["y"])


@twin("marginal")
def gaussian_process(d: Data, form: str) -> None:
    rho, alpha, s = pm.InverseGamma("rho", 5, 5), pm.HalfNormal("alpha", 1), pm.HalfNormal("s", 1)
    gp = pm.gp.Marginal(cov_func=alpha**2 * pm.gp.cov.ExpQuad(1, ls=rho))
    gp.marginal_likelihood("y", X=d["x"][:, None], y=d["y"], sigma=s, jitter=1e-6)


@twin("plain")
def rates(d: Data, form: str) -> None:
    shape, mean = pm.Gamma("shape", 2, 1), pm.Gamma("mean", 2, 1)
    rate = pm.Gamma("rate", shape, shape / mean, shape=40)
    pm.Poisson("y", rate[d["group"]] * d["exposure"], observed=d["y"])


@twin(*BOTH)
def counts(d: Data, form: str) -> None:
    a, tau = pm.Normal("a", 0, 2), pm.HalfNormal("tau", 1)
    u = _effects(form, "u", a, tau, 50)
    pm.Poisson("y", pm.math.exp(u[d["group"]]), observed=d["y"])


@twin(*BOTH)
def binomial(d: Data, form: str) -> None:
    a, b, tau = pm.Normal("a", 0, 2), pm.Normal("b", 0, 1), pm.HalfNormal("tau", 1)
    u = _effects(form, "u", 0, tau, 60)
    pm.Binomial("y", n=d["trials"], logit_p=a + b * d["x"] + u[d["group"]], observed=d["y"])


@twin("plain")
def heavy_tails(d: Data, form: str) -> None:
    a, b, s = pm.Normal("a", 0, 5), pm.Normal("b", 0, 1, shape=4), pm.HalfNormal("s", 1)
    pm.StudentT("y", nu=4, mu=a + d["x"] @ b, sigma=s, observed=d["y"])
