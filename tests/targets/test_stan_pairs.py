"""Programs beside hand-written ones: kept as golden files, and equal in density up to a constant."""

import sys

import numpy as np
import pytest

from scistan.engines.density import StanDensity
from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))
from pairs import PAIRS

QUIET = {"log_lik": False, "predictive": False, "log_prior": False}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p.name)
def test_programs_are_kept(pair, golden):
    golden(f"stan/pairs/{pair.name.replace(' ', '_').replace(',', '')}.stan", pair.model().stan_code())


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p.name)
def test_the_hand_written_program_has_the_same_density(pair):
    model = pair.model()
    generated = StanDensity(model.stan_code(**QUIET), model.stan_data())
    written = StanDensity(pair.handwritten, pair.data(model))
    rng = np.random.default_rng(1)
    differences = []
    for _ in range(3):
        q = 0.3 * rng.normal(size=generated.dimension)
        (ours, our_slope), (theirs, their_slope) = generated.log_density_gradient(q), written.log_density_gradient(q)
        differences.append(ours - theirs)
        np.testing.assert_allclose(our_slope, their_slope, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(differences, differences[0], rtol=1e-8, atol=1e-7)
