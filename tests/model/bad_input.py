"""Every way to write a model wrongly that issue 3 lists; the faulty line of each ends in `# here`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

import scistan as ss
from scistan.model.fitted import FittedModel

CASES: dict[str, dict[str, Callable[[], object]]] = {}


def case(section: str) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Enter a function that makes one mistake under the section of the message it provokes."""

    def enter(function: Callable[[], object]) -> Callable[[], object]:
        CASES.setdefault(section, {})[function.__name__] = function
        return function

    return enter


def model() -> ss.Model:
    m = ss.Model("first", coords={"group": ["a", "b", "c"]})
    m.mu = ss.Normal(0, 1)
    return m


# -- arguments -----------------------------------------------------------------------------------
@case("arguments")
def unknown_argument():
    ss.Normal(0, sgima=1)  # here


@case("arguments")
def scale_of_scipy():
    ss.Normal(mu=0, scale=1)  # here


@case("arguments")
def sd():
    ss.StudentT(4, 0, sd=1)  # here


@case("arguments")
def std():
    ss.HalfNormal(std=1)  # here


@case("arguments")
def loc():
    ss.Cauchy(loc=0, sigma=1)  # here


@case("arguments")
def mean():
    ss.Normal(mean=0, sigma=1)  # here


@case("arguments")
def scale_of_a_rate():
    ss.Gamma(2, scale=1)  # here


@case("arguments")
def rate():
    ss.Gamma(2, rate=1)  # here


@case("arguments")
def scale_under_another_name():
    ss.Gumbel(0, scale=1)  # here


@case("arguments")
def scale_of_a_logarithm():
    ss.LogNormal(0, scale=1)  # here


@case("arguments")
def precision():
    ss.Normal(0, tau=4)  # here


@case("arguments")
def size():
    ss.Normal(0, 1, size=3)  # here


@case("arguments")
def n_and_p():
    ss.Binomial(n=10, p=0.5)  # here


@case("arguments")
def p():
    ss.Bernoulli(p=0.5)  # here


@case("arguments")
def a_and_b():
    ss.Beta(a=1, b=2)  # here


@case("arguments")
def lam():
    ss.Poisson(lam=3)  # here


@case("arguments")
def rate_of_counts():
    ss.Poisson(rate=3)  # here


@case("arguments")
def mu_of_counts():
    ss.Poisson(mu=3)  # here


@case("arguments")
def lam_of_waiting_times():
    ss.Exponential(lam=3)  # here


@case("arguments")
def low_and_high():
    ss.Uniform(low=0, high=1)  # here


@case("arguments")
def borrowed_without_a_counterpart():
    ss.Beta(1, scale=2)  # here


@case("arguments")
def missing_argument():
    ss.StudentT(4, 0)  # here


@case("arguments")
def too_many_arguments():
    ss.Normal(0, 1, 2)  # here


@case("arguments")
def argument_given_twice():
    ss.Normal(0, 1, mu=2)  # here


@case("arguments")
def not_a_number():
    ss.Normal("a", 1)  # here


@case("arguments")
def nothing():
    ss.Normal(None, 1)  # here


@case("arguments")
def no_form_of_covariance():
    ss.MultivariateNormal(np.zeros(2))  # here


@case("arguments")
def unknown_constraint():
    ss.Normal(0, 1, shape=3, constraint="orderd")  # here


@case("arguments")
def constraint_of_one_number():
    m = model()
    m.z = ss.Normal(0, 1, constraint="ordered")  # here


@case("arguments")
def constraint_and_bounds():
    ss.Normal(0, 1, shape=3, lower=0, constraint="ordered")  # here


@case("arguments")
def constraint_against_the_support():
    ss.Beta(1, 1, shape=3, constraint="sum_to_zero")  # here


@case("arguments")
def bounds_of_a_discrete_distribution():
    ss.Poisson(1, lower=2)  # here


@case("arguments")
def bounds_crossed():
    ss.Normal(0, 1, lower=2, upper=1)  # here


@case("arguments")
def bound_outside_the_support():
    ss.HalfNormal(1, upper=-1)  # here


@case("arguments")
def negative_shape():
    ss.Normal(0, 1, shape=-1)  # here


# -- illegal constants ---------------------------------------------------------------------------
@case("constants")
def exchanged_arguments():
    m = model()
    m.p = ss.Beta(1, 1)
    ss.Binomial(m.p, 10)  # here


@case("constants")
def latent_for_a_total():
    m = model()
    m.p = ss.Beta(1, 1)
    ss.Binomial(m.p, 1)  # here


@case("constants")
def exchanged_numbers():
    ss.Binomial(0.5, 10)  # here


@case("constants")
def negative_sigma():
    ss.Normal(0, -1)  # here


@case("constants")
def negative_sigma_in_an_array():
    ss.Normal(0, np.array([1.0, -1.0, 2.0]))  # here


@case("constants")
def negative_sigma_computed_from_data():
    m = model()
    m.s = ss.data([1.0, 2.0])
    m.z = ss.Normal(0, m.s - 1.5)  # here


@case("constants")
def probabilities_that_do_not_sum_to_one():
    ss.Categorical([0.2, 0.3])  # here


@case("constants")
def uniform_the_wrong_way_round():
    ss.Uniform(2, 1)  # here


@case("constants")
def infinite_mean():
    ss.Normal(float("inf"), 1)  # here


@case("constants")
def not_positive_definite():
    ss.MultivariateNormal(np.zeros(2), cov=np.array([[1.0, 2.0], [2.0, 1.0]]))  # here


@case("constants")
def no_length():
    ss.LKJCholesky(0, 1.0)  # here


# -- shapes --------------------------------------------------------------------------------------
@case("shapes")
def sum_of_unequal_lengths():
    m = model()
    m.a = ss.Normal(0, 1, shape=3)
    m.b = ss.Normal(0, 1, shape=4)
    m.a + m.b  # here


@case("shapes")
def arguments_of_unequal_lengths():
    m = model()
    m.z = ss.Normal(np.zeros(3), np.ones(4))  # here


@case("shapes")
def observed_values_of_another_length():
    m = model()
    m.y = ss.Normal(np.zeros(3), 1).observe(np.zeros(4))  # here


@case("shapes")
def observed_values_with_too_few_axes():
    m = model()
    m.y = ss.Normal(np.zeros((2, 3)), 1).observe(np.zeros(3))  # here


@case("shapes")
def shape_against_arguments():
    m = model()
    m.z = ss.Normal(np.zeros(3), 1, shape=4)  # here


