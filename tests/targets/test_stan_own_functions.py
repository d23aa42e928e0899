"""Functions that programs define themselves give way to the user's names."""

import numpy as np
import pytest

import scistan as ss
from scistan.targets.stan.own_functions import give_way


@pytest.mark.parametrize("name", ["if_finite", "sum_to_zero", "normal_between", "lambda_of"])
def test_a_variable_may_be_called_as_one_of_our_functions(name, stanc):
    m = ss.Model()
    m.s = ss.HalfNormal(1)
    m[name] = ss.Normal(0, m.s, lower=-1, upper=4)
    m.z = ss.Normal(0, m.s, shape=3, constraint="sum_to_zero")
    m.y = ss.Normal(m[name] + m.z[0], 1).observe(np.arange(3.0))
    stanc(m.stan_code())
    assert m.verify(points=3).ok
    assert name in m.mcmc(draws=20, warmup=50, seed=1, engine="stanli", progress=False).posterior


def test_every_use_is_renamed_and_no_variable():
    code = "real half(real x) {\n  return x / 2;\n}\n"
    text = f"functions {{\n  {code}}}\nparameters {{\n  real half;\n}}\nmodel {{\n  target += half(half) + half_of;\n}}\n"
    changed = give_way(text, [code], {"half", "half_of"})
    assert "real half_of_(real x)" in changed
    assert "target += half_of_(half) + half_of;" in changed
    assert "  real half;" in changed
