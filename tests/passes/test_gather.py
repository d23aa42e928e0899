"""Gathering: every way to write numbers times columns, what must stay as it is, and that nothing else is changed."""

import numpy as np
import pytest

import scistan as ss
from scistan.graph.graph import Graph
from scistan.graph.text import graph_text
from scistan.graph.walk import with_latents
from scistan.passes.gather import gather_predictors
from scistan.passes.linear import scaled_column, summands
from scistan.targets.scipy import joint_log_density
from scistan.targets.stan.program import lower_to_stan

N, K, J = 12, 3, 4
RNG = np.random.default_rng(19)
GROUP = np.arange(N) % J
REAL, BINARY, COUNTS = RNG.normal(size=N), RNG.integers(0, 2, N), RNG.poisson(2, N)
QUIET = {"log_lik": False, "predictive": False, "log_prior": False}

# What is written, the matrix that comes of it, and the arguments of the fused form behind it.
WAYS = {
    "one": (lambda m: m.a + m.b * m.x, "to_matrix(x)", "a, [b]'"),
    "no_intercept": (lambda m: m.b * m.x, "to_matrix(x)", "0.0, [b]'"),
    "differences": (lambda m: m.a - m.b * m.x - (m.c * m.z - 1), "[x', z']'", "a + 1, [-b, -c]'"),
    "negative": (lambda m: -m.b * m.x + m.a, "to_matrix(x)", "a, [-b]'"),
    "negative_inside": (lambda m: m.a + m.c * -(m.b * m.x), "to_matrix(x)", "a, [-(c * b)]'"),
    "constants": (lambda m: 2.0 * m.b * m.x + m.c * m.z / 3 + m.a, "[x', (z / 3)']'", "a, [2.0 * b, c]'"),
    "elements": (lambda m: m.beta[0] * m.x + m.beta[2] * m.z + m.a, "[x', z']'", "a, [beta[1], beta[3]]'"),
    "powers": (lambda m: m.a + m.b * m.x + m.c * m.x**2, "[x', (x .^ 2)']'", "a, [b, c]'"),
    "interactions": (lambda m: m.a + m.b * m.x + m.c * m.x * m.z, "[x', (x .* z)']'", "a, [b, c]'"),
    "arrays": (lambda m: m.a + m.b * np.arange(N) + m.c * REAL, "[data_1', data_2']'", "a, [b, c]'"),
    "beside_a_matrix": (lambda m: m.a + m.X @ m.beta - m.b * m.x, "append_col(X, x)", "a, append_row(beta, -b)"),
    "two_beside_it": (
        lambda m: m.b * m.x + m.X @ m.beta + m.c * m.z, "append_col(X, [x', z']')", "0.0, append_row(beta, [b, c]')",
    ),
    "two_matrices": (lambda m: m.a + m.X @ m.beta - m.X**2 @ m.w, "append_col(X, X .^ 2)", "a, append_row(beta, -w)"),
    "groups": (lambda m: m.a + m.b * m.x + m.u[m.g], "to_matrix(x)", "a + u[g], [b]'"),
    "varying_slopes": (lambda m: m.b * m.z + m.u[m.g] * m.x, "to_matrix(z)", "u[g] .* x, [b]'"),
    "whole_numbers": (lambda m: m.a + m.b * m.k + m.c * m.g, "[k', g']'", "a, [b, c]'"),
    "an_index_too": (lambda m: m.u[m.g] + m.c * m.g, "to_matrix(g)", "u[g_index], [c]'"),
    "a_sum_of_a_list": (lambda m: sum([m.b * m.x, m.c * m.z]), "[x', z']'", "0.0, [b, c]'"),
    "the_same_latent": (lambda m: m.b * m.x + m.b * m.z + m.b, "[x', z']'", "b, [b, b]'"),
    "a_number_of_the_data": (lambda m: m.a + m.b * m.scale + m.c * m.x, "to_matrix(x)", "a + b * scale, [c]'"),
    "one_value_for_all": (lambda m: m.a + m.b * m.single + m.c * m.x, "to_matrix(x)", "a + b * single[1], [c]'"),
    "quotients": (lambda m: m.a + m.x / m.s + m.b / (2 + m.k), "[x', (1.0 ./ (2 + k))']'", "a, [1.0 / s, b]'"),
    "an_offset": (lambda m: m.a + m.x + m.b * m.z, "to_matrix(z)", "a + x, [b]'"),
    "nested": (lambda m: (m.a + (m.b * m.x - (m.c * m.z + m.u[m.g]))) + 1, "[x', z']'", "a - u[g] + 1, [b, -c]'"),
}
LEFT = {
    "latent vectors": lambda m: m.a + m.v * m.x,
    "latent vectors of length 1": lambda m: m.a + m.lone * m.x,
    "one value for all": lambda m: m.b * m.single + m.u[m.g],
    "numbers of the data": lambda m: m.b * 2.0 + m.c * m.scale + m.u[m.g],
    "functions of a sum": lambda m: ss.tanh(m.a + m.b * m.x),
    "a product of sums": lambda m: m.b * (m.x - m.a),
    "a column of another dim": lambda m: ss.sum(m.b * m.other) + m.u[m.g],
}