@case("shapes")
def matrix_times_vector():
    m = model()
    m.b = ss.Normal(0, 1, shape=4)
    np.ones((2, 3)) @ m.b  # here


@case("shapes")
def index_outside():
    m = model()
    m.a = ss.Normal(0, 1, shape=3)
    m.a[np.array([0, 3])]  # here


@case("shapes")
def index_that_is_a_latent():
    m = model()
    m.a = ss.Normal(0, 1, shape=3)
    m.a[m.mu]  # here


@case("shapes")
def flags_for_positions():
    m = model()
    m.a = ss.Normal(0, 1, shape=3)
    m.old = ss.data([True, False, True])
    m.a[m.old]  # here


# -- data ----------------------------------------------------------------------------------------
@case("data")
def missing_groups():
    codes, labels = pd.factorize(pd.Series(["a", None, "b"]))
    m = model()
    m.a = ss.Normal(0, 1, shape=len(labels))
    m.g = ss.data(codes)
    m.a[m.g]  # here


@case("data")
def missing_groups_in_an_array():
    m = model()
    m.a = ss.Normal(0, 1, shape=3)
    m.a[np.array([0, -1, 1, -1, 2, -1, -1])]  # here


@case("data")
def missing_groups_computed():
    m = model()
    m.a = ss.Normal(0, 1, shape=3)
    m.g = ss.data([0, 1, 2])
    at = m.a[m.g - 1]  # here
    m.mean = at.sum()


@case("data")
def missing_groups_in_other_data():
    m = model()
    m.a = ss.Normal(0, 1, shape=3)
    m.g = ss.data([0, 1, 2])
    m.eta = m.a[m.g]
    m.with_data(g=[0, -1, 2, 1])  # here


@case("data")
def negative_counts():
    m = model()
    m.y = ss.Poisson(2).observe([1, -1, 3, -2, -3, -5])  # here


@case("data")
def fractions_for_counts():
    m = model()
    m.y = ss.Poisson(2).observe([1.5, 1, 2])  # here


@case("data")
def more_successes_than_trials():
    m = model()
    m.n = ss.data([10, 12])
    m.y = ss.Binomial(m.n, 0.5).observe([3, 13])  # here


@case("data")
def outside_bounds_that_are_data():
    m = model()
    m.low = ss.data([0.0, 1.0])
    m.y = ss.Normal(0, 1, lower=m.low).observe([0.5, 0.5])  # here


@case("data")
def outside_written_bounds():
    m = model()
    m.y = ss.Normal(0, 1, lower=0, upper=2).observe([[0.5, -1.5], [3.0, 1.0]])  # here


@case("data")
def counts_with_another_total():
    m = model()
    m.y = ss.Multinomial(3, [0.2, 0.8]).observe([[1, 2], [2, 2]])  # here


@case("data")
def category_that_does_not_exist():
    m = model()
    m.y = ss.Categorical([0.2, 0.8]).observe([0, 2, 1])  # here


@case("data")
def not_on_the_simplex():
    m = model()
    m.y = ss.Dirichlet([1.0, 1.0, 1.0]).observe([0.2, 0.2, 0.2])  # here


@case("data")
def missing_values():
    ss.data([1.0, np.nan, np.inf])  # here


@case("data")
def missing_observations():
    ss.Normal(0, 1).observe([1.0, np.nan])  # here


@case("data")
def missing_values_of_a_variable():
    m = model()
    m.x = ss.data(np.array([[1.0, 2.0], [3.0, np.nan]]))  # here


@case("data")
def missing_observations_of_a_variable():
    m = model()
    m["y"] = ss.Normal(0, 1).observe(np.array([1.0, np.nan]))  # here


@case("data")
def missing_values_in_an_array():
    heights = np.array([1.0, np.nan])
    heights * ss.data(2.0)  # here


@case("data")
def masked_values():
    ss.data(np.ma.masked_array([1, 2, 3], mask=[False, True, False]))  # here


@case("data")
def text():
    model().mu * np.array(["a", "b"])  # here


@case("data")
def text_beside_numbers():
    ss.data(["a", 1.5])  # here


def people() -> pd.DataFrame:
    return pd.DataFrame(
        {"age": [30.0, np.nan, 50.0, np.nan], "income": [1.0, 2.0, 3.0, 4.0], "town": list("abab"),
         "likert": [1, 3, 2, 3]},
        index=["ann", "bob", "cid", "dan"],
    )


@case("data")
def missing_values_in_a_column():
    ss.data(people().age)  # here


@case("data")
def missing_values_in_a_table():
    ss.data(people()[["income", "age"]])  # here


@case("data")
def missing_values_in_other_data():
    m = model()
    m.x = ss.data([1.0, 2.0])
    m.with_data(x=[1.0, np.nan])  # here


@case("data")
def a_column_of_text():
    ss.data(people())  # here


@case("data")
def a_column_of_categories():
    model().mu * people().town.astype("category")  # here


@case("data")
def categories_with_a_missing_one():
    ss.data(pd.Categorical(["a", None]))  # here


@case("data")
def a_table_of_one_column_observed():
    m = model()
    m.a = ss.Normal(0, 1, shape=4)
    m.y = ss.Normal(m.a, 1).observe(people()[["income"]])  # here


@case("data")
def categories_that_count_from_one():
    m = model()
    m.y = ss.Categorical([0.2, 0.3, 0.5]).observe(people().likert)  # here


@case("data")
def a_whole_number_too_large():
    ss.data([10**20, 1])  # here


@case("data")
def a_literal_too_large():
    ss.Normal(0, 10**20)  # here


@case("data")
def observed_after_it_was_named():
    m = model()
    m.mu.observe([1.0])  # here


@case("data")
def drawn_with_numpy():
    m = model()
    np.random.default_rng(0).normal(m.mu, 1)  # here


@case("data")
def ragged_rows():
    ss.data([[1, 2], [3]])  # here


@case("data")
def an_expression_observed():
    m = model()
    ss.Normal(0, 1).observe(m.mu)  # here


# -- codings -------------------------------------------------------------------------------------
def sites() -> ss.Model:
    m = ss.Model("sites")
    m.site = ss.factor(["Oslo", "Bergen", "Oslo"], dims="visit")
    m.altitude = ss.data(pd.Series([12.0, 23.0], index=pd.Index(["Bergen", "Oslo"], name="site")))
    m.effect = ss.Normal(m.altitude, 1, dims="site")
    m.y = ss.Normal(m.effect[m.site], 1).observe([0.1, 0.2, 0.3])
    return m


def fitted() -> FittedModel:
    return FittedModel(sites())


