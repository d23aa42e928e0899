"""Where a pass must hold back: the three targets agree on models at which a rewrite would be wrong."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from scistan.graph.graph import Graph, Law
from scistan.graph.verify import check
from scistan.inference.verify import verify
from scistan.passes import PASSES
from scistan.targets.scipy import ancestral_draws, joint_log_density
from tests.passes.guarded_models import GUARDED, SLICED

POINTS = 6
CASES = {f"{step}: {name}": build for step, models in GUARDED.items() for name, build in models.items()}


@pytest.mark.parametrize("name", CASES)
def test_a_guard_holds(name, stanc):
    m = CASES[name]()
    stanc(m.stan_code())
    agreement = m.verify(points=6)  # among them points with either sign of every latent
    assert agreement.ok, f"{agreement}\n{m.stan_code()}"


@pytest.mark.parametrize("name", CASES)
def test_every_pass_alone_keeps_the_density(name):
    instance = CASES[name]().instance()
    draws, _ = ancestral_draws(instance, POINTS, seed=3)
    assert all((draws[name] < 0).any() and (draws[name] > 0).any() for name in "ab"), "a guard of signs is not looked at"
    points = [{t.value: draws[t.name][k] for t in instance.graph.latents} for k in range(POINTS)]
    expected = [joint_log_density(instance, point) for point in points]
    assert np.isfinite(expected).all()
    for step in PASSES:
        after = instance.on(step.run(instance.graph))
        check(after.graph)
        found = [joint_log_density(after, point) for point in points]
        np.testing.assert_allclose(found, expected, rtol=1e-9, err_msg=step.name)
        for one, other in paired(instance.graph, after.graph):
            assert [a.integer for a in other.args] == [a.integer for a in one.args], f"{step.name}: whole numbers stay so"


def paired(one: Graph, other: Graph) -> Iterator[tuple[Law, Law]]:
    """Give the draws of terms that both graphs have, of one distribution."""
    after = {term.name: term.law for term in other.terms}
    for term in one.terms:
        draw = after.get(term.name, term.law)
        if draw.distribution is term.law.distribution:
            yield term.law, draw


@pytest.mark.parametrize("name", SLICED)
def test_slices_that_need_every_row(name, stanc):
    m = SLICED[name]()
    text = m.stan_code(threads=True)
    stanc(text)
    assert "reduce_sum(" in text
    agreement = verify(m.instance(), 3, 0, threads=True)
    assert agreement.ok, f"{agreement}\n{text}"
