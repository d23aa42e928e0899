"""The flat twin: the Jacobian of the parameters and nothing else, on no more data than that needs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import scistan as ss
from scistan.engines.density import StanDensity
from scistan.targets.stan.program import Block, lower_to_stan
from scistan.targets.stan.twin import flat_twin
from tests.zoo import ZOO, eight_schools, logistic

BARE = {"log_lik": False, "predictive": False, "log_prior": False}


def whole_twin(program) -> str:
    """Give the twin with every statement but those of the density."""
    jacobians = tuple(s for p in program.parameters for s in (*p.jacobian, *p.volume))
    kept = tuple(b for b in program.blocks if b.name not in ("model", "generated quantities"))
    return replace(program, blocks=(*kept, Block("model", jacobians)), generated=(), log_prior="").text


@pytest.mark.parametrize("name", ZOO)
def test_what_is_pruned_is_not_missed(name):
    instance = ZOO[name]().instance()
    program = lower_to_stan(instance.graph, **BARE)
    data, twin = program.data(instance), flat_twin(program)
    whole = StanDensity(whole_twin(program), data)
    pruned = None if twin is None else StanDensity(twin.text, twin.data(data))
    for q in np.random.default_rng(0).uniform(-2, 2, (3, whole.dimension)):
        expected = whole.log_density_gradient(q)
        found = (0.0, np.zeros_like(q)) if pruned is None else pruned.log_density_gradient(q)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-14)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-14)


def test_free_parameters_have_none():
    assert flat_twin(lower_to_stan(logistic().instance().graph)) is None


def test_only_lengths_are_read_where_no_parameter_needs_data():
    twin = flat_twin(lower_to_stan(eight_schools().instance().graph))
    assert twin.reads == {"N_school"}
    assert "transformed" not in twin.text


def test_data_in_bounds_are_kept_with_what_they_are_computed_from():
    m = ss.Model()
    m.x = ss.data([1.0, 2.0])
    m.z = ss.data([3.0, 4.0])
    m.top = ss.data(2.0)
    m.a = ss.Normal(0, 1, lower=ss.exp(m.top) + m.top)
    m.y = ss.Normal(m.a * ss.exp(m.x), 1).observe(m.z)
    instance = m.instance()
    program = lower_to_stan(instance.graph, **BARE)
    twin = flat_twin(program)
    assert twin.reads == {"top"}
    value, slope = StanDensity(twin.text, twin.data(program.data(instance))).log_density_gradient(np.array([0.3]))
    assert (value, slope[0]) == (pytest.approx(0.3), pytest.approx(1.0))
