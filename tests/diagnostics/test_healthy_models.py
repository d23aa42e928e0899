"""Healthy models raise no alarm: false ones are as bad as misses."""

import warnings

import pytest

from tests.diagnostics.healthy_models import HEALTHY

SEEDS = 100


def hints(name, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return HEALTHY[name](seed).mcmc(seed=seed, progress=False).diagnose().hints


@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_is_found(name):
    assert hints(name, 1) == ()


@pytest.mark.long
@pytest.mark.parametrize("name", HEALTHY)
def test_false_alarms_over_a_hundred_seeds(name):
    """Run with `-s` to see them: docs/diagnosis.md has the table."""
    found = [(seed, hint.check) for seed in range(SEEDS) for hint in hints(name, seed)]
    print(f"| {name.replace('_', ' ')} | {len({seed for seed, _ in found})} | {', '.join(sorted({c for _, c in found}))} |")
    assert len({seed for seed, _ in found}) <= 2, found


def test_there_are_enough():
    assert len(HEALTHY) >= 20
