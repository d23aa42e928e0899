"""Series in every form, each with its log density written by hand: a loop over time, element after element."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

import scistan as ss

Point = Mapping[str, Any]


@dataclass(frozen=True)
class Form:
    """A model of one series `y`, observed or latent, and the log density of `y` given all else."""

    name: str
    build: Callable[[np.ndarray | None, int], ss.Model]  # of values, or of a latent series this long
    by_hand: Callable[[np.ndarray, Point], float]
    latent: bool = True  # whether the series can be latent
    counts: bool = False
    width: int = 0  # of an element that is a vector


X = np.linspace(-1.0, 2.0, 400)


def _named(made: Any, values: np.ndarray | None) -> Any:
    return made if values is None else made.observe(values)


def _model() -> ss.Model:
    m = ss.Model("series")
    m.a = ss.Normal(0, 1)
    m.phi = ss.Normal(0, 0.4)
    m.tau = ss.HalfNormal(1)
    return m


def _length(values: np.ndarray | None, length: int) -> int | None:
    return length if values is None else None


def _walk(values: np.ndarray | None, length: int) -> ss.Model:
    m = _model()
    made = ss.Series(lambda past: ss.Normal(past[-1] + m.a, m.tau), start=ss.Normal(m.phi, 2),
                     length=_length(values, length))
    m.y = _named(made, values)
    return m


def _walk_by_hand(y: np.ndarray, p: Point) -> float:
    first = stats.norm(p["phi"], 2).logpdf(y[0])
    return float(first + sum(stats.norm(y[t - 1] + p["a"], p["tau"]).logpdf(y[t]) for t in range(1, len(y))))


def _two_lags(values: np.ndarray | None, length: int) -> ss.Model:
    m = _model()
    made = ss.Series(lambda past: ss.Normal(m.a + m.phi * past[-1] - 0.3 * past[-2], m.tau), start=ss.Normal(0, 2),
                     length=_length(values, length))
    m.y = _named(made, values)
    return m


def _two_lags_by_hand(y: np.ndarray, p: Point) -> float:
    first = stats.norm(0, 2).logpdf(y[:2]).sum()
    rest = (stats.norm(p["a"] + p["phi"] * y[t - 1] - 0.3 * y[t - 2], p["tau"]).logpdf(y[t]) for t in range(2, len(y)))
    return float(first + sum(rest))


def _covariate(values: np.ndarray | None, length: int) -> ss.Model:
    m = _model()
    m.x = ss.data(X[: length if values is None else len(values)])
    m.y = _named(ss.Series(lambda past, x: ss.Normal(m.phi * past[-1] + m.a * x, m.tau), start=ss.Normal(0, 2),
                           over=m.x), values)
    return m


def _covariate_by_hand(y: np.ndarray, p: Point) -> float:
    first = stats.norm(0, 2).logpdf(y[0])
    rest = (stats.norm(p["phi"] * y[t - 1] + p["a"] * X[t], p["tau"]).logpdf(y[t]) for t in range(1, len(y)))
    return float(first + sum(rest))


def _heavy(values: np.ndarray | None, length: int) -> ss.Model:
    m = _model()
    made = ss.Series(lambda past: ss.StudentT(4, m.a + m.phi * past[-1], m.tau), start=ss.Normal(0, 2),
                     length=_length(values, length))
    m.y = _named(made, values)
    return m


def _heavy_by_hand(y: np.ndarray, p: Point) -> float:
    first = stats.norm(0, 2).logpdf(y[0])
    rest = (stats.t(4, p["a"] + p["phi"] * y[t - 1], p["tau"]).logpdf(y[t]) for t in range(1, len(y)))
    return float(first + sum(rest))


def _state(values: np.ndarray | None, length: int) -> ss.Model:
    m = _model()

    def law(scale: Any, past: Any) -> Any:
        scale = ss.sqrt(m.tau + 0.2 * (past[-1] - m.a) ** 2 + 0.3 * ss.inv_logit(m.phi) * scale**2)
        return scale, ss.Normal(m.a, scale)

    m.y = _named(ss.Series(law, start=ss.Normal(0, 2), state=1.5, length=_length(values, length)), values)
    return m


def _state_by_hand(y: np.ndarray, p: Point) -> float:
    found, scale = stats.norm(0, 2).logpdf(y[0]), 1.5
    for t in range(1, len(y)):
        scale = np.sqrt(p["tau"] + 0.2 * (y[t - 1] - p["a"]) ** 2 + 0.3 / (1 + np.exp(-p["phi"])) * scale**2)
        found += stats.norm(p["a"], scale).logpdf(y[t])
    return float(found)


def _counts(values: np.ndarray | None, length: int) -> ss.Model:
    m = _model()
    m.y = _named(ss.Series(lambda past: ss.PoissonLog(m.a + m.phi * ss.log(past[-1] + 1) - m.tau), start="given"),
                 values)
    return m


def _counts_by_hand(y: np.ndarray, p: Point) -> float:
    rates = (np.exp(p["a"] + p["phi"] * np.log(y[t - 1] + 1) - p["tau"]) for t in range(1, len(y)))
    return float(sum(stats.poisson(rate).logpmf(y[t]) for t, rate in enumerate(rates, 1)))


def _chain(values: np.ndarray | None, length: int) -> ss.Model:
    m = _model()
    m.P = ss.Dirichlet(np.ones(3), shape=3)
    m.y = _named(ss.Series(lambda past: ss.Categorical(m.P[past[-1]]), start=ss.Categorical([0.2, 0.3, 0.5])), values)
    m.z = ss.Normal(m.a + m.phi, m.tau).observe(0.0)
    return m


def _chain_by_hand(y: np.ndarray, p: Point) -> float:
    rest = (np.log(np.asarray(p["P"])[y[t - 1], y[t]]) for t in range(1, len(y)))
    own = stats.norm(p["a"] + p["phi"], p["tau"]).logpdf(0.0)
    return float(np.log([0.2, 0.3, 0.5][y[0]]) + sum(rest) + own)


def _several(values: np.ndarray | None, length: int) -> ss.Model:
    m = _model()
    m.b = ss.Normal(0, 1, shape=2)
    made = ss.Series(lambda past: ss.Normal(m.phi * past[-1] + m.b, m.tau), start=ss.Normal(m.a, 2),
                     length=_length(values, length))
    m.y = _named(made, values)
    return m


def _several_by_hand(y: np.ndarray, p: Point) -> float:
    first = stats.norm(p["a"], 2).logpdf(y[0]).sum()
    rest = (stats.norm(p["phi"] * y[t - 1] + p["b"], p["tau"]).logpdf(y[t]).sum() for t in range(1, len(y)))
    return float(first + sum(rest))


def _vectors(values: np.ndarray | None, length: int) -> ss.Model:
    m = _model()
    m.A = ss.Normal(0, 0.4, shape=(2, 2))
    m.L = ss.LKJCholesky(2, 2)
    start = ss.MultivariateNormal(np.zeros(2), chol=np.eye(2))
    made = ss.Series(lambda past: ss.MultivariateNormal(m.A @ past[-1] + m.a + m.phi, chol=m.tau * m.L), start=start,
                     length=_length(values, length))
    m.y = _named(made, values)
    return m


def _vectors_by_hand(y: np.ndarray, p: Point) -> float:
    factor = p["tau"] * np.asarray(p["L"])
    found = stats.multivariate_normal(np.zeros(2), np.eye(2)).logpdf(y[0])
    for t in range(1, len(y)):
        found += stats.multivariate_normal(np.asarray(p["A"]) @ y[t - 1] + p["a"] + p["phi"], factor @ factor.T).logpdf(y[t])
    return float(found)


def _positive(values: np.ndarray | None, length: int) -> ss.Model:
    m = _model()
    made = ss.Series(lambda past: ss.LogNormal(m.a + m.phi * ss.log(past[-1]), m.tau), start=ss.LogNormal(0, 1),
                     length=_length(values, length))
    m.y = _named(made, values)
    return m


def _positive_by_hand(y: np.ndarray, p: Point) -> float:
    first = stats.lognorm(1, scale=1).logpdf(y[0])
    means = (p["a"] + p["phi"] * np.log(y[t - 1]) for t in range(1, len(y)))
    return float(first + sum(stats.lognorm(p["tau"], scale=np.exp(mu)).logpdf(y[t]) for t, mu in enumerate(means, 1)))


FORMS = [
    Form("walk", _walk, _walk_by_hand),
    Form("two_lags", _two_lags, _two_lags_by_hand),
    Form("covariate", _covariate, _covariate_by_hand),
    Form("heavy", _heavy, _heavy_by_hand),
    Form("state", _state, _state_by_hand),
    Form("counts", _counts, _counts_by_hand, latent=False, counts=True),
    Form("chain", _chain, _chain_by_hand, latent=False, counts=True),
    Form("several", _several, _several_by_hand, width=2),
    Form("vectors", _vectors, _vectors_by_hand, width=2),
    Form("positive", _positive, _positive_by_hand),
]


def series_values(form: Form, length: int, kind: str) -> np.ndarray:
    """Give values for a form: random, constant, sorted, alternating or zero."""
    rng = np.random.default_rng(7)
    shape = (length, form.width) if form.width else (length,)
    t = np.arange(length).reshape(-1, *(1,) * (len(shape) - 1))
    if form.counts:
        made = {"random": rng.integers(0, 3, shape), "constant": np.ones(shape),
                "sorted": np.sort(rng.integers(0, 3, shape)), "alternating": t % 2 + np.zeros(shape), "zero": np.zeros(shape)}
        return made[kind].astype(np.int64)
    made = {"random": rng.normal(size=shape), "constant": np.full(shape, 0.7), "sorted": t / length + np.zeros(shape),
            "alternating": (-1.0) ** t + np.zeros(shape), "zero": np.zeros(shape)}
    values = made[kind]
    return np.exp(values) if form.name == "positive" else values
