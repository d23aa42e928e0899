"""The tools that `bench/point_estimates.py` compares: each gives a trace of the log densities it reached, and when."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

import scistan as ss
from scistan.inference.point.objective import Objective

__all__ = ["Clock", "Problem", "Trace", "by_hand", "numpyro_run", "pymc_run", "scistan_run", "stan_run"]


class Clock:
    """CPU seconds, so that a busy machine matters less; or those on the wall."""

    read: Callable[[], float] = staticmethod(time.process_time)


@dataclass
class Trace:
    """When a run had reached which log density, in seconds since the call; `ready` is when it first had one."""

    points: list[tuple[float, float]] = field(default_factory=list)
    total: float = math.nan
    ready: float = 0.0
    note: str = ""

    @property
    def best(self) -> float:
        return max((value for _, value in self.points if math.isfinite(value)), default=-math.inf)

    def time_to(self, level: float) -> float:
        return next((when for when, value in self.points if value >= level), math.inf)


@dataclass
class Problem:
    """One model, written for each tool. The log density is over mu, log tau, log sigma, z, or over beta."""

    title: str
    model: ss.Model
    dimension: int
    log_density: Callable[[Any], Any]
    from_stan: Callable[[Any], np.ndarray]
    pymc: Callable[[], Any]
    numpyro: Callable[[], None]
    numpyro_jacobian: Callable[[dict[str, np.ndarray]], float]


def scistan_run(problem: Problem, **options: Any) -> Trace:
    """Watch every evaluation of `m.map`; lowering the model, audit and standard errors count in the whole."""
    trace = Trace()
    original = Objective.value_and_gradient
    begun = Clock.read()

    def watched(self: Objective, q: Any) -> Any:
        value, gradient = original(self, q)
        trace.points.append((Clock.read() - begun, float(value.max())))
        return value, gradient

    Objective.value_and_gradient = watched  # type: ignore[method-assign]
    try:
        estimate = problem.model.map(seed=1, progress=False, integrate=False, **options)
    finally:
        Objective.value_and_gradient = original  # type: ignore[method-assign]
    trace.total = Clock.read() - begun
    trace.ready = trace.points[0][0]
    verdict = "converged" if estimate.converged else "NOT converged"
    trace.note = f"{verdict}, {estimate.starts_agreeing} of {estimate.starts} agree, audit and standard errors included"
    return trace


def by_hand(problem: Problem) -> Trace:
    """Run torch.optim.LBFGS with its line search from 0, as one would write it."""
    trace = Trace()
    begun = Clock.read()
    q = torch.zeros(problem.dimension, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([q], max_iter=1000, history_size=20, line_search_fn="strong_wolfe",
                                  tolerance_grad=1e-6, tolerance_change=1e-12)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = -problem.log_density(q)
        loss.backward()
        trace.points.append((Clock.read() - begun, -float(loss.detach())))
        return loss

    optimizer.step(closure)
    trace.total = Clock.read() - begun
    trace.ready = trace.points[0][0]
    trace.note = f"{len(trace.points)} evaluations, no standard errors"
    return trace


def stan_run(problem: Problem) -> Trace:
    """Run stanli's L-BFGS, which is CmdStan's, from 0.

    It reports only its end, so it is run with more and more iterations: the shortest run that gets there is its time.
    """
    import stanli

    code = problem.model.stan_code(log_lik=False, predictive=False, log_prior=False)
    data = problem.model.stan_data()
    trace = Trace(ready=math.inf)
    for iterations in (10, 15, 20, 30, 40, 60, 80, 120, 2000):
        begun = Clock.read()
        made = stanli.Model(stan_code=code, data=data)
        trace.ready = min(trace.ready, Clock.read() - begun)
        found = made.optimize(seed=1, init_radius=0.0, iter=iterations)
        trace.total = Clock.read() - begun
        value = float(problem.log_density(torch.from_numpy(problem.from_stan(found))))
        trace.points.append((trace.total, value))
    trace.note = "no standard errors"
    return trace


def pymc_run(problem: Problem) -> Trace:
    """Run `pm.find_MAP()` as it is, watching its cost function; building the model does not count, compiling does."""
    import pymc as pm
    from pymc.tuning import starting

    model = problem.pymc()
    trace = Trace()
    original = starting.CostFuncWrapper.__call__
    begun = Clock.read()

    def watched(self: Any, x: Any) -> Any:
        if not trace.points:
            trace.ready = Clock.read() - begun
        result = original(self, x)
        value = result[0] if isinstance(result, tuple) else result
        trace.points.append((Clock.read() - begun, -float(value)))
        return result

    starting.CostFuncWrapper.__call__ = watched
    try:
        with model:
            pm.find_MAP(progressbar=False)
    finally:
        starting.CostFuncWrapper.__call__ = original
    trace.total = Clock.read() - begun
    trace.note = f"{len(trace.points)} evaluations, no standard errors"
    return trace


def numpyro_run(problem: Problem) -> Trace:
    """Maximize NumPyro's density, compiled by JAX, with SciPy's L-BFGS-B: it has no L-BFGS of its own."""
    import jax
    import numpyro
    from jax.flatten_util import ravel_pytree
    from numpyro.infer.util import initialize_model
    from scipy.optimize import minimize

    numpyro.enable_x64()
    trace = Trace()
    seen: list[np.ndarray] = []
    begun = Clock.read()
    info, potential, *_ = initialize_model(jax.random.PRNGKey(0), problem.numpyro)
    flat, unravel = ravel_pytree(info.z)
    function = jax.jit(jax.value_and_grad(lambda x: potential(unravel(x))))
    jax.block_until_ready(function(flat * 0.0))
    trace.ready = Clock.read() - begun

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = function(x)
        trace.points.append((Clock.read() - begun, -float(value)))
        seen.append(x.copy())
        return float(value), np.asarray(gradient)

    minimize(loss, np.zeros(flat.size), jac=True, method="L-BFGS-B", options={"maxcor": 20, "maxiter": 1000})
    trace.total = Clock.read() - begun
    jacobians = [problem.numpyro_jacobian(jax.tree.map(np.asarray, unravel(x))) for x in seen]
    trace.points = [(when, value - j) for (when, value), j in zip(trace.points, jacobians, strict=True)]
    trace.note = f"{len(trace.points)} evaluations, no standard errors"
    return trace