@case("coding")
def missing_labels():
    ss.factor(["a", None, "b"])  # here


@case("coding")
def missing_labels_of_a_variable():
    m = model()
    m.town = ss.factor(people().town.where([True, False, True, False]))  # here


@case("coding")
def missing_text():
    m = model()
    m.town = ss.data(people().town.where([True, False, True, True]))  # here


@case("coding")
def a_factor_of_a_table():
    ss.factor(people()[["town", "likert"]])  # here


@case("coding")
def a_factor_of_one_text():
    ss.factor("town")  # here


@case("coding")
def repeated_rows_called_as_the_factor():
    m = model()
    m.x = ss.data(people().set_index("town").likert)
    m.town = ss.factor(people().town)  # here


@case("coding")
def levels_that_repeat():
    ss.factor(["a", "b"], levels=["a", "b", "a"])  # here


@case("coding")
def a_text_for_levels():
    ss.factor(["a", "b"], levels="ab")  # here


@case("coding")
def labels_that_are_no_level():
    m = model()
    m.town = ss.factor(people().town, levels=["a", "c"])  # here


@case("coding")
def labels_that_the_coords_do_not_have():
    m = ss.Model(coords={"site": ["Oslo", "Tromso"]})
    m.site = ss.factor(["Oslo", "Bergen", "Oslo"])  # here


@case("coding")
def a_factor_without_a_name():
    m = sites()
    m.z = m.effect[ss.factor(["Oslo"])]  # here


@case("coding")
def rows_called_as_the_factor():
    m = model()
    m.town = ss.factor(people().town, dims="town")  # here


@case("coding")
def a_factor_along_another_dim():
    m = sites()
    m.doctor = ss.factor(["Ann", "Bob", "Ann"], dims="visit")
    m.z = m.effect[m.doctor]  # here


@case("coding")
def more_levels_than_the_axis_is_long():
    m = sites()
    m.few = ss.Normal(0, 1, shape=1)
    m.z = m.few[m.site]  # here


@case("coding")
def labels_observed_as_counts():
    m = model()
    m.y = ss.Poisson(3).observe(ss.factor(["few", "many"]))  # here


@case("coding")
def codes_for_labels():
    sites().with_data(site=[0, 1, 1])  # here


@case("coding")
def levels_of_other_data_without_what_runs_along_them():
    sites().with_data(site=["Bodo", "Oslo", "Bodo"])  # here


@case("coding")
def labels_of_other_data_that_the_levels_given_do_not_have():
    m = model()
    m.arm = ss.factor(["low", "high"], levels=["low", "high"])
    m.with_data(arm=["low", "hihg"])  # here


@case("coding")
def a_factor_of_one_level_that_grows():
    m = model()
    m.arm = ss.factor(["low", "low"])
    m.with_data(arm=["low", "high"])  # here


@case("coding")
def mistyped_level_in_prediction():
    fitted().elsewhere({"site": ["Olso"]}, None, "refuse", {})  # here


@case("coding")
def new_level_in_prediction():
    fitted().elsewhere({"site": ["Tromso", "Oslo", "Vadso"]}, None, "refuse", {})  # here


@case("coding")
def new_level_without_what_runs_along_it():
    fitted().elsewhere({"site": ["Tromso"]}, None, "extend", {})  # here


@case("coding")
def new_level_with_data_that_have_no_labels():
    fitted().elsewhere({"site": ["Tromso"], "altitude": [1.0, 2.0, 3.0]}, None, "extend", {})  # here


@case("coding")
def data_for_levels_that_nobody_has():
    altitude = pd.Series([1.0, 2.0], index=["Tromso", "Vadso"])
    fitted().elsewhere({"site": ["Tromso"], "altitude": altitude}, None, "extend", {})  # here


@case("coding")
def a_constant_column_standardized():
    m = model()
    m.x = ss.standardize(pd.DataFrame({"age": [30.0, 40.0], "one": [1.0, 1.0]}))  # here


@case("coding")
def constant_numbers_standardized():
    m = model()
    m.x = ss.standardize([2.0, 2.0])  # here


@case("coding")
def one_number_standardized():
    ss.standardize(2.0)  # here


@case("coding")
def no_rows_standardized():
    ss.standardize(np.zeros((0, 2)))  # here


@case("coding")
def text_standardized():
    ss.standardize(["a", "b"])  # here


def standardized() -> ss.Model:
    m = model()
    m.x = ss.standardize(pd.DataFrame({"age": [30.0, 40.0], "dose": [1.0, 2.0]}))
    return m


@case("coding")
def columns_that_were_not_standardized():
    standardized().with_data(x=pd.DataFrame({"age": [30.0], "does": [1.0]}))  # here


@case("coding")
def fewer_columns_than_were_standardized():
    standardized().with_data(x=[[30.0], [40.0]])  # here


def dated() -> ss.Model:
    m = model()
    m.day = ss.data(pd.to_datetime(["2024-03-01", "2024-03-05"]))
    m.wait = ss.data(pd.to_timedelta(["1 days", "36 hours"]))
    return m


@case("coding")
def numbers_for_dates():
    dated().with_data(day=[0.0, 4.0])  # here


@case("coding")
def text_that_is_no_date():
    dated().with_data(day=["soon", "later"])  # here


@case("coding")
def numbers_for_spans():
    dated().with_data(wait=[1.0, 2.0])  # here


@case("coding")
def dates_in_a_table():
    ss.standardize(people()[["likert"]].assign(born=pd.to_datetime("2000-01-01")))  # here


@case("coding")
def a_missing_date():
    m = model()
    m.day = ss.data(pd.Series(pd.to_datetime(["2024-03-01", None])))  # here


# -- dims and coords -----------------------------------------------------------------------------
def two_dims() -> ss.Model:
    m = ss.Model("trial", coords={"species": list("xyz"), "year": [1, 2, 3]})
    m.s = ss.data([1e-6, 1.0, 100.0], dims="species")
    m.u = ss.Normal(0, 1, dims="year")
    return m


@case("dims")
def argument_along_another_dim():
    m = two_dims()
    m.t = ss.Normal(0, m.s, dims=("species", "year"))  # here


@case("dims")
def arguments_along_two_dims():
    m = two_dims()
    m.t = ss.Normal(m.u, m.s)  # here


@case("dims")
def product_along_two_dims():
    m = two_dims()
    m.t = m.u * ss.exp(m.s)  # here


@case("dims")
def bound_along_another_dim():
    m = two_dims()
    m.t = ss.Normal(0, 1, lower=m.s, dims="year")  # here


