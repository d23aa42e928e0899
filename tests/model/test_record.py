"""A model that is written down and read back is the same model."""

from __future__ import annotations

import copy
import datetime
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import scistan as ss
from scistan.distributions.declaration import REGISTRY as DISTRIBUTIONS
from scistan.errors import DataError, InternalError
from scistan.graph.labels import Labels
from scistan.graph.parse import UndeclaredError
from scistan.graph.places import first_place
from scistan.inference.record import DamagedRecordError, Record, record_from_dataset, record_to_dataset
from scistan.model.plain import labels_from_plain, labels_to_plain
from scistan.model.record import record_of
from scistan.model.restore import model_of
from scistan.ops.declaration import REGISTRY as OPS
from tests.graph.random_graphs import random_model
from tests.random_models import Recipe, build, recipes
from tests.zoo import ZOO, eight_schools, logistic

LAWS = settings(
    derandomize=True, deadline=None, database=None, max_examples=40, suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)


def through_a_file(record: Record) -> Record:
    return record_from_dataset(record_to_dataset(record))


def again(m: ss.Model) -> ss.Model:
    return model_of(through_a_file(record_of(m)))


def told(call) -> object:
    """Give what a call gives, or what it refuses."""
    try:
        return call()
    except ss.ScistanError as error:
        return str(error)


def assert_same(m: ss.Model, back: ss.Model) -> None:
    assert type(back) is ss.Model
    assert (back.name, back.variables, back.coords) == (m.name, m.variables, m.coords)
    assert back.text() == m.text()
    assert told(back.stan_code) == told(m.stan_code)
    assert record_of(back).text == record_of(m).text
    assert repr(back) == repr(m)
    one, other = m.simulate(seed=3), back.simulate(seed=3)
    assert one.keys() == other.keys()
    for name, array in one.items():
        np.testing.assert_array_equal(other[name], array)
    if m.instance().missing:
        return
    point = {term.name: one[term.name] for term in m.to_graph().latents}
    assert told(lambda: back.log_density(point)) == told(lambda: m.log_density(point))


# -- one model of each kind ---------------------------------------------------------------------------
def labelled() -> ss.Model:
    """Rows and columns with labels, in another order here and there."""
    rows, columns = list("dacb"), ["dose", "age"]
    m = ss.Model("labelled", coords={"site": ["north", "south"]})
    m.x = ss.data(pd.DataFrame(np.arange(8.0).reshape(4, 2), rows, columns))
    m.site = ss.data(pd.Series([0, 1, 1, 0], index=sorted(rows)))
    m.effect = ss.Normal(0, 1, dims="site")
    m.beta = ss.Normal(0, pd.Series([1.0, 2.0], index=columns[::-1]))
    m.y = ss.Normal(m.x @ m.beta + m.effect[m.site], 1).observe(pd.Series([1.0, 2, 3, 4], index=sorted(rows)))
    return m


def arrays() -> ss.Model:
    m = ss.Model("arrays")
    times = {"time": pd.date_range("2020", periods=3)}
    m.x = ss.data(xr.DataArray(np.ones((3, 2)), dims=("time", "arm"), coords=times))
    m.level = ss.Normal(0, 1, dims="arm")
    m.mean = m.level * m.x
    m.y = ss.Normal(m.mean, 1).observe()
    return m


