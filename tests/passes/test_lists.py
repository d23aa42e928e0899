"""Lists of expressions written in a Python loop: one vector, one density, and one text whatever their length."""

import numpy as np
import pytest

import scistan as ss

# How the elements of a loop are put together.
WAYS = {
    "stack": ss.stack,
    "list": lambda parts: parts,
    "concatenate": lambda parts: ss.concatenate([part[None] for part in parts]),
    "hstack": np.hstack,
    "np.stack": np.stack,
}
# What the loop writes at position i: `x` is a plain array, `m.x` data of the model, `m.v` latents of the same length.
BODIES = {
    "plain numbers": lambda m, x, i: m.a + m.b * x[i],
    "two arrays": lambda m, x, i: m.a * x[i] + m.b * (x[i] * 2),
    "Python numbers beside them": lambda m, x, i: m.a + m.b * x[i] + 0.1 * i,
    "Python numbers alone": lambda m, x, i: m.a + m.b * float(x[i]),
    "a number that stays": lambda m, x, i: m.a * x[i] + m.b * x[0],
    "rows": lambda m, x, i: m.a + m.b * (np.array([x[i], 1.0]) @ m.w),
    "named data": lambda m, x, i: m.a + m.b * m.x[i],
    "latents along their axis": lambda m, x, i: m.a + ss.exp(m.v[i]) * m.b,
    "latents and numbers": lambda m, x, i: m.a + m.b * m.v[i] * x[i],
    "a group": lambda m, x, i: m.a + m.w[int(i % 2)] * x[i] * m.b,
    "a choice": lambda m, x, i: ss.where(m.x[i] > 1, m.a, m.b) + x[i],
}


def written(body: str, way: str, n: int, latent: bool = False) -> ss.Model:
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    m = ss.Model()
    m.x = ss.data(rng.normal(size=n))
    m.a, m.b = ss.Normal(0, 1), ss.Normal(0, 1)
    m.w = ss.Normal(0, 1, shape=2)
    m.v = ss.Normal(m.x, 1)
    mean = WAYS[way]([BODIES[body](m, x, i) for i in range(n)])
    used = ss.sum(m.w) + ss.sum(m.v)
    if latent:
        m.z = ss.Normal(mean, 1)
        m.y = ss.Normal(m.z + used, 1).observe(rng.normal(size=n))
    else:
        m.y = ss.Normal(mean, ss.exp(used)).observe(rng.normal(size=n))
    return m


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("body", BODIES)
def test_two_lengths_give_one_text(body, way):
    texts = {written(body, way, n).stan_code() for n in (4, 7)}
    assert len(texts) == 1


@pytest.mark.parametrize("body", BODIES)
def test_also_where_a_latent_has_the_length_of_the_list(body, stanc):
    texts = {written(body, "stack", n, latent=True).stan_code() for n in (4, 7)}
    assert len(texts) == 1
    stanc(*texts)


@pytest.mark.parametrize("body", BODIES)
def test_the_targets_agree(body, stanc):
    m = written(body, "stack", 4)
    stanc(m.stan_code())
    assert m.verify(points=2).ok


def test_the_numbers_are_one_vector():
    m = written("plain numbers", "stack", 5)
    assert "y ~ normal(a + b * data_1, " in m.stan_code(gather=False)
    np.testing.assert_array_equal(m.stan_data()["data_1"], np.random.default_rng(5).normal(size=5))


@pytest.mark.parametrize("form", ["stacks", "lists", "vectors", "tuples"])
def test_loops_within_loops(form):
    """What an inner loop gathers is gathered by the outer one; no length of either is in the text."""

    def model(n: int, k: int) -> ss.Model:
        rng = np.random.default_rng(n)
        x = rng.normal(size=(n, k))
        m = ss.Model()
        m.a, m.b = ss.Normal(0, 1), ss.Normal(0, 1)
        rows = {
            "stacks": lambda: ss.stack([ss.stack([m.a + m.b * x[i, j] for j in range(k)]) for i in range(n)]),
            "lists": lambda: [[m.a + m.b * x[i, j] for j in range(k)] for i in range(n)],
            "vectors": lambda: ss.stack([m.a + m.b * row for row in x]),
            "tuples": lambda: [[m.a + m.b * number for number in row] for row in x.tolist()],
        }
        m.y = ss.Normal(rows[form](), 1).observe(rng.normal(size=(n, k)))
        return m

    m = model(4, 3)
    assert m.verify(points=2).ok
    text = m.stan_code()
    assert text == model(5, 6).stan_code()
    assert "a + b * data_1" in text
    np.testing.assert_array_equal(m.stan_data()["data_1"], np.random.default_rng(4).normal(size=(4, 3)))


def test_a_list_of_vectors():
    def model(n: int) -> ss.Model:
        x = np.linspace(-1, 1, n)
        m = ss.Model()
        m.w = ss.Normal(0, 1, shape=2)
        m.y = ss.Normal(ss.stack([m.w * x[i] for i in range(n)]), 1).observe(np.zeros((n, 2)))
        return m

    assert model(4).stan_code() == model(7).stan_code()
    assert model(4).verify(points=2).ok


UNLIKE = {
    "latents by name": lambda m: [m.a, m.b],
    "other forms": lambda m: [m.a, 2 * m.a * m.b],
    "numbers written in the model": lambda m: [m.a, 2 * m.b],
    "some elements": lambda m: [m.w[2], m.w[0]],
}


@pytest.mark.parametrize("name", UNLIKE)
def test_what_is_no_loop_stays_as_it_was_written(name):
    m = ss.Model()
    m.a, m.b, m.w = ss.Normal(0, 1), ss.Normal(0, 1), ss.Normal(0, 1, shape=3)
    m.y = ss.Normal(ss.stack(UNLIKE[name](m)) * m.a * m.b * m.w[1], 1).observe([0.3, 0.4])
    assert m.stan_code() == m.stan_code(lists=False)
    assert m.verify(points=2).ok


def test_values_of_another_length_are_still_refused():
    with pytest.raises(ss.ScistanError):
        written("plain numbers", "stack", 4).with_data(y=np.zeros(5)).stan_data()