def _model(columns: dict[str, np.ndarray] | None = None, rows: int = N) -> ss.Model:
    m = ss.Model("gather")
    given = {"x": RNG.normal(size=rows), "z": RNG.normal(size=rows)} | (columns or {})
    m.x, m.z = ss.data(given["x"]), ss.data(given["z"])
    m.X, m.k, m.g = ss.data(RNG.normal(size=(rows, K))), ss.data(np.arange(rows) % 5), ss.data(np.arange(rows) % J)
    m.scale, m.single, m.other = ss.data(2.5), ss.data(np.array([3.0])), ss.data(np.arange(5.0))
    m.a, m.b, m.c, m.s = ss.Normal(0, 1), ss.Normal(0, 1), ss.Normal(0, 1), ss.HalfNormal(1)
    m.beta, m.w, m.u = ss.Normal(0, 1, shape=K), ss.Normal(0, 1, shape=K), ss.Normal(0, 1, shape=J)
    m.v, m.lone = ss.Normal(0, 1, shape=rows), ss.Normal(0, 1, shape=1)
    used = m.a + m.b + m.c + sum(ss.sum(one) for one in (m.beta, m.w, m.u, m.v, m.lone))
    m.used = ss.Normal(used, m.s).observe(0.3)
    return m


def _changed(m: ss.Model) -> bool:
    graph = m.to_graph()
    return graph_text(gather_predictors(graph)) != graph_text(graph)


@pytest.fixture(scope="module")
def all_ways() -> ss.Model:
    m = _model()
    for name, (eta, _, _) in WAYS.items():
        m[f"y_{name}_"] = ss.Normal(eta(m), m.s).observe(REAL)
    return m


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_write_it(way):
    m, (eta, matrix, arguments) = _model(), WAYS[way]
    m.y = ss.Normal(eta(m), m.s).observe(REAL)
    text = m.stan_code(**QUIET)
    assert f"predictors = {matrix};" in text
    assert f"y ~ normal_id_glm(predictors, {arguments}, s);" in text
    assert "predictors" not in m.stan_code(gather=False)


def test_all_ways_have_the_density_of_what_was_written(all_ways, stanc):
    assert not stanc(all_ways.stan_code())
    assert all_ways.stan_code().count("_glm(") == len(WAYS)
    assert all_ways.verify(points=3).ok


@pytest.mark.parametrize("left", LEFT)
def test_what_is_no_column_is_left(left):
    m = _model()
    m.y = ss.Normal(LEFT[left](m), m.s).observe(REAL)
    assert not _changed(m)
    assert "_glm" not in m.stan_code(**QUIET)


