"""Every verb once, on a small model: what tells whether a Python and the packages on it serve at all.

`make newest` runs this file on the newest Python that is not the one of the other tests, with the newest packages.
"""

import subprocess
import sys
from importlib.util import find_spec

import arviz
import matplotlib
import numpy as np
import pytest

import scistan as ss
from scistan.engines.registry import engines_at_hand
from scistan.inference.arviz_data import dataset_names, dataset_of
from scistan.inference.fit import Fit
from scistan.surface import version_of

X = np.linspace(-1, 1, 30)
Y = 1 + 2 * X + np.random.default_rng(1).normal(0, 0.5, 30)
OPTIONS = {"draws": 300, "warmup": 300, "seed": 1, "progress": False}


def line() -> ss.Model:
    m = ss.Model("line", coords={"row": [f"r{k}" for k in range(30)]})
    m.x = ss.data(X, dims="row")
    m.a = ss.Normal(0, 5)
    m.b = ss.Normal(0, 5)
    m.sigma = ss.HalfNormal(2)
    m.y = ss.Normal(m.a + m.b * m.x, m.sigma).observe(Y)
    return m


@pytest.fixture(scope="module")
def fit() -> Fit:
    return line().mcmc(engine="stanli", **OPTIONS)


VERBS = {
    "capabilities": lambda m: m.capabilities()("mcmc"),
    "do": lambda m: m.do(x=np.zeros(30)).stan_code(),
    "explain": lambda m: str(m.explain()),
    "given": lambda m: m.given(a=0.0).stan_code(),
    "graph": lambda m: m.graph(),
    "latex": lambda m: m.latex(),
    "log_density_fn": lambda m: m.log_density_fn().value_and_gradient(np.zeros(3)),
    "plan": lambda m: str(m.plan()),
    "to_jax": lambda m: m.to_jax() if find_spec("jax") else "not installed",
    "to_sympy": lambda m: m.to_sympy() if find_spec("sympy") else "not installed",
    "log_density": lambda m: m.log_density({"a": 1.0, "b": 2.0, "sigma": 0.5}),
    "prior": lambda m: dataset_of(m.prior(draws=20, seed=1), "prior")["a"],
    "simulate": lambda m: m.simulate(seed=1)["y"],
    "stan_code": lambda m: m.stan_code(),
    "stan_data": lambda m: m.stan_data(),
    "with_data": lambda m: m.with_data(x=X[:5], y=Y[:5], coords={"row": list("abcde")}).stan_data(),
    "map": lambda m: m.map(seed=1).to_dataframe(),
    "mle": lambda m: m.mle(seed=1).idata(draws=10),
    "verify": lambda m: m.verify(points=2).ok,
    "mcmc": lambda m: m.mcmc(**OPTIONS),
    "pathfinder": lambda m: m.pathfinder(draws=100, seed=1, progress=False).diagnose(),
    "laplace": lambda m: m.laplace(draws=100, seed=1, progress=False).idata,
    "variational": lambda m: m.variational(draws=100, seed=1, progress=False).summary(),
    "prior_check": lambda m: m.prior_check(draws=100, seed=1).to_dataframe(),
    "sbc": lambda m: m.sbc(replications=4, draws=100, warmup=100, seed=1, progress=False).to_dataframe(),
}
COMPILED = {
    "compile": lambda m: m.compile(),
}


def test_every_verb_is_here():
    own = {name for name in dir(ss.Model) if not name.startswith("_") and callable(getattr(ss.Model, name))}
    assert own - {"instance", "to_graph", "text", "variables"} == set(VERBS) | set(COMPILED)


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb(verb):
    found = VERBS[verb](line())
    assert found is not None
    assert found is not False


@pytest.mark.parametrize("engine", ["stanli", "nutpie", "auto"])
def test_an_engine(engine):
    if engine not in (*engines_at_hand(), "auto"):
        pytest.skip(f"{engine} is not installed")
    drawn = line().mcmc(engine=engine, **OPTIONS)
    assert "pilot run failed" not in drawn.why
    for name, truth in {"a": 1.0, "b": 2.0}.items():
        assert abs(drawn.posterior[name].mean() - truth) < 5 * drawn.posterior[name].std()


def test_a_fit_in_hand(fit, tmp_path):
    table = fit.summary()
    assert list(table.index) == ["a", "b", "sigma"]
    assert (table["r_hat"] < 1.1).all()
    assert fit.diagnose().ok
    assert fit.predict({"x": [0.0, 1.0]}, coords={"row": ["p", "q"]}, seed=1) is not None
    assert fit.posterior_predictive["y"].shape == (4, 300, 30)
    for ending in ("nc", "zarr"):
        back = ss.load(fit.save(tmp_path / f"fit.{ending}"))
        assert dataset_names(back.idata) == dataset_names(fit.idata)
        np.testing.assert_array_equal(back.posterior["b"], fit.posterior["b"])


def test_arviz_takes_the_draws(fit):
    matplotlib.use("Agg")
    theirs = arviz.loo(fit.idata)
    name = "elpd_loo" if version_of("arviz").startswith("0.") else "elpd"
    assert getattr(fit.loo(moment_match=False), name) == pytest.approx(getattr(theirs, name))
    means = arviz.summary(fit.idata, round_to="none")["mean"]
    np.testing.assert_allclose(means["b"], fit.posterior["b"].mean(), rtol=1e-12)
    assert arviz.plot_trace(fit.idata) is not None


def test_every_picture_and_the_report(fit, tmp_path):
    for name in (known for known in dir(fit) if known.startswith("plot_") and known != "plot_forecast"):  # of a series
        getattr(fit, name)(path=tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 1000
    page = fit.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("<img") == 9
    assert "not drawn" not in page
    assert fit.table("latex").count("\\\\") == 4


def test_the_command_line():
    code = "import sys; from scistan.cli import main; sys.exit(main(['doctor']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"{sys.version.split()[0]} on" in done.stdout
    assert "stanli" in done.stdout


def test_stanc_takes_the_program(stanc):
    assert stanc(line().stan_code()) is not None


@pytest.mark.slow
@pytest.mark.parametrize("verb", COMPILED)
def test_a_verb_that_compiles(verb):
    assert COMPILED[verb](line()) is not None


@pytest.mark.slow
def test_compiled_stan_agrees(fit):
    compiled = line().mcmc(engine="cmdstan", **OPTIONS)
    assert compiled.draws.versions["stan"].startswith("2.")
    assert compiled.cmdstan.chains == 4
    for name in ("a", "b", "sigma"):
        ours, theirs = fit.posterior[name], compiled.posterior[name]
        assert abs(ours.mean() - theirs.mean()) < 5 * np.hypot(ours.std(), theirs.std()) / np.sqrt(100)
