"""What statements cost: programs with one statement more at a time end in the whole one, and CmdStan agrees on the first."""

import numpy as np
import pytest

import scistan as ss
from scistan.engines.density import StanDensity
from scistan.engines.encoding import to_json
from scistan.inference.prepare import subject_of
from scistan.inference.profile.units import MOST, profiled_program, program_up_to, statements_about, units_of
from tests.zoo import constraints, correlations, dirichlets, eight_schools, ordinal, truncated, varying_intercepts

SHORT = {"draws": 30, "warmup": 60, "chains": 1, "seed": 1, "progress": False}
pytestmark = pytest.mark.filterwarnings("ignore::scistan.messages.sampling.ChainWarning")
MODELS = [eight_schools, varying_intercepts, truncated, dirichlets, correlations, ordinal, constraints]


@pytest.mark.parametrize("make", MODELS)
def test_programs_with_one_statement_more_end_in_the_whole(make):
    subject = subject_of(make().instance())
    units = units_of(subject.program)
    data = to_json(subject.data)
    whole = StanDensity(subject.program.text, data)
    q = np.random.default_rng(0).normal(size=whole.dimension) * 0.1
    for n in range(len(units)):
        density = StanDensity(program_up_to(subject.program, units[:n]), data)
        assert density.dimension == whole.dimension
        density.log_density_gradient(q)
    last = StanDensity(program_up_to(subject.program, units), data)
    assert last.log_density_gradient(q)[0] == whole.log_density_gradient(q)[0]
    np.testing.assert_array_equal(last.log_density_gradient(q)[1], whole.log_density_gradient(q)[1])


@pytest.mark.parametrize("make", MODELS)
def test_profile_blocks_are_stan_and_change_nothing(make, stanc):
    program = subject_of(make().instance()).program
    units = units_of(program)
    text = profiled_program(program, units)
    stanc(text)
    assert text.count("profile(") == len([u for u in units if u.text])


def heavy(rows=3000):
    rng = np.random.default_rng(1)
    m = ss.Model("heavy")
    m.x = ss.data(rng.normal(size=rows))
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(0, 1)
    m.few = ss.Normal(m.a, 1).observe(rng.normal(size=5))
    m.many = ss.StudentT(4, ss.exp(m.a + m.b * m.x), 1).observe(rng.normal(size=rows))
    return m


def test_costs_are_of_the_users_lines_and_add_up():
    with ss.profile(statements=True) as p:
        heavy().mcmc(engine="stanli", **SHORT)
    (costs,) = p.statements()
    assert p.statements() == [costs]
    assert sum(row.share for row in costs.rows) == pytest.approx(1)
    assert sum(row.seconds for row in costs.rows) == pytest.approx(costs.gradient)
    worst = max(costs.rows, key=lambda row: row.seconds)
    assert worst.names == ("many",)
    assert worst.observed
    assert worst.place.text.startswith("m.many = ")
    assert worst.share > 0.8
    assert worst.variables is None
    assert "test_statements.py, line" in repr(costs)


def test_hundreds_of_statements_are_measured_in_groups():
    m = ss.Model("many")
    m.s = ss.HalfNormal(1)
    for k in range(3 * MOST):
        m[f"u_{k}"] = ss.Normal(k % 7, m.s) if k % 2 else ss.StudentT(4, 0, m.s)
    m.y = ss.Normal(m.u_0, 1).observe(1.0)
    program = subject_of(m.instance()).program
    units = units_of(program)
    assert len(units) <= MOST
    assert sum(len(u.statements) for u in units) == sum(len(b.statements) for b in program.blocks if b.name in ("transformed parameters", "model"))
    assert statements_about(program, ["u_1", "s"]) == 2


@pytest.mark.slow
def test_cmdstan_times_its_own_blocks():
    fit = heavy(300).mcmc(engine="cmdstan", **SHORT)
    (costs,) = fit.profile.statements()
    assert costs.compiled
    stack = {row.called: row.variables for row in costs.rows}
    assert stack["many"] > 10 * stack["few"]  # counted by Stan: what automatic differentiation remembers
    assert sum(row.share for row in costs.rows) == pytest.approx(1)
    assert {"compile", "sampling"} <= {one.name for one in fit.profile.stages.walk()}
