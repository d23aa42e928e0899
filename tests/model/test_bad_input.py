"""Every mistake is told clearly, at the user's line, before anything runs; the wording is kept in golden files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import scistan as ss
from scistan.distributions import CONSTRUCTORS
from scistan.distributions.unnamed import Unnamed
from scistan.inference.fit import Fit
from scistan.messages.neighbour_names import NAMES
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


@pytest.mark.parametrize(
    ("name", "pointer"),
    [
        ("MvNormal", "ss.MultivariateNormal(mu, cov=...)"),
        ("Deterministic", "assign the expression"),
        ("Potential", "ss.potential"),
        ("NormalMixture", "ss.Mixture(weights, [components])"),
        ("NegativeBinomial", "ss.NegBinomial2(mu, phi)"),
        ("sample", "m.mcmc()"),
        ("ZeroInflatedPoisson", "ss.declare_distribution"),
        ("GaussianRandomWalk", "ss.cumsum"),
        ("inverse_gamma", "ss.InvGamma(alpha, beta)"),
        ("inv_gamma", "`InvGamma`"),
        ("normal", "`Normal`"),
        ("norm", "ss.Normal(mu, sigma)"),
        ("multi_normal", "ss.MultivariateNormal"),
        ("sigmoid", "ss.inv_logit"),
        ("loo", "fit.loo()"),
        ("linspace", "NumPy's"),
    ],
)
def test_names_of_the_neighbours_lead_to_ours(name, pointer):
    with pytest.raises(AttributeError) as caught:
        getattr(ss, name)
    assert pointer in str(caught.value)


@pytest.mark.parametrize("name", ["nbinomm", "Formula", "ode", "Unit", "compute", "Moyall"])
def test_letters_in_common_are_no_pointer(name):
    with pytest.raises(AttributeError) as caught:
        getattr(ss, name)
    assert "did you mean" not in str(caught.value)


def test_every_name_that_a_pointer_gives_is_there():
    from scistan.messages import neighbour_names, neighbours

    tables = (neighbours._METHODS, neighbours._OF_FITS, neighbours._OF_DISTRIBUTIONS, neighbour_names.NAMES)
    told = " ".join(text for table in tables for text in table.values())
    assert not {name for name in re.findall(r"ss\.(\w+)", told) if not hasattr(ss, name)}
    assert not {name for name in re.findall(r"\bm\.(\w+)\(", told) if not hasattr(ss.Model, name)}
    assert not {name for name in re.findall(r"\bfit\.(\w+)", told) if not hasattr(Fit, name)}
    assert not {name for name in re.findall(r"(?<!\w)\.(\w+)\(x\)", told) if not hasattr(Unnamed, name)}
    assert not {name for name in neighbour_names.NAMES if name in dir(ss)}
    assert not {name for name in neighbours._METHODS if hasattr(ss.Model, name)}
    assert not {name for name in neighbours._OF_FITS if hasattr(Fit, name)}
    assert not {name for name in neighbours._OF_DISTRIBUTIONS if hasattr(Unnamed, name)}


def test_every_distribution_is_found_under_stans_name():
    """`ss.student_t`, `ss.half_normal`, `ss.lkj_cholesky`: as Stan and Pyro write it, in small letters."""
    for name in CONSTRUCTORS:
        small = re.sub(r"(?<=[a-z])(?=[A-Z0-9])", "_", name).lower()
        if small in dir(ss) or small in NAMES:
            continue
        with pytest.raises(AttributeError, match=f"`{name}`"):
            getattr(ss, small)


def test_a_tensor_on_the_left_of_an_operator_is_data():
    import torch

    m = ss.Model()
    m.b = ss.Normal(0, 1, shape=3)
    left = torch.tensor([1.0, 2.0, 4.0])
    m.product, m.quotient, m.rest, m.inner = left * m.b, left / m.b, left - m.b, left @ m.b
    m.power = left ** m.b
    drawn = m.simulate(seed=1)
    b = drawn["b"]
    assert drawn["product"] == pytest.approx(left.numpy() * b)
    assert drawn["quotient"] == pytest.approx(left.numpy() / b)
    assert drawn["rest"] == pytest.approx(left.numpy() - b)
    assert drawn["inner"] == pytest.approx(left.numpy() @ b)
    assert drawn["power"] == pytest.approx(left.numpy() ** b)


def test_numbers_as_text_are_a_factor_with_a_doubt():
    with pytest.warns(UserWarning, match="numbers written as text, `pd.to_numeric"):
        ss.data(["1.5", "2.5"])
    with pytest.warns(UserWarning, match="taken as a factor") as told:
        ss.data(["a", "b"])
    assert "to_numeric" not in str(told[0].message)


def test_bounds_at_their_own_infinity_bound_nothing():
    m = ss.Model()
    m.a = ss.Normal(0, 1, lower=-float("inf"), upper=float("inf"))
    assert repr(m) == repr(_unbounded())


def _unbounded() -> ss.Model:
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    return m


def test_a_failed_assignment_leaves_the_model_as_it_was():
    m = bad_input.model()
    before = m.text(), m.coords, dict(m._variables.dims)
    with pytest.raises(ss.DataError):
        m.y = ss.Poisson(2, dims="row").observe([1, -1, 2, 3])
    assert (m.text(), m.coords, dict(m._variables.dims)) == before
    m.y = ss.Poisson(2, dims="row").observe([1, 1, 2])
    assert m.prior(2).prior_predictive["y"].dims == ("chain", "draw", "row")
