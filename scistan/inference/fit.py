"""What sampling gives back: draws with the user's names, dims and coords, and their health."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.diagnostics import Context, Diagnosis, Hint, check_approximation, check_draws
from scistan.engines.protocol import Draws
from scistan.inference.arviz_data import dataset_names, dataset_of, summary_table, to_inference_data
from scistan.inference.certificate import Certificate
from scistan.inference.groups import GENERATED, check_groups_fit, make_group
from scistan.inference.named import Named
from scistan.inference.once_a_method import callable_dataset
from scistan.inference.paths import as_path
from scistan.inference.pictured import Pictured
from scistan.inference.plan import Plan
from scistan.inference.profile.kept import added_to
from scistan.inference.subject import Subject
from scistan.inference.weighed import Weighed
from scistan.messages import fits as fit_messages
from scistan.messages import model as model_messages
from scistan.messages import options as option_messages
from scistan.messages import sampling as messages

if TYPE_CHECKING:
    from scistan.inference.judge.crossvalidation import CrossValidation
    from scistan.inference.judge.model_check import ModelCheck
    from scistan.inference.profile.profile import Profile

__all__ = ["Fit"]

_ORDER = (
    "posterior",
    *GENERATED,
    "sample_stats",
    "warmup_posterior",
    "warmup_sample_stats",
    "prior",
    "prior_predictive",
    "observed_data",
    "constant_data",
)


@dataclass(eq=False)
class Fit(Pictured):
    """A posterior: `idata` for ArviZ, `summary()` and `diagnose()` at once.

    `why` says in one line why this engine and metric were taken, `notes` what happened on the way. A fit that
    was loaded has its groups at hand; from a file without the model it has no `subject`, unless one was given.
    `certificate` holds an embedded engine's densities beside SciPy's, compared before
    it sampled; it is None for the engine 'cmdstan', which is compiled Stan itself. That of `m.laplace()` says how its
    draws weigh against the exact density. `plan` is how the run was decided:
    `m.mcmc(plan=fit.plan, seed=fit.seed)` makes it again; `profile` says what each stage took.
    """

    posterior: Mapping[str, np.ndarray]
    draws: Draws
    settings: Mapping[str, Any]
    subject: Subject | None
    model_name: str
    model_hash: str
    why: str = ""
    notes: tuple[str, ...] = ()
    _left_out: frozenset[str] = frozenset()
    method: str = "mcmc"
    _judged: Diagnosis | None = None
    certificate: Certificate | Weighed | None = None
    groups: dict[str, Any] = field(default_factory=dict, repr=False)
    profile: Profile | None = field(default=None, repr=False)
    plan: Plan | None = field(default=None, repr=False)
    _calls: int = 0  # of `predict` without a seed: each has noise of its own

    def __post_init__(self) -> None:
        self.posterior = Named(self.posterior)

    def __copy__(self) -> Fit:
        return self._with(dict(self.__dict__))

    def __deepcopy__(self, memo: dict[int, Any]) -> Fit:
        parts = {key: value for key, value in self.__dict__.items() if key != "subject"}
        return self._with({**deepcopy(parts, memo), "subject": self.subject})  # a graph never changes

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self.subject is None or self.subject.restored:  # loaded, so that the model is known as text
            return super().__reduce_ex__(protocol)
        raise model_messages.not_picklable(
            f"the fit of `{self.model_name}`", "write it with `fit.save(path)`, and read it there with `ss.load(path)`"
        )

    def _with(self, parts: dict[str, Any]) -> Fit:
        other = object.__new__(Fit)
        other.__dict__.update(parts)
        return other

    # -- what ran ---------------------------------------------------------------------------------
    @property
    def engine(self) -> str:
        """The engine that drew."""
        return self.draws.engine

    @property
    def timing(self) -> Mapping[str, float]:
        """Seconds spent on building the program and on sampling."""
        return self.draws.timing

    @property
    def seed(self) -> int:
        """The seed that was used: with it, and the `plan`, the run can be made again."""
        return int(self.settings["seed"])

    @property
    def shape(self) -> tuple[int, int]:
        """How many chains, and draws in each."""
        return self.draws.kept.shape

    @property
    def cmdstan(self) -> Any:
        """cmdstanpy's own object; only a fit by the engine 'cmdstan' has one."""
        if self.draws.native is None:
            raise fit_messages.no_cmdstan(self.engine)
        load = getattr(self.draws.native, "load", None)
        return load() if load is not None else self.draws.native

    @property
    def dims(self) -> Mapping[str, Sequence[str]]:
        """The name of each axis of each variable."""
        return self._context.dims

    @property
    def coords(self) -> Mapping[str, Sequence[object]]:
        """The labels along each dim that has any."""
        return self._context.coords

    # -- the draws --------------------------------------------------------------------------------
    def group(self, name: str) -> Any:
        """Give one group as an xarray Dataset, made when it is first asked for; None where there is none."""
        if not isinstance(name, str):
            raise option_messages.bad_option("name", name, "the name of a group", "'posterior'")
        if name not in self.groups:
            with added_to(self.profile):
                self.groups[name] = make_group(self, name)
        return self.groups[name]

    @cached_property
    def idata(self) -> Any:
        """The draws as ArviZ data with the model's dims and coords."""
        groups = self._datasets()
        with added_to(self.profile):
            return to_inference_data(groups)

    def _datasets(self) -> dict[str, Any]:
        """Give the groups of `idata` as xarray Datasets, by name; those that you added to it too."""
        if "idata" in self.__dict__:
            return {name: dataset_of(self.idata, name) for name in dataset_names(self.idata)}
        check_groups_fit(self, _ORDER)
        groups = {name: self.group(name) for name in _ORDER}
        return {name: dataset for name, dataset in groups.items() if dataset is not None and dataset.data_vars}

    @property
    def log_likelihood(self) -> Any:
        """The log density of each observation at each draw."""
        return self._kept("log_likelihood")

    @property
    def posterior_predictive(self) -> Any:
        """The observed variables as the model would draw them anew, once for each posterior draw."""
        return callable_dataset(self._kept("posterior_predictive"))

    def __getitem__(self, name: str) -> Any:
        """Give the draws of a latent or derived quantity as a DataArray, labelled by chain, draw and its dims."""
        if name not in self:
            role = "" if self.subject is None or not isinstance(name, str) else self.subject.role(name)
            raise fit_messages.unknown_draws(name, self.posterior, role)
        return self.group("posterior")[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # protocols ask for such names to learn what an object can do
            raise AttributeError(name)
        methods = [known for known in dir(type(self)) if not known.startswith("_")]
        raise fit_messages.unknown_of_fit(name, list(self.__dict__.get("posterior", ())), methods)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.posterior

    def __iter__(self) -> Iterator[str]:
        return iter(self.posterior)

    def __array__(self, *_: Any, **__: Any) -> Any:
        # ArviZ's functions ask for this last of what they do not know, before they give up.
        raise fit_messages.no_inference_data()

    def _kept(self, name: str) -> Any:
        """Give a group that the user asks for by name, or say that it was left out."""
        if name in self._left_out:
            raise messages.left_out(name)
        return self.group(name)

    def predict(
        self,
        data: object = None,
        new_levels: str = "refuse",
        do: Mapping[str, object] | None = None,
        var_names: Sequence[str] | None = None,
        draws: int | None = None,
        seed: int | None = None,
        coords: Mapping[str, Sequence[object]] | None = None,
    ) -> Any:
        """Draw the observed variables at new inputs, of other lengths if need be: `predictions`.

        Labels are matched by label. Those that were never fitted are refused, drawn from their distribution given the
        draws (`new_levels="draw"`), or put at its mean (`"average"`). `do` sets variables to values, whatever they
        depend on. `var_names` and `draws` ask for less than all. Each call has noise of its own; `seed=` repeats one.
        """
        from scistan.inference.predict import Question, predict, used_seed

        asked = Question(data, coords, new_levels, {} if do is None else do, var_names, draws)
        return predict(self, asked, used_seed(self, seed))

    def forecast(
        self,
        steps: int,
        data: object = None,
        var_names: Sequence[str] | None = None,
        draws: int | None = None,
        seed: int | None = None,
    ) -> Any:
        """Run every series of the model on for `steps` steps: `predictions` of all that runs along time.

        `data` has the covariates of the steps ahead. Each call has noise of its own; `seed=` repeats one.
        """
        from scistan.inference.forecast import forecast
        from scistan.inference.predict import used_seed

        return forecast(self, steps, data, var_names, draws, used_seed(self, seed))

    def posterior_of(self, name: str) -> Any:
        """Give the posterior probability of each value of a discrete latent, element by element, as a DataArray.

        The last dim has the values; of a variable that follows `ss.Mixture`, the components that it may come from.
        """
        from scistan.inference.probabilities import posterior_of

        return posterior_of(self, name)

    def most_likely_path(self, name: str) -> Any:
        """Give the path of a series of discrete states that is most probable as a whole, at each draw of the others."""
        from scistan.inference.probabilities import most_likely_path

        return most_likely_path(self, name)

    def _note(self, text: str) -> None:
        """Keep something that a user should know, once."""
        if text not in self.notes:
            self.notes = (*self.notes, text)

    def draw_prior(self, draws: int = 1000, seed: int | None = None) -> Any:
        """Draw the prior and add it to `idata`, for plots of prior against posterior."""
        from scistan.inference.prior import draw_prior

        found = draw_prior(self._need("the prior").written_instance, draws, seed)
        for name in ("prior", "prior_predictive"):
            if name in dataset_names(found):
                self.groups[name] = dataset_of(found, name)
        self.__dict__.pop("idata", None)
        return found

    def _need(self, what: str) -> Subject:
        """Give the model that was fitted, or say that `what` needs it."""
        if self.subject is None:
            raise messages.needs_model(what)
        return self.subject

    def save(self, path: str | Path) -> Path:
        """Write everything to a file: `.nc` (netCDF) or `.zarr`; `ss.load` reads it."""
        from scistan.inference.save import save

        return save(self, as_path("fit.save", path))

    # -- their health -----------------------------------------------------------------------------
    @cached_property
    def _diagnosis(self) -> Diagnosis:
        if self.method != "mcmc":
            return self._check_approximation()
        from scistan.diagnostics.ran import Ran
        from scistan.diagnostics.thorough import diagnose

        context = replace(self._context, ran=Ran.of(self.engine, self.settings))
        errors = self.certificate.worst if isinstance(self.certificate, Certificate) else None
        return diagnose(self._sampled, self._quick_diagnosis(), context, errors)

    def _check_approximation(self) -> Diagnosis:
        weighed = (self.certificate.shapes, self.certificate.modes) if isinstance(self.certificate, Weighed) else ()
        return check_approximation(self.method, self.draws.statistics, self._context.remarks, *weighed)

    @property
    def _sampled(self) -> Mapping[str, np.ndarray]:
        """What the engine drew, and what follows from it: discrete latents are drawn exactly, given the rest."""
        if self.subject is None or self.subject.instance.whole is None:
            return self.posterior
        graph = self.subject.instance.graph
        known = {*(term.name for term in graph.latents), *graph.derived}
        return {name: array for name, array in self.posterior.items() if name in known}

    def _quick_diagnosis(self) -> Diagnosis:
        """Make the quick checks alone, as every run does; `diagnose()` goes on from there."""
        if self._judged is None:
            depth = int(self.settings.get("max_treedepth") or 10)
            self._judged = check_draws(self._sampled, self.draws.statistics, depth, self._context)
        return self._judged

    @property
    def _context(self) -> Context:
        """What diagnosis may know; of a fit that was loaded alone, its labels and what was noted."""
        if self.subject is not None:
            return self.subject.context
        found = self.group("posterior")
        dims = {str(name): [str(d) for d in array.dims[2:]] for name, array in found.data_vars.items()}
        coords = {str(name): labels.values for name, labels in found.coords.items()}
        return Context(dims, coords, remarks=tuple(n for n in self.notes if messages.is_remark(n)))

    def diagnose(self) -> Diagnosis:
        """Check the draws and give hints, the one to act on first; `docs/diagnosis.md` tells what each check is."""
        return self._diagnosis.owned_by(self)

    def refit(self, hint: Hint, **settings: Any) -> Fit:
        """Sample again as a hint suggests, and otherwise as before; `settings` are those of `m.mcmc`."""
        from scistan.inference.trial import refit

        return refit(self, hint, settings)

    def _try_hint(self, hint: Hint, draws: int | None = None, seed: int | None = None) -> Any:
        """Run a short trial of what a hint suggests: `hint.try_it()`."""
        from scistan.inference.trial import try_out

        return try_out(self, hint, draws, seed)

    def summary(self, var_names: str | Sequence[str] | None = None, **options: Any) -> Any:
        """Summarize the posterior, or some of its variables, as a table (ArviZ's `summary`)."""
        return summary_table(self.group("posterior"), var_names=var_names, **options)

    def loo(self, var_name: str | None = None, moment_match: bool = True, **options: Any) -> Any:
        """Estimate how well observations left out one by one are predicted (ArviZ's `loo`).

        `var_name` says which observed variable, where the model has several. Where Pareto k is large, draws are moved
        to suit the posterior without that observation (`moment_match`); what stays unreliable is told by its label.
        """
        from scistan.inference.judge.loo import loo

        return loo(self, var_name, moment_match, options)

    def kfold(self, k: int | None = None, by: str | None = None, var_name: str | None = None, seed: int | None = None,
              executor: Any = None, folder: str | Path | None = None, progress: bool = True,
              **options: Any) -> CrossValidation:
        """Refit without each part of the rows, and give the log predictive density of what was left out.

        `k` parts by chance (10); or by a dim or data `by`: one part for each group, or `k` of several. The refits have
        this fit's settings unless `options` change them; they run on `executor`, and a `folder` keeps each.
        """
        from scistan.inference.judge.kfold import kfold

        return kfold(self, k, by, var_name, seed, executor, folder, progress, **options)

    def check_model(self, statistics: Any = None, level: float = 0.01, draws: int = 2000) -> ModelCheck:
        """Judge the model: predictive checks, calibration of predictions (LOO-PIT), sensitivity to the prior.

        `statistics` are names (mean, sd, min, max, skew, zeros) or functions of a data set; `draws` is how many draws
        are looked at, `level` the chance of a false alarm.
        """
        from scistan.inference.judge.check import check_model

        return check_model(self, statistics, level, draws)

    def __repr__(self) -> str:
        chains, draws = self.shape
        found = self._diagnosis
        told = f"{len(found.findings)} finding(s)" if found.findings else "not every check could be made"
        health = "healthy" if found.ok else f"{told}, see diagnose()"
        ran = f"{chains} chains × {draws} draws by {self.engine}"
        lines = [f"<Fit of {self.model_name}: {'; '.join((ran, *found.remarks))}, {health}>"]
        lines += [f"  {note}" for note in (self.why, *self.notes) if note and note not in found.remarks]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from scistan.inference.shown import as_html

        return as_html(self)
