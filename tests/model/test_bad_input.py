"""Every mistake is told clearly, at the user's line, before anything runs; the wording is kept in golden files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import scistan as ss
from tests.model import bad_input

CASES = [(section, name, mistake) for section, cases in bad_input.CASES.items() for name, mistake in cases.items()]


def provoke(mistake) -> ss.ScistanError:
    with pytest.raises(ss.ScistanError) as caught:
        mistake()
    return caught.value


@pytest.mark.parametrize(("section", "name", "mistake"), CASES, ids=[f"{s}-{n}" for s, n, _ in CASES])
def test_mistake_is_told_at_its_line(section, name, mistake):
    error = provoke(mistake)
    assert not isinstance(error, ss.InternalError)
    assert error.place is not None
    assert Path(error.place.file) == Path(bad_input.__file__)
    assert error.place.text.endswith("# here")


@pytest.mark.parametrize("section", bad_input.CASES)
def test_wording_is_kept(section, golden):
    lines = []
    for name, mistake in bad_input.CASES[section].items():
        error = provoke(mistake)
        text = re.sub(r"  at .*, line \d+: ", "  at ", str(error))
        lines.append(f"# {name}\n{type(error).__name__}: {text}\n")
    golden(f"messages/{section}.txt", "\n".join(lines))


def test_errors_can_be_caught_by_their_python_kin():
    with pytest.raises(TypeError):
        ss.Normal(0, sgima=1)
    with pytest.raises(ValueError, match="sigma"):
        ss.Normal(0, -1)
    with pytest.raises(AttributeError):
        ss.Model().mu
    with pytest.raises(KeyError):
        ss.Model()["mu"]
    with pytest.raises(AttributeError, match="did you mean `Normal`"):
        ss.Nromal
    assert not hasattr(ss.Model(), "mu")


def test_a_failed_assignment_leaves_the_model_as_it_was():
    m = bad_input.model()
    before = m.text(), m.coords, dict(m._book.dims)
    with pytest.raises(ss.DataError):
        m.y = ss.Poisson(2, dims="row").observe([1, -1, 2, 3])
    assert (m.text(), m.coords, dict(m._book.dims)) == before
    m.y = ss.Poisson(2, dims="row").observe([1, 1, 2])
    assert m.prior(2).prior_predictive["y"].dims == ("chain", "draw", "row")
