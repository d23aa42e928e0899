"""The model a user writes: naming by assignment, and the verbs that start from it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy, deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self, overload

from scistan.given import as_switch, usual
from scistan.graph.graph import Graph
from scistan.graph.instance import Instance
from scistan.graph.node import Data
from scistan.inference.planning.start import Start
from scistan.inference.profile.kept import profiled, profiled_estimate
from scistan.messages import arguments as arguments_messages
from scistan.messages import data as data_messages
from scistan.messages import model as messages
from scistan.messages import neighbours
from scistan.messages.values import as_given
from scistan.model.approximated import Approximated
from scistan.model.drawn import Drawn
from scistan.model.intervene import condition, intervene, warn_of_outdated
from scistan.model.lowered import Lowered
from scistan.model.planned import Planned
from scistan.model.repeated import let_go, repeat_again
from scistan.model.shown import Shown
from scistan.model.swap import bind, check_swapped, relabel
from scistan.model.tables import read_table
from scistan.model.variables import Identity, Variables
from scistan.profiling import staged
from scistan.shapes import Size, SizeConflict

if TYPE_CHECKING:
    from scistan.inference.agreement import Agreement
    from scistan.inference.capabilities.model import Capabilities
    from scistan.inference.fit import Fit
    from scistan.inference.judge.calibration import Calibration
    from scistan.inference.plan import Plan
    from scistan.inference.point import PointEstimate
    from scistan.inference.stages import ShownStage
    from scistan.inference.subject import Subject
    from scistan.passes.explain import Explanation

__all__ = ["Model"]

# What `mcmc` hands on by place; all else is an option of the run, and one that is None is not asked for.
_OF_CALLS = ("draws", "warmup", "chains", "seed", "engine", "data", "inits", "progress")


def _without(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Give the arguments of a call but for some, those that no signature knows among them."""
    known = {name: value for name, value in given.items() if name not in (*names, "unknown") and value is not None}
    return {**known, **given["unknown"]}


