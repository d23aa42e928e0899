"""Where stanli is known to differ from compiled Stan: each difference is shown here, and programs avoid it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from scistan.engines.density import StanDensity
from scistan.engines.loading import load_stanli
from tests.targets.stan_cases import build, cases
from tests.zoo import ZOO

CONTAINER = """data { vector[3] y; }
parameters { real mu; vector<lower=1, upper=4>[3] x; }
model { x ~ normal(mu, 2) T[1, 4]; }
"""
TRUNCATED = [case for case in cases() if case.truncated][::6]


@pytest.mark.xfail(reason="stanli 0.24 drops the normalizer of a truncated container of parameters", strict=True)
def test_a_truncation_on_a_container():
    x = np.array([1.5, 2.0, 3.5])
    density = StanDensity(CONTAINER, {"y": x})

    def exact(mu: float) -> float:
        mass = stats.norm.cdf(4, mu, 2) - stats.norm.cdf(1, mu, 2)
        return float(np.sum(stats.norm.logpdf(x, mu, 2) - np.log(mass)))

    found = [density.log_density_gradient(density.unconstrain({"mu": mu, "x": x}))[0] for mu in (0.0, 2.0)]
    assert found[1] - found[0] == pytest.approx(exact(2.0) - exact(0.0), rel=1e-9)


@pytest.mark.parametrize("case", TRUNCATED, ids=str)
def test_no_program_truncates_with_a_statement(case):
    assert " T[" not in build(case).stan_code()


@pytest.mark.xfail(reason="stanli 0.24 has the coordinates that newer Stan gives a simplex", strict=True)
def test_the_coordinates_of_a_simplex():
    density = StanDensity("parameters { simplex[3] p; } model { }", {})
    q = np.array([0.7, -0.4])
    # Stan 2.35 breaks a stick: each share of what is left is a logit, shifted so that 0 gives equal shares.
    first = 1 / (1 + np.exp(-(q[0] - np.log(2))))
    second = (1 - first) / (1 + np.exp(-q[1]))
    np.testing.assert_allclose(density.constrain(q)["p"], [first, second, 1 - first - second], rtol=1e-12)


REDUCED = """functions {
  real part_lpmf(array[] int rows, int start, int end, real p) { return size(rows) * log(p); }
}
transformed data { array[3] int rows = {1, 2, 3}; }
parameters { real<lower=0> p; }
model { target += reduce_sum(part_lupmf, rows, 1, p); }
"""


@pytest.mark.xfail(reason="stanli 0.24 knows partial sums by the name that keeps constants", strict=True)
def test_partial_sums_without_constants():
    load_stanli().Model(stan_code=REDUCED, data={})


@pytest.mark.xfail(reason="stanli 0.24 takes no empty array of whole numbers", strict=True)
def test_no_observations_of_whole_numbers():
    text = "data { int N; array[N] int y; } parameters { real<lower=0> p; } model { y ~ poisson(p); }"
    StanDensity(text, {"N": 0, "y": np.zeros(0, dtype=int)})


@pytest.mark.xfail(reason="Stan's derivative of student_t_lcdf is NaN at the location", strict=True)
def test_the_slope_of_students_probability():
    density = StanDensity("parameters { real mu; } model { target += student_t_lcdf(0 | 3, mu, 1); }", {})
    _, slope = density.log_density_gradient(np.zeros(1))
    assert slope == pytest.approx(-2 * stats.t.pdf(0, 3))


@pytest.mark.xfail(reason="Stan's skew_normal_lccdf is NaN far out in the tail", strict=True)
def test_the_far_tail_of_the_skew_normal():
    density = StanDensity("parameters { real mu; } model { target += skew_normal_lccdf(1.8 | mu, 0.345, 0.1); }", {})
    value, _ = density.log_density_gradient(np.array([-1.5]))
    assert value == pytest.approx(stats.skewnorm.logsf(1.8, 0.1, -1.5, 0.345))


def test_newer_types_are_not_used():
    """stanli takes them, Stan 2.35 does not."""
    for make in ZOO.values():
        assert "sum_to_zero_vector" not in make().stan_code()
