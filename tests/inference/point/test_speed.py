"""What an estimate costs: coordinates are cut in one step, and the seconds of models that were slow once."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

import scistan as ss
from scistan.passes import run_passes
from scistan.targets.scipy import joint_log_density
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


def many_scales(count: int) -> ss.Model:
    """Write single numbers of two domains in turn, each with an observation."""
    rng = np.random.default_rng(0)
    m = ss.Model("scales")
    for k in range(count):
        setattr(m, f"s{k}", ss.HalfNormal(1.5))
        setattr(m, f"p{k}", ss.Beta(2, 2))
        setattr(m, f"y{k}", ss.Normal(0.1, getattr(m, f"s{k}")).observe(rng.normal()))
        setattr(m, f"z{k}", ss.Binomial(7, getattr(m, f"p{k}")).observe(rng.integers(0, 8)))
    return m


def vectorized(model: ss.Model) -> TorchDensity:
    instance = model.instance()
    return TorchDensity(replace(instance, graph=run_passes(instance.graph, vectorize=True).plain))


@pytest.mark.parametrize("jacobian", [False, True])
def test_scalars_set_together_are_those_set_one_by_one(jacobian: bool) -> None:
    m = many_scales(6)
    density = vectorized(m)
    for shape in ((12,), (3, 12)):
        q = torch.from_numpy(np.random.default_rng(1).normal(size=shape))
        found = density.log_density(q, jacobian=jacobian).reshape(-1)
        for row, value in zip(q.reshape(-1, 12), found, strict=True):
            evaluator, added, _ = density.constrain(row)
            latents = {b.term.value: evaluator[b.term.value].array.numpy() for b in density.blocks}
            expected = joint_log_density(m.instance(), latents) + (float(added) if jacobian else 0.0)
            assert float(value) == pytest.approx(expected, rel=1e-12)


def test_scales_of_one_domain_are_steps_of_all_of_them() -> None:
    """A gradient of twice as many positive numbers is longer, and no more steps."""

    def steps(count: int) -> int:
        m = ss.Model("scales")
        for k in range(count):
            setattr(m, f"s{k}", ss.HalfNormal(1))
            setattr(m, f"y{k}", ss.Normal(0, getattr(m, f"s{k}")).observe(0.1 * k))
        density = vectorized(m)
        q = torch.zeros(density.dimension, dtype=torch.float64, requires_grad=True)
        seen, stack = set(), [density.log_density(q).grad_fn]
        while stack:
            node = stack.pop()
            if node is not None and node not in seen:
                seen.add(node)
                stack += [parent for parent, _ in node.next_functions]
        return len(seen)

    assert steps(40) == steps(20) < 30


def test_an_estimate_gives_torch_its_threads_back() -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        many_scalars(3).map(seed=1)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


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
