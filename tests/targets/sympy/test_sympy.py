"""`m.to_sympy()`: SciPy's density for every family, torch's gradient, and what people would write by hand."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.distributions import REGISTRY
from scistan.targets.sympy.functions import GAPS, elementwise
from scistan.targets.sympy.walk import evaluate
from tests.distributions.evaluation import Bare, leaves, with_numpy
from tests.distributions.strategies import cases
from tests.ops.op_cases import CASES
from tests.ops.ops_support import free, node_of, value_of
from tests.zoo import eight_schools

sympy = pytest.importorskip("sympy", reason="SymPy is not installed")


def _symbolless(node, known):
    found = evaluate(Bare(), [node], known)[node]
    return np.vectorize(lambda x: complex(sympy.N(x, 20)).real, otypes=[float])(found)


def test_every_elementwise_op_has_a_form_or_a_reason():
    from scistan.ops import REGISTRY as OPS
    from scistan.ops import user

    ops = {name for name, op in OPS.items() if op.elementwise} - user._declared_here
    assert ops - elementwise().keys() - GAPS.keys() == set()


@pytest.mark.parametrize("case", [c for c in CASES if c.op not in GAPS], ids=str)
def test_ops_have_numpys_numbers(case):
    shapes = min((case.shapes(np.random.default_rng(s)) for s in range(4)), key=lambda s: sum(map(np.prod, s)))
    inputs, values = [free(shape, f"x{k}") for k, shape in enumerate(shapes)], case.values(7, shapes)
    expression = case.build(*inputs)
    as_symbols = [np.vectorize(sympy.Float, otypes=[object])(v) if v.size else v.astype(object) for v in values]
    known = dict(zip(map(node_of, inputs), as_symbols, strict=True))
    found = _symbolless(node_of(expression), known)
    np.testing.assert_allclose(found, value_of(expression, inputs, values), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_densities_are_scipys(name):
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    d = REGISTRY[name]

    @settings(derandomize=True, deadline=None, max_examples=1, database=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def check(data):
        x, args = data.draw(cases(d))
        nodes = leaves(d, x, args)
        from scistan.ops.expression import Expression

        root = d.log_density(*map(Expression, nodes))._scistan_node_
        expected = with_numpy(d, d.log_density, x, args)
        if np.isfinite(expected).all():
            np.testing.assert_allclose(_symbolless(root, {}), expected, rtol=1e-8, atol=1e-10)

    check()


def normal() -> ss.Model:
    m = ss.Model("normal")
    m.mu, m.sigma = ss.Normal(0, 5), ss.HalfNormal(2)
    m.y = ss.Normal(m.mu, m.sigma).observe([1.0, 2.0, 4.0])
    return m


def test_the_density_is_the_models_and_derives():
    m, at = normal(), {"mu": 0.3, "sigma": 1.2}
    density = m.to_sympy()
    mu, sigma = density.symbols
    assert density.lambdify()(**at) == pytest.approx(m.log_density(at), rel=1e-12)
    assert density.simplify().lambdify()(**at) == pytest.approx(m.log_density(at), rel=1e-12)
    # d/dmu: (7 - 3 mu) / sigma² - mu / 25
    by_hand = (7 - 3 * mu) / sigma**2 - mu / 25
    assert sympy.simplify(sympy.nsimplify(density.gradient[0]) - by_hand) == 0
    assert density.hessian.shape == (2, 2)
    assert float(density.hessian[0, 0].subs({mu: 0.3, sigma: 1.2})) == pytest.approx(-3 / 1.44 - 1 / 25)


def test_data_may_be_symbols():
    density = normal().to_sympy(numbers=False)
    assert [str(s) for s in density.data["y"]] == ["y[0]", "y[1]", "y[2]"]
    assert density.lambdify()(mu=0.3, sigma=1.2, y=[1.0, 2.0, 4.0]) == pytest.approx(
        normal().log_density({"mu": 0.3, "sigma": 1.2}), rel=1e-12
    )


def test_vectors_are_elements():
    m = eight_schools()
    density = m.to_sympy()
    values = m.simulate(seed=2)
    at = {name: values[name] for name in density.latents}
    assert len(density.symbols) == 10
    assert density.lambdify()(**at) == pytest.approx(m.log_density(at), rel=1e-10)


def test_a_model_with_too_many_numbers_is_refused():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1).observe(np.zeros(20_001))
    with pytest.raises(ss.UnsupportedError, match=r"more than 20,000 expressions"):
        m.to_sympy()
