"""`m.mcmc()`: check, lower, choose, run, and give a fit. Read this first."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from scistan.diagnostics import Diagnosis
from scistan.engines.embedded import EmbeddedDensity, open_density
from scistan.engines.encoding import to_json
from scistan.engines.options import check_options, check_run, engine_seed
from scistan.engines.protocol import Draws, Request
from scistan.engines.registry import ENGINES, engine_named, engines_at_hand
from scistan.engines.trial import run_trial
from scistan.errors import SamplingError, ScistanError, ToolchainError
from scistan.given import as_names, as_switch
from scistan.graph.instance import Instance
from scistan.graph.places import user_place
from scistan.inference.certificate import Certificate
from scistan.inference.certify import certify
from scistan.inference.choose import Plan, choose, fitting_engines
from scistan.inference.climb import climb
from scistan.inference.culprit import find_culprit
from scistan.inference.density import check_complete
from scistan.inference.executors import Executor, run_everywhere
from scistan.inference.fit import Fit
from scistan.inference.foreign import tell_rejections, translate
from scistan.inference.generated import derived_quantities
from scistan.inference.groups import GENERATED
from scistan.inference.inits import starting_values
from scistan.inference.memory import check_size
from scistan.inference.metric import check_metric
from scistan.inference.named import Named
from scistan.inference.refusal import in_users_terms
from scistan.inference.subject import NOTHING_GENERATED, Fitted, Subject
from scistan.messages import foreign
from scistan.messages import sampling as messages
from scistan.passes import run_data_passes
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy.evaluate import NUMPY
from scistan.targets.stan.program import lower_to_stan

__all__ = ["GRAPH_WORK", "fit_of", "sample", "sampled", "subject_of", "warn_if_ill"]

# Nodes are interned in one table: threads that sample many models lower them one at a time.
GRAPH_WORK = threading.RLock()


def sample(
    instance: Instance,
    draws: int,
    warmup: int,
    chains: int,
    seed: int | None,
    engine: str,
    inits: object,
    progress: bool,
    model: Fitted | None = None,
    keep: Sequence[str] | str | None = None,
    executor: Executor | None = None,
    **options: Any,
) -> Fit:
    """Sample the posterior of an instance, and say aloud what must not be overlooked."""
    fit = sampled(
        instance, draws, warmup, chains, seed, engine, inits, progress, model, keep, executor, **options
    )
    warn_if_ill(fit)
    return fit


def sampled(
    instance: Instance,
    draws: int,
    warmup: int,
    chains: int,
    seed: int | None,
    engine: str,
    inits: object,
    progress: bool,
    model: Fitted | None = None,
    keep: Sequence[str] | str | None = None,
    executor: Executor | None = None,
    **options: Any,
) -> Fit:
    """Sample the posterior of an instance; a caller who makes many fits tells of their health together."""
    if not isinstance(engine, str):
        engine_named(engine)
    draws, warmup, chains = check_run(engine, draws, warmup, chains)
    progress = as_switch("progress", progress)
    if engine != "auto":
        engine_named(engine)
        check_options(engine, options)
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise messages.no_executor(executor)
    keep = None if keep is None else as_names("keep", keep)
    fitting = fitting_engines(engines_at_hand(), options, inits is not None, warmup) if engine == "auto" else [engine]
    check_complete(instance)
    if not instance.graph.latents:
        raise messages.nothing_to_sample()
    threads = int(options.get("threads_per_chain") or 1) > 1
    used = engine_seed(seed)
    rows = chains * (draws + (warmup if options.get("save_warmup") else 0))

    def lower(merge: bool) -> tuple[Subject, Mapping[str, Any], Request]:
        with GRAPH_WORK:
            subject = subject_of(instance, model, keep, threads=threads, merge=merge)
        check_size(subject.instance, subject.names, rows // int(options.get("thin") or 1))
        data, text = subject.data, subject.program.text
        json = to_json(data)
        starts = starting_values(subject.instance, subject.program, inits, chains, used, json)
        request = Request(text, json, int(draws), int(warmup), int(chains), used, 1, starts, progress, dict(options))
        return subject, data, request

    # An executable serves any data of its model, so what is compiled does not look at them.
    subject, data, request = lower(merge=not threads and not (engine in ENGINES and ENGINES[engine].compiled))
    check_metric(options, request, engine)
    certificate = None
    if any(ENGINES[name].embedded for name in fitting):
        certificate, request = _certified(subject, data, request)
    refuted = "" if certificate is None or certificate.ok else certificate.told_apart()
    if certificate is not None and refuted:
        _check_compiled_can(subject, request, certificate, engine, fitting)
        fitting = [name for name in fitting if ENGINES[name].compiled]
        subject, _, request = lower(merge=False)  # merging may be what is wrong
    judged: Diagnosis | None = None
    notes: tuple[str, ...] = ()
    others: tuple[Plan, ...] = ()
    if engine != "auto":
        plan = Plan(engine, options, request.warmup)
        found = _run(subject, request, plan, executor)
    else:
        try:
            plan, found, judged, notes, others = _automatic(subject, request, fitting, executor)
        except ToolchainError as error:
            raise (messages.engine_disagrees(engine, refuted, error.what) if refuted else error) from None
    if refuted:
        plan, notes = replace(plan, why=messages.compiled_instead()), (messages.embedded_disagree(refuted), *notes)
    settings = {"draws": draws, "warmup": plan.warmup, "chains": chains, "seed": used, **plan.options}
    settings |= _remembered(inits, request.inits, others)
    fit = fit_of(subject, found, settings, plan.why, notes, keep)
    fit._judged = judged
    fit.certificate = certificate if ENGINES[fit.engine].embedded else None
    return fit


def _certified(
    subject: Subject, data: Mapping[str, Any], request: Request
) -> tuple[Certificate | None, Request]:
    """Give the certificate, None where the program is refused, and the request with the model loaded for it."""
    try:
        density = open_density(request.text, request.data, request.seed)
    except ScistanError:
        return None, request  # the run says so, in the words it has for it
    with GRAPH_WORK:
        certificate = certify(subject, data, density, request.seed)
    return certificate, replace(request, loaded=density.model if isinstance(density, EmbeddedDensity) else None)


def _check_compiled_can(
    subject: Subject, request: Request, certificate: Certificate, engine: str, fitting: list[str]
) -> None:
    """Raise where compiled Stan cannot take over: the model has no density in Stan at all, or it may not be used."""
    if not certificate.numbers:
        with GRAPH_WORK:
            culprit = find_culprit(subject.instance, subject.program, request.data, request.inits, certain=True)
        if culprit is not None:
            raise culprit
    if not any(ENGINES[name].compiled for name in fitting):
        raise messages.engine_disagrees(engine, certificate.told_apart())


def subject_of(
    instance: Instance,
    model: Fitted | None = None,
    keep: Sequence[str] | None = None,
    *,
    threads: bool = False,
    merge: bool = False,
) -> Subject:
    """Lower an instance for sampling: what follows from the draws is computed afterwards, whatever the engine.

    With `threads`, observations are summed in slices, so that one chain can use several cores; with `merge`, those with
    equal predictors enter by their sums, and the program is one for these data.
    """
    graph = instance.graph
    if keep is not None:
        known = [t.name for t in graph.latents] + list(graph.derived) + list(GENERATED)
        for name in keep:
            if name not in known:
                raise messages.unknown_keep(name, known)
        graph = replace(graph, derived={n: node for n, node in graph.derived.items() if n in keep})
        instance = replace(instance, graph=graph)
    numbers = Evaluator(instance, NUMPY)
    sampled = run_data_passes(instance, lambda node: numbers[node].array) if merge else instance
    program = lower_to_stan(sampled.graph, threads=threads, **NOTHING_GENERATED)
    return Subject(instance, program, model, sampled)


def _automatic(
    subject: Subject, request: Request, fitting: list[str], executor: Executor | None
) -> tuple[Plan, Draws, Diagnosis | None, tuple[str, ...], tuple[Plan, ...]]:
    """Choose an engine and climb from it; say why, what happened, and what else was run."""
    numbers = sum(array.size for array in subject.instance.values.values())
    plan = choose(subject.instance, fitting, request.options, request.warmup, numbers, lambda: run_trial(request))
    best, notes = climb(
        plan,
        fitting,
        request.warmup,
        lambda rung: _run(subject, request, rung, executor),
        lambda found: {n: subject.shaped(n, found.values[n]) for n in subject.names if n in found.values},
        subject.context,
    )
    if best.draws is None:
        raise SamplingError("no draws")
    why = plan.why if best.plan is plan else messages.climbed(best.plan.described(), plan.why)
    return replace(best.plan, why=why), best.draws, best.diagnosis, notes, best.others


def _remembered(inits: object, starts: tuple[str, ...] | None, others: tuple[Plan, ...]) -> dict[str, Any]:
    """Keep what a diagnosis must know of a run: how it started, which chains from one point, what else was tried."""
    found: dict[str, Any] = {}
    if inits is not None:
        found["starts"] = inits if isinstance(inits, str) else "given"
    points = list(dict.fromkeys(starts or ()))
    numbers = [points.index(start) for start in starts or ()]
    if len(set(numbers)) > 1 and all(numbers.count(k) > 1 for k in numbers):
        found["superchains"] = numbers
    if others:
        found["attempts"] = [{"engine": p.engine, "warmup": p.warmup, **p.options} for p in others]
    return found


def _run(subject: Subject, request: Request, plan: Plan, executor: Executor | None) -> Draws:
    """Run a plan; where no chain can start, find the term that keeps it from starting."""
    asked = replace(request, options=dict(plan.options), warmup=plan.warmup)
    try:
        with in_users_terms(subject.program):
            return run_everywhere(plan.engine, asked, executor)
    except SamplingError as error:
        with GRAPH_WORK:
            culprit = find_culprit(subject.instance, subject.program, request.data, request.inits)
            told = None if culprit else translate(error.what, subject)
        raise (culprit or (foreign.cannot_sample(told.fact, told.remedy, told.place) if told else error)) from None
    except MemoryError as error:
        raise foreign.no_memory(*foreign.of_memory(str(error)), user_place()) from None


def fit_of(
    subject: Subject,
    found: Draws,
    settings: Mapping[str, Any],
    why: str,
    notes: tuple[str, ...],
    keep: Sequence[str] | None = None,
    method: str = "mcmc",
) -> Fit:
    """Make a fit of draws: the user's variables in their own shapes, what was not kept left out."""
    chains, draws = found.kept.shape
    latents = {name: _latent(subject, found, name, (chains, draws)) for name in subject.latents}
    derived = list(subject.instance.graph.derived)
    posterior = latents | {n: subject.shaped(n, found.values[n]) for n in derived if n in found.values}
    absent = [n for n in derived if n not in posterior]
    posterior |= derived_quantities(subject.instance, latents, absent)
    ordered = {name: posterior[name] for name in subject.names}
    wanted = ordered if keep is None else {name: array for name, array in ordered.items() if name in keep}
    left_out = frozenset() if keep is None else frozenset(GENERATED) - set(keep)
    rejected = tuple(text for text, _ in tell_rejections(found, subject))
    told = (*subject.remarks, *subject.merged, *found.notes, *rejected, *notes)
    fit = Fit(ordered, found, settings, subject, subject.name, subject.hash, why, told, left_out, method)
    if keep is not None:
        for name in set(GENERATED) & set(keep):
            fit.group(name)
        fit.posterior = Named(wanted)
        fit.draws = replace(found, kept=replace(found.kept, values={}))
    return fit


def _latent(subject: Subject, found: Draws, name: str, shape: tuple[int, int]) -> np.ndarray:
    """Give a latent's draws; one without elements has no columns."""
    if name in found.values:
        return subject.shaped(name, found.values[name])
    return np.empty((*shape, *subject.shape(name)))


def warn_if_ill(fit: Fit) -> None:
    """Say aloud what must not be overlooked: missing chains and ill draws, whoever chose the engine."""
    told = list(fit.draws.notes) if not fit.draws.complete else []
    if fit.subject is not None:
        told += [f"{fit.model_name}: {remark}" for remark in fit.subject.remarks]
        told += [text for text, often in tell_rejections(fit.draws, fit.subject) if often]
    found = fit._quick_diagnosis()  # what takes longer is left to `fit.diagnose()`
    if found.hints:
        told.append(messages.unhealthy(fit.model_name, found.verdict))
    for text in told:
        warnings.warn(text, messages.ChainWarning, stacklevel=4)
