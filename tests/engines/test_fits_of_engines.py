"""What a fit can tell does not depend on the engine that drew it: every verb answers, or refuses in our own words."""

import inspect

import numpy as np
import pytest

import scistan as ss
from scistan.engines.registry import ENGINES, engines_at_hand

NEEDS_MORE = {"save"}  # a path


def groups():
    rng = np.random.default_rng(5)
    m = ss.Model("groups")
    m.group = ss.data(np.repeat(np.arange(8), 6), dims="row")
    m.tau = ss.HalfNormal(1)
    m.s = ss.HalfNormal(1)
    m.a = ss.Normal(0, 5)
    m.u = ss.Normal(m.a, m.tau, dims="site", shape=8)
    m.y = ss.Normal(m.u[m.group], m.s).observe(rng.normal(size=48) + np.repeat(rng.normal(size=8), 6))
    return m


def shown(value):
    """Look at a value as a notebook does."""
    repr(value)
    if hasattr(value, "_repr_html_"):
        value._repr_html_()


def verbs(fit):
    """Give what can be read or called without an argument."""
    for name in dir(type(fit)):
        if name.startswith("_") or name in NEEDS_MORE:
            continue
        found = inspect.getattr_static(type(fit), name)
        if not inspect.isfunction(found):
            yield name, lambda name=name: getattr(fit, name)
        elif all(p.default is not p.empty for p in list(inspect.signature(found).parameters.values())[1:]):
            yield name, lambda name=name: getattr(fit, name)()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("engine", [name for name in engines_at_hand() if ENGINES[name].target != "jax" and name != "cmdstan"])
def test_every_verb_of_a_fit_answers(engine):
    plt = pytest.importorskip("matplotlib.pyplot")
    fit = groups().mcmc(engine=engine, draws=200, warmup=200, chains=2, seed=1, progress=False)
    without_remedy = []
    for name, call in verbs(fit):
        try:
            shown(call())
        except ss.ScistanError as refused:
            without_remedy += [] if refused.remedy else [name]
        plt.close("all")
    assert not without_remedy
    report = fit.profile.report()
    shown(report)
    report.to_json()
    assert fit.profile.statements() is not None


def test_checks_of_trajectories_are_not_claimed_for_draws_that_have_none():
    fit = groups().mcmc(engine="independent", draws=200, chains=2, seed=1, progress=False)
    assert not {"divergences", "tree depth", "E-BFMI", "step sizes"} & set(fit.diagnose().checks)
    assert not any(word in fit.diagnose().verdict for word in ("divergences", "tree depth"))
