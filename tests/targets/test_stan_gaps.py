"""What Stan cannot express is reported at once; what stanc would remark on is told in the user's terms."""

import re

import numpy as np
import pytest

import scistan as ss


def test_every_gap_is_reported_at_once():
    m = ss.Model("gaps")
    m.a = ss.Normal(0, 1, shape=(2, 3, 4))
    m.b = ss.Normal(0, 1, shape=(2, 3, 4))
    m.r = ss.reshape(m.a, (6, 4))
    m.s = ss.reshape(m.b, (4, 6))
    m.y = ss.Normal(ss.sum(m.r) + ss.sum(m.s), 1).observe(0.2)
    with pytest.raises(ss.UnsupportedError) as told:
        m.stan_code()
    text = str(told.value)
    assert "2 parts of the model" in text
    assert re.search(r"`reshape\(a\)`.*\n.*test_stan_gaps.py, line 15: m.r = ", text)
    assert re.search(r"`reshape\(b\)`.*\n.*test_stan_gaps.py, line 16: m.s = ", text)


def test_one_gap_stands_alone():
    m = ss.Model("gap")
    m.a = ss.Normal(0, 1, shape=(2, 3, 4))
    m.y = ss.Normal(ss.sum(ss.reshape(m.a, (6, 4))), 1).observe(0.2)
    with pytest.raises(ss.UnsupportedError, match=r"^Stan cannot express `reshape\(a\)`"):
        m.stan_code()


# a prior, what stanc says of it, and what we say
REMARKS = {
    "no prior": (lambda: ss.Flat(), "has no priors", "`x` has no prior"),
    "bounds": (lambda: ss.Normal(0, 1, lower=-2, upper=3), "hard constraints", "`x` cannot leave [-2, 3]"),
    "a large number": (lambda: ss.Normal(0, 20), "unit scale", "`x` has the number 20 in its prior"),
    "a small number": (lambda: ss.Normal(0, 0.05), "unit scale", "`x` has the number 0.05 in its prior"),
    "nothing": (lambda: ss.Normal(0, 10), "", ""),
    "a probability": (lambda: ss.Uniform(0, 1), "", ""),
    "a correlation": (lambda: ss.Uniform(-1, 1), "", ""),
}


@pytest.mark.parametrize("name", REMARKS)
def test_remarks_of_stanc_are_hints(name, stanc):
    prior, theirs, ours = REMARKS[name]
    m = ss.Model("remarks")
    m.x = prior()
    m.y = ss.Normal(m.x, 1.0).observe(np.zeros(3))
    remark = " ".join(stanc(m.stan_code()).split())
    assert (theirs in remark) if theirs else not remark
    hints = m.explain().hints
    assert [hint[: len(ours)] for hint in hints] == ([ours] if ours else [])
    assert all(hint in repr(m.explain()) for hint in hints)
