"""A model in which nothing is observed may be sampled, and every verb says what the numbers are then."""

import numpy as np
import pytest

import scistan as ss
from scistan.messages.sampling import ChainWarning


def prior_only():
    m = ss.Model("prior_only", coords={"group": ["a", "b"]})
    m.mu = ss.Normal(0, 1, dims="group")
    return m


def test_draws_from_the_prior_say_so(tmp_path):
    with pytest.warns(ChainWarning, match="did you forget .observe"):
        fit = prior_only().mcmc(draws=200, warmup=200, seed=1, progress=False)
    said = "nothing is observed: these are draws from the prior"
    assert any(said in note for note in fit.notes)
    assert said in repr(fit).splitlines()[0]
    assert fit.diagnose().verdict.startswith(said)
    assert said in repr(fit.diagnose())
    assert said in fit.diagnose()._repr_html_()
    assert said in repr(ss.load(fit.save(tmp_path / "fit.nc")).diagnose())


def without_rows(others: bool) -> ss.Model:
    m = prior_only()
    m.y = ss.Normal(m.mu[0], 1).observe(np.zeros(0))
    if others:
        m.z = ss.Normal(m.mu, 1).observe([0.0, 1.0])
    return m


@pytest.mark.parametrize(("others", "said"), [(False, "these are draws from the prior"), (True, "it adds nothing")])
def test_zero_rows_are_in_the_verdict(others, said, tmp_path):
    with pytest.warns(ChainWarning, match="observed, but without rows: `y`"):
        fit = without_rows(others).mcmc(draws=500, warmup=300, seed=1, progress=False)
    loaded = ss.load(fit.save(tmp_path / "fit.nc"))
    for told in (fit.diagnose().verdict, repr(fit).splitlines()[0], fit._repr_html_(), loaded.diagnose().verdict):
        assert "without rows: `y`" in told
        assert said in told
    assert "healthy" in fit.diagnose().verdict


def test_a_mode_without_rows_says_so():
    found = without_rows(others=False).map(seed=1, progress=False)
    assert "without rows: `y`, so that this is the mode of the prior" in repr(found)


def test_a_mode_of_the_prior_says_so():
    assert "nothing is observed: this is the mode of the prior" in repr(prior_only().map(seed=1, progress=False))


def test_there_is_no_likelihood_to_maximize():
    with pytest.raises(ss.ModelError, match="no observations"):
        prior_only().mle()


def test_one_chain_is_not_called_healthy():
    m = prior_only()
    m.y = ss.Normal(m.mu, 1).observe([0.0, 1.0])
    diagnosis = m.mcmc(draws=300, warmup=300, chains=1, seed=1, progress=False).diagnose()
    assert not diagnosis.ok
    assert "R-hat, chain means, step sizes not assessed (needs at least 2 chains)" in repr(diagnosis)


def test_a_name_that_a_result_lacks_is_told():
    m = prior_only()
    m.y = ss.Normal(m.mu, 1).observe([0.0, 1.0])
    estimate, fit = m.map(seed=1, progress=False), m.mcmc(draws=20, warmup=50, seed=1, progress=False)
    for results in (estimate.values, estimate.std_errors, estimate, fit.posterior):
        with pytest.raises(KeyError, match="did you mean `mu`"):
            results["muu"]


def test_findings_use_the_labels_of_the_summary():
    m = prior_only()
    m.y = ss.Normal(m.mu, 1).observe([0.0, 1.0])
    fit = m.mcmc(draws=20, warmup=50, seed=1, progress=False)
    named = set(fit.diagnose().hint("bulk ESS").variables)
    assert named <= set(fit.summary().index)
    assert named & {"mu[a]", "mu[b]"}
