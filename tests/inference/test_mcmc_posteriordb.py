"""Posteriors with trusted answers: means within 0.1 reference sd, sds within 10 %, on every engine."""

import warnings

import numpy as np
import pytest

from tests.inference.posteriors import POSTERIORS

# Stan's diagonal metric needs an hour for these columns; its dense one does not.
OPTIONS = {
    ("diamonds-diamonds", "stanli"): {"metric": "dense"},
    ("diamonds-diamonds", "cmdstan"): {"metric": "dense"},
    # With nutpie's low-rank metric two of four chains do not arrive at this seed (mean log densities of -54 and -36 for -14,
    # theta[1] of 1.04 and 0.85 for 0.547, noise of 0.5 to 0.7 for 0.25; one without divergences, one with 440), and one of
    # four at seed 1; with the diagonal metric all four did at this seed, the only one tried. Whether these are modes, and
    # whether the metric is to blame, was not shown. R-hat, chain means and divergences tell it, as a test below holds.
    ("hudson_lynx_hare-lotka_volterra", "nutpie"): {"metric": "diag"},
}
SLOW = {"diamonds-diamonds", "nes1980-nes"}
LONG = {"hudson_lynx_hare-lotka_volterra"}  # every gradient solves an equation
COMPILED = ("eight_schools-eight_schools_noncentered",)  # in CI; a compilation each


def check(name, engine, posteriordb):
    data, reference = posteriordb(name)
    options = {"adapt_delta": 0.95} if "eight" in name else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settings = {**options, **OPTIONS.get((name, engine), {})}
        fit = POSTERIORS[name](data).mcmc(draws=1500, seed=3, engine=engine, progress=False, **settings)
    compared = 0
    for parameter, known in reference["parameters"].items():
        variable, _, index = parameter.partition("[")
        draws = fit.posterior[variable]
        draws = draws[..., int(index[:-1]) - 1] if index else draws
        assert abs(draws.mean() - known["mean"]) < 0.1 * known["sd"], parameter
        assert abs(draws.std() / known["sd"] - 1) < 0.1, parameter
        compared += 1
    assert compared == sum(int(np.prod(fit.posterior[n].shape[2:])) for n in fit.subject.whole.latents)


@pytest.mark.parametrize("engine", ["stanli", "nutpie", "auto"])
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.long if n in LONG else ()) for n in POSTERIORS if n not in SLOW]
)
def test_posterior(name, engine, posteriordb):
    check(name, engine, posteriordb)


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 3])
def test_chains_that_stay_in_another_mode_are_told(seed, posteriordb):
    data, reference = posteriordb("hudson_lynx_hare-lotka_volterra")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fit = POSTERIORS["hudson_lynx_hare-lotka_volterra"](data).mcmc(
            draws=300, seed=seed, engine="nutpie", metric="low_rank", progress=False
        )
    known = reference["parameters"]["theta[1]"]
    each = fit.posterior["theta"][..., 0].mean(1)
    arrived = np.abs(each - known["mean"]) < known["sd"]
    heights = fit.draws.statistics["lp"].mean(1)
    assert arrived[heights.argmax()]
    if arrived.all():
        return  # of another version, or on another machine: nothing to tell
    assert any("R-hat" in str(one.message) for one in told)
    assert {"R-hat", "chain means"} <= {hint.check for hint in fit.diagnose().hints if hint.severity == "error"}
    assert heights[~arrived].max() < heights[arrived].min() - 3


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["stanli", *(pytest.param(e, marks=pytest.mark.long) for e in ("nutpie", "auto"))])
@pytest.mark.parametrize("name", sorted(SLOW))
def test_posterior_with_many_observations(name, engine, posteriordb):
    check(name, engine, posteriordb)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILED)
def test_posterior_by_cmdstan(name, posteriordb):
    check(name, "cmdstan", posteriordb)


@pytest.mark.long
@pytest.mark.parametrize("name", [n for n in POSTERIORS if n not in COMPILED])
def test_the_other_posteriors_by_cmdstan(name, posteriordb):
    check(name, "cmdstan", posteriordb)
