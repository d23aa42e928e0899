"""What a scientist reads of a model that cannot be: the variable, the value, the point, their line, and what to write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import scistan as ss
from scistan.messages.foreign import FOREIGN
from tests.inference.broken_models import BROKEN

RUN = {"draws": 20, "warmup": 20, "chains": 1, "seed": 1, "progress": False}
VERBS = {
    "mcmc": lambda m: m.mcmc(engine="stanli", **RUN),
    "map": lambda m: m.map(seed=1, progress=False),
}


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_read(verb, golden):
    if verb == "map":
        pytest.importorskip("torch")
    lines = []
    for name, build in BROKEN.items():
        with pytest.raises(ss.ScistanError) as caught:
            VERBS[verb](build())
        error = caught.value
        assert error.place is not None, name
        assert error.place.file.endswith("broken_models.py"), f"{name}: {error}"
        assert error.remedy, name
        lines.append(f"[{name}]\n{type(error).__name__}: {error}\n")
    golden(f"messages/broken_{verb}.txt", "\n".join(lines).replace(f"{Path(__file__).parent}/", ""))


@pytest.mark.parametrize("name", BROKEN)
def test_no_tool_speaks_for_itself(name):
    with pytest.raises(ss.ScistanError) as caught:
        VERBS["mcmc"](BROKEN[name]())
    assert not any(row.pattern.search(str(caught.value)) for row in FOREIGN)
    assert not re.search(r"_lp[dm]f|BridgeStan|log\(0\)", str(caught.value))
