"""How long some work will take: counted work times seconds per unit, built in until this machine has taught better.

What was learnt is a ratio to the built-in figure, from the closest runs there are: those of models of this structure
and about this size, else those of the same engine, whatever the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from scistan.engines.declaration import Rate
from scistan.engines.registry import ENGINES
from scistan.history.learnt import of_engine, of_structure
from scistan.history.run import Run
from scistan.inference.planning.start import COLD, NEW, WARM
from scistan.inference.planning.workload import Workload

__all__ = ["BUILT_IN", "Effort", "Expected", "approximating", "expected"]


# Measured once on a 2-core machine; what is learnt replaces them after the first run.
BUILT_IN: Mapping[str, Rate] = {
    **{name: engine.rate for name, engine in ENGINES.items() if engine.rate is not None},
    "torch": Rate(8e-3, 2.5e-9, 0.0, 0.05, 3.0),
    "scipy": Rate(2e-6, 5e-9, 0.0, 0.02, 1.5),
    "numpy": Rate(1e-5, 1e-9, 0.0, 1e-5, 0.1),
}
# Evaluations for each iteration, where nothing is known of the model.
_STEPS = 8.0
_STEPS_HIERARCHICAL = 15.0
_CLIMB = 60.0  # evaluations of a point estimate
# Those of approximations: four paths with their ELBOs, a climb with a Hessian, thousands of steps with one draw each.
_APPROXIMATING = {"pathfinder": 4000.0, "laplace": 200.0, "variational": 8000.0}
_TORCH_DRAW = 0.2  # evaluations for each draw of SciStan's own Laplace approximation, where many are one
_RECENT = 9  # runs that a median is taken of
_NEAR = 4.0


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is asked for: iterations of all chains, how many chains run at once, and in which circumstances.

    `cold` is what it has still to do for the first time: one of those in start.py.
    """

    task: str
    who: str
    iterations: float
    at_once: int = 1
    cold: int = WARM
    builds: bool = False
    chosen: bool = False


def approximating(task: str, engine: str, draws: int, builds: bool, cold: int) -> Effort:
    """Give the effort of an approximation: its fit, and its draws."""
    if engine not in ENGINES:  # torch weighs many draws at once
        return Effort(task, engine, _CLIMB + draws * _TORCH_DRAW, 1, cold)
    return Effort(task, engine, _APPROXIMATING[task] + draws, 1, cold, builds and ENGINES[engine].compiled)


@dataclass(frozen=True, slots=True)
class Expected:
    """Seconds by part, and in how many runs of this machine they were seen."""

    costs: Mapping[str, float]
    learnt: int

    @property
    def seconds(self) -> float:
        return sum(self.costs.values())


def expected(effort: Effort, workload: Workload) -> Expected:
    """Predict the seconds of a whole call."""
    rate = BUILT_IN.get(effort.who, BUILT_IN["numpy"])
    alike = [run for run in of_structure(effort.task, workload.key) if _is(run, effort.who)] if workload.key else []
    others = alike or of_engine(effort.task, effort.who)
    iterations = effort.iterations
    if effort.chosen:  # `auto` makes fewer than were asked for, where a short warm-up will do
        iterations *= _middle(alike, lambda run: run.iterations / run.asked if run.chosen and run.asked else 0.0, 1.0)
    evaluations = iterations * _steps(effort, workload, alike)
    plain = _running(rate, workload.work, evaluations, iterations, effort.at_once)
    costs = {
        "fixed": _fixed(rate, effort, alike, others),
        "compile": _middle(others, lambda run: run.compile, rate.compile) if effort.builds else 0.0,
        "running": plain * _middle(_sized(others, workload), lambda run: _ratio(rate, run), 1.0),
    }
    return Expected(costs, len(others))


def _is(run: Run, who: str) -> bool:
    return (run.engine or run.backend) == who


def _steps(effort: Effort, workload: Workload, alike: Sequence[Run]) -> float:
    if effort.task == "mcmc":
        usual = _STEPS_HIERARCHICAL if "hierarchical" in workload.structure else _STEPS
    else:
        usual = _CLIMB if workload.is_iterative and effort.task not in _APPROXIMATING else 1.0
    return _middle(alike, lambda run: run.evaluations / run.iterations if run.iterations else 0.0, usual)


def _running(rate: Rate, work: float, evaluations: float, iterations: float, at_once: int) -> float:
    return (evaluations * (rate.evaluation + rate.unit * work) + iterations * rate.iteration) / max(1, at_once)


def _ratio(rate: Rate, run: Run) -> float:
    plain = _running(rate, run.work, run.evaluations, run.iterations, run.at_once)
    return run.sampling / plain if plain > 0 else 0.0


def _fixed(rate: Rate, effort: Effort, alike: Sequence[Run], others: Sequence[Run]) -> float:
    """Give what is spent around the run, as it was where circumstances were these."""
    ways = [(alike, effort.cold), (others, effort.cold)] + [(others, WARM)] * (effort.cold == NEW)
    for found, cold in ways:
        same = [run for run in found if run.cold == cold and bool(run.chosen) == effort.chosen]
        if same:
            return _middle(same, lambda run: run.fixed, rate.fixed)
    return rate.fixed * (2 if effort.chosen else 1) + (rate.cold if effort.cold == COLD else 0.0)


def _sized(runs: Sequence[Run], workload: Workload) -> Sequence[Run]:
    """Give the runs of about this much work, or all where there are none."""
    work = max(workload.work, 1.0)
    return [run for run in runs if work / _NEAR <= max(run.work, 1.0) <= work * _NEAR] or runs


def _middle(runs: Sequence[Run], of: Callable[[Run], float], otherwise: float) -> float:
    """Give the median over the last runs that say something."""
    found = [value for run in runs if (value := of(run)) > 0][:_RECENT]
    return median(found) if found else otherwise
