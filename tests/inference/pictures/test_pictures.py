"""Pictures of a fit: each is drawn from real draws, shows what it should, and leaves nothing behind."""

import inspect
import pickle
import subprocess
import sys

import matplotlib
import matplotlib.pyplot
import numpy as np
import pytest
from matplotlib.figure import Figure

import scistan as ss
from scistan.inference.pictured import Pictured
from scistan.inference.pictures.pairs import worst_pair
from scistan.messages.pictures import no_energy
from scistan.messages.sampling import ChainWarning

matplotlib.use("Agg")
OPTIONS = {"draws": 250, "warmup": 250, "seed": 1, "engine": "stanli", "progress": False}
# A forecast needs a series: it has tests of its own.
PLOTS = sorted(name for name in dir(Pictured) if name.startswith("plot_") and name != "plot_forecast")
# Signs that matplotlib would read as mathematics, and letters beyond ASCII.
SCHOOLS = ["$5 & $6", r"$\frac{", "größer", "<b>", "E", "F", "G", "H"]


def schools(**options):
    m = ss.Model("eight_schools", coords={"school": SCHOOLS})
    m.sigma = ss.data([15, 10, 16, 11, 9, 11, 10, 18.0], dims="school")
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, dims="school", **options)
    m.y = ss.Normal(m.theta, m.sigma).observe([28, 8, -3, 7, -1, 1, 18, 12.0])
    return m


def counts():
    rng = np.random.default_rng(1)
    m = ss.Model("counts")
    m.x = ss.data(np.linspace(-1, 1, 60), dims="row")
    m.a, m.b = ss.Normal(0, 1), ss.Normal(0, 1)
    m.won = ss.BernoulliLogit(m.a + m.b * m.x).observe(rng.integers(0, 2, 60), dims="row")
    m.visits = ss.PoissonLog(m.a + m.b * m.x).observe(rng.poisson(np.exp(0.3 * np.linspace(-1, 1, 60))), dims="row")
    m.height = ss.Normal(m.b * m.x, 1).observe(rng.normal(size=60), dims="row")
    return m


@pytest.fixture(scope="module")
def fit():
    with pytest.warns(ChainWarning):  # few draws of a funnel
        return schools(centred=True).mcmc(**OPTIONS)


@pytest.fixture(scope="module")
def counted():
    return counts().mcmc(**OPTIONS)


def words(figure) -> list[str]:
    texts = [text.get_text() for text in figure.findobj(matplotlib.text.Text)]
    return [text for text in texts if text]


@pytest.mark.parametrize("name", PLOTS)
def test_every_picture_is_a_figure_that_pyplot_does_not_know(name, fit, tmp_path):
    before, open_before = dict(matplotlib.rcParams), matplotlib.pyplot.get_fignums()
    figure = getattr(fit, name)(path=tmp_path / "picture.png")
    assert isinstance(figure, Figure)
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert dict(matplotlib.rcParams) == before
    assert matplotlib.pyplot.get_fignums() == open_before


@pytest.mark.parametrize("name", PLOTS)
def test_every_picture_has_documented_arguments_and_writes_svg_and_pdf(name, counted, tmp_path):
    method = getattr(Pictured, name)
    assert inspect.getdoc(method)
    assert "path" in inspect.signature(method).parameters
    figure = getattr(counted, name)()
    for ending, start in {"svg": b"<?xml", "pdf": b"%PDF"}.items():
        figure.savefig(tmp_path / f"picture.{ending}")
        assert (tmp_path / f"picture.{ending}").read_bytes().startswith(start)
    assert isinstance(pickle.loads(pickle.dumps(figure)), Figure)


def test_labels_are_shown_as_they_are(fit):
    figure = fit.plot_forest()
    figure.canvas.draw()
    shown = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert shown == ["mu", "tau", *(f"theta[{label}]" for label in SCHOOLS)]
    assert not any(text.get_parse_math() for text in figure.axes[0].get_yticklabels())