class Model(Shown, Drawn, Approximated, Lowered, Planned):
    """A probabilistic model; assigning to an attribute names a variable.

    >>> import scistan as ss
    >>> m = ss.Model("coin")
    >>> m.logit_p = ss.Normal(0, 1.5)
    >>> m.heads = ss.BernoulliLogit(m.logit_p).observe([1, 0, 1, 1])
    >>> m
    coin
      logit_p ~ Normal(0, 1.5)
      heads ~ BernoulliLogit(logit_p)  [4] observed
    """

    def __new__(cls, *_: Any, **__: Any) -> Self:
        model = super().__new__(cls)
        own = "model" if cls is Model else cls.__name__
        object.__setattr__(model, "_variables", Variables(own, Identity(own)))
        object.__setattr__(model, "_lengths", {})
        return model

    def __init__(self, name: str = "", coords: Mapping[str, Sequence[object]] | None = None) -> None:
        if not isinstance(name, str):
            raise arguments_messages.illegal_constant("Model", "name", "a text", as_given(name))
        if name:
            self._variables.owner, self._variables.identity = name, Identity(name)
        self._variables.declare_coords({} if coords is None else coords)

    _variables: Variables
    _lengths: dict[str, int]

    def __enter__(self) -> NoReturn:
        raise neighbours.no_context()

    def __exit__(self, *_: object) -> None: ...  # Python looks for it before it enters

    # -- what it consists of --------------------------------------------------------------------
    @property
    def name(self) -> str:
        """The model's name, which enters nothing but what people read."""
        return self._variables.owner

    @property
    def variables(self) -> dict[str, str]:
        """Every name and its role: latent, observed, data or derived."""
        return {name: entry.role for name, entry in self._variables.entries.items()}

    @property
    def coords(self) -> dict[str, list[object]]:
        """The labels along each dim."""
        return dict(self._variables.coords)

    def to_graph(self) -> Graph:
        """Give the model as an immutable graph."""
        return self._variables.graph()

    @staged("graph")
    def instance(self) -> Instance:
        """Give the graph with the numbers at hand."""
        graph = self.to_graph()
        variables = self._variables
        known = {leaf: array for leaf in graph.data if (array := variables.axes.numbers(leaf)) is not None}
        given = tuple((variables.dims[dim], Size(n)) for dim, n in self._lengths.items())
        try:
            return Instance(
                graph, known, variables.all_coords(), variables.all_dims(), self.name, given, variables.acts.idle,
                variables.counted(),
            )
        except SizeConflict as error:
            names = [name for leaf, name in graph.data_names.items() if error.left in leaf.shape]
            raise data_messages.sizes_disagree(names, error.right.today) from None

    def with_data(
        self, table: object = None, /, *, coords: Mapping[str, Sequence[object]] | None = None, **named: object
    ) -> Self:
        """Give the same model on other data; other lengths are fine, and nothing is recompiled.

        Data are given by name, or as a dict or table of them: of a table's columns those that the model knows.
        `coords` gives a dim other labels, and with them another length: so a model of five groups
        becomes one of seven.
        """
        return self._swapped(table, named, coords)

    def _swapped(
        self, table: object, named: Mapping[str, object], coords: Mapping[str, Sequence[object]] | None,
        forgotten: Collection[Data] = (), new_levels: str = "anew",
    ) -> Self:
        if coords is not None and not isinstance(coords, Mapping):
            raise data_messages.coords_no_dict(coords)
        other, labels = copy(self), coords or {}
        for leaf in forgotten:
            other._variables.axes.values[leaf] = None
        data = {**read_table(other._variables, table), **named}
        repeated = let_go(other._variables)
        labels = bind(other._variables, data, labels, [*forgotten, *repeated], new_levels)
        swapped = {dim for name in data for dim in self._variables.entries[name].dims}
        kept = {dim: n for dim, n in self._lengths.items() if dim not in swapped}
        given = {dim: len(own) for dim, own in labels.items() if dim not in swapped}
        object.__setattr__(other, "_lengths", {**kept, **given})
        repeat_again(other._variables, repeated, other.instance())
        instance = other.instance()
        relabel(other._variables, instance, labels, data)
        check_swapped(other._variables, instance)
        return other

    def do(self, **values: object) -> Self:
        """Give the model in which variables are set to values, whatever they depended on: for prior and simulation."""
        return intervene(self, values)

    def given(self, **values: object) -> Self:
        """Give the model in which latents are observed to be values: their density counts as before."""
        return condition(self, values)

    def __copy__(self) -> Self:
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        object.__setattr__(other, "_variables", self._variables.copy())
        return other

    def __deepcopy__(self, _: object) -> Self:
        return copy(self)  # nodes never change, so two models can share them

    def __reduce__(self) -> NoReturn:
        remedy = "build it in a function, and call that in each process; fits travel by `fit.save`"
        raise messages.not_picklable(f"the model `{self.name}`", remedy)

    @property
    def _length(self) -> Callable[[Size], int]:
        """How long an axis is on the data at hand."""
        return self.instance().length if self._variables.axes.values or self._lengths else int

    # -- SciPy, torch ---------------------------------------------------------------------------
    def sbc(self, replications: int = 100, draws: int = 250, warmup: int = 500, chains: int = 2,
            seed: int | None = None, engine: str = usual("auto"), executor: Any = None,
            folder: str | Path | None = None, var_names: Sequence[str] | str | None = None, level: float = 0.01,
            progress: bool = True, **options: Any) -> Calibration:
        """Check fits against truths: simulate data, fit them, and rank the truth among the draws, many times.

        Ranks are uniform where model, program and sampler are right: `.ok`, `.plot()`. Replications run on `executor`
        (of `concurrent.futures`, or a Dask client's), else on threads here; a `folder` keeps each, and goes on later.
        """
        from scistan.inference.judge.sbc import sbc
        from scistan.model.fitted import FittedModel

        return sbc(FittedModel(self), replications, draws, warmup, chains, seed, engine, executor, folder, var_names,
                   level, progress, **options)

    def log_density(self, values: Mapping[str, object], target: str = "scipy") -> float:
        """Give the joint log density at constrained values, all constants kept, without Jacobian."""
        from scistan.inference.density import log_density

        return log_density(self.instance(), values, target)

    def map(self, device: str = usual("cpu"), starts: int = 8, seed: int | None = None,
            data: Mapping[str, object] | None = None, *, inits: object = None, dtype: str = usual("float64"),
            optimizer: str = "auto", max_iterations: int = 1000, batch_size: int | None = None, epochs: int = 30,
            learning_rate: float = 0.05, polish: bool = True, compile: bool = False,
            integrate: bool | str | Sequence[str] = "auto", progress: bool = True, plan: Plan | None = None,
            **unknown: Any) -> PointEstimate:
        """Maximize the posterior density, random effects integrated out, from `starts` points at once.

        `integrate` says which latents are: "auto" the normal ones whose location, scale or covariance is latent, True
        all that can be, False none, or a list of names.
        `inits` gives a start, `dtype` the precision. `optimizer` is "lbfgs", "newton", "adam", or "auto": Newton where
        coordinates are many, Adam where `batch_size` takes the observations in mini-batches, which it sees `epochs`
        times with steps of `learning_rate` at most; `polish` ends with exact steps on all of them. `max_iterations`
        bounds each climb, `compile` hands the density to `torch.compile`, `progress` shows a bar. With the `plan` of
        an estimate, options are what they were then.
        """
        return self._maximized("map", data, _without(locals(), "self", "data"))

    def mle(self, device: str = usual("cpu"), starts: int = 8, seed: int | None = None,
            data: Mapping[str, object] | None = None, *, inits: object = None, dtype: str = usual("float64"),
            optimizer: str = "auto", max_iterations: int = 1000, batch_size: int | None = None, epochs: int = 30,
            learning_rate: float = 0.05, polish: bool = True, compile: bool = False,
            integrate: bool | str | Sequence[str] = "auto", progress: bool = True, plan: Plan | None = None,
            **unknown: Any) -> PointEstimate:
        """Maximize the likelihood alone, random effects integrated out, bounds and constraints kept.

        The options are those of `map`; `integrate="reml"` integrates the coefficients of a linear mixed model too.
        """
        return self._maximized("mle", data, _without(locals(), "self", "data"))

    def _maximized(self, verb: str, data: Mapping[str, object] | None, options: Mapping[str, Any]) -> PointEstimate:
        start = Start.now(verb, "torch")
        from scistan.inference.planning.estimates import maximize_planned
        from scistan.inference.summed import summed
        from scistan.model.fitted import FittedModel

        with profiled_estimate(verb) as kept:
            on = self._on(data)
            return kept(maximize_planned(start, summed(on.instance()), FittedModel(on), **options))

    # -- Stan -----------------------------------------------------------------------------------
    def stan_code(self, **switches: Any) -> str:
        """Write the model as a Stan program."""
        from scistan.inference.summed import summed
        from scistan.targets.stan.program import lower_to_stan

        return lower_to_stan(summed(self.instance()).graph, **switches).text

    @overload
    def explain(self, stage: None = None, **switches: bool) -> Explanation: ...
    @overload
    def explain(self, stage: str, **switches: bool) -> ShownStage: ...
    def explain(self, stage: str | None = None, **switches: bool) -> Explanation | ShownStage:
        """Tell what each pass did on the way to the Stan program; `glm=False` and the like switch one off.

        With a `stage`, show the model there: "graph", the name of a pass, "program", "data" or "request".
        """
        from scistan.inference.summed import summed

        if stage is not None:
            from scistan.inference.stages import show_stage

            return show_stage(summed(self.instance()), stage, switches)
        from scistan.inference.few import would_be_integrated
        from scistan.passes.explain import explain
        from scistan.passes.states.told import told_of_states

        instance = summed(self.instance())
        return explain(instance.graph, told_of_states(instance), would_be_integrated(instance), **switches)

    def stan_data(self) -> dict[str, Any]:
        """Give the data that the Stan program reads."""
        from scistan.inference.summed import summed
        from scistan.targets.stan.program import lower_to_stan

        instance = summed(self.instance())
        return deepcopy(lower_to_stan(instance.graph).data(instance))  # theirs to change

    def compile(self, progress: bool = True, threads: bool = False, methods: str = "core") -> Path:
        """Build the executable that `engine="cmdstan"` runs, or find it in the cache; give its path.

        `threads` builds the one that `threads_per_chain` runs, whose observations are summed in slices;
        `methods="full"` one with every method and metric of CmdStan's, for cmdstanpy's `optimize` and the like.
        """
        from scistan.inference.compile import compile_model

        return compile_model(self._subject(as_switch("threads", threads)), progress, methods)

    def mcmc(self, draws: int = usual(1000), warmup: int = usual(1000), chains: int = usual(4), seed: int | None = None,
             engine: str = usual("auto"), data: Mapping[str, object] | None = None, inits: object = None,
             progress: bool = True, *, keep: Sequence[str] | str | None = None, executor: Any = None,
             adapt_delta: float | None = None, max_treedepth: int | None = None, metric: str | None = None,
             inv_metric: Any = None, step_size: float | None = None, adapt_engaged: bool | None = None,
             thin: int | None = None, save_warmup: bool | None = None, init_radius: float | None = None,
             parallel_chains: int | None = None, threads_per_chain: int | None = None,
             time_limit: float | None = None, plan: Plan | None = None,
             integrate: bool | str | Sequence[str] = "auto", **unknown: Any) -> Fit:
        """Sample the posterior with Stan's NUTS.

        `keep` names the variables and groups to keep, `executor` is where chains run. `adapt_delta` is the acceptance
        rate to adapt to, `max_treedepth` the largest tree, `metric` "diag", "dense", "unit" or nutpie's "low_rank",
        `inv_metric` the inverse metric to start from, `step_size` the first step, `adapt_engaged` whether to adapt,
        `thin` keeps every so many draws, `save_warmup` those of the warm-up, `init_radius` is the range of Stan's
        starts, `parallel_chains` how many chains run at once, `threads_per_chain` how many threads each has,
        `time_limit` the seconds after which the best so far is given.
        `integrate` says which normal and conjugate latents are integrated out exactly and drawn again afterwards:
        "auto" those where it pays, True all that can be, False none, or their names.
        `docs/sampling.md` says which engine takes what. With a `plan`, and its seed, a run is made again: `fit.plan`.
        """
        options = _without(locals(), "self", *_OF_CALLS)
        start = Start.now("mcmc", "stan")
        from scistan.inference.planning.sampled import after_mcmc
        from scistan.inference.sample import sample
        from scistan.inference.summed import summed
        from scistan.model.fitted import FittedModel

        with profiled("mcmc") as kept:
            on = self._on(data)
            given = draws, warmup, chains, seed, engine, inits, progress, FittedModel(on, self)
            return kept(after_mcmc(start, sample(summed(on.instance()), *given, **options), warmup))

    def _subject(self, threads: bool = False) -> Subject:
        """Give what a fit of this model is a fit of."""
        from scistan.inference.prepare import subject_of
        from scistan.inference.summed import summed
        from scistan.model.fitted import FittedModel

        return subject_of(summed(self.instance()), FittedModel(self, self), threads=threads)

    def capabilities(self) -> Capabilities:
        """Tell what can be done with this model here, by whom, and why not; nothing is compiled or sampled."""
        from scistan.inference.capabilities.model import capabilities_of
        from scistan.inference.summed import summed

        return capabilities_of(summed(self.instance()))

    def verify(self, points: int = 8, seed: int = 0) -> Agreement:
        """Check that SciPy, torch, Stan and what else is installed agree on this model's density and gradient."""
        from scistan.inference.summed import summed
        from scistan.inference.verify import verify

        return verify(summed(self.instance()), points, seed)

    def _on(self, data: Mapping[str, object] | None) -> Self:
        other = self if data is None else self.with_data(data)
        warn_of_outdated(other._variables)
        return other
