"""Wording of what can go wrong when a posterior is sampled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scistan.errors import ModelError, Place, SamplingError, ScistanError, UnsupportedError
from scistan.graph.places import user_place
from scistan.messages import foreign
from scistan.messages.arguments import nearest
from scistan.messages.values import as_given, in_gigabytes, kind_of


class ChainWarning(UserWarning):
    """A run that gave less than was asked for, or whose draws should be looked at."""


# What other packages call our settings.
_ELSEWHERE = {
    "samples": "draws",
    "num_samples": "draws",
    "n_samples": "draws",
    "iter_sampling": "draws",
    "tune": "warmup",
    "num_warmup": "warmup",
    "iter_warmup": "warmup",
    "burnin": "warmup",
    "num_chains": "chains",
    "n_chains": "chains",
    "cores": "parallel_chains",
    "target_accept": "adapt_delta",
    "target_accept_prob": "adapt_delta",
    "max_depth": "max_treedepth",
    "random_seed": "seed",
    "rng_seed": "seed",
    "init": "inits",
    "initvals": "inits",
    "progressbar": "progress",
    "show_progress": "progress",
    "max_tree_depth": "max_treedepth",
    "nuts_sampler": "engine",
    "backend": "engine",
    "method": "engine",
    "metric_type": "metric",
}
_INSTEAD = {
    "iter": "`warmup=` and `draws=` are counted apart here; `iter=2000` of brms and RStan is `warmup=1000, draws=1000`",
    "return_inferencedata": "leave it out: `fit.idata` is InferenceData",
    "idata_kwargs": "leave it out: `fit.log_likelihood` is there when asked for",
    "step": "leave it out: every latent is drawn by NUTS",
    "var_names": "every variable is drawn; `fit[\"name\"]` gives one",
}


def unknown_engine(engine: object, installed: Mapping[str, str]) -> ModelError:
    known = ", ".join(name if not missing else f"{name} ({missing})" for name, missing in installed.items())
    remedy = f"the engines are auto, {known}"
    return ModelError(f"there is no engine {as_given(engine)}.", remedy=remedy, place=user_place())


def engine_missing(engine: str, why: str, fix: str) -> UnsupportedError:
    return UnsupportedError(f"the engine {as_given(engine)} cannot be used: {why}.", remedy=fix, place=user_place())


def no_such_method(engine: str, method: str, having: Sequence[str]) -> UnsupportedError:
    known = " or ".join(f"engine={name!r}" for name in having)
    what = f"the engine {as_given(engine)} is a sampler: it has no {method}."
    return UnsupportedError(what, remedy=f"use {known}, or leave `engine=` out", place=user_place())


def no_tape(engine: str, method: str) -> UnsupportedError:
    return UnsupportedError(
        f"{engine} can run {method} in the thread that loaded it only, which is not this one.",
        remedy="call it in the main thread, or use engine='cmdstan'",
        place=user_place(),
    )


def replaced(engine: str, why: str, by: str) -> str:
    return f"{engine} was replaced by {by}: {why}"


def approximated_by(engine: str, notes: Sequence[str]) -> str:
    return f"{engine}: {'what could before it did not' if notes else 'the first engine that can'}"


def paths_failed(failed: int, paths: int, why: str) -> str:
    return f"{failed} of {paths} paths failed, the first with: {why}"


def advi_stopped() -> str:
    return (
        "ADVI came to its last iteration before its lower bound settled: give it more with `iter=`, or a finer start "
        "with `inits=`"
    )


def unknown_option(engine: str, option: str, known: Iterable[str], others: Sequence[str]) -> ModelError:
    has = " and ".join(repr(name) for name in others)
    remedy = f"{has} {'has' if len(others) == 1 else 'have'} it" if others else nearest(option, known)
    if option in _INSTEAD:
        remedy = _INSTEAD[option]
    if option in _ELSEWHERE:
        remedy = f"it is called `{_ELSEWHERE[option]}` here"
    return ModelError(f"the engine {as_given(engine)} has no option `{option}`.", remedy=remedy, place=user_place())


def no_engine_has(options: Sequence[str]) -> ModelError:
    shown = ", ".join(f"`{o}`" for o in options)
    return ModelError(f"no engine at hand takes {shown} together.", remedy="name an engine", place=user_place())


def no_warmup(engine: str, least: int, given: int) -> ModelError:
    return ModelError(
        f"the engine {as_given(engine)} needs a warm-up of at least {least}, and `warmup` is {given}.",
        remedy="write `warmup=1000`, or `engine='stanli'`, which can do without",
        place=user_place(),
    )


def unknown_metric(engine: str, metric: object, metrics: Mapping[str, Iterable[str]]) -> ModelError:
    others = [name for name, known in metrics.items() if metric in list(known)]
    remedy = f"use {', '.join(sorted(metrics[engine]))}" + (f", or engine={others[0]!r}" if others else "")
    what = f"the engine {engine!r} has no metric {as_given(metric)}."
    return ModelError(what, remedy=remedy, place=user_place())


NO_ROWS = "int argument must be int data"  # what stanli says of whole numbers of length 0


def metric_shape(kind: str, given: tuple[int, ...], needed: tuple[int, ...]) -> ModelError:
    if not needed:
        return ModelError(
            "`inv_metric` was given with metric='unit', which has none.",
            remedy="drop one of the two",
            place=user_place(),
        )
    return ModelError(
        f"`inv_metric` has shape {given}, and the posterior of this model needs {needed}: one "
        f"{'number' if kind == 'diag_e' else 'row'} for each unconstrained coordinate.",
        remedy=f"write `inv_metric=np.{f'ones({needed[0]})' if kind == 'diag_e' else f'eye({needed[0]})'}`, "
        "or leave it to the warm-up; a matrix goes with metric='dense'",
        place=user_place(),
    )


def metric_not_positive() -> ModelError:
    return ModelError(
        "`inv_metric` must be positive, a matrix positive definite.",
        remedy="give the variances, or the covariance matrix, of the unconstrained coordinates",
        place=user_place(),
    )


def program_refused(engine: str, why: str) -> ScistanError:
    if foreign.is_memory(why):
        return foreign.cannot_sample(*foreign.of_memory(why), user_place())
    if NO_ROWS in why:
        return UnsupportedError(
            f"{engine} cannot run this model on no observations: it takes no whole numbers of length 0.",
            remedy="observe at least one value, or sample with engine='cmdstan', which takes none as well",
            place=user_place(),
        )
    return UnsupportedError(
        f"{engine} does not take this program: {why}", remedy="use engine='cmdstan'", place=user_place()
    )


class DisagreementError(SamplingError):
    """An engine that does not compute the model's density."""


