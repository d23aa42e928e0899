"""What an engine declares of itself: all that others know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from scistan.engines.methods import MethodRequest
from scistan.engines.protocol import Draws, Engine
from scistan.graph.instance import Instance

__all__ = ["LOW_RANK", "EngineDeclaration", "MetricWork", "Rate"]

# The metric that adapts to correlations without a matrix of them.
LOW_RANK = "low_rank"


@dataclass(frozen=True, slots=True)
class MetricWork:
    """What a metric costs beside the model's gradient, in nanoseconds, measured once by `bench/metric_cost.py`.

    For each gradient `step`, and `coordinate` for each coordinate; for each draw of warm-up `adaptation` for each
    coordinate and `pairs` for each pair of them. `mixes` is how many times the effective share of a diagonal metric's
    draws it has, where that is below a half: the geometric mean of `bench/mixing.py`.
    """

    step: float
    coordinate: float
    adaptation: float = 0.0
    pairs: float = 0.0
    mixes: float = 1.0

    def of_step(self, coordinates: int) -> float:
        """Count the work beside one gradient."""
        return self.step + self.coordinate * coordinates

    def of_adaptation(self, coordinates: int) -> float:
        """Count the work of adapting at one draw of warm-up."""
        return self.adaptation * coordinates + self.pairs * coordinates**2


@dataclass(frozen=True, slots=True)
class Rate:
    """Seconds of an evaluation, of each unit of its counted work, of an iteration around it, of a call, of imports."""

    evaluation: float
    unit: float
    iteration: float
    fixed: float
    cold: float
    compile: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineDeclaration:
    """An engine: where it lives, what it needs, what it takes, and what `auto` may expect of it.

    `options` and `metrics` map SciStan's names to the engine's own; an option that is not among them is refused.
    An `embedded` engine interprets the program in this process, on precompiled kernels, and is compared with SciPy
    before it runs; a `compiled` one runs Stan itself, built by a compiler and good for any data, and takes over where
    that comparison fails. `stans_nuts` is Stan's own sampler: no other engine starts where it cannot, and it is what
    ill draws of the others are drawn again with. `methods` are those that are no samplers, each with the options that
    it takes, and `approximator` is where the function is that runs them. `lowering` is the function that lowers the
    model for an engine that runs no Stan program. `auto` takes engines by `preference`, the smallest first, and never
    one that declares none. Runs with the metrics in `work` can be begun, looked at and held: they may race. One that
    is for a `few` coordinates, up to that many, is tried before all others on what integration leaves of a model: it
    declines by itself what it is not made for.
    """

    place: str
    packages: tuple[str, ...]
    fix: str
    options: Mapping[str, str]
    metrics: Mapping[str, str]
    least_warmup: int = 0
    takes_inits: bool = True
    metric_per_chain: bool = False
    embedded: bool = False
    compiled: bool = False
    stans_nuts: bool = False
    preference: int | None = None
    lowering: str = ""
    target: str = "stan"  # what a model is lowered to for it
    few: int = 0
    work: Mapping[str, MetricWork] = field(default_factory=dict)
    rate: Rate | None = None  # measured once on a 2-core machine: what is expected before anything was learnt
    sampler: str = ""  # what it runs, as a paper calls it
    title: str = ""  # what a paper calls the engine itself
    methods: Mapping[str, frozenset[str]] = field(default_factory=dict)
    approximator: str = ""

    @property
    def low_rank(self) -> bool:
        """Whether correlations can be adapted to with a low-rank metric."""
        return LOW_RANK in self.metrics

    @property
    def missing(self) -> str:
        """Say what is not installed; an empty text when all is."""
        absent = [package for package in self.packages if find_spec(package) is None]
        return f"{' and '.join(absent)} not installed" if absent else ""

    def takes(self, options: Mapping[str, Any], inits: bool, warmup: int) -> bool:
        """Tell whether a run with these options, starting values or none, and this warm-up can be asked for."""
        return (
            not set(options) - set(self.options)
            and (options.get("metric") or "diag") in self.metrics
            and (self.takes_inits or not inits)
            and warmup >= self.least_warmup
        )

    def make(self) -> Engine:
        build: Callable[[], Engine] = _found(self.place)
        return build()

    def approximate(self, request: MethodRequest) -> Draws:
        """Run a method that is no sampler."""
        run: Callable[[MethodRequest], Draws] = _found(self.approximator)
        return run(request)

    def lower(self, instance: Instance) -> Any:
        """Lower a model on its data to what this engine runs; None where that is a Stan program."""
        return _found(self.lowering)(instance) if self.lowering else None


def _found(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
