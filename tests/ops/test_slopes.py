"""Every slope that is declared by the formula it is a slope of: mpmath's derivative, on every library that has it."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import scistan as ss
from scistan.ops import REGISTRY
from scistan.ops.declaration import Gap
from scistan.ops.slopes import SLOPES

torch = pytest.importorskip("torch")


def _beta(a, b, x):
    return mpmath.betainc(a, b, 0, x, regularized=True)


def _circle(low, high, mu, kappa):
    """Give the von Mises probability between two angles by its series."""
    terms = mpmath.nsum(
        lambda j: mpmath.besseli(int(j), kappa) * (mpmath.sin(j * (high - mu)) - mpmath.sin(j * (low - mu))) / j,
        [1, 30])
    return (high - low + 2 * terms / mpmath.besseli(0, kappa)) / (2 * mpmath.pi)


def _counted(counts, total, alpha, beta):
    return sum(mpmath.binomial(total, k) * mpmath.beta(k + alpha, total - k + beta) for k in counts) / mpmath.beta(alpha, beta)


DEFINITIONS = {
    "gamma_p": lambda a, x: mpmath.gammainc(a, 0, x, regularized=True),
    "gamma_q": lambda a, x: mpmath.gammainc(a, x, mpmath.inf, regularized=True),
    "inc_beta": _beta,
    "von_mises_cdf": lambda x, mu, kappa: _circle(-mpmath.pi, x, mu, kappa),
    "von_mises_ccdf": lambda x, mu, kappa: _circle(x, mpmath.pi, mu, kappa),
    "beta_binomial_cdf": lambda y, total, *shapes: _counted(range(int(y) + 1), total, *shapes),
    "beta_binomial_ccdf": lambda y, total, *shapes: _counted(range(int(y) + 1, int(total) + 1), total, *shapes),
}
POINTS = {
    "gamma": [(0.3, 0.2), (2.5, 1.5), (7.0, 12.0)],
    "inc_beta": [(0.5, 0.7, 0.3), (2.0, 7.5, 0.1), (4.0, 3.0, 0.6)],
    "von_mises": [(0.4, -0.3, 0.7), (-1.5, 0.2, 2.5), (2.0, 1.0, 0.1)],
    # a count of 0, one below the total, two totals that are padded to one length
    "beta_binomial": [(0.0, 5.0, 1.5, 0.7), (4.0, 5.0, 0.6, 2.0), (3.0, 9.0, 2.5, 2.5), (0.0, 1.0, 30.0, 0.2)],
}


def definition(base: str):
    plain = base.removeprefix("log_").replace("_log_", "_")
    exact = DEFINITIONS[plain]
    return exact if plain == base else (lambda *args: mpmath.log(exact(*args)))


def parts(name: str) -> tuple[str, tuple[str, ...]]:
    base, _, wrt = name.partition("_by_")
    return base, tuple(wrt.split("_"))


def points(name: str) -> list[tuple[float, ...]]:
    base = parts(name)[0].removeprefix("log_")
    return next(rows for kind, rows in POINTS.items() if base.startswith(kind))


def exact(name: str, point: tuple[float, ...]) -> float:
    base, wrt = parts(name)
    places = [REGISTRY[name].arguments.index(one) for one in wrt]
    orders = tuple(places.count(k) for k in range(len(point)))
    moved = [k for k, order in enumerate(orders) if order]
    function = definition(base)
    with mpmath.workdps(30):
        def of_moved(*values):
            args = [mpmath.mpf(x) for x in point]
            for k, value in zip(moved, values, strict=True):
                args[k] = value
            return function(*args)

        return float(mpmath.diff(of_moved, tuple(point[k] for k in moved), tuple(orders[k] for k in moved)))


def check(name: str, values: object) -> None:
    # Sums of logarithms of up to hundreds keep 13 digits, and a second derivative of a series two fewer.
    expected = [exact(name, point) for point in points(name)]
    np.testing.assert_allclose(np.asarray(values), expected, rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("name", SLOPES)
def test_on_numpy(name):
    check(name, REGISTRY[name].numpy(np, *np.array(points(name)).T))


FIRST = [name for name in SLOPES if len(parts(name)[1]) == 1]


@pytest.mark.parametrize("name", [*FIRST, *(pytest.param(n, marks=pytest.mark.long) for n in SLOPES if n not in FIRST)])
def test_on_torch(name):
    check(name, REGISTRY[name].torch(torch, *map(torch.tensor, np.array(points(name)).T)))


@pytest.mark.parametrize("name", [n for n in SLOPES if not isinstance(REGISTRY[n].jax, Gap)])
@pytest.mark.long
def test_on_jax(name):
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        check(name, REGISTRY[name].jax(jax.numpy, *map(jax.numpy.asarray, np.array(points(name)).T)))


@pytest.mark.parametrize("base", sorted({parts(name)[0] for name in SLOPES}))
def test_ops_use_their_slopes(base):
    """Gradients and Hessians of every op whose slopes are declared so, by the graph: no slope stands unused."""
    op = REGISTRY[base]
    own = [name for name in SLOPES if parts(name)[0] == base]
    used = {one for name in own for one in parts(name)[1][:1]}
    places = [REGISTRY[own[0]].arguments.index(one) for one in sorted(used)]
    point = points(own[0])[1]

    def f(*moved):
        args = [ss.array(x) for x in point]
        for k, x in zip(places, moved, strict=True):
            args[k] = x
        return _build(op, args)

    given = [np.float64(point[k]) for k in places]
    argnums = tuple(range(len(places)))
    slopes = ss.grad(f, argnums)(*given)
    hessian = ss.hessian(f, argnums)(*given)
    names = sorted(used)
    for i, one in enumerate(names):
        assert float(slopes[i]) == pytest.approx(exact(f"{base}_by_{one}", point), rel=1e-8)
        for j, other in enumerate(names):
            wanted = exact(f"{base}_by_{one}_{other}", point)
            assert float(hessian[i][j]) == pytest.approx(wanted, rel=1e-7, abs=1e-11)


def _build(op, args):
    from scistan.ops.coerce import as_node
    from scistan.ops.expression import Expression

    return Expression(op.build(tuple(map(as_node, args))))