def computed_lengths() -> ss.Model:
    m = ss.Model("lengths")
    m.x = ss.data(np.arange(6.0))
    n = m.x.shape[0]
    m.half = ss.Normal(0, 1, shape=n // 2)
    m.rest = ss.Normal(0, 1, shape=n % 4)
    m.both = ss.Normal(0, 1, shape=n * m.half.shape[0])
    m.total = ss.sum(m.half) + ss.sum(m.both.reshape(n, -1)) + m.x[::2] @ m.half + 1 / n
    m.y = ss.Normal(m.total * m.x, ss.arange(7)[::2].sum() + 1).observe(np.zeros(6))
    return m


def mixture() -> ss.Model:
    m = ss.Model("mixture")
    m.seen = ss.data([True, False, True])
    m.p = ss.Beta(1, 1)
    m.rate = ss.Gamma(2, 0.1)
    m.y = ss.Poisson(ss.where(m.seen, m.rate, m.p)).observe([0, 3, 1])
    m.odds = m.p / (1 - m.p)
    m.alias = m.rate
    m.again = m.seen
    return m


def coded() -> ss.Model:
    m = ss.Model("coded")
    m.site = ss.factor(["b", "a", "b", "c"])
    m.x = ss.standardize(pd.DataFrame({"u": [1.0, 2.0, 4.0, 8.0], "v": [3.0, 1.0, 0.0, 2.0]}))
    m.a = ss.Normal(0, 1, dims="site")
    m.b = ss.Normal(0, 1, shape=2)
    m.y = ss.Normal(m.a[m.site] + m.x @ m.b, 1).observe([0.0, 1.0, 2.0, 3.0])
    return m


def intervened() -> ss.Model:
    m = coded()
    m.late = ss.Normal(m.y * 2, 1).observe(np.zeros(4))
    return m.do(y=1.0).given(b=[0.5, -0.5])


def loop() -> ss.Model:
    m = ss.Model("loop")
    m.mu = ss.Normal(0, 1, shape=3)
    for k, x in enumerate(np.array([0.5, 1.5, 2.5])):
        m[f"y{k}"] = ss.Normal(m.mu[k] * x, 0.1 + 0.2).observe([1.0, 2.0])
    return m


def nothing_given() -> ss.Model:
    m = ss.Model(coords={"unused": [1, 2]})
    m.none = ss.data(np.zeros((0, 2)))
    m.number = ss.data(2.5)
    m.a = ss.Normal(1 / 3, 1e-300, lower=-0.0, upper=float("inf"))
    return m


def swapped() -> ss.Model:
    return logistic().with_data(x=np.ones((4, 2)), y=[0, 1, 1, 0])


def relabelled() -> ss.Model:
    m = ss.Model("relabelled", coords={"arm": ["a", "b"]})
    m.level = ss.Normal(0, 1, dims="arm")
    return m.with_data(coords={"arm": ["a", "b", "c"]})


KINDS = {
    **ZOO,
    **{
        make.__name__: make
        for make in (
            labelled, arrays, computed_lengths, mixture, coded, intervened, loop, nothing_given, swapped, relabelled,
        )
    },
}


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_model_comes_back(name):
    m = KINDS[name]()
    assert_same(m, again(m))


@LAWS
@given(recipes())
def test_random_models_come_back(recipe: Recipe):
    m = build(recipe)
    assert_same(m, again(m))


@LAWS
@given(st.integers(0, 100_000))
def test_random_graphs_come_back(seed: int):
    m = random_model(seed)
    back = again(m)
    assert back.text() == m.text()
    assert told(back.stan_code) == told(m.stan_code)


# -- it goes on as the first would -----------------------------------------------------------------------
def refusal(call) -> str:
    with pytest.raises(DataError) as error:
        call()
    return str(error.value)


def test_other_data_of_other_lengths():
    for make, data in (
        (logistic, {"x": np.ones((7, 5)), "y": np.ones(7, int)}),
        (computed_lengths, {"x": np.arange(8.0), "y": np.zeros(8)}),
        (eight_schools, {"sigma": pd.Series([1.0, 2, 3], index=list("xyz")), "y": [0.0, 0, 0]}),
        (arrays, {"x": np.zeros((5, 3)), "y": np.zeros((5, 3))}),
        (swapped, {"x": np.zeros((5, 3)), "y": np.zeros(5)}),
    ):
        m = make()
        assert_same(m.with_data(**data), again(m).with_data(**data))


def test_labels_are_matched_as_before():
    m, back = labelled(), again(labelled())
    turned = pd.DataFrame(np.arange(8.0).reshape(4, 2)[:, ::-1], list("dacb"), ["age", "dose"]).sort_index()
    point = {"effect": [1.0, -1.0], "beta": [0.5, 0.25]}
    assert back.with_data(x=turned).log_density(point) == back.log_density(point) == m.log_density(point)
    strange = turned.rename(columns={"age": "weight"})
    assert refusal(lambda: back.with_data(x=strange)) == refusal(lambda: m.with_data(x=strange))
    assert "weight" in refusal(lambda: back.with_data(x=strange))


def test_a_model_that_came_back_can_be_written_on():
    m, back = labelled(), again(labelled())
    for one in (m, back):
        one.scaled = one.x * 2
        one.more = ss.Normal(0, 1, dims="site")
        one.y = ss.StudentT(4, one.x @ one.beta, 1).observe(pd.Series([4.0, 3, 2, 1], index=list("dcba")))
    assert_same(m, back)


def test_the_same_line_again_changes_nothing():
    back = again(eight_schools())
    text = back.text()
    back.mu = ss.Normal(0, 5)
    assert back.text() == text


def test_messages_still_name_the_users_line():
    m = eight_schools()
    back = again(m)
    assert first_place(back.to_graph().terms[2].value) == first_place(m.to_graph().terms[2].value) is not None
    assert [e.place for e in back._variables.entries.values()] == [e.place for e in m._variables.entries.values()]


def test_two_that_came_back_are_strangers():
    record = record_of(eight_schools())
    one, other = model_of(record), model_of(record)
    with pytest.raises(ss.ModelError, match="mu"):
        one.z = ss.Normal(other.mu, 1)
    copy.copy(one).z = ss.Normal(one.mu, 1)


# -- the labels themselves ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "values",
    [
        ["a", "b"], [1, 2], [0.1, float("inf")], [True, False], [None, "x"], [("a", 1), ("b", 2)], range(2, 9, 3),
        [datetime.date(2020, 1, 2)], [datetime.datetime(2020, 1, 2, 3)], list(pd.date_range("2020", periods=2, tz="UTC")),
        list(np.array(["2020-01", "2020-02"], "M8[M]")), [np.timedelta64(3, "s")], [pd.Timedelta("1 days")],
        list(pd.period_range("2020", periods=2, freq="M")), list(pd.interval_range(0, 2)), [pd.Timestamp(1)],
    ],
)
def test_labels_of_every_kind(values):
    labels = Labels(values, implied=isinstance(values, range))
    back = labels_from_plain(json.loads(json.dumps(labels_to_plain(labels))))
    assert back == labels
    assert [type(one) for one in back] == [type(one) for one in labels]
    assert back.implied == labels.implied
    assert back.same_set(labels)


