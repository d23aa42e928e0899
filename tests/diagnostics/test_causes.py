"""The thorough checks as a table: thresholds over thousands of elements, no copy of the draws, a section each in the docs."""

import re
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import scistan as ss
from scistan.diagnostics import Context, check_draws
from scistan.diagnostics.causes import CAUSES
from scistan.diagnostics.check import PAGE, Cure, Evidence
from scistan.diagnostics.checks import BY_NAME, CHECKS
from scistan.diagnostics.ran import Ran
from scistan.diagnostics.ridges import ridge
from scistan.diagnostics.statistics import Health
from scistan.diagnostics.sweep import sweep
from scistan.diagnostics.tails import nested_rhat
from scistan.diagnostics.thorough import diagnose
from scistan.inference.prepare import subject_of


def wide(elements, draws=250, seed=0):
    """Independent draws of a posterior with many elements, and what is known of its model."""
    rng = np.random.default_rng(seed)
    y = np.sqrt(10) * rng.normal(size=elements)
    m = ss.Model("wide")
    m.b = ss.Normal(0, 3, shape=elements)
    m.y = ss.Normal(m.b, 1).observe(y)
    posterior = {"b": 0.9 * y + rng.normal(0, np.sqrt(0.9), (4, draws, elements))}
    ran = Ran.of("stanli", {"draws": draws})
    return posterior, replace(subject_of(m.instance()).context, ran=ran)


def found(posterior, context, statistics=None):
    gate = check_draws(posterior, statistics or {}, context=context)
    return diagnose(posterior, gate, context)


def test_chance_finds_nothing_among_thousands_of_elements():
    for seed in range(3):
        posterior, context = wide(3000, seed=seed)
        names = {check.name for check in CAUSES}
        assert not [hint for hint in found(posterior, context).hints if hint.check in names]


def test_one_ill_element_among_thousands_is_found():
    posterior, context = wide(3000)
    posterior["b"][..., 7] = 40 + 0.1 * posterior["b"][..., 7]  # thirteen sds of the prior
    posterior["b"][..., 9] = np.random.default_rng(1).standard_cauchy((4, 250))
    posterior["b"][..., 2900] = 2 * posterior["b"][..., 11] + 0.01 * posterior["b"][..., 2900]
    posterior["b"][..., 5] += 8 * np.random.default_rng(2).integers(0, 2, (4, 250))
    diagnosis = found(posterior, context)
    assert diagnosis.hint("prior-data conflict").variables == ("b[7]",)
    assert diagnosis.hint("heavy tails").variables == ("b[9]",)
    assert set(diagnosis.hint("ridge").variables) == {"b[11]", "b[2900]"}
    assert diagnosis.hint("several modes").variables == ("b[5]",)


def test_the_draws_are_not_copied():
    posterior, context = wide(4000)
    gate = check_draws(posterior, {}, context=context)
    diagnose(posterior, gate, context)
    tracemalloc.start()
    diagnose(posterior, gate, context)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Blocks of 200,000 numbers and some arrays of them, and tiles of correlations; a copy would be 32 MB.
    assert peak < 0.8 * posterior["b"].nbytes
    small = wide(1000)
    tracemalloc.start()
    diagnose(small[0], check_draws(*small[:1], {}, context=small[1]), small[1])
    less = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak - less < 0.5 * (posterior["b"].nbytes - small[0]["b"].nbytes)


def test_a_run_makes_the_quick_checks_alone(monkeypatch):
    def never(*_):
        raise AssertionError("a thorough check was made")

    monkeypatch.setattr("scistan.diagnostics.thorough.diagnose", never)
    m = ss.Model("plain")
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(m.a, 1).observe([1.0, 2.0])
    fit = m.mcmc(draws=100, warmup=100, chains=2, seed=1, progress=False)
    with pytest.raises(AssertionError, match="thorough"):
        fit.diagnose()


def test_no_thorough_check_makes_auto_run_again():
    assert [check.name for check in CAUSES if check.cure is not Cure.NONE] == []
    assert not {check.name for check in CAUSES} & set(BY_NAME)


@pytest.mark.parametrize("check", [*CHECKS, *CAUSES], ids=lambda check: check.name)
def test_every_check_has_its_section_in_the_docs(check):
    page = (Path(__file__).parents[2] / PAGE).read_text()
    anchors = {title.lower().replace(" ", "-") for title in re.findall(r"^### (.+)$", page, re.MULTILINE)}
    assert (check.learn_more or check.name.lower().replace(" ", "-")) in anchors


