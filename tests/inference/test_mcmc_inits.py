"""Starting values from everywhere, and what is said of those that cannot be."""

import numpy as np
import orjson
import pandas as pd
import pytest
import xarray as xr

import scistan as ss
from scistan.engines.encoding import to_json
from scistan.inference.inits import starting_values
from tests.zoo import ZOO, correlations, eight_schools, logistic

START = {"mu": 1.0, "tau": 2.0, "theta": np.arange(8.0)}


def starts(model, inits, chains=3, seed=1):
    subject = model._subject()
    data = to_json(subject.program.data(subject.instance))
    found = starting_values(subject.instance, subject.program, inits, chains, seed, data)
    return None if found is None else [orjson.loads(one) for one in found]


def first_draws(model, inits, **options):
    """Sample without adaptation in steps so small that the first draw is the start."""
    tiny = {"step_size": 1e-9, "adapt_engaged": False, "max_treedepth": 1, "chains": 2, "seed": 1}
    run = {**tiny, "integrate": False, **options}
    return model.mcmc(1, 0, engine="stanli", inits=inits, progress=False, **run).posterior


def test_none_leaves_it_to_stan():
    assert starts(eight_schools(), None) is None


def test_a_dict_starts_every_chain():
    for start in starts(eight_schools(), START):
        assert start == {"mu": 1.0, "tau": 2.0, "theta": list(range(8))}


def test_a_list_starts_each_chain():
    found = starts(eight_schools(), [{**START, "mu": float(k)} for k in range(3)])
    assert [start["mu"] for start in found] == [0, 1, 2]
    with pytest.raises(ss.ModelError, match="1 sets of starting values for 3 chains"):
        starts(eight_schools(), [START])


def test_what_is_left_open_comes_from_the_prior():
    found = starts(eight_schools(), {"mu": 3.0})
    assert [start["mu"] for start in found] == [3.0] * 3
    assert len({start["tau"] for start in found}) == 3
    assert found[1]["tau"] == starts(eight_schools(), "prior")[1]["tau"]


def test_a_point_estimate_and_a_fit_start_chains():
    m = logistic()
    estimate = m.map(seed=1)
    assert starts(m, estimate)[2]["alpha"] == pytest.approx(float(estimate.values["alpha"]))
    fit = m.mcmc(draws=50, warmup=50, chains=2, seed=1, engine="stanli")
    drawn = fit.posterior["alpha"]
    for chain, start in enumerate(starts(m, fit)):
        assert start["alpha"] in drawn[chain % 2]


def test_pathfinder_starts_near_the_posterior():
    m = eight_schools()
    found = starts(m, "pathfinder", chains=4)
    assert len({start["mu"] for start in found}) == 4
    assert all(-15 < start["mu"] < 20 for start in found)
    assert m.mcmc(draws=50, warmup=50, chains=2, seed=1, inits="pathfinder").engine == "stanli"


@pytest.mark.parametrize("name", [n for n in ZOO if n not in ("constraints",)])
def test_chains_start_where_they_are_told(name):
    """Through unconstraining and back: vectors, matrices, simplexes, orders, whatever the program makes of them."""
    m = ZOO[name]()
    try:
        values = {k: v[:2] for k, v in _prior(m).items()}
    except ss.UnsupportedError:
        pytest.skip("no prior draws of this one")
    latents = [t.name for t in m.to_graph().latents]
    found = first_draws(m, [{n: values[n][c] for n in latents} for c in range(2)])
    for n in latents:
        np.testing.assert_allclose(found[n][:, 0], values[n], rtol=1e-5, atol=1e-5)


def _prior(m):
    prior = m.prior(draws=2, seed=5).prior
    return {n: prior[n].values[0] for n in prior.data_vars}


def test_a_start_outside_the_support_names_the_variable():
    with pytest.raises(ss.ModelError, match=r"starting value of `tau` must be not negative, and is -1"):
        eight_schools().mcmc(inits={**START, "tau": -1.0})
    m = ss.Model()
    m.low = ss.Normal(0, 1)
    m.x = ss.Normal(0, 1, lower=m.low, shape=3)
    m.y = ss.Normal(m.x, 1).observe([1.0, 2.0, 3.0])
    with pytest.raises(ss.ModelError, match=r"starting value of `x`\[1\] must be .*, and is -2"):
        m.mcmc(inits={"low": 0.0, "x": [1.0, -2.0, 3.0]})


def test_a_start_that_is_no_number_is_refused():
    with pytest.raises(ss.ModelError, match=r"starting value of `theta`\[2\].*is nan"):
        eight_schools().mcmc(inits={**START, "theta": [0, 0, np.nan, 0, 0, 0, 0, 0]})


def test_what_is_not_understood_is_listed():
    for bad in ("posterior", 3, [1, 2, 3]):
        with pytest.raises(ss.ModelError, match="is not understood"):
            starts(correlations(), bad)
    with pytest.raises(ss.ModelError, match="no latent `nu`"):
        starts(eight_schools(), {"nu": 1.0})


def test_nutpie_says_that_it_takes_none():
    with pytest.raises(ss.ModelError, match="draws its own starting points"):
        eight_schools().mcmc(engine="nutpie", inits=START)


# -- labels, and what is no number ----------------------------------------------------------------------
def by_column():
    m = ss.Model()
    m.x = ss.data(pd.DataFrame({"age": [1.0, 2.0, 4.0], "dose": [0.0, 1.0, 1.0]}))
    m.b = ss.Normal(0, 1, shape=2)
    m.q = m.x @ m.b
    m.y = ss.Normal(m.q, 1).observe(np.zeros(3))
    return m


LABELLED = {
    "series": pd.Series([1.0, 2.0], index=["dose", "age"]),
    "array": xr.DataArray([1.0, 2.0], dims="column", coords={"column": ["dose", "age"]}),
}


@pytest.mark.parametrize("values", LABELLED.values(), ids=LABELLED)
def test_values_are_matched_with_the_columns_they_stand_beside(values):
    m = by_column()
    assert [start["b"] for start in starts(m, {"b": values})] == [[2.0, 1.0]] * 3
    expected = m.log_density({"b": [2.0, 1.0]})
    assert m.log_density({"b": values}) == expected
    assert m.given(b=values).log_density({}) == expected
    np.testing.assert_array_equal(m.do(b=values).simulate(seed=1)["q"], [2.0, 5.0, 9.0])
    for verb in (lambda v: m.log_density({"b": v}), lambda v: m.given(b=v), lambda v: m.do(b=v)):
        with pytest.raises(ss.DataError, match="'weight'"):
            verb(pd.Series([1.0, 2.0], index=["dose", "weight"]))


def test_what_arviz_counts_is_in_order():
    m = by_column()
    fit = m.mcmc(seed=1, draws=5, warmup=50, chains=2, engine="stanli", progress=False)
    one = fit.idata.posterior["b"][0, 0]
    assert m.log_density({"b": one}) == m.log_density({"b": fit.posterior["b"][0, 0]})
    np.testing.assert_allclose(m.do(b=one).simulate(seed=1)["q"], fit.posterior["q"][0, 0])
    chosen = [start["b"] for start in starts(m, fit.idata)]
    assert chosen == [start["b"] for start in starts(m, fit)]


@pytest.mark.parametrize("value", [{"a": 1.0}, {1.0, 2.0}, [[1.0], [1.0, 2.0]], object(), None, len], ids=lambda value: type(value).__name__)
def test_what_is_no_number_is_told(value):
    with pytest.raises(ss.ScistanError):
        starts(by_column(), {"b": value})