# -- what is the user's own ----------------------------------------------------------------------------------
def test_a_distribution_of_ones_own_must_be_declared(monkeypatch):
    Bent = ss.declare_distribution(
        "Bent", "A distribution for this test.", parameters={"a": "positive"}, support="real",
        log_density=lambda x, a: -ss.square(x) * a, draw=lambda rng, size, a: rng.normal(size=size),
    )
    m = ss.Model()
    m.b = Bent(2.0)
    record = record_of(m)
    assert_same(m, model_of(record))
    declared = DISTRIBUTIONS["Bent"]
    monkeypatch.setitem(DISTRIBUTIONS, "Bent", replace(declared, parameters=declared.parameters * 2))
    with pytest.raises(DamagedRecordError, match=r"`Bent` takes 2 argument\(s\), and has 1 in `b`"):
        model_of(record)
    monkeypatch.delitem(DISTRIBUTIONS, "Bent")
    with pytest.raises(UndeclaredError) as error:
        model_of(record)
    assert (error.value.kind, error.value.name) == ("distribution", "Bent")


def test_an_op_of_ones_own_must_be_declared(monkeypatch):
    bend = ss.declare_op("bend", "An op for this test.", numpy="tanh", torch="tanh", stan="tanh")
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.b = bend(m.a)
    record = record_of(m)
    assert_same(m, model_of(record))
    monkeypatch.setitem(OPS, "bend", replace(OPS["bend"], arity=2))
    with pytest.raises(DamagedRecordError, match=r"`bend` takes 2 argument\(s\), and has 1"):
        model_of(record)
    monkeypatch.delitem(OPS, "bend")
    with pytest.raises(UndeclaredError) as error:
        model_of(record)
    assert (error.value.kind, error.value.name) == ("op", "bend")