def test_a_product_of_three_is_a_ridge():
    rng = np.random.default_rng(0)
    m = ss.Model("product")
    for name in "abc":
        m[name] = ss.LogNormal(0, 1)
    m.y = ss.LogNormal(ss.log(m.a * m.b * m.c), 0.1).observe(np.ones(9))
    logs = rng.normal(size=(4, 1000, 2))
    third = -logs.sum(2) + 0.03 * rng.normal(size=(4, 1000))
    posterior = {"a": np.exp(logs[..., 0]), "b": np.exp(logs[..., 1]), "c": np.exp(third)}
    context = subject_of(m.instance()).context
    hint = found(posterior, context).hint("ridge")
    assert hint.variables == ("a", "b", "c")
    assert "`a * b * c`" in hint.fact


def test_a_ridge_is_one_within_chains():
    """Chains in two modes correlate two elements as much, and are no ridge."""
    posterior, context = wide(3)
    posterior["b"][:2, :, 0] += 100
    posterior["b"][:2, :, 1] += 100
    assert found(posterior, context).hint("ridge") is None


def evidence(middles, superchains, draws=5):
    x = middles[:, None] + np.random.default_rng(0).normal(size=(len(middles), draws))
    ones = np.full((), 1.0)
    health = {"x": Health(ones, len(middles) * draws * ones, ones, ones)}
    context = Context(ran=Ran(superchains=superchains))
    return Evidence(len(middles), draws, health=health, context=context, posterior={"x": x}, swept=sweep({"x": x}, health))


def test_nested_r_hat_compares_groups_of_chains_from_one_start():
    groups = (0,) * 16 + (1,) * 16 + (2,) * 16 + (3,) * 16
    apart = evidence(np.repeat([0.0, 1.0, 0.0, 1.0], 16), groups)
    assert nested_rhat(apart, 1.01).value == pytest.approx(np.sqrt(1 + 1 / 3), abs=0.05)  # means 0, 1, 0, 1: variance 1/3
    assert nested_rhat(evidence(np.zeros(64), groups), 1.01) is None
    assert nested_rhat(evidence(np.repeat([0.0, 1.0, 0.0, 1.0], 16), ()), 1.01) is None


def test_chains_that_share_starts_are_remembered():
    m = ss.Model("starts")
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(m.a, 1).observe([1.0, 2.0])
    starts = [{"a": 0.0}, {"a": 0.0}, {"a": 1.0}, {"a": 1.0}]
    fit = m.mcmc(draws=30, warmup=50, inits=starts, engine="stanli", seed=1, progress=False)
    assert fit.settings["superchains"] == [0, 0, 1, 1]
    assert fit.settings["starts"] == "given"
    alone = m.mcmc(draws=30, warmup=50, engine="stanli", seed=1, progress=False)
    assert not {"superchains", "starts", "attempts"} & set(alone.settings)


def test_ridge_needs_a_model():
    posterior, _ = wide(3)
    posterior["b"][..., 1] = posterior["b"][..., 0]
    assert found(posterior, Context()).hint("ridge") is None
    assert ridge(Evidence(4, 250), 0.99) is None


def test_tails_of_priors_are_scipys():
    import scipy.stats as st

    m = ss.Model("priors")
    m.a = ss.Normal(np.array([0.0, 5.0]), 2.0)
    m.b = ss.Normal(0, 1, lower=1, upper=3)
    m.c = ss.Gamma(2, 3)
    m.d = ss.Normal(m.a[0], 1)
    m.y = ss.Normal(ss.sum(m.a) + m.b + m.c + m.d, 1).observe(1.0)
    facts = subject_of(m.instance()).context.facts
    for name, x, law in (
        ("a", np.array([1.0, 45.0]), st.norm([0, 5], 2)),
        ("b", np.array(2.5), st.truncnorm(1, 3)),
        ("c", np.array(9.0), st.gamma(2, scale=1 / 3)),
    ):
        below, above = facts.frozen(facts.latents[name]).below_and_above(x)
        np.testing.assert_allclose(below, law.cdf(x), rtol=1e-10)
        np.testing.assert_allclose(above, law.sf(x), rtol=1e-8)
    assert facts.frozen(facts.latents["d"]) is None  # its location is a latent
