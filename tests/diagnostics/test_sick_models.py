"""The zoo of sick models: the first hint names the fault, the place and what to do; trials heal what can be healed."""

import warnings

import pytest

from scistan.engines.registry import engines_at_hand
from tests.diagnostics.sick_models import SICK

# A few seeds more, so that no hint hangs on one run; the long run has them all.
MORE_SEEDS = (11, 12)


def fitted(sick, **other):
    run = {**sick.run, **other}
    if run["engine"] not in engines_at_hand():
        pytest.skip("not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sick.build().mcmc(progress=False, integrate=False, **run)  # what is integrated out cannot be sick


def check_first(sick, fit):
    hint = next(iter(fit.diagnose().hints), None)
    assert hint is not None, fit.diagnose()
    assert hint.check == sick.check, fit.diagnose()
    assert hint.severity == (sick.severity or hint.severity)
    assert (hint.severity == "note") == (sick.severity == "note")
    told = f"{hint.fact} {hint.suggestion}"
    assert [word for word in sick.words if word not in told] == [], told
    if sick.line:
        assert sick.line in str(hint.line)
    return hint


@pytest.mark.parametrize("name", SICK)
def test_the_first_hint_names_the_fault(name):
    sick = SICK[name]
    fit = fitted(sick)
    check_first(sick, fit)
    assert fit.diagnose().ok == (sick.severity == "note")


@pytest.mark.parametrize("name", [name for name, sick in SICK.items() if sick.heals])
def test_trying_the_suggestion_heals(name):
    sick = SICK[name]
    trial = check_first(sick, fitted(sick)).try_it(seed=2)
    assert trial.healed, f"{trial}\n{trial.after}"


@pytest.mark.long
@pytest.mark.parametrize("seed", MORE_SEEDS)
@pytest.mark.parametrize("name", SICK)
def test_the_first_hint_does_not_hang_on_a_seed(name, seed):
    check_first(SICK[name], fitted(SICK[name], seed=seed))


def test_there_are_enough():
    assert len(SICK) >= 20
