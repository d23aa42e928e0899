"""Stan programs on structured data (runs, constants, sorted, empty classes): stanli agrees with SciPy on all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import scistan as ss
from scistan.distributions.declaration import REGISTRY
from scistan.inference.tolerance import DENSITY_TOLERANCE, allowed_slope_error
from scistan.ops import REGISTRY as OPS
from scistan.targets.stan.program import StanProgram, lower_to_stan
from tests.targets import looped_models
from tests.targets.stan_cases import Case, cases
from tests.targets.stan_cases import build as build_case
from tests.targets.structured_data import LENGTH, ORDERS, PATTERNS, arranged, compare
from tests.targets.test_stan_ops import DOMAINS, ELEMENTWISE
from tests.zoo import ZOO

FIVE_AND_TEN = [0] * 5 + [1] * 10
SOME = [[0], [1], [0, 1], [0] * 15, [1] * 15, FIVE_AND_TEN, [1] * 5 + [0] * 10, [0, 0] + [1] * 6, *PATTERNS[-3:]]
# The totals of its counts are data of their own.
ORDERED = [name for name in ZOO if name != "dirichlets"]
# notyet: in the far tail Stan's own lccdf is NaN.
NO_TAILS = {"SkewNormal"}
# Values inside each domain of an op's arguments.
RANGES = {
    "real": (-1.5, 1.6), "positive": (0.4, 2.0), "unit": (0.1, 0.9), "above_one": (1.2, 3.0), "negative": (-3.0, -0.2),
}  # fmt: skip


def lower(m: ss.Model, **options: bool) -> StanProgram:
    return lower_to_stan(m.to_graph(), log_lik=False, predictive=False, log_prior=False, **options)


def check(m: ss.Model, program: StanProgram, order: str = "") -> None:
    instance = arranged(m.instance(), order) if order else m.instance()
    found = compare(program, instance)
    assert found.density < DENSITY_TOLERANCE, f"{found}\n{program.text}"
    assert found.slope < allowed_slope_error(program), f"{found}\n{program.text}"


@pytest.mark.parametrize("name", ["zero_inflation", "censoring", "means_chosen_by_data"])
def test_the_three_targets_agree_on_two_runs(name: str) -> None:
    assert looped_models.build(name, FIVE_AND_TEN).verify().ok


# stanli merges five equal iterations and more: CI has none, one, about as many, and a long run, of either kind.
RUNS = {0, 1, 4, 5, 6, 11}
IN_CI = [p for p in PATTERNS if {sum(p), len(p) - sum(p)} <= RUNS or p in PATTERNS[-3:]]


@pytest.mark.parametrize("patterns", [IN_CI, pytest.param(PATTERNS, marks=pytest.mark.long)], ids=["some", "every one"])
@pytest.mark.parametrize("name", ["zero_inflation", "censoring", "means_chosen_by_data"])
def test_patterns_of_two_runs(name: str, patterns: list[list[int]]) -> None:
    for pattern in patterns:
        m = looped_models.build(name, pattern)
        check(m, lower(m))


@pytest.mark.parametrize("threads", [False, True])
@pytest.mark.parametrize("name", looped_models.FORMS)
def test_every_form_with_a_loop(name: str, threads: bool) -> None:
    for pattern in SOME:
        m = looped_models.build(name, pattern)
        check(m, lower(m, threads=threads))


@pytest.mark.parametrize("name", looped_models.FORMS)
def test_a_program_holds_no_pattern(name: str) -> None:
    assert len({lower(looped_models.build(name, pattern)).text for pattern in SOME if len(pattern) > 1}) == 1


def longer(case: Case) -> Case:
    return replace(case, batch=(*case.batch[:-1], LENGTH))


@pytest.mark.parametrize("name", REGISTRY)
def test_every_distribution(name: str) -> None:
    for case in map(longer, filter(lambda case: case.name == name and case.batch, cases())):
        if case.truncated and name in NO_TAILS:
            continue
        m = build_case(case)
        program = lower(m)
        for order in ORDERS if case.role == "observed" else ("constant",):
            check(m, program, order)


@pytest.mark.parametrize("name", ORDERED)
def test_every_model_of_the_zoo(name: str) -> None:
    m = ZOO[name]()
    program = lower(m)
    for order in ORDERS:
        check(m, program, order)


@pytest.mark.parametrize("name", [name for name in ELEMENTWISE if DOMAINS.get(name, "real") in RANGES])
def test_every_elementwise_op(name: str) -> None:
    """Data in one argument, a latent in the others: what a run of equal data leaves is the same in all iterations."""
    low, high = RANGES[DOMAINS.get(name, "real")]
    for place in range(OPS[name].arity):
        m = ss.Model()
        m.x = ss.data(np.linspace(low, high, LENGTH))
        m.a, m.b = ss.Uniform(low, high), ss.Normal(0, 1)
        given = [m.x if k == place else m.a for k in range(OPS[name].arity)]
        m.y = ss.Normal(ss.sum(getattr(ss, name)(*given) * m.b + m.a), 1).observe(0.2)
        program = lower(m)
        for order in ORDERS:
            check(m, program, order)
