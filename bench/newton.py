"""Newton-CG on many coordinates beside SciPy's trust-ncg, L-BFGS of SciStan and of torch, and optimistix.

Every tool but optimistix maximizes the same density in torch from 0, on one thread; optimistix has the same density by
`m.to_jax()`. CPU seconds to the tool's own end, gradients and products with the Hessian, and how far below the best log
density it ended. `python bench/newton.py`, with `--size 10000` for a quick look; optimistix where it is installed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

import scistan as ss
from scistan.inference.point.lbfgs import climb
from scistan.inference.point.maximize import lower
from scistan.inference.point.newton import climb_newton
from scistan.inference.point.objective import Objective
from scistan.inference.point.options import Options
from scistan.targets.torch import choose_target

MOST = 1000


@dataclass
class Run:
    """Where a tool ended, and what it took."""

    value: float
    slope: float
    seconds: float
    gradients: int
    products: int = 0
    note: str = ""


def groups(size: int) -> ss.Model:
    """Counts with an effect of each group."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=size)
    m = ss.Model("groups")
    m.x = ss.data(x)
    m.a, m.b = ss.Normal(0, 2), ss.Normal(0, 1)
    m.u = ss.Normal(0, 0.7, shape=size)
    m.y = ss.Poisson(ss.exp(m.a + m.b * m.x + m.u)).observe(rng.poisson(np.exp(1 + 0.5 * x + 0.7 * rng.normal(size=size))))
    return m


def steps(size: int) -> ss.Model:
    """Counts along a random walk, whose steps are the latents."""
    rng = np.random.default_rng(1)
    walk = 0.005 * np.cumsum(rng.normal(size=size))
    m = ss.Model("steps")
    m.z = ss.Normal(0, 1, shape=size)
    m.y = ss.Poisson(ss.exp(1 + 0.005 * ss.cumsum(m.z))).observe(rng.poisson(np.exp(1 + walk - walk.mean())))
    return m


def field(size: int) -> ss.Model:
    """Counts on a grid, neighbours alike."""
    side = round(size**0.5)
    rng, at = np.random.default_rng(1), np.arange(side) / side
    m = ss.Model("field")
    m.f = ss.Normal(0, 3, shape=(side, side))
    m.down = ss.Normal(m.f[1:] - m.f[:-1], 0.1).observe(np.zeros((side - 1, side)))
    m.across = ss.Normal(m.f[:, 1:] - m.f[:, :-1], 0.1).observe(np.zeros((side, side - 1)))
    m.y = ss.Poisson(ss.exp(m.f)).observe(rng.poisson(np.exp(np.sin(6 * at)[:, None] * np.cos(6 * at))))
    return m


def objective_of(model: ss.Model) -> Objective:
    """Lower the model; what torch loads for its first second derivative is nobody's time."""
    objective = lower(model.instance(), "map", Options(integrate=False), choose_target("cpu", "float64"))
    q = torch.zeros(objective.dimension, dtype=torch.float64)
    objective.value_and_gradient(q[None])
    objective.products_at(q)(q)
    objective.evaluations = objective.products = 0
    return objective


def ours(ascend: Callable[..., Any], objective: Objective) -> Run:
    start = torch.zeros((1, objective.dimension), dtype=torch.float64)
    begun = time.process_time()
    found = ascend(objective, start, tolerance=1e-10, max_iterations=MOST)
    seconds = time.process_time() - begun
    slope = float(found.gradient.abs().max())
    return Run(float(found.value[0]), slope, seconds, objective.evaluations, objective.products, found.stopped[0])