@case("dims")
def values_along_another_dim():
    m = two_dims()
    m.y = ss.Normal(m.u, 1).observe(pd.Series([1.0, 2.0, 3.0], index=pd.Index([7, 8, 9], name="site")))  # here


@case("dims")
def more_values_than_coords():
    m = model()
    m.x = ss.data(np.zeros(4), dims="group")  # here


@case("dims")
def more_observations_than_coords():
    m = model()
    m.y = ss.Normal(0, 1, dims="group").observe(np.zeros(4))  # here


@case("dims")
def a_number_for_coords():
    ss.Model(coords={"group": 3})  # here


@case("dims")
def a_text_for_coords():
    ss.Model(coords={"group": "abc"})  # here


@case("dims")
def repeated_labels():
    ss.Model(coords={"group": ["a", "b", "a"]})  # here


@case("dims")
def repeated_labels_of_other_data():
    m = model()
    m.a = ss.Normal(0, 1, dims="group")
    m.with_data(coords={"group": [1, 1]})  # here


@case("dims")
def one_dim_for_two_axes():
    ss.data(np.zeros((2, 2)), dims="group")  # here


@case("dims")
def dims_of_another_rank():
    m = model()
    m.y = ss.Normal(0, 1).observe(np.zeros((3, 4)), dims="group")  # here


@case("dims")
def dim_without_a_length():
    m = model()
    m.z = ss.Normal(0, 1, dims="grup")  # here


@case("dims")
def dims_against_shape():
    m = model()
    m.z = ss.Normal(0, 1, dims="group", shape=4)  # here


@case("dims")
def two_lengths_of_one_dim():
    m = model()
    m.x = ss.data(np.zeros(4), dims="time")
    m.w = ss.data(np.zeros(5), dims="time")  # here


@case("dims")
def labels_that_the_dim_does_not_have():
    import pandas as pd

    m = model()
    m.x = ss.data(pd.Series([1.0, 2.0, 3.0], index=pd.Index(["a", "d", "b"], name="group")))  # here


# -- names ---------------------------------------------------------------------------------------
@case("names")
def reserved_word_of_stan():
    m = model()
    m.real = ss.Normal(0, 1)  # here


@case("names")
def method_of_the_model():
    m = model()
    m.prior = ss.Normal(0, 1)  # here


@case("names")
def method_to_come():
    m = model()
    m.sbc = ss.Normal(0, 1)  # here


@case("names")
def reserved_word_of_python():
    m = model()
    m["lambda"] = ss.Normal(0, 1)  # here


@case("names")
def foreign_letters():
    m = model()
    m.größe = ss.Normal(0, 1)  # here


@case("names")
def starts_with_a_digit():
    m = model()
    m["1st"] = ss.Normal(0, 1)  # here


@case("names")
def private_name():
    m = model()
    m._z = ss.Normal(0, 1)  # here


@case("names")
def two_underscores_at_the_end():
    m = model()
    m.z__ = ss.Normal(0, 1)  # here


@case("names")
def misspelled_variable():
    m = model()
    m.sigma_school = ss.HalfNormal(1)
    m.sigma_schol  # here


@case("names")
def misspelled_method():
    model().priors(10)  # here


@case("names")
def misspelled_in_brackets():
    model()["mv"]  # here


@case("names")
def a_bare_number():
    m = model()
    m.n = 3  # here


@case("names")
def a_bare_array():
    m = model()
    m.x = np.ones(3)  # here


# -- variables -----------------------------------------------------------------------------------
@case("variables")
def discrete_latent():
    m = model()
    m.k = ss.Poisson(2)  # here
    m.n = ss.Normal(m.k, 1).observe([1.0])
    m.stan_code()


@case("variables")
def distribution_in_an_expression():
    m = model()
    m.z = m.mu + ss.Normal(0, 1)  # here


@case("variables")
def distribution_as_an_argument():
    ss.Normal(ss.Normal(0, 1), 1)  # here


@case("variables")
def distribution_in_a_numpy_function():
    np.exp(ss.Normal(0, 1))  # here


@case("variables")
def length_of_a_distribution():
    len(ss.Normal(0, 1, shape=3))  # here


@case("variables")
def variable_of_another_model():
    m, other = model(), ss.Model("second")
    other.mu = ss.Normal(0, 1)
    m.z = ss.Normal(other.mu, 1)  # here


@case("variables")
def derived_from_another_model():
    m, other = model(), ss.Model("second")
    other.tau = ss.HalfNormal(1)
    m.z = m.mu * other.tau  # here


@case("variables")
def promise_of_another_model():
    m, other = model(), ss.Model("second")
    other.y = ss.Normal(0, 1, shape=3).observe()
    m.z = other.y * 2  # here


@case("variables")
def reassigned_though_used():
    m = model()
    m.z = ss.Normal(m.mu, 1)
    m.mu = ss.Normal(0, 2)  # here


@case("variables")
def data_reassigned_though_used():
    m = model()
    m.x = ss.data([1.0, 2.0])
    m.eta = m.mu * m.x
    m.x = ss.data([1.0, 3.0])  # here


@case("variables")
def deleted_though_used():
    m = model()
    m.z = ss.Normal(m.mu, 1)
    del m.mu  # here


@case("variables")
def defined_by_itself():
    m = model()
    m.mu = m.mu + 1  # here


@case("variables")
def expression_of_an_older_variable():
    m = model()
    shifted = m.mu + 1
    m.mu = ss.Normal(0, 2)
    m.z = ss.Normal(shifted, 1)  # here


@case("variables")
def truth_of_an_expression():
    m = model()
    if m.mu > 0:  # here
        pass


# -- verbs ---------------------------------------------------------------------------------------
@case("verbs")
def unused_latent():
    m = model()
    m.z = ss.Normal(0, 1)  # here
    m.y = ss.Normal(m.mu, 1).observe(1.0)
    m.log_density({"mu": 0.0, "z": 0.0})


@case("verbs")
def nothing_to_draw_from():
    m = model()
    m.z = ss.Flat(lower=0)  # here
    m.prior(10)


@case("verbs")
def no_draws():
    model().prior(0)  # here


@case("verbs")
def no_seed():
    model().simulate(seed="yesterday")  # here


@case("verbs")
def promise_not_kept():
    m = model()
    m.y = ss.Normal(m.mu, 1, shape=3).observe()
    m.log_density({"mu": 0.0})  # here


@case("verbs")
def picture_of_an_unknown_kind():
    model().graph().save("model.bmp")  # here


