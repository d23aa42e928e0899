"""Integrating normal latents keeps the marginal density: against the exact integral of the joint density as written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import scistan as ss
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.inference.integrate import integrated
from scistan.inference.integrated import IntegratedDensity
from scistan.targets.scipy import JointDensity, ancestral_draws
from tests.passes.integrate.forms import FORMS, random_form

POINTS = 3


def points_of(instance: Instance, seed: int) -> list[dict[Node, np.ndarray]]:
    """Draw what is sampled from its prior."""
    alone = instance.on(replace(instance.graph, terms=tuple(instance.graph.latents), derived={}))
    drawn, _ = ancestral_draws(alone, POINTS, seed)
    return [{t.value: np.asarray(drawn[t.name][k], float) for t in instance.graph.latents} for k in range(POINTS)]


def exact_integral(written: Instance, gone: list, at: dict[Node, np.ndarray]) -> tuple[float, float]:
    """Integrate the joint density over normal latents, by its values at as many points as a parabola has numbers.

    Gives also the size of what was added up.
    """
    shapes = [written.shape(term.law.shape) for term in gone]
    sizes = [int(np.prod(shape)) for shape in shapes]
    count, joint = sum(sizes), JointDensity(written)
    ends = np.cumsum([0, *sizes])

    def values(points: np.ndarray) -> tuple[np.ndarray, float]:
        found = joint.at_each([
            {**at, **{t.value: u[i:j].reshape(s) for t, s, i, j in zip(gone, shapes, ends, ends[1:], strict=False)}}
            for u in points
        ])
        return np.array([value for value, _ in found]), max((size for _, size in found), default=0.0)

    unit = np.eye(count)
    rows, columns = np.triu_indices(count, 1)
    (zero,), size = values(np.zeros((1, count)))
    plus, minus = values(unit)[0], values(-unit)[0]
    slope, bend = (plus - minus) / 2, plus + minus - 2 * zero
    precision = np.diag(-bend)
    pairs = values(unit[rows] + unit[columns])[0]
    precision[rows, columns] = precision[columns, rows] = -(pairs - plus[rows] - plus[columns] + zero)
    mean = np.linalg.solve(precision, slope)
    value = zero + 0.5 * slope @ mean + 0.5 * count * np.log(2 * np.pi) - 0.5 * np.linalg.slogdet(precision)[1]
    condition = np.linalg.cond(precision)
    return float(value), float(size * (1 + np.abs(mean).max()) ** 2 * min(condition, 1e6))


@pytest.mark.parametrize("name", FORMS)
def test_what_is_left_is_the_integral(name: str) -> None:
    form = FORMS[name]
    written = form.build(np.random.default_rng(1)).instance()
    made = integrated(written, True)
    assert {term.name for term in made.graph.latents} == set(form.left)
    gone = [term for one in made.integrated for term in one.latents]
    points = points_of(made, 2)
    for point, (value, _) in zip(points, JointDensity(made).at_each(points), strict=True):
        exact, size = exact_integral(written, gone, point)
        assert abs(value - exact) < 1e-13 * max(size, 1.0)


@pytest.mark.parametrize("name", FORMS)
def test_what_is_left_is_the_joint_density_less_that_of_the_draws(name: str) -> None:
    """log p(y, θ) = log p(y, u, θ) - log p(u | y, θ), at the u that a fit gives back."""
    made = integrated(FORMS[name].build(np.random.default_rng(1)).instance(), True)
    points = points_of(made, 3)
    here, there = JointDensity(made).at_each(points), IntegratedDensity(made).at_each(points)
    for (value, _), (other, size) in zip(here, there, strict=True):
        assert abs(value - other) < 1e-10 * max(size, 1.0)


@pytest.mark.parametrize("seed", [*range(25), *(pytest.param(k, marks=pytest.mark.long) for k in range(25, 500))])
def test_models_written_by_chance(seed: int) -> None:
    """What is left is the integral, and the joint density less that of the draws; all but scales goes."""
    written = random_form(seed).instance()
    made = integrated(written, True)
    gone = [term for one in made.integrated for term in one.latents]
    assert {term.name[0] for term in gone} >= {"u"}
    assert {term.name[0] for term in made.graph.latents} <= {"s", "t"}
    points = points_of(made, seed)
    there = IntegratedDensity(made).at_each(points)
    for point, (value, _), (other, added) in zip(points, JointDensity(made).at_each(points), there, strict=True):
        exact, size = exact_integral(written, gone, point)
        assert abs(value - exact) < 1e-13 * max(size, 1.0)
        assert abs(value - other) < 1e-10 * max(added, 1.0)


def test_columns_far_from_zero_lose_no_digits() -> None:
    """Sums of squares of 10^6 would leave four digits of a density; measured from a fit they keep all of them."""
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=40), rng.normal(size=40)
    values = []
    for far in (0.0, 1e6):
        m = ss.Model()
        m.a, m.b, m.s = ss.Flat(), ss.Flat(), ss.HalfNormal(1)
        m.y = ss.Normal(m.a + m.b * x, m.s).observe(far + noise)
        made = integrated(m.instance(), True)
        values.append(JointDensity(made).at_each([{made.graph.latents[0].value: np.array(0.7)}])[0][0])
    assert abs(values[0] - values[1]) < 1e-8


def test_programs_of_two_sizes_are_one_text() -> None:
    from scistan.targets.stan.program import lower_to_stan

    texts = set()
    for rows, groups in ((30, 4), (50, 9)):
        rng = np.random.default_rng(0)
        m = ss.Model()
        m.a, m.tau, m.s = ss.Normal(0, 5), ss.HalfNormal(1), ss.HalfNormal(1)
        m.u = ss.Normal(m.a, m.tau, shape=groups)
        m.y = ss.Normal(m.u[rng.integers(0, groups, rows)], m.s).observe(rng.normal(size=rows))
        texts.add(lower_to_stan(integrated(m.instance(), True).graph).text)
    assert len(texts) == 1


@pytest.mark.parametrize(
    "build",
    [
        lambda m: ss.Normal(0, 1, lower=0),
        lambda m: ss.StudentT(4, 0, 1),
        lambda m: ss.Laplace(0, 1),
    ],
    ids=["truncated", "heavy tails", "laplace"],
)
def test_other_latents_are_sampled(build) -> None:  # type: ignore[no-untyped-def]
    m = ss.Model()
    m.b, m.s = build(m), ss.HalfNormal(1)
    m.y = ss.Normal(m.b, m.s).observe([1.0, 2.0])
    assert not integrated(m.instance(), True).integrated


def test_flat_priors_need_full_rank() -> None:
    rng = np.random.default_rng(0)
    X = np.c_[np.ones(20), rng.normal(size=20), np.ones(20)]
    m = ss.Model()
    m.b, m.s = ss.Flat(shape=3), ss.HalfNormal(1)
    m.y = ss.Normal(X @ m.b, m.s).observe(rng.normal(size=20))
    assert not integrated(m.instance(), True).integrated