def engine_disagrees(engine: str, told: str, compiled: str = "") -> SamplingError:
    """`compiled` is why compiled Stan could not take over where that was tried."""
    then = f" cmdstan, the engine that is left, failed: {compiled.splitlines()[0]}" if compiled else ""
    return DisagreementError(
        f"engine={as_given(engine)} does not compute this model's density on these data: {told}.{then}",
        remedy="use engine='cmdstan', which runs compiled Stan, and report this model: an engine or SciStan is wrong",
        place=user_place(),
    )


def embedded_disagree(told: str) -> str:
    return f"stanli and nutpie were not used, they do not compute this model's density: {told}"


def compiled_instead() -> str:
    return "cmdstan: the embedded engines do not compute this model's density on these data"


def cannot_sample(why: str) -> SamplingError:
    return SamplingError(f"the engine could not sample: {why}", place=user_place())


def no_chain_ran(reasons: Sequence[str]) -> SamplingError:
    return SamplingError(f"no chain gave draws: {'; '.join(dict.fromkeys(reasons))}", place=user_place())


def all_engines_failed(reasons: Mapping[str, str]) -> SamplingError:
    lines = "".join(f"\n  {engine}: {why}" for engine, why in reasons.items())
    return SamplingError(f"no engine could sample this model.{lines}", place=user_place())


def panicked(why: str) -> str:
    return f"nutpie panicked: {why}"


def chain_failed(number: int, why: str) -> str:
    known = foreign.recognize(why)
    told = "; ".join(known[0].told(known[1])) if known else why
    return f"chain {number} failed and is left out: {told}"


def kept_after_interrupt(chains: int, of: int, length: int, wanted: int) -> str:
    return f"interrupted: {chains} of {of} chains kept, with {length} of {wanted} draws each"


def own_starts(engine: str) -> ModelError:
    return ModelError(
        f"the engine {as_given(engine)} draws its own starting points and takes no `inits`.",
        remedy="use engine='stanli', 'cmdstan' or 'auto'",
        place=user_place(),
    )


def needs_this_process(engine: str) -> ModelError:
    return ModelError(
        f"the engine {as_given(engine)} runs the model as it is in this process, and was given only its Stan program.",
        remedy="call `m.mcmc` without `executor`; for `m.sbc` and executors use engine='stanli' or 'cmdstan'",
        place=user_place(),
    )


def unknown_inits(inits: object) -> ModelError:
    shown = repr(inits) if isinstance(inits, str | int | float) else kind_of(inits)
    return ModelError(
        f"inits={shown} is not understood.",
        remedy="give 'prior', 'pathfinder', a dict, a list of dicts, a point estimate or a fit; "
        "None leaves it to Stan's uniform draws",
        place=user_place(),
    )


def inits_count(given: int, chains: int) -> ModelError:
    return ModelError(
        f"{given} sets of starting values for {chains} chains.",
        remedy="give one for each chain, or one dict for all",
        place=user_place(),
    )


def init_outside(name: str, where: str, value: float | str, words: str) -> ModelError:
    given = repr(value) if isinstance(value, str) else f"{value:g}"
    return ModelError(
        f"the starting value of `{name}`{where} must be {words}, and is {given}.", place=user_place()
    )


def cannot_start_there(why: str) -> SamplingError:
    return SamplingError(f"a chain cannot start at the values given: {why}", place=user_place())


def pathfinder_failed(why: str) -> SamplingError:
    return SamplingError(
        f"Pathfinder found no starting points: {why}", remedy="use inits='prior' or None", place=user_place()
    )