# -- swapped data --------------------------------------------------------------------------------
def swappable() -> ss.Model:
    m = ss.Model("swappable", coords={"group": ["a", "b", "c"]})
    m.x = ss.data([1.0, 2.0, 3.0, 4.0], dims="row")
    m.scale = ss.data([1.0, 1.0, 1.0, 1.0], dims="row")
    m.g = ss.data([0, 1, 2, 0], dims="row")
    m.a = ss.Normal(0, 1, dims="group")
    m.y = ss.Gamma(ss.exp(m.a[m.g] * m.x), m.scale).observe([1.0, 2.0, 3.0, 4.0])
    return m


@case("swapping")
def data_that_are_not_there():
    swappable().with_data(z=[1.0])  # here


@case("swapping")
def data_with_another_rank():
    swappable().with_data(x=np.ones((4, 2)))  # here


@case("swapping")
def only_one_of_several_lengths():
    swappable().with_data(x=np.ones(5))  # here


@case("swapping")
def new_values_outside_the_support():
    swappable().with_data(y=[1.0, -2.0, 3.0, 0.0])  # here


@case("swapping")
def new_argument_outside_its_domain():
    swappable().with_data(scale=[1.0, 0.0, 1.0, 1.0])  # here


@case("swapping")
def truth_for_an_index():
    swappable().with_data(g=np.array([True, False, True, True]))  # here


@case("swapping")
def new_index_outside():
    swappable().with_data(g=[0, 1, 3, 0])  # here


@case("swapping")
def new_values_not_finite():
    swappable().with_data(x=[1.0, np.nan, 3.0, 4.0])  # here


@case("swapping")
def new_coords_of_another_length():
    swappable().with_data(coords={"row": list("abc")}, y=np.ones(4))  # here


@case("swapping")
def coords_of_an_unknown_dim():
    swappable().with_data(coords={"grp": list("abc")})  # here


@case("swapping")
def an_axis_with_the_name_of_another():
    import xarray as xr

    m = ss.Model()
    m.x = ss.data(np.ones((2, 3)), dims=("row", "column"))
    m.with_data(x=xr.DataArray(np.ones((3, 2)), dims=("column", "day")))  # here


# -- expressions ---------------------------------------------------------------------------------
@case("expressions")
def a_labelled_array_on_the_left_that_was_cut():
    import xarray as xr

    m = ss.Model()
    m.b = ss.Normal(0, 1)
    array = xr.DataArray([1.0, 2.0, 3.0], dims="row", coords={"row": list("abc")})
    m.t = (array * m.b).isel(row=[0, 1])  # here


@case("expressions")
def misspelled_attribute():
    m = model()
    m.mu.summ()  # here


@case("expressions")
def element_replaced():
    m = model()
    m.a = ss.Normal(0, 1, shape=3)
    m.a[0] = 1.0  # here


@case("expressions")
def turned_into_a_number():
    int(model().mu)  # here


@case("expressions")
def turned_into_an_array():
    np.asarray(model().mu)  # here


@case("expressions")
def given_to_a_library():
    import scipy.special

    m = model()
    m.a = ss.Normal(0, 1, shape=3)
    scipy.special.softmax(m.a)  # here


@case("expressions")
def table_times_latents():
    import pandas as pd

    m = model()
    m.b = ss.Normal(0, 1, shape=2)
    pd.DataFrame(np.ones((3, 2))) @ m.b  # here


@case("expressions")
def numpy_function_without_a_twin():
    np.linalg.slogdet(model().mu)  # here


@case("expressions")
def numpy_function_with_an_option():
    m = model()
    np.exp(m.mu, out=np.zeros(()))  # here


@case("expressions")
def axis_that_does_not_exist():
    m = model()
    m.a = ss.Normal(0, 1, shape=3)
    m.a.sum(axis=1)  # here


@case("expressions")
def squeezed_axis():
    m = model()
    m.a = ss.Normal(0, 1, shape=3)
    np.squeeze(m.a, axis=0)  # here


@case("expressions")
def index_that_is_real():
    m = model()
    m.a = ss.Normal(0, 1, shape=3)
    m.a[np.array([0.5, 1.0])]  # here


@case("expressions")
def index_computed_outside():
    m = model()
    m.g = ss.data([1, 2, 3])
    m.a = ss.Normal(0, 1, shape=3)
    bad = m.a[m.g + 0]  # here
    m.eta = bad * 2


@case("expressions")
def too_few_arguments_of_a_function():
    ss.where(model().mu > 0, 1)  # here


@case("expressions")
def list_of_expressions_observed():
    m = model()
    ss.Normal(0, 1).observe([m.mu, 1.0])  # here


# -- what is not even of the right kind ------------------------------------------------------------
@case("kinds")
def covariance_that_is_none():
    ss.MultivariateNormal(np.zeros(2), cov=[[1, 2], [2, 1]])  # here


@case("kinds")
def vectors_of_another_length_observed():
    m = model()
    m.z = ss.MultivariateNormal(np.zeros(2), cov=np.eye(2)).observe(np.zeros((5, 3)))  # here


@case("kinds")
def number_for_dims():
    ss.Normal(0, 1, dims=3)  # here


@case("kinds")
def axis_of_the_draws():
    ss.Normal(0, 1, dims="draw")  # here


@case("kinds")
def list_for_a_constraint():
    ss.Normal(0, 1, constraint=["ordered"])  # here


@case("kinds")
def data_of_a_model():
    ss.data(model().mu)  # here


@case("kinds")
def whole_number_too_large():
    ss.data(np.array([2**63], dtype=np.uint64))  # here


@case("kinds")
def distribution_not_called():
    m = model()
    m.z = ss.HalfNormal  # here


@case("kinds")
def name_of_an_axis_of_the_draws():
    m = model()
    m.chain = ss.Normal(0, 1)  # here


@case("kinds")
def name_that_is_a_number():
    m = model()
    m[3] = ss.Normal(0, 1)  # here


@case("kinds")
def list_for_coords():
    ss.Model("model", coords=["a"])  # here


@case("kinds")
def list_for_data():
    model().with_data([1, 2])  # here


@case("swapping")
def a_table_of_other_columns():
    swappable().with_data(pd.DataFrame({"weight": [1.0], "height": [2.0]}))  # here


@case("swapping")
def labels_where_data_belong():
    swappable().with_data({"row": list("abc")})  # here


@case("kinds")
def number_for_a_name():
    ss.Model(3)  # here


@case("kinds")
def number_for_values():
    model().log_density(0.0)  # here


@case("kinds")
def no_points():
    model().verify(points=0)  # here


