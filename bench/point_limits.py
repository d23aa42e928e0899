"""The CPU seconds of estimates that were slow once, beside what each may take: covariances, and many variables.

    python bench/point_limits.py

The last column divides by the CPU time of one evaluation with gradient of a Gaussian process that is written by hand
in torch, measured before and after: on a busy machine a second of the processor holds less work, and it tells how much.
"""

from __future__ import annotations

import json
import statistics
import time
import warnings
from collections.abc import Callable

import numpy as np
import torch

import scistan as ss

POINTS = 150


def process(kind: str) -> ss.Model:
    """Write a latent Gaussian process with normal noise, known noise, or counts."""
    rng = np.random.default_rng(1)
    x = np.sort(rng.uniform(0, 10, POINTS))
    truth = np.sin(x) + 0.3 * np.cos(3 * x)
    m = ss.Model("process")
    m.x = ss.data(x)
    m.length, m.amplitude = ss.InvGamma(5, 5), ss.HalfNormal(1)
    distance = (m.x[:, None] - m.x[None, :]) / m.length
    kernel = m.amplitude**2 * ss.exp(-0.5 * distance**2) + 1e-6 * np.eye(POINTS)
    m.f = ss.MultivariateNormal(np.zeros(POINTS), cov=kernel)
    if kind == "counts":
        m.y = ss.PoissonLog(m.f).observe(rng.poisson(np.exp(truth)))
        return m
    if kind == "noise":
        m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.f, m.sigma if kind == "noise" else 0.3).observe(truth + 0.3 * rng.normal(size=POINTS))
    return m


def many_variables(count: int) -> ss.Model:
    rng = np.random.default_rng(0)
    m = ss.Model("variables")
    for k in range(count):
        setattr(m, f"a{k}", ss.Normal(0, 1))
        setattr(m, f"y{k}", ss.Normal(getattr(m, f"a{k}"), 1).observe(rng.normal()))
    return m


def autoregression(length: int) -> ss.Model:
    rng = np.random.default_rng(0)
    y = np.zeros(length)
    for t in range(1, length):
        y[t] = 0.7 * y[t - 1] + 0.5 * rng.normal()
    m = ss.Model("autoregression")
    m.lag = ss.data(np.abs(np.subtract.outer(np.arange(length), np.arange(length))).astype(float))
    m.phi, m.sigma = ss.Uniform(0, 1), ss.HalfNormal(1)
    m.y = ss.MultivariateNormal(np.zeros(length), cov=m.sigma**2 * m.phi**m.lag).observe(y)
    return m


MODELS: dict[str, tuple[Callable[[], ss.Model], float]] = {
    f"latent process of {POINTS} points, noise latent": (lambda: process("noise"), 6.0),
    f"latent process of {POINTS} points, noise known": (lambda: process("known"), 6.0),
    f"latent process of {POINTS} points, counts": (lambda: process("counts"), 6.0),
    "300 variables": (lambda: many_variables(300), 2.0),
    "AR(1) of 300 steps as a multivariate normal": (lambda: autoregression(300), 10.0),
}


def by_hand() -> float:
    """Give the CPU seconds of one evaluation with gradient, in the middle of forty."""
    x = torch.linspace(0, 10, POINTS, dtype=torch.float64)
    apart, y = (x[:, None] - x).square(), torch.sin(x)
    jitter = 1e-6 * torch.eye(POINTS, dtype=torch.float64)
    times = []
    for _ in range(40):
        begun = time.process_time()
        q = torch.zeros(POINTS + 3, dtype=torch.float64, requires_grad=True)
        factor = torch.linalg.cholesky((2 * q[1] - 0.5 * apart * (-2 * q[0]).exp()).exp() + jitter)
        away = (y - factor @ q[3:]) * (-q[2]).exp()
        torch.autograd.grad(-0.5 * (away.square().sum() + q[3:].square().sum()) - POINTS * q[2], q)
        times.append(time.process_time() - begun)
    return statistics.median(times)


def main() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    many_variables(2).map(seed=1, progress=False)  # torch itself
    rows = []
    print("| | CPU | may take | evaluations | starts that agree | evaluations by hand in that time |")
    print("|---|---|---|---|---|---|")
    for name, (make, limit) in MODELS.items():
        model, unit = make(), by_hand()
        begun = time.process_time()
        found = model.map(seed=1, progress=False, integrate=False)
        seconds = time.process_time() - begun
        unit = (unit + by_hand()) / 2
        rows.append({"model": name, "seconds": seconds, "limit": limit, "unit": unit, "converged": found.converged})
        agree = f"{found.starts_agreeing} of {found.starts}"
        print(f"| {name} | {seconds:.2f} s | {limit:.0f} s | {found.evaluations} | {agree} | {seconds / unit:.0f} |")
    print("\n" + json.dumps(rows))


if __name__ == "__main__":
    main()
