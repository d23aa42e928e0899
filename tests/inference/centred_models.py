"""Small hierarchies of every form in which latents are centred by their data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import scistan as ss

__all__ = ["FORMS", "any_centring", "grouped"]

ROWS = np.array([1, 4, 2])  # of three groups
GROUP = np.repeat(np.arange(3), ROWS)
Y = np.array([0.3, -1.0, 2.0, 0.5, 0.1, 4.0, 3.0])


def grouped(law: Callable[..., object] = ss.Normal, **options: object) -> ss.Model:
    """Groups of 1, 4 and 2 rows."""
    m = ss.Model("grouped")
    m.mu, m.tau, m.sigma = ss.Normal(0, 2), ss.HalfNormal(1), ss.HalfNormal(1)
    m.theta = law(m.mu, m.tau, shape=3, **options)
    m.y = ss.Normal(m.theta[GROUP], m.sigma).observe(Y)
    return m


def student() -> ss.Model:
    return grouped(lambda mu, tau, **options: ss.StudentT(4, mu, tau, **options))


def table() -> ss.Model:
    """A matrix of groups, with a scale for each column."""
    m = ss.Model()
    m.mu, m.tau = ss.Normal(0, 2, shape=(2, 1)), ss.HalfNormal(1, shape=3)
    m.theta = ss.Normal(m.mu, m.tau, shape=(2, 3))
    m.y = ss.Normal(m.theta, 0.7).observe(np.arange(6.0).reshape(2, 3) / 3)
    return m


def block() -> ss.Model:
    """Three axes: no offset and multiplier of Stan's, but a free variable and its change of variables."""
    m = ss.Model()
    m.mu, m.tau = ss.Normal(0, 2), ss.HalfNormal(1)
    m.theta = ss.Normal(m.mu, m.tau, shape=(2, 2, 2))
    m.y = ss.Normal(m.theta, 0.7).observe(np.arange(8.0).reshape(2, 2, 2) / 4)
    return m


def computed() -> ss.Model:
    """A location that is computed, and differs between elements."""
    m = ss.Model()
    m.b, m.tau = ss.Normal(0, 1, shape=2), ss.HalfNormal(1)
    m.theta = ss.Normal(ss.stack([m.b[0] * k + m.b[1] for k in range(3)]), m.tau)
    m.y = ss.Normal(m.theta[GROUP], 0.5).observe(Y)
    return m


def single() -> ss.Model:
    m = ss.Model()
    m.mu, m.tau = ss.Normal(0, 2), ss.HalfNormal(1)
    m.theta = ss.Normal(m.mu, m.tau)
    m.y = ss.Normal(m.theta, 0.7).observe([0.3, 1.0])
    return m


def at_zero() -> ss.Model:
    """No location, and counts; a name that the program would have taken."""
    m = ss.Model()
    m.theta_pull = ss.data([1.0, 2.0, 0.5])
    m.tau = ss.HalfNormal(1)
    m.theta = ss.Normal(0, m.tau, shape=3)
    m.y = ss.PoissonLog(m.theta * m.theta_pull).observe([0, 3, 1])
    return m


def nested() -> ss.Model:
    m = ss.Model()
    m.mu, m.tau, m.kappa = ss.Normal(0, 2), ss.HalfNormal(1), ss.HalfNormal(1)
    m.parent = ss.Normal(m.mu, m.kappa, shape=2)
    m.theta = ss.Normal(m.parent[np.array([0, 0, 1])], m.tau)
    m.y = ss.Normal(m.theta[GROUP], 0.5).observe(Y)
    return m


def crossed() -> ss.Model:
    m = ss.Model()
    m.tau, m.kappa = ss.HalfNormal(1), ss.HalfNormal(1)
    m.person, m.item = ss.Normal(0, m.tau, shape=3), ss.Normal(0.5, m.kappa, shape=2)
    m.y = ss.BernoulliLogit(m.person[:, None] - m.item).observe(np.array([[0, 1], [1, 1], [0, 0]]))
    return m


def beside() -> ss.Model:
    """A number that stands beside all elements."""
    m = ss.Model()
    m.a, m.tau, m.b = ss.Normal(0, 2), ss.HalfNormal(1), ss.Normal(0, 1)
    m.theta = ss.Normal(0, m.tau, shape=3)
    m.y = ss.PoissonLog(m.b * np.arange(7.0) / 7 + m.a + m.theta[GROUP]).observe(np.arange(7))
    return m


def beside_slopes() -> ss.Model:
    """Numbers of a half-line and of the line beside elements that data multiply, and a location of their own."""
    m, x = ss.Model(), np.linspace(-1, 1, 7)
    m.a, m.b, m.tau, m.mu = ss.Normal(0, 2), ss.HalfNormal(2), ss.HalfNormal(1), ss.Normal(0, 1)
    m.theta, m.slope = ss.Normal(m.mu, m.tau, shape=3), ss.StudentT(5, 0, m.tau, shape=3)
    m.y = ss.BernoulliLogit(m.a + m.theta[GROUP] + m.b * x + m.slope[GROUP] * x).observe(np.arange(7) % 2)
    return m


FORMS = {
    f.__name__: f
    for f in (grouped, student, table, block, computed, single, at_zero, nested, crossed, beside, beside_slopes)
}


def any_centring(shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Give information and pull as no data would have them: none for some elements, little and much for others."""
    information = rng.choice([0.0, 1.0], shape, p=[0.25, 0.75]) * np.exp(rng.normal(0, 2, shape))
    return np.stack([information, rng.normal(0, 2, shape)])