# -- damage --------------------------------------------------------------------------------------------------
def places_in(plain: object, at: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """List the way to every value of a record."""
    inner = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    return [at, *(way for key, value in inner for way in places_in(value, (*at, key)))][0 if at else 1 :]


def changed(text: str, at: tuple[object, ...], value: object) -> str:
    plain = json.loads(text)
    inner = plain
    for key in at[:-1]:
        inner = inner[key]
    if value is KeyError:
        del inner[at[-1]]
    else:
        inner[at[-1]] = value
    return json.dumps(plain)


@pytest.mark.parametrize("value", [KeyError, None, -1, 10**9, "?", [], {}, [[]], True])
def test_a_damaged_record_is_refused_or_a_whole_model(value):
    """Whatever is changed in a record: it is a model that can be looked at, or it is refused in our words."""
    record = record_of(labelled())
    refused = 0
    for at in places_in(json.loads(record.text)):
        try:
            back = model_of(Record(changed(record.text, at, value), record.arrays))
            told(lambda back=back: (back.text(), back.stan_code(), repr(back), back.log_density(back.simulate(seed=1))))
        except DamagedRecordError:
            refused += 1
    assert refused > 50


def test_lines_of_the_graph_that_are_none():
    record = record_of(labelled())
    text = json.loads(record.text)["graph"]
    lines = text.splitlines()
    for k, line in enumerate(lines):
        for other in ("", line[: len(line) // 2], line.replace("%", "%9"), line.replace("n", "n9", 1), line + line):
            damaged = "\n".join([*lines[:k], other, *lines[k + 1 :]])
            try:
                model_of(Record(changed(record.text, ("graph",), damaged), record.arrays))
            except (DamagedRecordError, UndeclaredError):
                continue
            except InternalError as error:  # pragma: no cover
                pytest.fail(str(error))
    with pytest.raises(UndeclaredError, match="unheard_of"):
        model_of(Record(changed(record.text, ("graph",), text.replace("matmul(", "unheard_of(")), record.arrays))


def test_nothing_in_a_record_is_run(tmp_path):
    record = record_of(labelled())
    text = json.loads(record.text)["graph"]
    bad = f"__import__('pathlib').Path('{tmp_path}/ran').touch()"
    for line in (f"%99 = {bad} []", f"derived z = {bad}", f"length n99 = {bad}", f"%99 = exp({bad}) []"):
        with pytest.raises((DamagedRecordError, UndeclaredError)):
            model_of(Record(changed(record.text, ("graph",), line + "\n" + text), record.arrays))
    assert not list(tmp_path.iterdir())


def test_arrays_that_were_changed_are_noticed():
    dataset = record_to_dataset(record_of(labelled()))
    name = next(name for name in dataset if name != "record")
    with pytest.raises(DamagedRecordError, match="changed since"):
        record_from_dataset(dataset.assign({name: dataset[name] + 1}))
    with pytest.raises(DamagedRecordError, match="no text"):
        record_from_dataset(dataset.drop_vars("record"))
    record = record_of(labelled())
    for arrays in ({key: array[:-1] for key, array in record.arrays.items()}, {}, {"float64": np.zeros((99, 1))}):
        with pytest.raises(DamagedRecordError, match="its numbers are not those that were written"):
            model_of(Record(record.text, arrays))
