"""Healthy models raise no alarm: false ones are as bad as misses. Of notes, only scattered divergences may be left."""

import pytest

from tests.diagnostics.false_alarms import found
from tests.diagnostics.healthy_models import HEALTHY

SEEDS = 100


@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_is_found(name):
    one = found(name, 1)
    assert one.alarms == []
    assert set(one.notes) <= {"divergences"}


@pytest.mark.long
@pytest.mark.parametrize("name", HEALTHY)
def test_false_alarms_over_a_hundred_seeds(name):
    """`python -m tests.diagnostics.false_alarms` prints them: docs/diagnosis.md has the table."""
    results = [found(name, seed) for seed in range(SEEDS)]
    assert sum(bool(one.alarms) for one in results) <= 2, results


def test_there_are_enough():
    assert len(HEALTHY) >= 20
