"""The three targets are one model: for every model of the zoo, easy and hard."""

import pytest

from tests.zoo import ZOO, varying_intercepts


@pytest.mark.parametrize("name", ZOO)
def test_targets_agree(name):
    agreement = ZOO[name]().verify(points=4)
    assert agreement.ok, agreement


def test_agreement_prints_as_a_table():
    agreement = varying_intercepts().verify(points=2)
    assert "SciPy and Stan" in repr(agreement)
    assert "<table>" in agreement._repr_html_()


def test_a_wrong_program_is_noticed(monkeypatch):
    """The comparison can fail: a density that is off by a factor shows in both errors."""
    from scistan.inference import agreement as module

    right = module.joint_log_density
    monkeypatch.setattr(module, "joint_log_density", lambda instance, values: 1.001 * right(instance, values))
    assert not varying_intercepts().verify(points=3).ok
