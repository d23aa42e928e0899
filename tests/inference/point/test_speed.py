"""What an estimate costs: coordinates are cut in one step, and the seconds of models that were slow once."""

from __future__ import annotations

import time

import numpy as np
import pytest

import scistan as ss
from scistan.targets.torch import TorchDensity
from tests.zoo import ZOO

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("name", ZOO)
def test_coordinates_cut_at_once_are_those_cut_one_by_one(name):
    density = TorchDensity(ZOO[name]().instance())
    for shape in ((density.dimension,), (3, density.dimension)):
        q = torch.from_numpy(np.random.default_rng(0).normal(size=shape))
        for block, cut in zip(density.blocks, density._cut(q), strict=True):
            torch.testing.assert_close(cut, density.coordinates(block, q), rtol=0, atol=0)


def many_scalars(count: int) -> ss.Model:
    rng = np.random.default_rng(0)
    m = ss.Model("scalars")
    for k in range(count):
        setattr(m, f"a{k}", ss.Normal(0, 1))
        setattr(m, f"y{k}", ss.Normal(getattr(m, f"a{k}"), 1).observe(rng.normal()))
    return m


def gradient_steps(model: ss.Model) -> int:
    """Count the steps on the way back from the density to the coordinates, and the numbers they are as long as."""
    density = TorchDensity(model.instance())
    q = torch.zeros(density.dimension, dtype=torch.float64, requires_grad=True)
    seen, stack = set(), [density.log_density(q).grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen.add(node)
            stack += [parent for parent, _ in node.next_functions]
    return sum("Slice" in type(node).__name__ for node in seen)


def test_no_gradient_is_as_long_as_all_coordinates_for_each_of_them():
    assert gradient_steps(many_scalars(20)) == 0


def autoregression(length: int) -> ss.Model:
    rng = np.random.default_rng(0)
    y = np.zeros(length)
    for t in range(1, length):
        y[t] = 0.7 * y[t - 1] + 0.5 * rng.normal()
    m = ss.Model("ar1")
    m.lag = ss.data(np.abs(np.subtract.outer(np.arange(length), np.arange(length))).astype(float))
    m.phi = ss.Uniform(0, 1)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.MultivariateNormal(np.zeros(length), cov=m.sigma**2 * m.phi**m.lag).observe(y)
    return m


def test_an_autoregression_as_a_multivariate_normal_is_that_of_its_steps():
    whole = autoregression(60)
    y = np.array(whole.instance().values[whole.to_graph().observed[0].value])
    m = ss.Model("steps")
    m.phi = ss.Uniform(0, 1)
    m.sigma = ss.HalfNormal(1)
    m.first = ss.Normal(0, m.sigma).observe(y[0])
    m.rest = ss.Normal(m.phi * y[:-1], m.sigma * ss.sqrt(1 - m.phi**2)).observe(y[1:])
    one, two = (model.map(seed=1, starts=2, progress=False) for model in (whole, m))
    for name in ("phi", "sigma"):
        np.testing.assert_allclose(one[name], two[name], rtol=1e-5)
        np.testing.assert_allclose(one.std_errors[name], two.std_errors[name], rtol=1e-5)


@pytest.mark.long
@pytest.mark.parametrize(("model", "seconds"), [(lambda: many_scalars(300), 2.0), (lambda: autoregression(300), 10.0)])
def test_seconds_of_the_processor(model, seconds):
    many_scalars(2).map(seed=1, progress=False)  # torch itself
    made = model()
    begun = time.process_time()
    assert made.map(seed=1, progress=False).converged
    assert time.process_time() - begun < seconds