# -- drawing -------------------------------------------------------------------------------------
@case("drawing")
def drawn_scale_is_negative():
    m = model()
    m.x = ss.Normal(0, m.mu, shape=2)  # here
    m.prior(100, seed=1)


@case("drawing")
def drawn_rate_is_negative():
    m = model()
    m.y = ss.Poisson(2 * m.mu).observe([1, 2])  # here
    m.prior(100, seed=1)


@case("drawing")
def drawn_shape_is_negative_in_the_one_draw():
    m = model()
    m.x = ss.Gamma(m.mu - 10, 1)  # here
    m.simulate(seed=1)


@case("drawing")
def drawn_probability_is_none():
    m = model()
    m.y = ss.Bernoulli(m.mu).observe([0, 1])  # here
    m.prior(100, seed=1)


@case("drawing")
def drawn_cutpoints_fall():
    m = ss.Model()
    m.c = ss.Normal(0, 1, shape=2)
    m.y = ss.OrderedLogistic(0.0, m.c).observe([0, 1])  # here
    m.prior(100, seed=1)


@case("drawing")
def drawn_probabilities_do_not_sum_to_one():
    m = ss.Model()
    m.p = ss.Beta(1, 1, shape=3)
    m.y = ss.Categorical(m.p).observe([0, 1])  # here
    m.prior(100, seed=1)


@case("drawing")
def drawn_scale_is_not_a_number():
    m = model()
    m.x = ss.Normal(0, ss.log(m.mu))  # here
    m.prior(100, seed=1)


def sloppy(draw: Callable[..., object]) -> ss.Model:
    own = ss.declare_distribution(  # here
        "Sloppy",
        "A distribution whose draws are wrong.",
        parameters={"a": "positive"},
        support="real",
        log_density=lambda x, a: -a * x * x,
        draw=draw,
    )
    m = model()
    m.x = own(1.0, shape=2)  # here
    return m


@case("drawing")
def own_draw_of_another_size():
    sloppy(lambda rng, size, a: rng.normal(size=7)).prior(100, seed=1)


@case("drawing")
def own_draw_that_fails():
    sloppy(lambda rng, size, a: rng.poisson(-a, size)).prior(100, seed=1)


# -- interventions -------------------------------------------------------------------------------
def chain() -> ss.Model:
    m = ss.Model("chain", coords={"group": ["a", "b", "c"]})
    m.x = ss.data([1.0, 2.0, 3.0], dims="group")
    m.slope = ss.Normal(0, 1)
    m.sigma = ss.HalfNormal(1)
    m.effect = ss.Normal(0, 1, dims="group")
    m.low = ss.Normal(0, 1, lower=m.x)
    m.mean = m.effect + m.slope * m.x + m.low
    m.y = ss.Normal(m.mean, m.sigma).observe([1.0, 2.0, 3.0])
    m.count = ss.Poisson(ss.exp(m.y)).observe([1, 2, 3])
    return m


@case("interventions")
def set_what_is_not_there():
    chain().do(slop=1.0)  # here


@case("interventions")
def set_outside_the_support():
    chain().do(sigma=-1)  # here


@case("interventions")
def set_an_observed_count_outside_the_support():
    chain().do(count=0.5)  # here


@case("interventions")
def set_below_a_bound_that_is_data():
    chain().do(low=2.5)  # here


@case("interventions")
def set_a_derived_quantity_that_is_a_scale():
    m = ss.Model()
    m.log_sigma = ss.Normal(0, 1)
    m.sigma = ss.exp(m.log_sigma)
    m.y = ss.Normal(0, m.sigma).observe([1.0, 2.0])
    m.do(sigma=-1.0)  # here


@case("interventions")
def set_a_latent_of_another_length():
    chain().do(effect=[1.0, 2.0])  # here


@case("interventions")
def set_data_of_another_length():
    chain().do(x=[1.0, 2.0])  # here


@case("interventions")
def set_by_other_labels():
    chain().do(effect=pd.Series([1.0, 2.0, 3.0], index=["a", "b", "d"]))  # here


@case("interventions")
def set_to_an_expression():
    m = chain()
    m.do(slope=m.sigma)  # here


@case("interventions")
def set_to_nothing():
    chain().do(slope=None)  # here


@case("interventions")
def given_what_is_not_there():
    chain().given(sgima=1.0)  # here


@case("interventions")
def given_data():
    chain().given(x=[1.0, 2.0, 3.0])  # here


@case("interventions")
def given_what_is_observed():
    chain().given(y=[1.0, 2.0, 3.0])  # here


@case("interventions")
def given_what_is_derived():
    chain().given(mean=[1.0, 2.0, 3.0])  # here


@case("interventions")
def given_outside_the_support():
    chain().given(sigma=-1.0)  # here


@case("interventions")
def given_one_number_for_many():
    chain().given(effect=0.0)  # here


@case("interventions")
def given_by_other_labels():
    chain().given(effect=pd.Series([1.0, 2.0, 3.0], index=["a", "b", "d"]))  # here


@case("interventions")
def given_with_a_gap():
    chain().given(effect=[1.0, float("nan"), 3.0])  # here


# -- what Stan cannot hold -------------------------------------------------------------------------
@case("large_counts")
def count_beyond_32_bits():
    m = model()
    m.y = ss.PoissonLog(m.mu).observe([3, 2**31])  # here
    m.stan_data()


# -- declarations of one's own ---------------------------------------------------------------------
def _op(shape):
    return {"numpy": lambda xp, x: x, "torch": lambda xp, x: x, "stan": "{0}", "shape": shape}


@case("declarations")
def shape_rule_of_too_few_arguments():
    op = ss.declare_op("own_op", "Itself.", **_op(lambda shapes: shapes[0]))  # here
    op(model().mu)


@case("declarations")
def shape_rule_that_fails():
    op = ss.declare_op("own_op", "Itself.", **_op(lambda shapes, _: shapes[3]))  # here
    op(model().mu)


@case("declarations")
def shape_rule_that_gives_no_shape():
    op = ss.declare_op("own_op", "Itself.", **_op(lambda shapes, _: "scalar"))  # here
    op(model().mu)


def _distribution(**changes):
    fields = {
        "parameters": {"mu": "real"},
        "support": "real",
        "log_density": lambda x, mu: -0.5 * (x - mu) ** 2,
        "draw": lambda rng, size, mu: rng.normal(mu, 1, size),
    }
    return {**fields, **changes}


