"""`m.explain(stage)` shows what is there at every stage of the pipeline."""

import numpy as np
import pytest

import scistan as ss
from scistan.inference.stages import STAGES
from scistan.passes import DATA_PASSES, PASSES
from tests.zoo import ZOO, logistic


def test_every_pass_is_a_stage_in_its_order():
    steps = [step.name for step in (*DATA_PASSES, *PASSES)]
    assert list(STAGES) == ["graph", "states", *steps, "program", "data", "request"]


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", ["eight_schools", "logistic", "truncated"])
def test_every_stage_shows_text(name, stage):
    shown = ZOO[name]().explain(stage)
    assert shown.name == stage
    assert str(shown).strip()
    assert shown._repr_html_().startswith("<pre>")


def test_stages_are_what_the_verbs_use():
    m = logistic()
    assert str(m.explain("graph")) == m.text()
    assert str(m.explain("program")) == m.stan_code()
    assert str(m.explain("program", glm=False)) == m.stan_code(glm=False)
    assert "BernoulliLogitGLM(" in str(m.explain("glm"))
    for name in m.stan_data():
        assert name in str(m.explain("data"))


def test_equal_rows_are_shown_merged():
    m = ss.Model("groups")
    m.g = ss.data(np.repeat([0, 1], 40))
    m.a = ss.Normal(0, 1, shape=2)
    m.y = ss.Normal(m.a[m.g], 1).observe(np.linspace(-1, 1, 80))
    assert str(m.explain("equal_rows")) != str(m.explain("graph"))


def test_an_unknown_stage_is_named():
    with pytest.raises(ss.ModelError, match="there is no stage `lowered`"):
        logistic().explain("lowered")
    with pytest.raises(ss.ModelError, match="there is no stage"):
        logistic().explain(3)
