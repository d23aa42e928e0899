"""Nothing of a model but its structure and its sizes reaches the file: no name, no number, no text."""

import numpy as np
import pytest

import scistan as ss
from scistan.graph.text import structure_text
from scistan.history import structure_of
from scistan.history.store import FILE, runs


def model(name, effect, scale, rows, times=2.0, prior=5):
    m = ss.Model(name, coords={"hospital": [f"ward{k}" for k in range(rows)]})
    m.dosage = ss.data(np.linspace(0.123456, 987.654321, rows), dims="hospital")
    m[effect] = ss.Normal(0, prior)
    m[scale] = ss.HalfNormal(1.5)
    m.y = ss.Normal(times * m[effect] * m.dosage, m[scale]).observe(np.full(rows, 31337.25))
    return m


def test_names_numbers_and_lengths_do_not_enter_the_structure():
    one = model("secret", "potency", "noise", 5)
    other = model("other", "b", "s", 9, times=3.5, prior=2.5)
    assert structure_of(one.to_graph()) == structure_of(other.to_graph())
    text = structure_text(one.to_graph())
    assert not any(word in text for word in ("secret", "potency", "noise", "dosage", "1.5", "2.0"))


def test_another_structure_is_another_key():
    one = model("m", "b", "s", 5).to_graph()
    other = ss.Model("m")
    other.b = ss.Normal(0, 5)
    other.s = ss.HalfNormal(1.5)
    other.y = ss.StudentT(4, other.b, other.s).observe(np.ones(5))
    assert structure_of(one) != structure_of(other.to_graph())


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_file_holds_no_word_of_the_model(tmp_path, monkeypatch):
    monkeypatch.setenv("SCISTAN_CACHE", str(tmp_path))
    monkeypatch.delenv("SCISTAN_HISTORY", raising=False)
    m = model("secret_study", "potency", "noise", 6)
    m.mcmc(draws=20, warmup=20, chains=1, seed=31338, progress=False, engine="stanli")
    m.prior(draws=10)
    ss.run_with_fallback(lambda xp: xp.ones(3), backends=("numpy",))
    assert len(runs()) == 3
    content = (tmp_path / FILE).read_bytes()
    words = ("secret", "study", "potency", "noise", "dosage", "hospital", "ward", "31338", "normal", "lambda", __name__)
    assert [word for word in words if word.encode().lower() in content.lower()] == []
    for number in (31337.25, 987.654321, 0.123456):
        assert np.float64(number).tobytes() not in content
        assert np.float64(number).astype(">f8").tobytes() not in content