@case("declarations")
def density_summed_over_events():
    own = ss.declare_distribution("Own", "Mine.", **_distribution(log_density=lambda x, mu: ss.sum(x - mu)))  # here
    m = model()
    m.y = own(m.mu).observe([1.0, 2.0, 3.0])


@case("declarations")
def density_that_fails():
    own = ss.declare_distribution("Own", "Mine.", **_distribution(log_density=lambda x: -0.5 * x**2))  # here
    m = model()
    m.y = own(m.mu).observe([1.0, 2.0, 3.0])


@case("declarations")
def draw_that_ignores_its_size():
    own = ss.declare_distribution("Own", "Mine.", **_distribution(draw=lambda rng, size, mu: rng.normal()))  # here
    m = model()
    m.y = own(m.mu).observe([1.0, 2.0, 3.0])


@case("declarations")
def draw_without_its_event():
    vector = {"parameters": {"mu": "vector"}, "support": "vector", "event_like": "mu"}
    density = {"log_density": lambda x, mu: ss.sum(x - mu, axis=-1)}
    own = ss.declare_distribution("Own", "Mine.", **_distribution(**vector, **density))  # here
    m = model()
    m.y = own([1.0, 2.0])

# -- what holds no numbers -----------------------------------------------------------------------
def twice() -> pd.DataFrame:
    return pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["x", "x"])


@case("values")
def a_table_with_a_column_twice():
    ss.data(twice())  # here


@case("values")
def a_table_with_a_column_twice_in_a_product():
    model().mu * twice()  # here


@case("values")
def a_table_with_a_column_twice_standardized():
    ss.standardize(twice())  # here


@case("values")
def other_data_with_a_column_twice():
    m = model()
    m.x = ss.data([1.0, 2.0])
    m.with_data(twice())  # here


@case("values")
def a_table_without_columns():
    ss.data(pd.DataFrame(index=[1, 2]))  # here


@case("values")
def a_table_of_nothing_observed():
    ss.Normal(0, 1).observe(pd.DataFrame())  # here


@case("values")
def dates_in_a_product():
    model().mu * np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[D]")  # here


@case("values")
def one_date_of_pandas():
    model().mu * pd.Timestamp("2024-01-01")  # here


@case("values")
def a_span_for_an_argument():
    ss.Normal(pd.Timedelta(days=1), 1)  # here


@case("values")
def dates_for_numbers():
    m = model()
    m.x = ss.data([1.0, 2.0])
    m.with_data(x=pd.to_datetime(["2024-01-01", "2024-01-02"]))  # here


@case("values")
def numbers_as_text():
    model().mu * pd.Series(["1.5", "2.5"])  # here


@case("values")
def numbers_as_text_for_other_data():
    m = model()
    m.x = ss.data([1.0, 2.0])
    m.with_data(x=["1", "2"])  # here


@case("values")
def a_number_as_text_for_an_argument():
    ss.Normal("0", 1)  # here


@case("values")
def text_with_a_gap():
    model().mu * pd.Series(["a", None])  # here


@case("values")
def text_with_a_gap_standardized():
    ss.standardize(pd.Series(["a", None, None]))  # here


@case("values")
def none_among_numbers():
    ss.data([1.0, None])  # here


@case("values")
def covariance_that_is_not_square():
    ss.MultivariateNormal(np.zeros(2), cov=np.ones((2, 3)))  # here


@case("values")
def scale_matrix_that_is_not_square():
    m = model()
    m.b = ss.Normal(0, 1, shape=(2, 3))
    ss.Wishart(3, m.b)  # here


@case("values")
def more_elements_than_can_be():
    ss.Normal(0, 1, shape=10**12)  # here


@case("values")
def more_elements_than_can_be_in_a_matrix():
    ss.Normal(0, 1, shape=(10**6, 10**6))  # here


@case("values")
def lower_bound_at_infinity():
    ss.Normal(0, 1, lower=float("inf"))  # here


@case("values")
def upper_bound_at_minus_infinity():
    ss.Flat(upper=-np.inf)  # here


@case("values")
def stack_of_unequal_lengths():
    m = model()
    m.b = ss.Normal(0, 1, shape=3)
    ss.stack([m.mu, m.b])  # here


@case("values")
def stack_of_one_and_three():
    m = model()
    m.b = ss.Normal(0, 1, shape=3)
    np.stack([m.b, m.b[:1]])  # here


@case("values")
def list_of_unequal_lengths():
    m = model()
    m.b = ss.Normal(0, 1, shape=3)
    m.z = [m.mu, m.b]  # here


# -- what the neighbours write --------------------------------------------------------------------
@case("neighbours")
def a_function_of_torch():
    import torch

    torch.exp(model().mu)  # here


@case("neighbours")
def expressions_stacked_by_torch():
    import torch

    torch.stack([model().mu])  # here


@case("neighbours")
def name_first():
    ss.Normal("mu", 0, 1)  # here


@case("neighbours")
def name_first_and_keywords():
    ss.HalfNormal("sigma", sigma=1)  # here


@case("neighbours")
def name_first_of_vectors():
    ss.MultivariateNormal("z", np.zeros(2), cov=np.eye(2))  # here


@case("neighbours")
def observed_in_the_call():
    ss.Poisson(3, observed=[1, 2])  # here


@case("neighbours")
def obs_in_the_call():
    ss.Normal(0, 1, obs=[1.0])  # here


@case("neighbours")
def start_in_the_call():
    ss.Normal(0, 1, initval=2)  # here


@case("neighbours")
def sampled_as_elsewhere():
    model().sample(1000)  # here


@case("neighbours")
def fitted_as_elsewhere():
    model().fit()  # here


@case("neighbours")
def predicted_without_draws():
    model().predict()  # here


@case("neighbours")
def a_model_as_a_context():
    with ss.Model() as m:  # here
        m.mu = ss.Normal(0, 1)


@case("neighbours")
def a_formula_and_a_table():
    ss.Model("y ~ x", pd.DataFrame({"x": [1.0], "y": [2.0]}))  # here


@case("neighbours")
def a_distribution_of_pymc():
    ss.Normal.dist(0, 1)  # here


@case("neighbours")
def a_distribution_expanded():
    ss.Normal(0, 1).expand([3]).to_event(1)  # here


@case("neighbours")
def a_density_of_scipy():
    ss.Normal(0, 1).logpdf(0.5)  # here


@case("neighbours")
def drawn_from_a_distribution():
    ss.MultivariateNormal(np.zeros(2), cov=np.eye(2)).sample()  # here


@case("neighbours")
def prior_draws_of_pymc():
    model().sample_prior_predictive()  # here


