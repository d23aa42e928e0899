"""`m.mcmc()`: from a model to draws, stage by stage. Read this first."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from scistan.engines.options import check_limit
from scistan.engines.registry import ENGINES
from scistan.errors import SamplingError, ToolchainError
from scistan.graph.instance import Instance
from scistan.inference.asked import Asked, read_call
from scistan.inference.certificate import Certificate
from scistan.inference.certified import certified, check_compiled_can
from scistan.inference.executors import Executor
from scistan.inference.few import draw_few, for_few
from scistan.inference.fit import Fit
from scistan.inference.fit_of import fit_of, remembered, warn_if_ill
from scistan.inference.plan import Plan
from scistan.inference.planned import plan_that_ran
from scistan.inference.prepare import Prepared, prepare
from scistan.inference.run import Outcome, run_automatic, run_named
from scistan.inference.subject import Fitted
from scistan.messages import few as few_messages
from scistan.messages import integration
from scistan.messages import sampling as messages

__all__ = ["sample", "sampled"]


def sample(*given: Any, **options: Any) -> Fit:
    """Sample the posterior of an instance as `sampled` does, and say aloud what must not be overlooked."""
    fit = sampled(*given, **options)
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
    plan: Plan | None = None,
    time_limit: float | None = None,
    integrate: object = "auto",
    **options: Any,
) -> Fit:
    """Sample the posterior of an instance; a caller who makes many fits tells of their health together."""
    check_limit(time_limit)
    # What is asked for, checked.
    asked = read_call(
        instance, model, draws, warmup, chains, seed, engine, inits, progress, keep, executor, options, plan,
        integrate,
    )
    # A few numbers, as integration leaves them, have an engine of their own, which may decline: few.py.
    begun = time.monotonic()
    tried: tuple[str, ...] = ()
    few = for_few(asked)
    if few is not None:
        found = draw_few(few, time_limit)
        if not isinstance(found, str):
            return _fit(asked, *found, inits)
        tried = (few_messages.set_aside(found),)
    # The model as a Stan program with its data and starts: passes/__init__.py, then targets/stan/program.py.
    prepared = prepare(asked, merge=asked.looks_at_data, centring=None if asked.plan is None else asked.plan.centring)
    # The engine's density beside SciPy's; where they differ, compiled Stan takes over.
    certificate, prepared = certified(asked, prepared)
    # Where some latents are integrated out and that does not hold, all of them are sampled.
    may_stay = bool(prepared.subject.instance.integrated) and (plan is None or plan.integrated is None)
    whole = partial(
        sampled, instance, draws, warmup, chains, seed, engine, inits, progress, model, keep, executor, plan,
        time_limit, False, **options,
    )
    if may_stay and certificate is not None and not certificate.ok:
        return _with_all_latents(integration.disagrees(certificate.told_apart()), whole)
    refuted = "" if certificate is None or certificate.ok else certificate.told_apart()
    if certificate is not None and refuted:
        check_compiled_can(asked, prepared, certificate)
        asked = replace(asked, fitting=tuple(name for name in asked.fitting if ENGINES[name].compiled))
        prepared = prepare(asked, merge=False)  # merging may be what is wrong
    # The draws: decide.py, choose.py, race.py and climb.py for "auto".
    left = time_limit
    if time_limit is not None and tried:
        left = max(0.001, time_limit - (time.monotonic() - begun))
    try:
        outcome = _run(asked, replace(prepared, request=replace(prepared.request, time_limit=left)), refuted)
    except SamplingError as error:
        if not may_stay:
            raise
        return _with_all_latents(integration.failed(error.what), whole)
    if outcome.decided is not None:  # a program centred by the data may have won
        prepared, certificate = outcome.decided.prepared, outcome.decided.certificate or certificate
    return _fit(asked, prepared, certificate, replace(outcome, notes=(*tried, *outcome.notes)), inits)


def _fit(asked: Asked, prepared: Prepared, certificate: Certificate | None, outcome: Outcome, inits: object) -> Fit:
    """Give the draws as the user's variables, with how they were made."""
    settings = {
        "draws": asked.draws, "warmup": outcome.plan.warmup, "chains": asked.chains, "seed": asked.seed,
        **outcome.plan.options, **remembered(inits, prepared.request.inits, outcome.others),
    }
    fit = fit_of(prepared.subject, outcome.draws, settings, outcome.plan.why, outcome.notes, asked.keep)
    fit._judged = outcome.judged
    fit.plan = plan_that_ran(outcome.plan, asked, prepared)
    fit.certificate = certificate if ENGINES[fit.engine].embedded else None
    return fit


def _with_all_latents(told: str, run: Callable[[], Fit]) -> Fit:
    """Sample every latent after all, and say so aloud."""
    warnings.warn(told, messages.ChainWarning, stacklevel=5)
    fit = run()
    fit.notes = (told, *fit.notes)
    return fit


def _run(asked: Asked, prepared: Prepared, refuted: str) -> Outcome:
    """Run; `refuted` says what an embedded engine had got wrong, which is told with the draws."""
    try:
        outcome = run_named(asked, prepared) if asked.engine != "auto" else run_automatic(asked, prepared)
    except ToolchainError as error:
        if not refuted or asked.engine != "auto":
            raise
        raise messages.engine_disagrees(asked.engine, refuted, error.what) from None
    if not refuted:
        return outcome
    told = messages.embedded_disagree(refuted)
    warnings.warn(told, messages.ChainWarning, stacklevel=5)
    plan = replace(outcome.plan, why=messages.compiled_instead())
    return replace(outcome, plan=plan, notes=(told, *outcome.notes))
