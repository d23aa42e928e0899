"""Threads within a chain: the compiled program has the same density, and the posterior is the same."""

from __future__ import annotations

import numpy as np
import pytest

from scistan.diagnostics.statistics import bulk_ess
from scistan.engines.assemble import cores_for
from scistan.engines.density import StanDensity
from scistan.targets.stan.program import lower_to_stan
from tests.targets.test_stan_threads import QUIET, group_model

SHORT = {"draws": 500, "warmup": 500, "progress": False}


def same_posterior(one, other) -> None:
    """Compare means within five Monte-Carlo errors of their difference."""
    for name, draws in one.posterior.items():
        others = other.posterior[name]
        error = np.sqrt(draws.var((0, 1)) / bulk_ess(draws) + others.var((0, 1)) / bulk_ess(others))
        assert np.all(np.abs(draws.mean((0, 1)) - others.mean((0, 1))) < 5 * error), name


def test_the_embedded_engine_sums_in_slices():
    m = group_model()
    threaded = m.mcmc(engine="stanli", seed=1, threads_per_chain=2, **SHORT)
    assert "reduce_sum(" in threaded.subject.program.text
    same_posterior(threaded, m.mcmc(engine="stanli", seed=2, **SHORT))


def test_chains_leave_cores_to_each_others_threads(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(8), raising=False)
    assert [cores_for(4, None, threads) for threads in (1, 2, 4, 16)] == [4, 4, 2, 1]
    assert cores_for(4, 3, 4) == 3


@pytest.mark.slow
def test_the_compiled_program_sums_in_slices():
    cmdstanpy = pytest.importorskip("cmdstanpy")
    m = group_model()
    executable = m.compile(threads=True, progress=False)
    program = lower_to_stan(m.to_graph(), **QUIET)
    data = m.stan_data()
    plain = StanDensity(program.text, data)
    compiled = cmdstanpy.CmdStanModel(exe_file=str(executable))
    rng = np.random.default_rng(4)
    gaps = []
    for _ in range(2):
        q = 0.5 * rng.normal(size=plain.dimension)
        values = {name: value.tolist() for name, value in plain.constrain(q).items()}
        given = {name: np.asarray(value).tolist() for name, value in data.items()}
        found = compiled.log_prob(values, data=given, jacobian=True).iloc[0].to_numpy()
        value, slope = plain.log_density_gradient(q)
        np.testing.assert_allclose(found[1:], slope, rtol=1e-6, atol=1e-6 * np.abs(slope).max())
        gaps.append(found[0] - value)
    assert gaps[0] == pytest.approx(gaps[1], abs=1e-5)
    fit = m.mcmc(engine="cmdstan", seed=1, threads_per_chain=2, **SHORT)
    same_posterior(fit, m.mcmc(engine="stanli", seed=2, **SHORT))
