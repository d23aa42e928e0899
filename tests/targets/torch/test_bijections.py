"""Every domain's bijection: there and back, Jacobians against autodiff, rows as if alone."""

from __future__ import annotations

import numpy as np
import pytest

from scistan import domains
from scistan.targets.torch.bijections import STRUCTURES, bounded

torch = pytest.importorskip("torch")

DOMAINS = {d.structure: d for d in vars(domains).values() if isinstance(d, domains.Domain) and d.structure in STRUCTURES}
EVENTS = {name: ((4,) if d.event_rank == 1 else (3, 3)) for name, d in DOMAINS.items()}
BOUNDS = [(None, None), (0.0, None), (None, 2.0), (-1.0, 3.0)]
EVERY = pytest.mark.parametrize("name", sorted(STRUCTURES))


def coordinates(name: str, *lead: int, seed: int = 0) -> torch.Tensor:
    shape = (*lead, *STRUCTURES[name].free(EVENTS[name]))
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


def test_every_structure_of_a_domain_has_a_bijection():
    assert set(DOMAINS) == set(STRUCTURES)


@EVERY
def test_values_lie_in_their_domain(name):
    x, _ = STRUCTURES[name].constrain(coordinates(name, 50))
    assert not DOMAINS[name].violations(x.numpy()).any()


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
    made = bounded(*(None if b is None else torch.tensor(b, dtype=torch.float64) for b in (lower, upper)))
    u = torch.linspace(-4, 4, 9, dtype=torch.float64)
    x, claimed = made.constrain(u)
    torch.testing.assert_close(made.value(u), x)
    assert lower is None or bool((x > lower).all())
    assert upper is None or bool((x < upper).all())
    torch.testing.assert_close(made.unconstrain(x), u)
    slopes = torch.autograd.functional.jacobian(lambda v: made.constrain(v)[0], u).diagonal()
    torch.testing.assert_close(claimed, slopes.abs().log(), rtol=1e-9, atol=1e-9)


def test_second_derivatives_exist_everywhere():
    for name, bijection in STRUCTURES.items():
        u = coordinates(name).requires_grad_(True)
        hessian = torch.autograd.functional.hessian(
            lambda v, b=bijection: b.constrain(v)[0].square().sum() + b.constrain(v)[1], u
        )
        assert bool(torch.isfinite(hessian).all()), name