def cannot_start(fact: str, hits: int, starts: int, remedy: str, place: Place | None) -> SamplingError:
    """No start has a density: the term that is to blame, and why."""
    often = "" if hits == starts else f"; so at {hits} of {starts} starts, and others of its kind at the rest"
    return SamplingError(f"no chain can start: {fact}{often}.", remedy=remedy, place=place)


def steep(term: str, kind: str, where: str, details: str, argument: str, place: Place | None) -> SamplingError:
    """A density that is finite, and whose gradient is not."""
    remedy = "check its arguments for values at the ends of their ranges"
    if argument:
        remedy = f"leave out the observations with {argument}: where that is certain they tell nothing of the latents"
    return SamplingError(
        f"no chain can start: Stan's gradient of the log density of `{term}`{where} under {kind} is not finite"
        f"{' ' + details if details else ''}.",
        remedy=remedy,
        place=place,
    )


def too_big(needed: float, free: float, biggest: Sequence[tuple[str, float]]) -> ModelError:
    shown = ", ".join(f"`{name}` {in_gigabytes(size)}" for name, size in biggest)
    return ModelError(
        f"the draws would take {in_gigabytes(needed)} and {in_gigabytes(free)} are free; the biggest: {shown}.",
        remedy="name what to keep with `keep=[...]`, or draw less, or use `thin`",
        place=user_place(),
    )


def draws_too_big(needed: float, free: float, biggest: Sequence[tuple[str, float]]) -> ModelError:
    shown = ", ".join(f"`{name}` {in_gigabytes(size)}" for name, size in biggest)
    return ModelError(
        f"the draws would take {in_gigabytes(needed)} and {in_gigabytes(free)} are free; the biggest: {shown}.",
        remedy="draw less, `draws=1000` for one",
        place=user_place(),
    )


def generated_too_big(what: str, needed: float, free: float, biggest: Sequence[tuple[str, float]]) -> ModelError:
    shown = ", ".join(f"`{name}` {in_gigabytes(size)}" for name, size in biggest)
    return ModelError(
        f"{what} would take {in_gigabytes(needed)} and {in_gigabytes(free)} are free; the biggest: {shown}.",
        remedy="the draws themselves are there, `fit.posterior` and `fit['name']`; `fit.predict(draws=200)` predicts "
        "with some of them; `m.mcmc(keep=[...])` names what to keep and leaves out what each observation has",
        place=user_place(),
    )


def unknown_keep(name: str, known: Iterable[str]) -> ModelError:
    return ModelError(f"`keep` names `{name}`, which is no variable.", remedy=nearest(name, known), place=user_place())


def not_kept(what: str) -> ModelError:
    return ModelError(f"{what} needs latents that `keep` left out.", remedy="keep them", place=user_place())


def left_out(group: str) -> ModelError:
    return ModelError(
        f"this fit has no `{group}`: `keep` left it out.", remedy=f"name '{group}' in `keep`", place=user_place()
    )


def nothing_to_sample() -> ModelError:
    return ModelError("the model has no latents: there is nothing to sample.", place=user_place())


def nothing_observed() -> str:
    return "nothing is observed: these are draws from the prior (did you forget .observe(...)?)"


def no_rows(names: Sequence[str], others: bool) -> str:
    shown = ", ".join(f"`{name}`" for name in names)
    so = f"{'they add' if len(names) > 1 else 'it adds'} nothing" if others else "these are draws from the prior"
    return f"observed, but without rows: {shown}, so that {so} (was everything filtered out?)"


def is_remark(note: str) -> bool:
    """Tell whether a note of a fit that was loaded alone belongs into its verdict."""
    return note == nothing_observed() or note.startswith("observed, but without rows")


def no_executor(given: object) -> ModelError:
    return ModelError(
        f"`executor` must have a method `submit`, and is {as_given(given)}.",
        remedy="give an executor of concurrent.futures, or a Dask client's `get_executor()`",
        place=user_place(),
    )


def needs_model(what: str) -> ModelError:
    return ModelError(
        f"{what} needs the model, and this fit was loaded without it.",
        remedy="load it with ss.load(path, model=m)",
        place=user_place(),
    )


def engine_failed(engine: str, why: str) -> str:
    return f"{engine} failed: {why.splitlines()[0]}"


def set_aside(engine: str, ill: Sequence[str]) -> str:
    return f"{engine} was set aside: {', '.join(ill)}"


def still_ill(engine: str, ill: Sequence[str]) -> str:
    return f"the best of these runs is {engine}, and it is not healthy: {', '.join(ill)}; see diagnose()"


def unhealthy(model: str, verdict: str) -> str:
    return f"{model}: {verdict}; fit.diagnose() says what to try"


def cannot_write(why: str) -> SamplingError:
    return SamplingError(
        f"the engine could not write or read its files: {why}",
        remedy="free some disk, or name another folder with TMPDIR",
        place=user_place(),
    )


def rows_merged(name: str, before: int, after: int) -> str:
    return f"{name}: {before} observations in {after} groups of equal predictors, sampled by their sums"


def climbed(engine: str, first: str) -> str:
    return f"{engine}, because the first choice was not healthy or failed ({first})"
