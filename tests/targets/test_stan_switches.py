"""With every pass and every generated quantity switched off, the program is still right: the other sign of each switch."""

import pytest

from scistan.inference.verify import verify
from scistan.passes import PASSES
from tests.targets.stan_cases import build, cases
from tests.targets.test_stan_distributions import NOT_YET, remarks

# An observed Flat says nothing: without generated quantities its program is empty, on which stanc remarks.
CASES = {
    str(case): case
    for case in cases()
    if str(case) not in NOT_YET and (case.name, case.role) != ("Flat", "observed")
}
PLAIN = {step.name: False for step in PASSES}
QUIET = {"log_lik": False, "predictive": False, "log_prior": False}
SAMPLE = list(CASES)[::15]  # what CI runs; --long runs every form


@pytest.mark.parametrize("name", [n if n in SAMPLE else pytest.param(n, marks=pytest.mark.long) for n in CASES])
def test_without_passes_and_generated_quantities(name, stanc):
    m = build(CASES[name])
    assert remarks(stanc(m.stan_code(**QUIET, **PLAIN))) == []
    agreement = verify(m.instance(), 2, 0, **PLAIN)
    assert agreement.ok, f"{agreement}\n{m.stan_code(**QUIET, **PLAIN)}"