def trust_ncg(objective: Objective) -> Run:
    """SciPy's, on the same values, gradients and products."""
    from scipy.optimize import minimize

    kept: dict[str, Any] = {}

    def loss(q: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = objective.value_and_gradient(torch.from_numpy(q.copy())[None])
        return -float(value[0]), -gradient[0].numpy()

    def product(q: np.ndarray, vector: np.ndarray) -> np.ndarray:
        if kept.get("at") is None or not np.array_equal(kept["at"], q):
            kept["at"], kept["multiply"] = q.copy(), objective.products_at(torch.from_numpy(q.copy()))
        return -kept["multiply"](torch.from_numpy(vector.copy())).numpy()

    begun = time.process_time()
    found = minimize(loss, np.zeros(objective.dimension), jac=True, hessp=product, method="trust-ncg",
                     options={"gtol": 1e-6, "maxiter": MOST})
    seconds = time.process_time() - begun
    return Run(-found.fun, float(np.abs(found.jac).max()), seconds, objective.evaluations, objective.products,
               found.message.rstrip(".").lower())


def torch_lbfgs(objective: Objective) -> Run:
    q = torch.zeros(objective.dimension, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([q], max_iter=MOST, max_eval=2 * MOST, history_size=20,
                                  line_search_fn="strong_wolfe", tolerance_grad=1e-6, tolerance_change=1e-12)
    last: dict[str, float] = {}

    def closure() -> Any:
        value, gradient = objective.value_and_gradient(q.detach()[None])
        q.grad = -gradient[0]
        last["value"], last["slope"] = float(value[0]), float(gradient.abs().max())
        return -value[0]

    begun = time.process_time()
    optimizer.step(closure)
    seconds = time.process_time() - begun
    evaluations = objective.evaluations
    closure()
    return Run(last["value"], last["slope"], seconds, evaluations)


def optimistix_lbfgs(model: ss.Model) -> Run:
    """optimistix's L-BFGS on the density in JAX: its other minimizers hold n² numbers, or need tuning."""
    import jax
    import optimistix

    with jax.enable_x64(True):
        density = model.to_jax()
        start = jax.numpy.zeros(density.dimension)

        def loss(q: Any, data: Any) -> Any:
            return -density.log_density(q, data)

        begun = time.process_time()
        found = optimistix.minimise(loss, optimistix.LBFGS(rtol=1e-9, atol=1e-9), start, args=density.data,
                                    max_steps=2 * MOST, throw=False)
        value, gradient = density.value_and_gradient(found.value)
        seconds = time.process_time() - begun
    slope, taken = float(np.abs(gradient).max()), int(found.stats["num_steps"])
    return Run(float(value), slope, seconds, taken, note="with compiling; steps")


TOOLS: dict[str, Callable[[ss.Model], Run]] = {
    "SciStan, Newton-CG": lambda m: ours(climb_newton, objective_of(m)),
    "SciStan, L-BFGS": lambda m: ours(climb, objective_of(m)),
    "SciPy, trust-ncg": lambda m: trust_ncg(objective_of(m)),
    "torch, L-BFGS": lambda m: torch_lbfgs(objective_of(m)),
    "optimistix, L-BFGS": optimistix_lbfgs,
}


def main() -> None:
    read = argparse.ArgumentParser(description=__doc__)
    read.add_argument("--size", type=int, default=100_000)
    read.add_argument("--models", nargs="*", default=["groups", "steps", "field"])
    asked = read.parse_args()
    torch.set_num_threads(1)
    for name in asked.models:
        model = {"groups": groups, "steps": steps, "field": field}[name](asked.size)
        runs: dict[str, Run] = {}
        for tool, run in TOOLS.items():
            try:
                runs[tool] = run(model)
            except ImportError as error:
                print(f"{tool}: left out, {error}")
        best = max(run.value for run in runs.values())
        own = runs["SciStan, Newton-CG"].seconds
        print(f"\n{name}, {asked.size:,} coordinates; the best log density is {best:.4f}")
        for tool, run in runs.items():
            print(f"  {tool:<20} {run.seconds:8.2f} s ({run.seconds / own:5.1f}×)  {run.gradients:5d} gradients "
                  f"{run.products:6d} products  {best - run.value:9.2e} below  slope {run.slope:.1e}  {run.note}", flush=True)


if __name__ == "__main__":
    main()
