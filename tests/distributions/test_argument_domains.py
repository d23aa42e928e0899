"""A bare latent fits the domain of the argument it is used as, for every parameter of every distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import scistan as ss
from scistan import domains
from scistan.distributions.declaration import REGISTRY, Parameter
from scistan.distributions.within import range_of
from scistan.domains import Domain
from tests.targets.stan_cases import LATENT, NEVER_LATENT, SPECIAL, TYPICAL, K, constructor

PARAMETERS = [(name, p) for name, d in REGISTRY.items() for p in d.parameters if p.domain is not domains.SIZE]
NARROW = [(name, p) for name, p in PARAMETERS if p.domain not in (domains.REAL, domains.VECTOR, domains.MATRIX)]
# Functions that bring any numbers into a domain.
INTO = {"positive": ss.exp, "not negative": ss.exp, "between 0 and 1": ss.inv_logit, "above 1": lambda x: 1 + ss.exp(x)}


def called(name: str, parameter: Parameter, value: Any) -> Any:
    """Call a distribution with one argument replaced."""
    special = SPECIAL.get(name, {})
    given = {p.name: special.get(p.name, TYPICAL.get(p.domain)) for p in REGISTRY[name].parameters}
    arrays = {key: np.asarray(one) if np.ndim(one) else one for key, one in given.items()}
    return constructor(name)(**(arrays | {parameter.name: value}))


def free(m: ss.Model, domain: Domain, prior: Any = None) -> Any:
    """Give a latent that can be anything, in a shape that the domain takes, with a batch in front."""
    prior = prior or (lambda **o: ss.Normal(0, 1, **o))
    m.free = prior(shape=(2, *(K,) * domain.event_rank))
    return m.free


@pytest.mark.parametrize(("name", "parameter"), NARROW, ids=[f"{n}-{p.name}" for n, p in NARROW])
def test_latents_that_can_be_anything_are_refused(name, parameter):
    for prior in (None, lambda **o: ss.Flat(**o), lambda **o: ss.StudentT(4, 0, 1, lower=-2, upper=9, **o)):
        for pick in (lambda x: x, lambda x: x[0], lambda x: x[np.array([0, 1, 1])]):
            latent = pick(free(ss.Model("free"), parameter.domain, prior))
            with pytest.raises(ss.ModelError, match=parameter.name) as caught:
                called(name, parameter, latent)
            assert caught.value.remedy
            assert caught.value.place is not None


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS, ids=[f"{n}-{p.name}" for n, p in PARAMETERS])
def test_latents_of_the_domain_are_welcome(name, parameter):
    if parameter.domain not in LATENT or (name, parameter.name) in NEVER_LATENT:
        pytest.skip("no latent of this domain stands there alone")
    m = ss.Model("fits")
    m.inside = LATENT[parameter.domain]((2,))
    for latent in (m.inside, m.inside[0], m.inside[np.array([1, 0])]):
        called(name, parameter, latent)


@pytest.mark.parametrize(("name", "parameter"), NARROW, ids=[f"{n}-{p.name}" for n, p in NARROW])
def test_expressions_are_not_judged(name, parameter):
    into = INTO.get(parameter.domain.words)
    if into is None or (name, parameter.name) in NEVER_LATENT:
        pytest.skip("no function of one latent")
    m = ss.Model("expression")
    called(name, parameter, into(free(m, parameter.domain)))
    called(name, parameter, m.free * 2)


def test_ranges_follow_bounds_that_are_latents_or_data():
    m = ss.Model("bounds")
    m.low = ss.HalfNormal(1)
    m.a = ss.Normal(0, 1, lower=m.low)
    m.b = ss.Normal(0, 1, lower=np.array([-1.0, 0.0, 2.0]))
    m.c = ss.Normal(0, 1, lower=m.low - 1)
    assert range_of(m.a._scistan_node_.domain) == (0.0, np.inf)
    assert range_of(m.b._scistan_node_.domain) == (-1.0, np.inf)
    assert np.isnan(range_of(m.c._scistan_node_.domain)[0])  # an expression may be anything
    ss.Normal(0, m.a)
    ss.Normal(0, m.c)
    ss.Normal(0, m.b[2])  # which element it is, is not asked
    with pytest.raises(ss.ModelError, match="`b` can be below 0"):
        ss.Normal(0, m.b)


def test_one_cutpoint_is_in_order():
    m = ss.Model("one")
    m.cut = ss.Normal(0, 1, shape=1)
    m.y = ss.OrderedLogistic(0.0, m.cut).observe([0, 1])
    assert m.verify(points=2).ok


def test_domains_are_known_again_after_loading(tmp_path):
    m = ss.Model("kept")
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(m.a, 1).observe([0.0, 1.0])
    loaded = ss.load(m.mcmc(draws=20, warmup=50, chains=1, seed=1, progress=False).save(tmp_path / "fit.nc"))
    assert loaded.subject.instance.graph.latents[0].value.domain is domains.REAL
