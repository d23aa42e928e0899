"""Each recommendation is followed, and the gain is seen in counted work: statements, steps, rows, bytes, compilations."""

import numpy as np
import pytest

import scistan as ss
from scistan.inference.prepare import subject_of
from scistan.inference.profile import recommend
from scistan.inference.profile.design import condition_numbers
from scistan.inference.profile.profile import Profile
from scistan.inference.profile.statements import StatementCost, StatementCosts
from scistan.inference.profile.units import units_of
from scistan.passes import run_passes
from scistan.passes.unvectorized import unvectorized
from scistan.profiling import CONVERTED, HITS, MISSES, Stage
from tests.zoo import eight_schools

SHORT = {
    "draws": 50, "warmup": 100, "chains": 1, "seed": 1, "progress": False, "engine": "stanli", "integrate": False,
}
pytestmark = pytest.mark.filterwarnings("ignore::scistan.messages.sampling.ChainWarning")
RNG = np.random.default_rng(3)
Y = RNG.normal(size=8)


def advice(profile, words):
    return [one for one in profile.report().recommendations if words in one.text]


def statements(model):
    return sum(len(b.statements) for b in subject_of(model.instance()).program.blocks if b.name == "model")


# -- a loop that was not vectorized ---------------------------------------------------------------------
def loop(names, law):
    m = ss.Model("loop")
    m.mu = ss.Normal(0, 1)
    m.s = ss.HalfNormal(1)
    for k, name in enumerate(names):
        m[name] = law(m, k).observe(Y[k])
    return m


NUMBERED = [f"y_{k}" for k in range(8)]
LOOPS = {
    "names": (loop(list("cdefghij"), lambda m, k: ss.Normal(m.mu, m.s)), "do not end in a number"),
    "distributions": (loop(NUMBERED, lambda m, k: (ss.Normal if k % 2 else ss.Laplace)(m.mu, m.s)), None),
    "formulas": (loop(NUMBERED, lambda m, k: ss.Normal(sum((m.mu * i for i in range(k)), m.mu), m.s)), "formulas differ"),
    "fine": (loop(NUMBERED, lambda m, k: ss.Normal(m.mu * k, m.s)), None),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_that_was_not_vectorized_is_told_with_the_reason(name):
    m, reason = LOOPS[name]
    found = unvectorized(run_passes(m.to_graph()).plain)
    assert [True for one in found if reason and reason in one.reason] == ([True] if reason else [])


def test_following_the_advice_on_a_loop_leaves_one_statement():
    before = loop(list("cdefghij"), lambda m, k: ss.Laplace(m.mu, m.s))
    (told,) = advice(before.mcmc(**SHORT).profile, "were not made one")
    assert told.place.text.startswith("m[name] = ")
    after = loop(NUMBERED, lambda m, k: ss.Laplace(m.mu, m.s))
    assert statements(before) - statements(after) == told.gain - 1
    assert not advice(after.mcmc(**SHORT).profile, "were not made one")


def test_latents_one_by_one_are_told_unless_stan_has_them_in_one_statement():
    def model(law):
        m = ss.Model("latents")
        m.s = ss.HalfNormal(1)
        for k in range(6):
            m[f"u_{k}"] = law(m, k)
        m.y = ss.Normal(m.u_0 + m.u_1 + m.u_2 + m.u_3 + m.u_4 + m.u_5, m.s).observe(1.0)
        return m

    assert not advice(model(lambda m, k: ss.Normal(0, 1)).mcmc(**SHORT).profile, "were not made one")
    apart = model(lambda m, k: ss.Normal(k, m.s, centred=True))
    (told,) = advice(apart.mcmc(**SHORT).profile, "one latent with `shape=`")
    together = ss.Model("latents")
    together.s = ss.HalfNormal(1)
    together.u = ss.Normal(np.arange(6.0), together.s, centred=True)
    together.y = ss.Normal(ss.sum(together.u), together.s).observe(1.0)
    assert statements(apart) - statements(together) == told.gain - 1


# -- covariates far from zero ---------------------------------------------------------------------------
def line(x, z, y):
    m = ss.Model("line")
    m.x, m.z = ss.data(x), ss.data(z)
    m.a, m.b, m.c = ss.Normal(0, 50), ss.Normal(0, 50), ss.Normal(0, 50)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.a + m.b * m.x + m.c * m.z, m.sigma).observe(y)
    return m


