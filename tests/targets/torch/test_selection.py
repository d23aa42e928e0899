"""An array of positions beside numbers, `u[group, 0]`, is the same by selection as by indexing."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.targets.torch import schedule
from tests.inference.point.marginal.built import objective_of

GROUP = np.array([0, 2, 1, 1, 2, 0])
PLACES = {
    "behind": lambda m: m.u[m.g, 0],
    "counted back": lambda m: m.u[m.g, -1],
    "in front": lambda m: m.u.T[1, m.g],
    "on both sides": lambda m: m.cube[1, m.g, 0],
}


def model(place: str) -> ss.Model:
    rng = np.random.default_rng(1)
    m = ss.Model("selected")
    m.g = ss.data(GROUP)
    m.tau = ss.HalfNormal(1)
    m.u, m.cube = ss.Normal(0, m.tau, shape=(3, 2)), ss.Normal(0, 1, shape=(2, 3, 2))
    m.y = ss.Normal(PLACES[place](m) + ss.sum(m.u) + ss.sum(m.cube), 0.5).observe(rng.normal(size=len(GROUP)))
    return m


@pytest.mark.parametrize("place", PLACES)
def test_density_and_gradient(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    m = model(place)
    by_selection = objective_of(m, "map", False)
    rows = by_selection.density.backend.constant(np.random.default_rng(2).normal(size=(3, by_selection.dimension)))
    found = [by_selection.value_and_gradient(rows), *(by_selection.value_and_gradient(row[None]) for row in rows)]
    monkeypatch.setattr(schedule, "_selection", lambda *_: None)
    by_indexing = objective_of(m, "map", False)
    expected = [by_indexing.value_and_gradient(rows), *(by_indexing.value_and_gradient(row[None]) for row in rows)]
    for one, other in zip(found, expected, strict=True):
        for part, wanted in zip(one, other, strict=True):
            np.testing.assert_allclose(part.numpy(), wanted.numpy(), rtol=1e-13, atol=1e-13)
