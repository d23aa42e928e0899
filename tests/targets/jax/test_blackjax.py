"""`m.to_jax()` in blackjax's own hands, as a user would write it, and Stan: one posterior, for models of many kinds."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import scistan as ss
from tests.inference.test_mcmc_agreement import agree
from tests.zoo import counts, dirichlets, ordinal, varying_intercepts

jax = pytest.importorskip("jax", reason="JAX is not installed")
blackjax = pytest.importorskip("blackjax", reason="blackjax is not installed")
CHAINS, WARMUP, DRAWS = 4, 500, 1000


def series() -> ss.Model:
    """Give a latent autoregression under counts: coordinates are its innovations."""
    m = ss.Model("series")
    m.a, m.phi, m.tau = ss.Normal(0, 1), ss.Uniform(-0.9, 0.9), ss.Gamma(4, 8)
    m.level = ss.Series(lambda past: ss.Normal(m.a + m.phi * past[-1], m.tau), start=ss.Normal(0, 1), length=12)
    m.y = ss.PoissonLog(m.level).observe([1, 0, 2, 3, 3, 5, 4, 2, 1, 0, 1, 2])
    return m


def regimes() -> ss.Model:
    """Give a hidden Markov model, whose states are summed out along the chain."""
    m = ss.Model("regimes")
    m.P, m.mu = ss.Dirichlet(np.array([[4.0, 1.0], [1.0, 4.0]])), ss.Normal([-1.0, 1.0], 1, constraint="ordered")
    m.s = ss.Series(lambda past: ss.Categorical(m.P[past[-1]]), start=ss.Categorical([0.5, 0.5]), length=15)
    m.y = ss.Normal(m.mu[m.s], 0.8).observe(np.r_[np.linspace(-1.5, -0.3, 6), np.linspace(0.5, 2.0, 5), -1.0, -0.5, -0.7, -1.2])
    return m


MODELS = {f.__name__: f for f in (counts, varying_intercepts, dirichlets, ordinal, series, regimes)}
IN_CI = "counts"  # compiling takes ten seconds and more


def sampled(m: ss.Model, seed: int) -> dict[str, np.ndarray]:
    """Sample by blackjax: adapt, walk, constrain; nothing of ours but the density and the way back."""
    density = m.to_jax()
    with jax.enable_x64(True):
        warmup = blackjax.window_adaptation(blackjax.nuts, density.log_density, target_acceptance_rate=0.9)

        def chain(key, q):
            first, second = jax.random.split(key)
            (state, parameters), _ = warmup.run(first, q, WARMUP)
            kernel = blackjax.nuts(density.log_density, **parameters)
            step = lambda state, key: (lambda new: (new, new.position))(kernel.step(key, state)[0])
            return jax.lax.scan(step, state, jax.random.split(second, DRAWS))[1]

        starts = np.random.default_rng(seed).uniform(-1, 1, (CHAINS, density.dimension))
        walked = jax.jit(jax.vmap(chain))(jax.random.split(jax.random.key(seed), CHAINS), starts)
        values = jax.vmap(jax.vmap(density.constrain))(walked)
        return {name: np.asarray(values[name]) for name in density.names}


@pytest.mark.filterwarnings("ignore::scistan.messages.sampling.ChainWarning")
@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n == IN_CI else pytest.mark.long) for n in MODELS])
def test_the_posterior_is_stans(name: str) -> None:
    by_stan = MODELS[name]().mcmc(draws=1500, warmup=700, seed=1, engine="stanli", adapt_delta=0.95, integrate=False,
                                  progress=False)
    ours = sampled(MODELS[name](), seed=2)
    agree(SimpleNamespace(posterior=ours), SimpleNamespace(posterior={n: by_stan.posterior[n] for n in ours}))