def test_intervals_are_the_quantiles_of_the_draws(fit):
    figure = fit.plot_forest(var_names=["tau"], probability=0.8)
    wide, thick, middle = figure.axes[0].lines[:3]
    tau = fit.posterior["tau"]
    np.testing.assert_allclose(wide.get_xdata(), np.quantile(tau, (0.1, 0.9)))
    np.testing.assert_allclose(thick.get_xdata(), np.quantile(tau, (0.25, 0.75)))
    np.testing.assert_allclose(middle.get_xdata(), np.median(tau))
    assert "80 %" in " ".join(words(figure))


def test_of_many_numbers_some_of_each_are_drawn_and_the_rest_is_told(fit):
    figure = fit.plot_posterior(limit=4)
    assert [ax.get_title("left") for ax in figure.axes] == ["mu", "tau", "theta[$5 & $6]", r"theta[$\frac{]"]
    note = " ".join(" ".join(words(figure)).split())
    assert "4 of 10 numbers are shown. Left out: theta (6 of 8). var_names=[…] chooses, limit=10 shows all." in note
    assert len(fit.plot_posterior(limit=10).axes) == 10


def test_thousands_of_numbers_make_a_small_picture():
    m = ss.Model("wide")
    m.z = ss.Normal(0, 1, shape=3000)
    m.s = ss.HalfNormal(1)
    m.y = ss.Normal(m.z, m.s).observe(np.linspace(-1, 1, 3000))
    with pytest.warns(ChainWarning):  # so few draws
        wide = m.mcmc(**{**OPTIONS, "draws": 20, "warmup": 20})
    assert len(wide.plot_trace().axes) == 2 * 8
    assert len(wide.plot_rank().axes) == 12
    assert "3001 numbers" in " ".join(words(wide.plot_forest()))
    assert wide.plot_pairs() is not None


def test_names_choose_variables_and_single_numbers(fit):
    assert [ax.get_title("left") for ax in fit.plot_rank(var_names="mu").axes] == ["mu"]
    chosen = fit.plot_rank(var_names=["theta[größer]", "tau", "theta[<b>]"])
    assert [ax.get_title("left") for ax in chosen.axes] == ["theta[größer]", "theta[<b>]", "tau"]


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda f: f.plot_trace(var_names="thetta"), KeyError, "did you mean `theta`?"),
        (lambda f: f.plot_trace(var_names="y"), KeyError, "which is observed"),
        (lambda f: f.plot_trace(var_names="theta[Z]"), KeyError, r"no number `theta\[Z\]`"),
        (lambda f: f.plot_trace(var_names=3), ss.ModelError, "a name or a list of names"),
        (lambda f: f.plot_trace(limit=0), ValueError, "`limit` must be a whole number"),
        (lambda f: f.plot_ppc(limit=1.5), ValueError, "`limit` must be a whole number"),
        (lambda f: f.plot_ppc(var_names="mu"), ValueError, "observes no `mu`"),
        (lambda f: f.plot_pairs(var_names="mu"), ValueError, "one number alone"),
        (lambda f: f.plot_forest(probability=90), ss.ModelError, "a number between 0 and 1"),
        (lambda f: f.plot_energy(path="energy.xyz"), ValueError, "no files of that ending.*png"),
        (lambda f: f.plot_energy(path="/no/such/folder/energy.png"), ss.DataError, "cannot be written"),
        (lambda f: f.plot_energy(path=7), ValueError, "needs the path of a file"),
    ],
)
def test_what_cannot_be_drawn_is_told(call, error, said, fit):
    with pytest.raises(error, match=f"(?s){said}") as caught:
        call(fit)
    assert isinstance(caught.value, ss.ScistanError)


def test_divergences_are_marked_and_choose_the_pair(fit):
    bad = fit.draws.statistics["diverging"]
    assert bad.sum() >= 5
    pair = worst_pair(fit)
    assert pair.first.name == "tau"
    assert pair.second.name == "theta"
    assert "lowest fifth" in pair.why
    figure = fit.plot_pairs()
    marked = [line for line in figure.axes[0].lines + figure.axes[1].lines if line.get_color() == "#C23B22"]
    assert any(len(line.get_xdata()) == bad.sum() for line in marked)
    assert f"the {bad.sum()} draws that diverged" in " ".join(words(figure))


