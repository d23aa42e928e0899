"""Discrete latents summed out: against every state by itself, on every target, and given back from draws."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

import scistan as ss
from scistan.distributions.rule import pieces_of
from scistan.domains import Domain
from scistan.errors import ModelError
from scistan.graph.node import Node
from scistan.graph.verify import check
from scistan.inference.states import draw_states, state_probabilities
from scistan.inference.summed import as_written, summed
from scistan.model.numbers import numbers_at_hand
from scistan.passes.states import discrete_latents
from scistan.targets.scipy import JointDensity
from tests.passes.states.hidden_models import MODELS, Y, mixture

ROUNDING = 1e-10  # sums of some hundred numbers of size 10


def states_of(m: ss.Model) -> list[dict[str, np.ndarray]]:
    """List every value that the discrete latents can have together."""
    instance = m.instance()
    each: list[list[np.ndarray]] = []
    terms = discrete_latents(instance.graph)
    for term in terms:
        law = pieces_of(term)[0].law  # of a series, that of its first element
        domain: Domain = law.distribution.domain(law.args)
        low, high = (int(np.max(numbers_at_hand(end))) if isinstance(end, Node) else int(end)
                     for end in (domain.lower, domain.upper))  # type: ignore[arg-type]
        shape = instance.shape(term.law.shape)
        count = int(np.prod(shape, dtype=int))
        each.append([np.reshape(c, shape) for c in itertools.product(range(low, high + 1), repeat=count)])
    return [dict(zip((t.name for t in terms), chosen, strict=True)) for chosen in itertools.product(*each)]


def some_values(m: ss.Model, seed: int = 0) -> dict[str, np.ndarray]:
    """Draw values of the continuous latents."""
    instance = m.instance()
    hidden = {t.name for t in discrete_latents(instance.graph)}
    drawn = m.simulate(seed=seed)
    return {t.name: drawn[t.name] for t in instance.graph.latents if t.name not in hidden}


def joint_densities(m: ss.Model, values: Mapping[str, np.ndarray]) -> np.ndarray:
    """Give the joint log density in every state, by the model as it was written."""
    instance = m.instance()
    leaves = {t.name: t.value for t in instance.graph.latents}
    density = JointDensity(instance)
    points = [{leaves[n]: np.asarray(v, float) for n, v in {**values, **state}.items()} for state in states_of(m)]
    return np.array([density.at(point)[0] for point in points])


@pytest.mark.parametrize("name", MODELS)
def test_the_sum_is_that_over_all_states(name: str) -> None:
    m = MODELS[name].__call__(*MODELS[name].__defaults__)  # type: ignore[attr-defined]
    values = some_values(m)
    expected = logsumexp(joint_densities(m, values))
    assert m.log_density(values) == pytest.approx(expected, rel=ROUNDING, abs=ROUNDING)
    check(summed(m.instance()).graph)


@pytest.mark.parametrize("name", MODELS)
def test_draws_and_probabilities_are_those_of_all_states(name: str) -> None:
    m = MODELS[name].__call__(*MODELS[name].__defaults__)  # type: ignore[attr-defined]
    values = some_values(m)
    logs = joint_densities(m, values)
    weights = np.exp(logs - logsumexp(logs))
    states = states_of(m)
    instance = summed(m.instance())
    draws = 4000
    posterior = {n: np.broadcast_to(v, (1, draws, *np.shape(v))) for n, v in values.items()}
    drawn = draw_states(instance, posterior, seed=1)
    # Each state's frequency is binomial; five standard errors over some hundred states is a chance of 1e-4 in all.
    for state, weight in zip(states, weights, strict=True):
        same = np.all([np.all((drawn[n][0] == v).reshape(draws, -1), axis=1) for n, v in state.items()], axis=0)
        assert abs(same.mean() - weight) <= 5 * np.sqrt(weight * (1 - weight) / draws) + 5 / draws
    for one in states[0]:
        found, numbers = state_probabilities(instance, posterior, one, seed=1)
        for k, number in enumerate(numbers):
            marginal = sum(w * (s[one] == number) for s, w in zip(states, weights, strict=True))
            # Latents that are summed out later are at their draws, so that this is a mean over draws too.
            assert np.allclose(found[..., k], marginal, atol=5 / np.sqrt(draws))


@pytest.mark.parametrize("name", ["mixture", "counts_that_change", "rows_in_groups", "zero_inflated", "occupancy",
                                  "counts_of_counts", "of_a_latent", "tied_together", "three_in_a_chain", "markov", "blocks",
                                  "on_and_off", "several_rows_a_time"])
def test_targets_agree(name: str) -> None:
    m = MODELS[name].__call__(*MODELS[name].__defaults__)  # type: ignore[attr-defined]
    found = m.verify(points=3)
    assert found.ok, found


def test_values_that_are_given_are_joint() -> None:
    m = mixture(4)
    values = some_values(m)
    z = np.array([0, 2, 1, 1])
    point = {t.value: np.asarray(v, float) for t in m.instance().graph.latents
             for n, v in {**values, "z": z}.items() if n == t.name}
    assert m.log_density({**values, "z": z}) == pytest.approx(JointDensity(m.instance()).at(point)[0])
    assert m.log_density({**values, "z": z}, target="torch") == pytest.approx(m.log_density({**values, "z": z}))


def test_the_text_holds_no_length() -> None:
    for name in ("mixture", "groups", "zero_inflated", "change_point", "counts_of_counts", "tied_together", "markov"):
        build = MODELS[name]
        small = 3 if name != "counts_of_counts" else 2
        more = build.__defaults__[0]  # type: ignore[attr-defined]
        if name == "groups":
            small = 5
        assert build(small).stan_code() == build(more).stan_code(), name


def test_a_sum_that_is_too_large_is_refused_with_its_size() -> None:
    m = ss.Model()
    m.p = ss.Beta(1, 1)
    m.z = ss.Bernoulli(m.p, shape=40)
    m.y = ss.Normal(ss.sum(m.z), 1).observe(Y)
    with pytest.raises(ModelError, match=r"2\^40 states"):
        m.log_density({"p": 0.5})


def test_a_count_without_end_is_refused_where_it_is_summed_and_drawn_in_the_prior() -> None:
    m = ss.Model()
    m.rate = ss.Gamma(2, 1)
    m.n = ss.Poisson(m.rate, shape=3)
    m.y = ss.Normal(m.n, 1).observe(Y[:3])
    assert m.prior(draws=5, seed=1).prior["n"].shape == (1, 5, 3)
    with pytest.raises(ModelError, match="without a largest value"):
        m.log_density({"rate": 1.0})


def test_what_was_summed_is_told() -> None:
    m = mixture(4)
    assert "z: 3 states in each of 4 rows in the density of y: 12 cells" in repr(m.explain())
    assert as_written(summed(m.instance())).graph.latents != summed(m.instance()).graph.latents


def _chain(m: ss.Model, law: Callable[..., object], **options: object) -> None:
    m.P = ss.Dirichlet(np.ones((2, 2)))
    m.s = ss.Series(law, **{"start": ss.Categorical([0.5, 0.5]), "length": 4, **options})
    m.y = ss.Normal(ss.sum(m.s, axis=1) if len(m.s.shape) > 1 else m.s, 1).observe(Y[:4])


def test_series_that_are_no_plain_chain_are_refused_with_a_way_out() -> None:
    back = ss.Model()
    first = [ss.Categorical([0.5, 0.5])] * 2
    _chain(back, lambda past: ss.Categorical(back.P[past[-2]]), start=first)
    with pytest.raises(ModelError, match=r"looks back 2 steps(.|\n)*K\*\*2 categories"):
        back.stan_code()
    many = ss.Model(coords={"site": [1, 2, 3]})
    many.p = ss.Beta(1, 1, dims="site")
    many.s = ss.Series(lambda past: ss.Bernoulli(0.1 + 0.8 * many.p * past[-1]), start=ss.Bernoulli(0.5),
                       dims=("t", "site"), length=4)
    many.y = ss.Normal(many.s, 1).observe(np.zeros((4, 3)))
    with pytest.raises(ModelError, match=r"many series(.|\n)*in a loop"):
        many.stan_code()
    two = ss.Model()
    _chain(two, lambda past: ss.Categorical(two.P[past[-1]]))
    two.r = ss.Series(lambda past: ss.Categorical(two.P[past[-1]]), start=ss.Categorical([0.5, 0.5]), length=4)
    two.both = ss.Normal(two.s + two.r, 1).observe(Y[:4])
    with pytest.raises(ModelError, match=r"`s` and `r` meet(.|\n)*pairs"):
        two.stan_code()


@pytest.mark.parametrize("y", [[0] * 6, [1, 2, 3, 1, 1, 4], [0], [0] * 5 + [2] * 10, [2] * 7 + [0] * 8, [0, 3] * 6])
def test_states_that_data_rule_out_are_added_only_where_they_are_possible(y: list[int]) -> None:
    counts = np.array(y)
    m, short = ss.Model(), ss.Model()
    m.psi, m.rate = ss.Beta(2, 2), ss.Gamma(2, 1)
    m.on = ss.Bernoulli(m.psi, shape=len(y))
    m.y = ss.Poisson(m.rate * m.on).observe(counts)
    short.psi, short.rate = ss.Beta(2, 2), ss.Gamma(2, 1)
    short.y = ss.Mixture([1 - short.psi, short.psi], [ss.DiscreteRange(0, 0), ss.Poisson(short.rate)]).observe(counts)
    psi, rate = 0.3, 1.7
    each = np.where(counts == 0, np.log(1 - psi + psi * np.exp(-rate)), np.log(psi) + stats.poisson(rate).logpmf(counts))
    prior = stats.beta(2, 2).logpdf(psi) + stats.gamma(2).logpdf(rate)
    for model in (m, short):
        found = model.log_density({"psi": psi, "rate": rate})
        assert found == pytest.approx(each.sum() + prior, rel=ROUNDING)
        assert model.log_density({"psi": psi, "rate": rate}, target="torch") == pytest.approx(found, rel=ROUNDING)
        verified = model.verify(points=2)
        assert verified.ok, verified
        form, other = ("log1p_exp", "log_sum_exp") if model is m else ("log_sum_exp", "log1p_exp")
        assert f"!= 0 ? {form}(" in model.stan_code()
        assert f"{other}(" not in model.stan_code()
