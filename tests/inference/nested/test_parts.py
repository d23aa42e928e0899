"""The parts of nested Laplace: many modes at once, densities by group, integrals over groups, outer numbers."""

import numpy as np
import pytest
from scipy import integrate, stats

from scistan.engines.proposal import Proposal
from scistan.inference.nested import within
from scistan.inference.nested.groups import find_groups
from scistan.inference.nested.lowered import lower
from scistan.inference.nested.peaks import find_peaks
from scistan.inference.point.marginal.inner import find_peak
from scistan.inference.point.options import read_options
from tests.inference.nested.quadrature import GROUPED, grouped

torch = pytest.importorskip("torch")
from tests.inference.nested.test_exact import crossed, slopes, smooth  # noqa: E402


def lowered(model):
    from scistan.targets.torch import choose_target

    options = read_options("map", {"starts": 4, "seed": 1, "progress": False})
    return lower(model._subject(), options, choose_target("cpu", "float64"))


BUILDS = {**{family: lambda family=family: grouped(family) for family in GROUPED}, "crossed": crossed,
          "slopes": slopes, "smooth": smooth}


@pytest.mark.parametrize("name", BUILDS)
def test_events_add_up_to_the_density(name):
    made = lowered(BUILDS[name]())
    density = made.joint.density
    q = torch.as_tensor(np.random.default_rng(1).normal(0, 0.5, (5, density.dimension)))
    events, jacobian = density.events(q)
    total = sum(values.sum(-1) for values in events.values()) + jacobian
    assert torch.allclose(total, density.log_density(q, jacobian=True), rtol=1e-11)


@pytest.mark.parametrize("name", BUILDS)
def test_modes_of_many_rows_are_those_of_each(name):
    made = lowered(BUILDS[name]())
    theta = made.starts[:, made.split.outer]
    peaks = find_peaks(made.field, theta, made.starts[:, made.split.inner])
    assert bool(peaks.found.all())
    for row in range(len(theta)):
        alone = find_peak(made.split, made.structure, theta[row], made.starts[row, made.split.inner])
        assert torch.allclose(peaks.u[row], alone.u, atol=1e-4)
        assert torch.allclose(peaks.precision.log_determinant()[row], alone.precision.log_determinant(), atol=1e-3)


@pytest.mark.parametrize(("name", "count"), [("poisson", 12), ("crossed", 20), ("slopes", 12), ("smooth", 0)])
def test_densities_fall_into_groups(name, count):
    made = lowered(BUILDS[name]())
    theta, u = made.starts[0, made.split.outer], made.starts[1, made.split.inner]
    groups = find_groups(made.split, made.structure.layout, theta, u)
    if not count:
        assert groups is None
        return
    assert groups.count == count
    before, rest = groups.log_densities(theta[None], u[None])
    moved = u.clone()
    moved[made.structure.layout.locals[3]] += 0.4
    after, rest_after = groups.log_densities(theta[None], moved[None])
    assert (after != before)[0].nonzero().flatten().tolist() == [3]
    assert torch.equal(rest, rest_after)


def _bernoulli_group(made, by_lattice, rows, seed):
    theta = made.starts[:1, made.split.outer].repeat(rows, 1)
    peaks = find_peaks(made.field, theta, made.starts[:1, made.split.inner].repeat(rows, 1))
    groups = find_groups(made.split, made.structure.layout, theta[0], peaks.u[0])
    rng = np.random.default_rng(seed)
    return within.draw_within(groups, peaks.precision, theta, peaks.u, rng, by_lattice)


def _log_integral(made):
    """Integrate every group's density by adaptive quadrature, one after the other."""
    theta = made.starts[:1, made.split.outer]
    groups = find_groups(made.split, made.structure.layout, theta[0], made.starts[1, made.split.inner])
    total = 0.0
    for number in range(groups.count):
        def density(z, number=number):
            u = torch.full((1, groups.count), float(z), dtype=torch.float64)
            return float(groups.log_densities(theta, u)[0][0, number].exp())

        total += np.log(integrate.quad(density, -12, 12, epsabs=0, epsrel=1e-10, points=[0.0], limit=200)[0])
    return total


def test_a_lattice_integrates_groups_to_many_digits():
    made = lowered(grouped("bernoulli"))
    found = _bernoulli_group(made, True, 20, 1).integral
    assert float((found - _log_integral(made)).abs().max()) < 1e-3  # twelve groups, of four zeros or ones each
    assert float(found.mean() - _log_integral(made)) == pytest.approx(0, abs=2e-4)


def test_candidates_integrate_without_bias():
    made = lowered(grouped("bernoulli"))
    ratios = (_bernoulli_group(made, False, 4000, 2).integral - _log_integral(made)).exp().numpy()
    assert abs(ratios.mean() - 1) <= 5 * ratios.std() / np.sqrt(len(ratios))


@pytest.mark.parametrize("by_lattice", [True, False])
def test_groups_are_drawn_from_their_own_distribution(by_lattice):
    made = lowered(grouped("normal"))
    theta = made.starts[:1, made.split.outer].repeat(4000, 1)
    peaks = find_peaks(made.field, theta, made.starts[:1, made.split.inner].repeat(4000, 1))
    groups = find_groups(made.split, made.structure.layout, theta[0], peaks.u[0])
    drawn = within.draw_within(groups, peaks.precision, theta, peaks.u, np.random.default_rng(1), by_lattice)
    z = ((drawn.u - peaks.u) * peaks.precision.factor_hubs[0, :, 0, 0]).numpy()
    slack = 0.0 if by_lattice else 0.01  # of few candidates one is taken: its bias is what rows' weights take away
    for column in z.T:
        assert stats.kstest(column, "norm").statistic <= 1.95 / np.sqrt(4000) + slack  # the level of 0.1 % each


def test_outer_numbers_have_the_density_they_say():
    outer = Proposal(np.array([1.0, -1.0]), np.array([[1.0, 0.0], [0.5, 0.8]]), np.array([2.0, 1.0]), np.array([0.7, 1.5]))
    step = 0.05
    middles = step * (np.arange(-800, 800) + 0.5)  # of cells that the lines between the sides do not cut
    a, b = np.meshgrid(middles, middles)
    rows = outer.centre + np.column_stack([a.ravel(), b.ravel()]) @ outer.root.T
    mass = np.exp(outer.log_density(rows)) * step**2 * np.linalg.det(outer.root)
    assert mass.sum() == pytest.approx(1, abs=1e-3)  # what is left lies further out
    drawn = outer.draw(np.random.default_rng(1), 40_000)
    inside = (rows[:, 0] < 0.5) & (rows[:, 1] > -1.5)
    share = float(((drawn[:, 0] < 0.5) & (drawn[:, 1] > -1.5)).mean())
    assert share == pytest.approx(float(mass[inside].sum()), abs=5 * 0.5 / np.sqrt(40_000) + 2e-3)
