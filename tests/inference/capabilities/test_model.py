"""`m.capabilities()`: a yes is one that the verb keeps, a no has its reason and the user's line."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.engines.registry import ENGINES
from scistan.inference.capabilities import probe
from scistan.messages.capabilities import UnknownBackendError
from tests.zoo import counts


def reasons(m: ss.Model, verb: str) -> str:
    """Give why a verb cannot be called."""
    return " ".join(one.why for one in m.capabilities().of(verb) if not one.able)


@pytest.mark.usefixtures("needs_torch")
def test_a_model_that_is_whole_can_go_everywhere_on_this_machine():
    able = counts().capabilities()
    for verb in ("prior", "simulate", "log_density", "map", "stan_code", "mcmc", "pathfinder", "laplace", "variational"):
        assert able(verb), verb
    assert able("mcmc", engine="stanli")
    assert not able("pathfinder", engine="nutpie")  # it has no row
    assert {row.engine for row in able.of("mcmc")} == set(ENGINES)
    assert "able" in repr(able)
    assert able._repr_html_().startswith("<table>")
    assert {"verb", "why", "remedy"} <= set(able.to_dataframe())


@pytest.mark.parametrize("verb", ["prior", "simulate"])
def test_an_improper_prior_cannot_be_drawn_and_is_named_at_its_line(verb):
    m = ss.Model("flat")
    m.mu = ss.Flat()
    m.y = ss.Normal(m.mu, 1).observe([1.0, 2.0])
    (row,) = m.capabilities().of(verb)
    assert not row.able
    assert "`mu`" in row.why
    assert row.place is not None
    assert "m.mu = ss.Flat()" in row.place.text
    with pytest.raises(ss.ScistanError, match="no probability distribution"):
        getattr(m, verb)()
    assert m.capabilities()("mcmc")


@pytest.mark.usefixtures("needs_torch")
def test_data_that_were_promised_are_named_at_their_line():
    m = ss.Model("waiting")
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1, shape=3).observe()
    for verb in ("mcmc", "map", "mle", "log_density", "laplace"):
        row = m.capabilities().of(verb)[0]
        assert "`y` was observed without values" in row.why
        assert "m.y = " in row.place.text
        assert "with_data" in row.remedy
    assert m.capabilities()("prior")
    assert m.with_data(y=[1.0, 2.0, 3.0]).capabilities()("mcmc")


@pytest.mark.usefixtures("needs_torch")
def test_latents_that_the_likelihood_does_not_determine_are_no_matter_for_mle():
    m = ss.Model("nothing seen")
    m.mu = ss.Normal(0, 1)
    able = m.capabilities()
    assert able("map", device="cpu")
    assert not able("mle")
    assert able("mcmc", engine="stanli")


def test_nothing_latent_is_nothing_to_find():
    m = ss.Model("fixed")
    m.y = ss.Normal(0, 1).observe([1.0])
    able = m.capabilities()
    assert not able("mcmc")
    assert not able("map")
    assert able("prior")


def test_an_embedded_engine_that_refuses_the_program_or_is_wrong_says_so(monkeypatch):
    def refused(*_):
        raise probe.sampling.program_refused("stanli", "no such function: f")

    monkeypatch.setattr(probe, "open_density", refused)
    able = counts().capabilities()
    assert not able("mcmc", engine="stanli")
    assert not able("mcmc", engine="nutpie")
    assert able("mcmc", engine="cmdstan")
    assert "no such function: f" in reasons(counts(), "laplace")


def test_a_machine_without_a_compiler_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("SCISTAN_CACHE", str(tmp_path))  # an executable that is there needs no compiler
    monkeypatch.setattr("scistan.toolchain.find.find_compiler", lambda *_: None)
    able = counts().capabilities()
    assert not able("mcmc", engine="cmdstan")
    assert "compiler" in reasons(counts(), "mcmc")
    assert able("mcmc")


def test_draws_beyond_the_memory_at_hand_are_told(monkeypatch):
    monkeypatch.setattr("scistan.inference.memory.free_memory", lambda: 1e3)
    assert "GB are free" in reasons(counts(), "mcmc")


def test_large_data_are_not_read_for_an_answer(monkeypatch):
    monkeypatch.setattr(probe, "SMALL", 1)

    def never(*_):
        raise AssertionError("the data were read")

    monkeypatch.setattr(probe, "open_density", never)
    (row,) = [one for one in counts().capabilities().of("mcmc") if one.engine == "stanli"]
    assert row.able
    assert "large" in row.why


def test_a_refusal_of_the_compiler_alone_is_told_as_the_engine_tells_it(monkeypatch):
    monkeypatch.setattr(probe, "SMALL", 1)
    monkeypatch.setattr(probe, "intermediate", _refuse)
    assert not counts().capabilities()("mcmc", engine="stanli")


def _refuse(_: str) -> str:
    raise RuntimeError("Syntax error in 'string', line 3")


def test_nothing_is_built_or_sampled(monkeypatch):
    def never(*_, **__):
        raise AssertionError("something was run")

    monkeypatch.setattr("scistan.toolchain.build.build_requests", never)
    monkeypatch.setattr("scistan.engines.stanli.run_chains", never)
    rng = np.random.default_rng(1)
    m = ss.Model("line")
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(m.b * rng.normal(size=50), 1).observe(rng.normal(size=50))
    assert m.capabilities()("mcmc")


def test_the_name_is_taken():
    m = ss.Model("names")
    with pytest.raises(ss.ModelError, match="method of the model"):
        m.capabilities = ss.Normal(0, 1)


def test_an_unknown_backend_is_an_error_of_a_key_too():
    with pytest.raises(UnknownBackendError) as caught:
        ss.backends()["x"]
    assert isinstance(caught.value, KeyError)
