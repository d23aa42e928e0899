"""Every domain's bijection: there and back, Jacobians against autodiff, rows as if alone."""

from __future__ import annotations

import numpy as np
import pytest

from scistan.constrained import TYPES
from scistan.targets.coordinates import Coordinates
from scistan.targets.interval import Interval
from scistan.targets.torch.backend import TorchBackend
from scistan.targets.torch.structured import structured
from scistan.targets.values import NUMPY

torch = pytest.importorskip("torch")

EVENTS = {name: ((4,) if kind.domain.event_rank == 1 else (3, 3)) for name, kind in TYPES.items()}
SMALLEST = {name: (1,) * kind.domain.event_rank for name, kind in TYPES.items()}
STRUCTURES = {name: structured(kind, EVENTS[name], TorchBackend()) for name, kind in TYPES.items()}
BOUNDS = [(None, None), (0.0, None), (None, 2.0), (-1.0, 3.0)]
EVERY = pytest.mark.parametrize("name", sorted(STRUCTURES))


def coordinates(name: str, *lead: int, seed: int = 0) -> torch.Tensor:
    shape = (*lead, TYPES[name].free(EVENTS[name]))
    return torch.from_numpy(np.random.default_rng(seed).normal(size=shape))


def free_elements(name: str, x: torch.Tensor) -> torch.Tensor:
    """Give the elements that a density of this structure is over: as many as there are coordinates."""
    k = x.shape[-1]
    if name in ("simplex", "log_simplex"):
        return x[..., :-1]
    if name in ("corr", "cholesky_corr"):
        rows, columns = torch.tril_indices(k, k, -1)
        return x[..., rows, columns]
    if name in ("cov", "cholesky_cov"):
        rows, columns = torch.tril_indices(k, k, 0)
        return x[..., rows, columns]
    return x


@EVERY
def test_values_lie_in_their_domain(name):
    x, _ = STRUCTURES[name].constrain(coordinates(name, 50))
    assert not TYPES[name].domain.violations(x.numpy()).any()


@pytest.mark.parametrize("name", sorted(name for name, kind in TYPES.items() if kind.diagonal is None))
def test_elements_fill_the_range_that_is_declared(name):
    """What is known of signs rests on it: a range too narrow would be wrong, one too wide is a rule that never holds."""
    x = STRUCTURES[name].value(6 * coordinates(name, 4000)).numpy()
    for side, end in zip((1, -1), TYPES[name].element, strict=True):
        nearest = (side * x).min()
        assert nearest >= side * end
        assert nearest < (side * end + 0.01 if np.isfinite(end) else -5)


@EVERY
def test_values_alone_are_the_same(name):
    u = coordinates(name, 5)
    torch.testing.assert_close(STRUCTURES[name].value(u), STRUCTURES[name].constrain(u)[0], rtol=0, atol=0)


@EVERY
def test_the_middle_lies_inside(name):
    for event in (EVENTS[name], SMALLEST[name]):
        assert not TYPES[name].domain.violations(TYPES[name].middle(event)).any()


@EVERY
def test_elements_lie_where_they_are_said_to(name):
    x = STRUCTURES[name].constrain(3 * coordinates(name, 200))[0].numpy()
    low, high = TYPES[name].range_of_elements(x)
    assert ((x >= low) & (x <= high)).all()


@EVERY
def test_what_it_is_also_holds(name):
    other = TYPES[name].is_also
    x = STRUCTURES[name].constrain(coordinates(name, 50))[0].numpy()
    assert not other or not TYPES[other].domain.violations(x).any()


@EVERY
def test_numpy_computes_the_same(name):
    plain = Coordinates(TYPES[name], EVENTS[name], NUMPY)
    u = coordinates(name, 3, 2)
    x, jacobian = STRUCTURES[name].constrain(u)
    for expected, found in zip((x, jacobian), plain.constrain(u.numpy()), strict=True):
        np.testing.assert_allclose(found, expected.numpy(), rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(plain.unconstrain(x.numpy()), u.numpy(), rtol=1e-8, atol=1e-8)


@EVERY
def test_an_event_of_one_element(name):
    made = structured(TYPES[name], SMALLEST[name], TorchBackend())
    u = torch.zeros(2, TYPES[name].free(SMALLEST[name]), dtype=torch.float64)
    x, jacobian = made.constrain(u)
    assert not TYPES[name].domain.violations(x.numpy()).any()
    assert jacobian.shape == (2,)
    assert made.unconstrain(x).shape == u.shape


@EVERY
def test_there_and_back(name):
    u = coordinates(name, 5)
    back = STRUCTURES[name].unconstrain(STRUCTURES[name].constrain(u)[0])
    torch.testing.assert_close(back, u, rtol=1e-8, atol=1e-8)


@EVERY
def test_the_jacobian_is_autodiffs(name):
    for seed in range(5):
        u = coordinates(name, seed=seed)
        _, claimed = STRUCTURES[name].constrain(u)
        jacobian = torch.autograd.functional.jacobian(lambda v: free_elements(name, STRUCTURES[name].constrain(v)[0]), u)
        if name == "sum_to_zero":  # an isometry into a plane
            expected = 0.5 * torch.linalg.slogdet(jacobian.mT @ jacobian)[1]
        else:
            expected = torch.linalg.slogdet(jacobian)[1]
        torch.testing.assert_close(claimed, expected, rtol=1e-9, atol=1e-9)


@EVERY
def test_rows_are_as_if_alone(name):
    u = coordinates(name, 3, 2)
    together, jacobians = STRUCTURES[name].constrain(u)
    for i in range(3):
        for j in range(2):
            alone, jacobian = STRUCTURES[name].constrain(u[i, j])
            torch.testing.assert_close(together[i, j], alone)
            torch.testing.assert_close(jacobians[i, j], jacobian)


@pytest.mark.parametrize(("lower", "upper"), BOUNDS)
def test_bounds(lower, upper):
    ends = (None if b is None else torch.tensor(b, dtype=torch.float64) for b in (lower, upper))
    made = Interval(*ends, TorchBackend())
    u = torch.linspace(-4, 4, 9, dtype=torch.float64)
    x, claimed = made.constrain(u)
    torch.testing.assert_close(made.value(u), x)
    assert lower is None or bool((x > lower).all())
    assert upper is None or bool((x < upper).all())
    torch.testing.assert_close(made.unconstrain(x), u)
    plain = Interval(lower, upper, NUMPY)
    for expected, found in zip((x, claimed), plain.constrain(u.numpy()), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(plain.unconstrain(x.numpy()), u, rtol=1e-12, atol=1e-12)
    slopes = torch.autograd.functional.jacobian(lambda v: made.constrain(v)[0], u).diagonal()
    torch.testing.assert_close(claimed, slopes.abs().log(), rtol=1e-9, atol=1e-9)


def test_second_derivatives_exist_everywhere():
    for name, bijection in STRUCTURES.items():
        u = coordinates(name).requires_grad_(True)
        hessian = torch.autograd.functional.hessian(
            lambda v, b=bijection: b.constrain(v)[0].square().sum() + b.constrain(v)[1], u
        )
        assert bool(torch.isfinite(hessian).all()), name
