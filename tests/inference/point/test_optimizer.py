"""The optimizer: known minima, rows as if alone, the best point kept, interrupts."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import scistan as ss
from scistan.inference.point.history import History
from scistan.inference.point.lbfgs import climb
from scistan.inference.point.objective import Objective
from tests.zoo import logistic, varying_intercepts

torch = pytest.importorskip("torch")


class Plain:
    """A function of rows in place of a model."""

    def __init__(self, function):
        self.torch = torch
        self.function = function
        self.evaluations = 0

    def value_and_gradient(self, q):
        self.evaluations += 1
        leaf = q.detach().clone().requires_grad_(True)
        value = self.function(leaf)
        (gradient,) = torch.autograd.grad(value.sum(), leaf)
        return value.detach(), gradient


def rosenbrock(q):
    return -(100 * (q[..., 1:] - q[..., :-1] ** 2) ** 2 + (1 - q[..., :-1]) ** 2).sum(-1)


def rows(count: int, dimension: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).uniform(-1.5, 1.5, (count, dimension)))


@pytest.mark.parametrize("dimension", [2, 10])
def test_rosenbrocks_valley(dimension):
    made = climb(Plain(rosenbrock), rows(6, dimension), tolerance=1e-16, max_iterations=2000)
    assert set(made.stopped) <= {"done", "line search"}
    best = made.q[made.value.argmax()]
    torch.testing.assert_close(best, torch.ones(dimension, dtype=torch.float64), rtol=0, atol=1e-5)


def test_an_ill_conditioned_quadratic():
    scales = torch.logspace(-2, 3, 20, dtype=torch.float64)
    made = climb(Plain(lambda q: -0.5 * (scales * (q - 1) ** 2).sum(-1)), rows(2, 20), tolerance=1e-12, max_iterations=500)
    assert float(-made.value.max()) < 1e-9


def test_rows_are_as_if_alone():
    start = rows(5, 4, seed=3)
    together = climb(Plain(rosenbrock), start, tolerance=1e-12, max_iterations=60)
    for k in range(5):
        alone = climb(Plain(rosenbrock), start[k : k + 1], tolerance=1e-12, max_iterations=60)
        torch.testing.assert_close(together.q[k], alone.q[0], rtol=1e-6, atol=1e-6)
        assert together.stopped[k] == alone.stopped[0]


def test_finished_rows_cost_nothing():
    sizes = []

    def counted(q):
        sizes.append(len(q))
        return -(q**2).sum(-1) - 1000 * ((q[:, :1] - 3) ** 2 * (q[:, 1:] - 1) ** 2).sum(-1)

    climb(Plain(counted), torch.tensor([[0.0, 1.0], [2.0, -1.0]], dtype=torch.float64), tolerance=1e-12, max_iterations=300)
    assert 1 in sizes


def test_heights_never_fall():
    from scistan.inference.point.progress import Progress

    progress = Progress(False, "")
    climb(Plain(rosenbrock), rows(1, 6), tolerance=1e-14, max_iterations=300, progress=progress)
    losses = np.array([loss for loss, _ in progress.history])
    assert (np.diff(losses) <= 1e-12).all()


def test_cliffs_are_stepped_back_from():
    def cliff(q):
        return torch.where((q < 2).all(-1), -((q - 1.99) ** 2).sum(-1), float("nan"))

    made = climb(Plain(cliff), torch.tensor([[-50.0, -3.0]], dtype=torch.float64), tolerance=1e-14, max_iterations=200)
    torch.testing.assert_close(made.q[0], torch.full((2,), 1.99, dtype=torch.float64), rtol=0, atol=1e-5)


def test_a_start_that_is_not_finite_is_said():
    made = climb(Plain(lambda q: (q.log()).sum(-1) - q.sum(-1)), torch.tensor([[-1.0], [2.0]], dtype=torch.float64),
                 tolerance=1e-12, max_iterations=100)
    assert made.stopped[0] == "not finite"
    assert float(made.q[1, 0]) == pytest.approx(1.0, abs=1e-6)


def test_the_history_is_the_two_loop_recursion():
    rng = np.random.default_rng(0)
    matrix = torch.from_numpy(np.eye(5) + 0.3 * rng.normal(size=(5, 5)))
    hessian = matrix @ matrix.mT + torch.eye(5)
    history = History(torch, torch.zeros((1, 5), dtype=torch.float64), None)
    pairs = []
    for k in range(60):  # more than are kept, and than there is room for
        step = torch.from_numpy(rng.normal(size=(1, 5)))
        change = step @ hessian if k % 6 else -step  # some have no curvature
        history.remember(step, change)
        pairs.append((step[0], change[0]))
        gradient = torch.from_numpy(rng.normal(size=(1, 5)))
        good = [(s, y) for s, y in pairs[-20:] if float(s @ y) > 0]
        if good:
            torch.testing.assert_close(history.direction(gradient)[0], two_loops(good, gradient[0]), rtol=1e-7, atol=1e-9)


def two_loops(pairs, gradient):
    """Nocedal and Wright, algorithm 7.4, as printed."""
    q, shares = gradient.clone(), []
    for s, y in reversed(pairs):
        share = (s @ q) / (s @ y)
        q = q - share * y
        shares.append(share)
    s, y = pairs[-1]
    r = (s @ y) / (y @ y) * q
    for (s, y), share in zip(pairs, reversed(shares), strict=True):
        r = r + s * (share - (y @ r) / (s @ y))
    return r


def test_an_interrupt_returns_the_best_point_so_far(monkeypatch):
    real = Objective.value_and_gradient
    calls = []

    def interrupted(self, q):
        calls.append(None)
        if len(calls) == 8:
            raise KeyboardInterrupt
        return real(self, q)

    monkeypatch.setattr(Objective, "value_and_gradient", interrupted)
    m = varying_intercepts()
    found = m.map(seed=0, integrate=False)
    assert not found.converged
    assert "interrupted" in found.reason
    zero = {"mu": 0.0, "tau": 1.0, "alpha": np.zeros(5), "beta": 0.0, "sigma": 1.0}
    assert m.log_density(found.values) > m.log_density(zero)


@pytest.mark.parametrize("options", [{"optimizer": "adam", "epochs": 20}, {"optimizer": "lbfgs"}])
def test_an_interrupt_of_either_optimizer(monkeypatch, options):
    real = Objective.value_and_gradient
    calls = []

    def interrupted(self, q):
        calls.append(None)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return real(self, q)

    monkeypatch.setattr(Objective, "value_and_gradient", interrupted)
    found = logistic().map(seed=0, **options)
    assert not found.converged
    assert np.isfinite(found.values["beta"]).all()


def test_starting_values_are_used():
    m = logistic()
    first = m.map(seed=0, starts=1)
    again = m.map(inits=first, starts=1)
    assert again.iterations <= 2
    np.testing.assert_allclose(again.values["beta"], first.values["beta"], rtol=1e-6)
    assert m.map(inits={"alpha": 0.5, "beta": np.ones(3)}, starts=2, seed=0).converged


def test_a_bar_appears_for_long_runs_only(capsys, monkeypatch):
    from scistan.inference.point import progress

    logistic().map(seed=0)
    assert "loss" not in capsys.readouterr().err
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    logistic().map(seed=0)
    assert capsys.readouterr().err == ""  # nobody watches a log
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    logistic().map(seed=0)
    shown = capsys.readouterr().err
    assert "loss" in shown
    assert "gradient" in shown
    logistic().map(seed=0, progress=False)
    assert "loss" not in capsys.readouterr().err


def test_adam_alone_is_honest_about_itself():
    m = logistic()
    best = m.map(seed=0)
    polished = m.map(seed=0, optimizer="adam", epochs=5, starts=2)
    assert polished.converged
    assert polished.log_density == pytest.approx(best.log_density, rel=1e-9)
    rough = m.map(seed=0, optimizer="adam", epochs=3, starts=2, polish=False)
    assert rough.log_density <= best.log_density
    assert not rough.converged
    with pytest.raises(ss.SamplingError, match="no draws"):
        rough.idata(10)


SIGNALLED = """
import os, signal
import numpy as np
import scistan as ss
from scistan.inference.point.objective import Objective

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs are born deaf to it
real, calls, when = Objective.value_and_gradient, [], 0

