"""Pareto k equals ArviZ's, whichever ArviZ is installed."""

from importlib import import_module

import arviz
import numpy as np
import pytest

from scistan.importance import pareto_k
from scistan.surface import version_of

RATIOS = {
    "light": lambda rng, n: rng.normal(size=n),
    "heavy": lambda rng, n: np.log(rng.pareto(1.2, n)),
    "heavier": lambda rng, n: np.log(rng.pareto(0.4, n)),
    "bounded": lambda rng, n: np.log(rng.uniform(size=n)),
    "far apart": lambda rng, n: 300 * rng.normal(size=n),
    "ties": lambda rng, n: np.round(rng.normal(size=n), 1),
}


@pytest.mark.parametrize("size", [30, 400, 4001])
@pytest.mark.parametrize("kind", RATIOS)
def test_importance_k_equals_arviz(kind, size):
    ratios = RATIOS[kind](np.random.default_rng([size, len(kind)]), size)
    found = pareto_k(ratios)
    if version_of("arviz").startswith("0."):
        np.testing.assert_allclose(found, arviz.psislw(ratios)[1], rtol=1e-9)
        return
    # ArviZ 1.x rounds the tail's length and treats ties otherwise: no more than the error of the estimate itself.
    theirs = float(import_module("arviz_stats.base").array_stats.psislw(-ratios)[1])
    assert abs(found - theirs) < (1 + abs(found)) / np.sqrt(3 * np.sqrt(size))


@pytest.mark.parametrize(("ratios", "k"), [(np.zeros(100), 0.0), (np.arange(10.0), np.inf), (np.full(50, np.nan), np.inf)])
def test_what_has_no_tail_or_cannot_be_judged(ratios, k):
    assert pareto_k(ratios) == k