def test_following_the_advice_to_standardize_saves_the_steps_it_says():
    rng = np.random.default_rng(5)
    x, z = rng.normal(20, 1, 200), rng.normal(-5, 2, 200)
    y = 0.5 * x + rng.normal(size=200)
    settings = {**SHORT, "draws": 200, "warmup": 300}
    raw = line(x, z, y).mcmc(**settings)
    (told,) = advice(raw.profile, "Standardize `x`, `z`")
    assert told.place.text.startswith("m.x, m.z = ")
    better = line((x - x.mean()) / x.std(), (z - z.mean()) / z.std(), y).mcmc(**settings)
    steps = [np.sum(fit.draws.statistics["n_steps"]) for fit in (raw, better)]
    # NUTS doubles its paths, so steps are known to a factor of two.
    assert told.gain / 2 <= steps[0] / steps[1] <= told.gain * 2
    assert not advice(better.profile, "Standardize")


@pytest.mark.parametrize("x", [np.zeros(10), np.full(10, 7.0), np.arange(10.0), np.array([1.0, np.nan, 3.0]), np.ones(1)])
def test_columns_without_a_scale_have_no_advice_that_cannot_be_followed(x):
    m = ss.Model("line")
    m.x = ss.data(np.nan_to_num(x))
    m.a, m.b = ss.Normal(0, 1), ss.Normal(0, 1)
    m.y = ss.Normal(m.a + m.b * m.x, 1).observe(np.zeros(len(x)))
    for found in condition_numbers(m.instance()):
        assert np.isfinite([found.before, found.after]).all()
        assert 1 <= found.after <= found.before


def test_the_condition_number_is_that_of_the_products():
    x = np.array([3.0, 4.0, 5.0, 6.0])
    m = line(x, np.array([1.0, -1.0, 1.0, -1.0]), np.zeros(4))
    (found,) = condition_numbers(m.instance())
    whole = np.column_stack([np.ones(4), x, [1, -1, 1, -1]])
    products = whole.T @ whole
    scale = np.sqrt(np.diag(products))
    assert found.before == pytest.approx(np.linalg.cond(products / np.outer(scale, scale)))


# -- where the gradient goes ----------------------------------------------------------------------------
def grouped(rows, by_group):
    m = ss.Model("grouped")
    m.group = ss.data(np.arange(rows) % 10)
    m.u = ss.Normal(0, 1, shape=10)
    m.s = ss.HalfNormal(1)
    m.few = ss.Normal(m.u[0], 1).observe(np.zeros(3))
    mean = ss.exp(ss.sin(m.u) + ss.tanh(m.u))[m.group] if by_group else ss.exp(ss.sin(m.u[m.group]) + ss.tanh(m.u[m.group]))
    m.many = ss.StudentT(4, mean, m.s).observe(np.linspace(-1, 1, rows))
    return m


def elements(model):
    """Count the numbers that are computed from latents, over all nodes of the model."""
    instance = model.instance()
    return sum(int(np.prod(instance.shape(node.shape))) for node in instance.graph.nodes)


def test_the_statement_that_takes_most_is_named_and_changing_it_saves_most():
    before = grouped(5000, by_group=False)
    with ss.profile(statements=True) as p:
        before.mcmc(**{**SHORT, "draws": 5, "warmup": 10})
    (told,) = [one for one in advice(p, "work here first") if "`many`" in one.text]
    assert told.place.text.startswith("m.many = ")
    assert 1 / (1 - recommend.DOMINANT / 2) <= told.gain <= 2
    assert elements(before) > told.gain * elements(grouped(5000, by_group=True))


def costs_of(ran, gradient, share, compiled=False):
    rows = (
        StatementCost("prior", ("a",), None, gradient * (1 - share), 1 - share, False),
        StatementCost("likelihood", ("y",), None, gradient * share, share, True),
    )
    return StatementCosts(ran.model, compiled, rows, gradient)


def profile_with(fit, gradient, share, compiled=None):
    profile = Profile(fit.profile.stages)
    (ran,) = profile.runs
    profile._costs[ran.key, False] = costs_of(ran, gradient, share)
    if compiled is not None:
        profile._costs[ran.key, True] = costs_of(ran, compiled, share, True)
    return profile