def watched(self, q):
    calls.append(None)
    if len(calls) == when:
        os.kill(os.getpid(), signal.SIGINT)
    return real(self, q)

Objective.value_and_gradient = watched
rng = np.random.default_rng(0)
x = rng.normal(size=(500, 3))
m = ss.Model()
m.x = ss.data(x)
m.b = ss.Normal(0, 1, shape=3)
m.y = ss.BernoulliLogit(m.x @ m.b).observe(rng.integers(0, 2, 500))
for when, options in RUNS:
    calls.clear()
    found = m.map(seed=0, progress=False, **options)
    better = found.log_density > m.log_density({"b": np.zeros(3)})
    print(found.converged, np.isnan(found.std_errors["b"]).all(), better, found.reason)
"""
RUNS = [(4, {}), (12, {}), (9, {"batch_size": 100}), (60, {"polish": False, "optimizer": "adam"})]


def test_a_real_interrupt_returns_the_best_point():
    """The signal itself, in a process of its own."""
    code = f"RUNS = {RUNS!r}\n{SIGNALLED}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    verdicts = done.stdout.splitlines()
    assert len(verdicts) == len(RUNS)
    for verdict, run in zip(verdicts, RUNS, strict=True):
        assert verdict.startswith("False True True interrupted after"), run


def test_adam_alone_says_when_it_ran_out_of_epochs():
    found = logistic().map(seed=0, optimizer="adam", polish=False, epochs=2)
    assert not found.converged
    assert "stopped after epochs=2" in found.reason


def test_a_cliff_is_not_climbed_for_ever():
    calls = []

    def cliff(q):
        calls.append(None)
        return torch.where((q < 2).all(-1), q.sum(-1), -float("inf"))

    made = climb(Plain(cliff), torch.zeros((1, 2), dtype=torch.float64), tolerance=1e-12, max_iterations=1000)
    assert made.stopped == ["line search"]
    assert float(made.q.max()) == pytest.approx(2.0, abs=1e-6)
    assert len(calls) < 1000


def test_a_climb_ends_where_line_searches_find_but_noise():
    def noisy(q):  # a valley whose gradient means nothing below its rounding, as that of a nearly singular covariance
        return rosenbrock(q) + 1e-3 * torch.sin(1e7 * q).sum(-1)

    made = climb(Plain(noisy), rows(2, 10), tolerance=0.0, max_iterations=200)
    assert made.evaluated <= 2 * (3 * 200 + 100) + 2 * 31  # the last line search is let finish
    fewer = climb(Plain(noisy), rows(2, 10), tolerance=0.0, max_iterations=200, most=50)
    assert fewer.evaluated <= 50 + 2 * 31
    assert set(fewer.stopped) == {"limit"}
