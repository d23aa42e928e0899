"""Assignment names a variable: instances, subclasses, cells run twice, loops."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import scistan as ss
from tests.zoo import ZOO, eight_schools


class Regression(ss.Model):
    def __init__(self, x, y):
        self.x = ss.data(x, dims="row")
        self.slope = ss.Normal(0, 1)
        self._notes = ["private attributes hold anything"]
        self.y = ss.Normal(self.slope * self.x, self.noise()).observe(y)

    def noise(self):
        self.sigma = ss.HalfNormal(1)
        return self.sigma


class RobustRegression(Regression):
    """Inherits everything but the noise."""

    def noise(self):
        self.nu = ss.Gamma(2, 0.1)
        self.sigma = ss.HalfNormal(1) if self.nu is None else ss.HalfCauchy(1)
        return self.sigma


class Named(ss.Model):
    def __init__(self, groups):
        super().__init__("named", coords={"group": groups})
        self.a = ss.Normal(0, 1, dims="group")


def test_roles_follow_from_what_is_assigned():
    m = eight_schools()
    m.spread = m.tau * 2
    roles = {"sigma": "data", "mu": "latent", "tau": "latent", "theta": "latent", "y": "observed", "spread": "derived"}
    assert m.variables == roles


def test_brackets_and_dots_are_the_same():
    m = ss.Model()
    m["mu"] = ss.Normal(0, 1)
    assert m["mu"]._scistan_node_ is m.mu._scistan_node_
    assert "mu" in m
    assert "nu" not in m
    assert "mu" in dir(m)


def test_subclass_is_the_same_mechanism():
    x, y = np.arange(4.0), np.ones(4)
    m = Regression(x, y)
    by_hand = ss.Model()
    by_hand.x = ss.data(x, dims="row")
    by_hand.slope = ss.Normal(0, 1)
    by_hand.sigma = ss.HalfNormal(1)
    by_hand.y = ss.Normal(by_hand.slope * by_hand.x, by_hand.sigma).observe(y)
    assert m.text() == by_hand.text()
    assert m.name == "Regression"
    assert m.with_data(x=x + 1)._notes == ["private attributes hold anything"]
    assert isinstance(m.with_data(x=x + 1), Regression)


def test_models_inherit_from_models():
    m = RobustRegression(np.arange(4.0), np.ones(4))
    assert list(m.variables) == ["x", "slope", "nu", "sigma", "y"]
    assert "HalfCauchy" in repr(m)


def test_subclass_may_name_itself_and_give_coords():
    m = Named(["p", "q"])
    assert (m.name, m.coords) == ("named", {"group": ["p", "q"]})


def test_a_method_of_a_subclass_is_no_name():
    m = Regression(np.arange(2.0), np.ones(2))
    with pytest.raises(ss.ModelError, match="method of the model"):
        m.noise = ss.Normal(0, 1)


@pytest.mark.parametrize("build", ZOO.values(), ids=ZOO)
def test_a_cell_run_twice_changes_nothing(build):
    m = build()
    before = m.text(), {name: m[name]._scistan_node_ for name in m.variables}
    again = build()
    for name, entry in again._variables.entries.items():  # the same lines once more, on the same model
        if entry.role == "data":
            m[name] = ss.data(entry.node.default, dims=entry.node.dims)
    assert (m.text(), {name: m[name]._scistan_node_ for name in m.variables}) == before


def test_every_kind_of_line_can_be_run_twice():
    m = ss.Model(coords={"group": list("abc")})

    def cell():
        m.x = ss.data([[1.0, 2.0], [3.0, 4.0]], dims=("row", "column"))
        m.k = ss.data([0, 2])
        m.a = ss.Normal(0, 1, dims="group")
        m.b = ss.Normal(np.array([0.5, 1.0]), 1, shape=2, lower=-1)
        m.L = ss.LKJCholesky(2, 1.0)
        m.c = ss.Normal(0, 1, shape=m.x.shape[1])
        m.table = ss.broadcast_to(m.a[m.k], (5, 2)) + m.x[0] @ (m.L @ m.c)
        m.rows = m.x.reshape(-1)
        m.y = ss.Normal(m.x @ m.b, 1, dims="row").observe([1.0, 2.0])
        m.z = ss.Normal(0, 1, shape=4).observe()

    cell()
    nodes = {name: m[name]._scistan_node_ for name in m.variables}
    text = m.text()
    cell()
    assert m.text() == text
    assert {name: m[name]._scistan_node_ for name in m.variables} == nodes


def test_another_meaning_replaces_what_nothing_uses():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.mu = ss.Normal(0, 2)
    assert "Normal(0, 2)" in repr(m)
    m.b = ss.Normal(0, 1, shape=3)
    m.x = ss.data(np.ones((4, 3)))
    m.b = ss.Normal(0, 1, shape=m.x.shape[1])  # the same length today, another meaning
    assert m.with_data(x=np.ones((4, 5))).simulate(seed=0)["b"].shape == (5,)


def test_a_dim_is_free_again_when_its_only_data_are_replaced():
    m = ss.Model()
    m.x = ss.data(np.zeros(4), dims="row")
    m.x = ss.data(np.zeros(6), dims="row")
    assert m.simulate() == {}
    assert m._variables.dims["row"].today == 6


def test_what_is_added_up_in_a_loop_may_be_renamed_over_itself():
    m = ss.Model()
    m.step = ss.Normal(0, 1, shape=4)
    m.total = m.step[0] * 1
    for k in range(1, 4):
        m.total = m.total + m.step[k]
    draw = m.simulate(seed=3)
    assert draw["total"] == pytest.approx(draw["step"].sum())


def test_deleting_a_variable_that_nothing_uses():
    m = eight_schools()
    m.extra = ss.Normal(0, 1)
    del m.extra
    assert m.text() == eight_schools().text()
    with pytest.raises(AttributeError):
        del m.extra


def test_a_second_name_for_a_variable_is_a_derived_quantity():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.center = m.mu
    assert m.variables["center"] == "derived"
    assert "center = mu" in repr(m)
    draws = m.prior(10, seed=0).prior
    assert np.array_equal(draws["mu"], draws["center"])
    m.center = m.mu * 2  # the second name is free, though the first is used
    assert m.variables["mu"] == "latent"


def test_models_from_loops():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    effects = []
    for k in range(5):
        m[f"effect_{k}"] = ss.Normal(m.mu, 1)
        effects.append(m[f"effect_{k}"])
    m.y = ss.Normal(ss.stack(effects), 1).observe(np.zeros(5))
    assert len(m.to_graph().latents) == 6
    assert m.simulate(seed=0)["y"].shape == (5,)


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy])
def test_a_copy_can_grow_by_itself(twin):
    m = eight_schools()
    other = twin(m)
    other.extra = ss.Normal(other.mu, 1)
    assert "extra" not in m
    assert other.simulate(seed=1)["mu"] == m.simulate(seed=1)["mu"]


def test_a_model_cannot_be_pickled_and_says_what_to_do():
    with pytest.raises(pickle.PicklingError, match=r"the model `eight_schools` cannot(?s:.*)build it in a function") as error:
        pickle.dumps(eight_schools())
    assert isinstance(error.value, ss.UnsupportedError)
    assert "pickle.dumps(eight_schools())" in str(error.value)


def test_names_of_stan_functions_are_fine():
    m = ss.Model()
    for name in ("beta", "mean", "Phi", "normal", "sum"):
        m[name] = ss.Normal(0, 1)
    assert len(m.to_graph().latents) == 5


def test_the_name_of_the_model_enters_nothing():
    one, other = ss.Model("one"), ss.Model("other")
    for m in (one, other):
        m.mu = ss.Normal(0, 1)
        m.y = ss.Normal(m.mu, 1).observe([1.0, 2.0])
    assert one.text() == other.text()
    assert one.simulate(seed=0)["mu"] == other.simulate(seed=0)["mu"]
