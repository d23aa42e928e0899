"""Terms of the density of one's own: counted on every target, drawn, observed and predicted on none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import scistan as ss
from scistan.distributions.potential import laws
from scistan.graph.parse import parse
from scistan.graph.text import graph_text
from scistan.graph.verify import check
from scistan.ops import REGISTRY

Y = np.array([1.0, 2.0, 2.0, 3.0])


def smooth() -> ss.Model:
    m = ss.Model("smooth")
    m.sigma, m.level = ss.Flat(lower=0), ss.Normal(0, 10, shape=4)
    m.scale = ss.potential(-m.sigma**2 / 2)
    m.rough = ss.potential(-((m.level[1:] - m.level[:-1]) ** 2) / 0.5)
    m.y = ss.Normal(m.level, m.sigma).observe(Y)
    return m


def test_it_counts_once_on_every_target() -> None:
    m = smooth()
    at: dict[str, Any] = {"sigma": 1.3, "level": np.array([0.4, 0.9, 2.0, 2.5])}
    by_hand = (
        stats.norm.logpdf(at["level"], 0, 10).sum() + stats.norm.logpdf(Y, at["level"], at["sigma"]).sum()
        - at["sigma"] ** 2 / 2 - (np.diff(at["level"]) ** 2 / 0.5).sum()
    )  # fmt: skip
    assert m.log_density(at) == pytest.approx(by_hand, rel=1e-13)
    assert m.log_density(at, target="torch") == pytest.approx(by_hand, rel=1e-13)
    assert m.verify(points=4).ok


def test_it_is_in_neither_likelihood_nor_prior_nor_predictions() -> None:
    m = smooth()
    assert m.variables["rough"] == "potential"
    fit = m.mcmc(draws=200, warmup=300, chains=2, seed=3, engine="stanli", progress=False)
    assert fit.certificate.ok
    assert set(fit.posterior) == {"sigma", "level"}
    assert set(fit.log_likelihood) == {"y"}
    assert set(fit.predict(seed=1).predictions.data_vars) == {"y"}
    code = m.stan_code()
    assert code.count("target +=") == 2
    assert "rough" not in code.partition("generated quantities")[2]


def test_the_posterior_is_the_one_it_says() -> None:
    m = ss.Model("normal")
    m.x = ss.Flat()
    m.term = ss.potential(-((m.x - 2) ** 2) / (2 * 0.25))
    fit = m.mcmc(seed=1, progress=False)
    draws = fit.posterior["x"]
    assert draws.mean() == pytest.approx(2, abs=6 * 0.5 / np.sqrt(1000))
    assert draws.std() == pytest.approx(0.5, rel=6 / np.sqrt(2 * 1000))
    assert not fit.notes  # it has something to learn from: its own term
    assert m.map(seed=1, progress=False).values["x"] == pytest.approx(2, abs=1e-6)


def test_nothing_can_be_drawn_from_such_a_prior_unless_it_is_left_out() -> None:
    m = smooth()
    for draw in (m.prior, m.simulate, m.prior_check):
        with pytest.raises(ss.UnsupportedError, match="`scale`, `rough`, is no distribution"):
            draw()
    m = ss.Model("kept")
    m.a = ss.Normal(0, 1)
    m.term = ss.potential(-m.a**2)
    m.y = ss.Normal(m.a, 1).observe(Y)
    assert set(m.prior(draws=5, seed=1, ignore_potentials=True).prior.data_vars) == {"a"}
    assert set(m.simulate(seed=1, ignore_potentials=True)) == {"a", "y"}


def test_its_name_is_the_term_and_the_graph_is_read_back(tmp_path: Any) -> None:
    m = smooth()
    m.half = m.rough / 2
    assert "adds -sigma**2 / 2 to the log density" in repr(m)
    for shown in (m._repr_html_(), m.graph()._repr_svg_() if hasattr(m.graph(), "_repr_svg_") else "", str(m.latex())):
        assert isinstance(shown, str)
    graph = m.to_graph()
    check(graph)
    text = graph_text(graph)
    assert graph_text(parse(text, REGISTRY, laws())) == text
    fit = m.mcmc(draws=50, warmup=100, chains=2, seed=3, engine="stanli", progress=False)
    np.testing.assert_allclose(
        fit.posterior["half"], -(np.diff(fit.posterior["level"]) ** 2).sum(-1), rtol=1e-10, atol=1e-12
    )
    fit.save(tmp_path / "fit.nc")
    assert set(ss.load(tmp_path / "fit.nc").predict(draws=3).predictions.data_vars) == {"y", "half"}