@case("neighbours")
def a_tensor_of_an_expression():
    import torch

    torch.tensor(model().mu)  # here


@case("neighbours")
def the_iterations_of_brms():
    model().mcmc(iter=2000)  # here


@case("neighbours")
def a_backend_of_brms():
    model().mcmc(backend="cmdstanr")  # here


@case("neighbours")
def logits():
    ss.Bernoulli(logits=0.5)  # here


@case("neighbours")
def mean_and_sd_of_gamma():
    ss.Gamma(mu=2, sigma=1)  # here


@case("neighbours")
def ends_of_pymc():
    ss.Uniform(lower=0, upper=1)  # here


@case("neighbours")
def variance():
    ss.Normal(0, var=4)  # here


@case("neighbours")
def precision_of_student():
    ss.StudentT(4, 0, lam=4)  # here


@case("neighbours")
def dispersion_of_pymc():
    ss.NegBinomial2(mu=1, alpha=2)  # here


@case("neighbours")
def scale_of_pymcs_weibull():
    ss.Weibull(alpha=1, beta=2)  # here


@case("neighbours")
def dimension_of_numpyro():
    ss.LKJCholesky(dimension=2, concentration=1)  # here


@case("neighbours")
def covariance_of_numpyro():
    ss.MultivariateNormal(np.zeros(2), covariance_matrix=np.eye(2))  # here


@case("neighbours")
def precision_matrix_of_pymc():
    ss.MultivariateNormal(np.zeros(2), tau=np.eye(2))  # here


@case("values")
def covariance_given_twice():
    ss.MultivariateNormal(np.zeros(2), cov=np.eye(2), chol=np.eye(2))  # here


@case("values")
def a_grouped_table():
    ss.data(people().groupby("town"))  # here


@case("values")
def a_dataset_of_xarray():
    import xarray as xr

    ss.data(xr.Dataset({"x": ("row", [1.0, 2.0])}))  # here


@case("values")
def a_dict_of_arrays():
    ss.data({"x": [1.0, 2.0]})  # here


@case("values")
def a_generator():
    ss.data(x for x in [1.0, 2.0])  # here


@case("values")
def nothing_but_gaps():
    ss.data([None, None])  # here


@case("values")
def dates_with_a_gap_of_pandas():
    ss.data([pd.Timestamp("2024-01-01"), pd.NaT])  # here


@case("values")
def periods():
    ss.data(pd.period_range("2024-01", periods=3, freq="M"))  # here


@case("values")
def more_elements_than_can_be_in_a_factor():
    m = model()
    m.L = ss.LKJCholesky(10**6, 1.0)  # here


@case("values")
def the_length_of_a_number():
    len(model().mu)  # here


@case("values")
def numbers_stacked_without_a_list():
    m = model()
    ss.stack(m.mu, m.mu)  # here


@case("values")
def a_label_for_a_position():
    m = model()
    m.effect = ss.Normal(0, 1, dims="group")
    m.effect["a"]  # here


@case("values")
def a_number_formatted():
    print(f"{model().mu:.2f}")  # here


@case("values")
def text_for_a_start():
    model().mcmc(inits={"mu": "a"})  # here


@case("values")
def more_starts_than_chains():
    model().mcmc(inits=[{"mu": 1.0}] * 3, chains=2)  # here


# -- latents that can leave the domain of an argument ----------------------------------------------
def latents() -> ss.Model:
    m = model()
    m.free = ss.Flat()
    m.v = ss.Normal(0, 1, shape=3)
    m.up = ss.Normal(0, 1, shape=3, constraint="ordered")
    m.unit = ss.Uniform(-1, 1)
    m.half = ss.HalfNormal(1)
    m.L = ss.LKJCholesky(3, 1.0)
    return m


@case("domains")
def normal_scale():
    m = latents()
    m.y = ss.Normal(0, m.mu).observe([1.0, 2.0])  # here


@case("domains")
def flat_scale():
    m = latents()
    m.y = ss.Normal(0, m.free).observe([1.0, 2.0])  # here


@case("domains")
def scale_by_index():
    m = latents()
    m.y = ss.Normal(0, m.v[np.array([0, 1])]).observe([1.0, 2.0])  # here


@case("domains")
def scale_between_bounds():
    m = latents()
    m.y = ss.Normal(0, m.unit).observe([1.0, 2.0])  # here


@case("domains")
def normal_probability():
    m = latents()
    m.y = ss.Bernoulli(m.mu).observe([0, 1])  # here


@case("domains")
def positive_probability():
    m = latents()
    m.y = ss.Binomial(3, m.half).observe([0, 1])  # here


@case("domains")
def normal_rate():
    m = latents()
    m.y = ss.Poisson(m.mu).observe([0, 1])  # here


@case("domains")
def normal_weights():
    m = latents()
    m.y = ss.Categorical(m.v).observe([0, 1])  # here


@case("domains")
def cutpoints_out_of_order():
    m = latents()
    m.y = ss.OrderedLogistic(m.mu, m.v).observe([0, 1])  # here


@case("domains")
def ordered_weights():
    m = latents()
    m.y = ss.Categorical(m.up).observe([0, 1])  # here


@case("domains")
def factor_as_covariance():
    m = latents()
    m.y = ss.MultivariateNormal(np.zeros(3), cov=m.L).observe([0.0, 1.0, 2.0])  # here


@case("domains")
def upper_below_lower():
    m = latents()
    m.z = ss.Normal(0, 1, lower=0, upper=m.mu)  # here


@case("domains")
def upper_below_support():
    m = latents()
    m.z = ss.Gamma(2, 1, upper=m.mu)  # here


@case("domains")
def lower_above_support():
    m = latents()
    m.z = ss.Beta(2, 2, lower=m.half)  # here


@case("domains")
def relation_that_can_break():
    m = latents()
    m.z = ss.Uniform(0, m.mu)  # here


# -- constraints that cannot be normalized ----------------------------------------------------------
@case("constraints")
def order_of_different_latents():
    m = latents()
    m.z = ss.Normal(m.v, 1, constraint="ordered")  # here


@case("constraints")
def order_of_different_scales():
    m = latents()
    m.z = ss.Normal(np.array([0.0, 1.0, 2.0]), m.half, constraint="ordered")  # here


@case("constraints")
def positive_order_of_different_rates():
    m = latents()
    m.z = ss.Gamma(m.half, np.array([1.0, 2.0, 3.0]), constraint="ordered")  # here


@case("constraints")
def sum_of_student_t():
    m = latents()
    m.z = ss.StudentT(4, 0, m.half, shape=3, constraint="sum_to_zero")  # here