def test_threads_are_advised_where_cores_are_idle_and_share_the_rows(monkeypatch):
    m = grouped(400, by_group=True)
    fit = m.mcmc(**SHORT)
    monkeypatch.setattr(recommend, "cores", lambda: 4)
    (told,) = advice(profile_with(fit, 1e-3, 0.9), "`threads_per_chain=4`")
    assert told.gain == pytest.approx(1 / (0.1 + 0.9 / 4))
    assert not advice(profile_with(fit, 1e-5, 0.9), "threads_per_chain")  # too short to be shared
    assert not advice(profile_with(fit, 1e-3, 0.2), "threads_per_chain")  # nothing to share
    monkeypatch.setattr(recommend, "cores", lambda: 1)
    assert not advice(profile_with(fit, 1e-3, 0.9), "threads_per_chain")
    monkeypatch.setattr(recommend, "cores", lambda: 4)
    followed = m.mcmc(**SHORT, threads_per_chain=4)
    assert not advice(profile_with(followed, 1e-3, 0.9), "threads_per_chain")
    # The rows are summed in slices, which any thread may take: no statement has them all.
    alone = [u for u in units_of(fit.subject.program) if "many" in u.names]
    shared = [u for u in units_of(followed.subject.program) if "many" in u.names]
    assert not any("reduce_sum" in u.text for u in alone)
    assert any("reduce_sum" in u.text for u in shared)


# -- work that was done before --------------------------------------------------------------------------
def test_compiling_is_advised_where_it_was_measured_to_be_faster_and_is_often_fitted():
    fit = eight_schools().mcmc(**SHORT)
    profile = profile_with(fit, 3e-5, 0.5, compiled=1e-5)
    assert not advice(profile, "m.compile()")
    (told,) = [one for one in profile.report(fitted_before=11).recommendations if "m.compile()" in one.text]
    assert "fitted 12 times" in told.text
    assert told.gain == pytest.approx(3)
    slower = profile_with(fit, 3e-5, 0.5, compiled=4e-5)
    assert not [one for one in slower.report(fitted_before=11).recommendations if "m.compile()" in one.text]


@pytest.mark.slow
def test_a_model_that_is_compiled_once_is_not_compiled_again():
    m = eight_schools()
    m.compile(progress=False)
    fit = m.mcmc(**{**SHORT, "engine": "cmdstan"})
    assert fit.profile.stages.total(HITS)["executable"][0] == 1
    assert "executable" not in fit.profile.stages.total(MISSES)


def test_the_same_data_in_new_models_are_told_and_one_model_converts_them_once():
    values = np.random.default_rng(0).normal(size=60_000)

    def model(values):
        m = ss.Model("mean")
        m.mu = ss.Normal(0, 1)
        m.y = ss.Laplace(m.mu, 1).observe(values)
        return m

    quick = {**SHORT, "draws": 5, "warmup": 5}

    def written(models):
        with ss.profile() as p:
            for one in models:
                one.mcmc(**quick)
        return p, p.stages.total(CONVERTED)["NumPy to JSON"][1]

    p, before = written([model(values), model(values), model(values)])
    (told,) = advice(p, "build the model once")
    once = model(values)
    q, after = written([once, once, once])
    assert before / after == pytest.approx(told.gain, rel=0.01)
    assert not advice(q, "build the model once")
    r, _ = written([model(values), model(values + 1)])
    assert not advice(r, "build the model once")  # other data


def test_a_missing_header_is_told():
    root = Stage("profile", 1, seconds=40.0)
    assert not list(recommend.recommendations(Profile(root), 0))
    built = Stage("object", 1, seconds=31.0)
    built.count("without", "precompiled header")
    root.absorb(built)
    (told,) = recommend.recommendations(Profile(root), 0)
    assert told.gain == pytest.approx(2.48)
    assert "precompiled header" in told.text


@pytest.mark.long
def test_the_header_spares_the_compiler_most_files(tmp_path):
    import subprocess

    from scistan.toolchain.build import BuildOptions
    from scistan.toolchain.cache import open_store
    from scistan.toolchain.find import find_toolchain
    from scistan.toolchain.progress import open_display
    from scistan.toolchain.run import Cancellation
    from scistan.toolchain.wheel import Wheel
    from scistan.toolchain.wheel_build import header_words, include_words, make_header
    from scistan.toolchain.work import Work

    wheel = find_toolchain()
    if not isinstance(wheel, Wheel):
        pytest.skip("CmdStan's own makefile compiles here")
    work = Work(wheel, BuildOptions(), open_store(), open_display(False, 1), Cancellation(), 1)
    header = make_header(work, wheel)
    (tmp_path / "model.hpp").write_text("#include <stan/model/model_header.hpp>\nint main() {}\n")

    def opened(words):
        command = [*wheel.compiler.command, *wheel.flags(work.options), *words, *include_words(wheel)]
        done = subprocess.run([*command, "-H", "-fsyntax-only", "-x", "c++", "model.hpp"], cwd=tmp_path, capture_output=True, text=True)
        return sum(line.startswith((".", "!")) for line in done.stderr.splitlines())

    assert opened([]) > 100 * opened(header_words(wheel, header, include=False))
