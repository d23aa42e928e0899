"""`m.to_sympy()` of models with hidden states: the density with them summed out, or a plain refusal."""

from __future__ import annotations

import numpy as np
import pytest

from scistan.errors import UnsupportedError
from scistan.inference.summed import summed
from scistan.targets.sympy import lower_to_sympy
from tests.passes.states.hidden_models import MODELS
from tests.passes.states.test_borders import FORMS, RATE, model
from tests.passes.states.test_states import some_values

pytest.importorskip("sympy", reason="SymPy is not installed")
CHAINS = ("markov", "on_and_off", "several_rows_a_time")


@pytest.mark.parametrize("name", MODELS)
def test_states_are_summed_out(name: str) -> None:
    m = MODELS[name].__call__(*MODELS[name].__defaults__)  # type: ignore[attr-defined]
    if name in CHAINS:
        with pytest.raises(UnsupportedError, match="step by step"):
            lower_to_sympy(summed(m.instance()), numbers=True)
        return
    density = lower_to_sympy(summed(m.instance()), numbers=True)
    values = some_values(m)
    at = {s: float(x) for n, array in density.latents.items() for s, x in zip(array.ravel(), values[n].ravel(), strict=True)}
    assert float(density.log_density.evalf(subs=at)) == pytest.approx(m.log_density(values), rel=1e-12)


@pytest.mark.parametrize("name", FORMS)
def test_states_that_data_rule_out(name: str) -> None:
    m = model(name, np.array([0, 2, 0, 1]), None)
    density = lower_to_sympy(summed(m.instance()), numbers=True)
    values = {"p": 0.3, "rate": RATE}
    at = {array.item(): values[n] for n, array in density.latents.items()}
    assert float(density.log_density.evalf(subs=at)) == pytest.approx(m.log_density(values), rel=1e-12)