def test_without_divergences_the_strongest_correlation_is_taken():
    m = ss.Model()
    m.a, m.b, m.c = ss.Normal(0, 5), ss.Normal(0, 5), ss.Normal(0, 1)
    m.total = m.a + m.b
    m.y = ss.Normal(m.total, 0.5).observe([1.0, 2.0])
    m.x = ss.Normal(m.c, 1).observe([0.5])
    fit = m.mcmc(**OPTIONS)
    pair = worst_pair(fit)
    assert {pair.first.name, pair.second.name} == {"a", "b"}
    ranks = [np.argsort(np.argsort(fit.posterior[name].ravel())) for name in "ab"]
    assert f"{np.corrcoef(ranks)[0, 1]:.2f}" in pair.why


def test_prior_and_posterior_need_no_prior_at_hand(fit):
    assert fit.groups.get("prior") is None
    figure = fit.plot_prior_posterior(var_names=["mu"])
    prior, posterior = figure.axes[0].lines
    assert fit.groups.get("prior") is None
    # Both curves are densities: what is drawn of them has no more mass than 1, the posterior all of it.
    areas = [np.trapezoid(line.get_ydata(), line.get_xdata()) for line in (prior, posterior)]
    assert areas[0] < 1.01
    assert areas[1] == pytest.approx(1, abs=0.01)
    assert np.ptp(prior.get_ydata()) < np.ptp(posterior.get_ydata())


def test_an_improper_prior_cannot_be_drawn():
    m = ss.Model()
    m.mu = ss.Flat()
    m.y = ss.Normal(m.mu, 1).observe([1.0, 2.0])
    fit = m.mcmc(**OPTIONS)
    assert fit.plot_posterior() is not None
    with pytest.raises(ss.ScistanError, match="mu"):
        fit.plot_prior_posterior()


def test_predictions_of_every_kind(counted):
    figure = counted.plot_ppc()
    assert [ax.get_title("left") for ax in figure.axes] == ["won", "visits", "height"]
    seen = figure.axes[0].lines[-1].get_ydata()
    won = counted.group("observed_data")["won"].values
    np.testing.assert_allclose(seen, [1 - won.mean(), won.mean()])
    calibrated = counted.plot_calibration()
    said = " ".join(words(calibrated))
    assert "Reliability" in said
    assert "LOO-PIT" in said
    assert len(counted.plot_ppc(var_names=["height"]).axes) == 1


def test_nothing_observed_and_no_energy():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    with pytest.warns(match="nothing is observed"):
        fit = m.mcmc(**OPTIONS)
    for name in ("plot_ppc", "plot_calibration"):
        with pytest.raises(ss.ModelError, match="observes nothing"):
            getattr(fit, name)()
    with pytest.raises(ss.ModelError, match=r"(?s)pathfinder.*no energy"):
        raise no_energy("pathfinder", "cmdstan")


def test_constants_are_not_drawn():
    m = ss.Model()
    m.L = ss.LKJCholesky(2, 2.0)
    m.y = ss.MultivariateNormal(np.zeros(2), chol=m.L).observe([[0.5, -0.2], [0.1, 0.3]])
    fit = m.mcmc(**OPTIONS)
    figure = fit.plot_trace()
    assert [ax.get_title("left") for ax in figure.axes[::2]] == ["L[1, 0]", "L[1, 1]"]
    assert "Constant, so not drawn: some of L." in " ".join(words(figure))
    assert fit.plot_calibration() is not None  # two numbers have one density


CODE = """
import sys
import scistan as ss
m = ss.Model(); m.mu = ss.Normal(0, 1); m.y = ss.Normal(m.mu, 1).observe([1.0, 2.0])
fit = m.mcmc(draws=50, warmup=50, seed=1, engine="stanli", progress=False)
{before}
{act}
print("matplotlib.pyplot" in sys.modules, "arviz" in sys.modules)
"""


def run(before, act):
    code = CODE.format(before=before, act=act)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip(), done.stderr


def test_neither_pyplot_nor_arviz_is_imported():
    out, err = run("", "fit.plot_trace(); fit.plot_prior_posterior(); fit.plot_ppc(); fit.plot_energy()")
    assert out == "False False", err


def test_without_matplotlib_it_says_what_to_install():
    out, err = run("sys.modules['matplotlib'] = None; sys.modules['matplotlib.figure'] = None", "fit.plot_trace()")
    assert "pip install 'scistan[plot]'" in err
    assert not out