FAMILIES = {
    "Bernoulli": lambda eta, m: ss.Bernoulli(ss.inv_logit(eta)).observe(BINARY),
    "negative binomial": lambda eta, m: ss.NegBinomial2(ss.exp(eta), m.s).observe(COUNTS),
    "Poisson": lambda eta, m: ss.Poisson(ss.exp(eta)).observe(COUNTS),
    "ordered": lambda eta, m: ss.OrderedLogistic(eta, [-1.0, 1.0]).observe(BINARY),
    "binomial": lambda eta, m: ss.Binomial(5, ss.inv_logit(eta)).observe(BINARY),
}
FEWEST = {"Bernoulli": 1, "negative binomial": 1, "Poisson": 4, "ordered": None, "binomial": None}
NONE_OF_ITS_OWN = {
    "Student's t": lambda eta, m: ss.StudentT(4, eta, m.s).observe(REAL),
    "truncated": lambda eta, m: ss.Normal(eta, m.s, lower=-9).observe(REAL),
    "scales that vary": lambda eta, m: ss.NegBinomial2(ss.exp(eta), ss.exp(m.v)).observe(COUNTS),
    "two axes": lambda eta, m: ss.Normal(eta[:, None], m.s).observe(np.zeros((N, 2))),
    "latent": lambda eta, m: ss.Normal(eta, m.s),
    "a linked mean": lambda eta, m: ss.Normal(ss.exp(eta), m.s).observe(REAL),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_gathers_from_as_many_columns_as_pay(family, stanc):
    for count in range(1, 6):
        m = _model()
        m.beta5 = ss.Normal(0, 1, shape=5)
        m.more = ss.Normal(ss.sum(m.beta5), 1).observe(0.2)
        m.y = FAMILIES[family](sum(m.beta5[k] * (m.x + float(k)) for k in range(count)), m)
        fewest = FEWEST[family]
        assert ("_glm" in m.stan_code()) == (fewest is not None and count >= fewest)
    stanc(m.stan_code())
    assert m.verify(points=2).ok


def test_columns_join_a_matrix_whatever_the_family():
    m = _model()
    m.y = ss.Poisson(ss.exp(m.a + m.X @ m.beta + m.b * m.x)).observe(COUNTS)
    assert "y ~ poisson_log_glm(predictors, a, append_row(beta, b));" in m.stan_code()


@pytest.mark.parametrize("form", NONE_OF_ITS_OWN)
def test_where_there_is_no_fused_form_nothing_is_gathered(form):
    m = _model()
    m.y = NONE_OF_ITS_OWN[form](m.a + m.b * m.x + m.c * m.z, m)
    assert not _changed(m)


def test_ordered_categories_take_no_intercept():
    m = _model()
    m.y = ss.OrderedLogistic(m.X @ m.beta + m.b * m.x + m.u[m.g], [-1.0, 1.0]).observe(BINARY)
    assert not _changed(m)
    m = _model()
    m.y = ss.OrderedLogistic(m.X @ m.beta + m.b * m.x, [-1.0, 1.0]).observe(BINARY)
    assert "y ~ ordered_logistic_glm(predictors, append_row(beta, b), data_1);" in m.stan_code()


COLUMNS = {
    "constant": {"x": np.full(N, 2.0), "z": np.full(N, 2.0)},
    "zeros": {"x": np.zeros(N), "z": np.arange(N) * 1.0},
    "sorted, far from zero": {"x": 2000.0 + np.arange(N), "z": np.repeat([1.0, 2.0], N // 2)},
    "single precision": {"x": np.linspace(-1, 1, N, dtype=np.float32), "z": np.ones(N, dtype=np.float32)},
    "whole numbers": {"x": np.arange(N), "z": np.arange(N) % 2 == 0},
}


def _density_is_kept(m: ss.Model) -> None:
    instance = m.instance()
    gathered: Graph = gather_predictors(instance.graph)
    assert graph_text(gather_predictors(gathered)) == graph_text(gathered) != graph_text(instance.graph)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        shapes = {t.value: tuple(int(size) for size in t.law.shape) for t in instance.graph.latents}
        point = {value: np.abs(rng.normal(size=shape)) for value, shape in shapes.items()}
        expected = joint_log_density(instance, point)
        np.testing.assert_allclose(joint_log_density(instance.on(gathered), point), expected, rtol=1e-12)


@pytest.mark.parametrize("columns", COLUMNS)
def test_structured_columns_keep_the_density(columns):
    m = _model(COLUMNS[columns])
    m.y = ss.Normal(m.a + m.b * m.x - m.c * m.z / m.s, m.s).observe(REAL)
    _density_is_kept(m)


@pytest.mark.parametrize("rows", [1, 2])
def test_few_rows(rows, stanc):
    m = _model(rows=rows)
    m.y = ss.Normal(m.a + m.b * m.x + m.c * m.z, m.s).observe(REAL[:rows])
    _density_is_kept(m)
    stanc(m.stan_code())
    assert m.verify(points=2).ok


def test_the_text_holds_no_length():
    def text(rows: int) -> str:
        m = ss.Model()
        m.x, m.X = ss.data(np.arange(rows) * 0.1), ss.data(np.ones((rows, rows - 2)))
        m.a, m.b, m.beta = ss.Normal(0, 1), ss.Normal(0, 1), ss.Normal(0, 1, shape=m.X.shape[1])
        m.y = ss.Normal(m.a + m.b * m.x + m.X @ m.beta, 1).observe(np.zeros(rows))
        return m.stan_code()

    assert text(5) == text(9)


def test_other_data_of_another_length_run_on_the_same_program():
    m = ss.Model()
    m.x, m.a, m.b = ss.data(np.arange(4.0)), ss.Normal(0, 1), ss.Normal(0, 1)
    m.y = ss.Normal(m.a + m.b * m.x, 1).observe(np.zeros(4))
    other = m.with_data(x=np.arange(7.0), y=np.ones(7))
    assert other.stan_code() == m.stan_code()
    assert other.verify(points=2).ok


def test_what_is_recorded_is_what_was_written():
    """A derived predictor, the log likelihood and predictions are computed from the user's own expression."""
    m = ss.Model()
    m.x, m.z = ss.data(np.arange(4.0)), ss.data(np.ones(4))
    m.a, m.b, m.c = ss.Normal(0, 1), ss.Normal(0, 1), ss.Normal(0, 1)
    m.squared = m.x**2
    m.mu = m.a + m.b * m.squared + m.c * m.z
    m.y = ss.Normal(m.mu, 1).observe(np.zeros(4))
    text = m.stan_code()
    assert "matrix[N, 2] predictors = [squared', z']';" in text
    assert "vector[N] mu = a + b * squared + c * z;" in text
    assert "normal_lpdf(y[n] | mu[n], 1)" in text
    assert "normal_rng(mu[n], 1)" in text
    plain = m.stan_code(gather=False)
    assert plain[plain.index("generated quantities") :].splitlines()[2:] == (
        text[text.index("generated quantities") :].splitlines()[3:]
    )


def test_lines_of_the_program_are_the_users():
    m = ss.Model()
    m.x, m.a, m.b = ss.data(np.arange(4.0)), ss.Normal(0, 1), ss.Normal(0, 1)
    m.y = ss.Normal(m.a + m.b * m.x, 1).observe(np.zeros(4))
    program = lower_to_stan(m.to_graph())
    lines = dict(enumerate(program.text.splitlines(), 1))
    sources = {lines[n].strip().split(" ")[0]: source for n, source in program.source_map().items()}
    assert sources["matrix[N,"].place == sources["y"].place


def test_explained():
    m = ss.Model()
    m.x, m.z, m.a, m.b = ss.data(np.arange(4.0)), ss.data(np.ones(4)), ss.Normal(0, 1), ss.Normal(0, 1)
    m.y = ss.Normal(m.a + m.b * m.x - m.b * m.z, 1).observe(np.zeros(4))
    rows = {row[0]: row[1:] for row in m.explain().rows}
    assert rows["gather"][-1] == "Normal((a + (stack(x, z) @ stack(b, negative(b)))), 1)"
    assert rows["glm"][-1] == "NormalGLM(stack(x, z), a, stack(b, negative(b)), 1)"


def test_long_sums_are_read_in_linear_time():
    m = ss.Model()
    m.x = ss.data(np.arange(4.0))
    m.b = ss.Normal(0, 1, shape=2000)
    eta = m.b[0] * m.x
    for k in range(1, 2000):
        eta = eta + m.b[k] * (m.x + float(k))
    node = eta._scistan_node_
    latent = with_latents([node])
    found = [scaled_column(part, latent) for part, _ in summands(node)]
    assert len(found) == 2000
    assert None not in found


def test_threads_cut_the_gathered_rows(stanc):
    m = _model()
    m.y = ss.Normal(m.a + m.b * m.x + m.c * m.z, m.s).observe(REAL)
    text = m.stan_code(threads=True)
    assert "normal_id_glm_lupdf(y[start:end] | predictors[start:end], a, " in text
    stanc(text)


def test_a_single_column_is_appended_only_beside_others(stanc):
    """Stan appends a vector as a column, never as rows of a matrix."""
    m = ss.Model()
    m.x, m.M = ss.data(np.arange(3.0)), ss.data(np.ones((3, 1)))
    m.b = ss.Normal(0, 1)
    m.below = m.b * ss.concatenate([m.M, ss.stack([m.x], axis=1)], axis=0)
    m.beside = m.b * ss.concatenate([m.M, ss.stack([m.x], axis=1)], axis=1)
    m.y = ss.Normal(ss.sum(m.below) + ss.sum(m.beside), 1).observe(0.5)
    stanc(m.stan_code())
    assert "append_row(M, to_matrix(x))" in m.stan_code()
    assert "append_col(M, x)" in m.stan_code()
    assert m.verify(points=2).ok
