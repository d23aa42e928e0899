"""Make a fit of draws, and say aloud what must not be overlooked in it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from scistan.engines.protocol import Draws
from scistan.inference.centring import shares
from scistan.inference.centring import told as told_of_centring
from scistan.inference.fit import Fit
from scistan.inference.foreign import tell_rejections
from scistan.inference.generated import derived_quantities
from scistan.inference.groups import GENERATED
from scistan.inference.integrate import told_of_integrals
from scistan.inference.integrated import draw_integrated
from scistan.inference.named import Named
from scistan.inference.plan import Plan
from scistan.inference.states import draw_states
from scistan.inference.subject import Subject
from scistan.messages import sampling as messages
from scistan.profiling import staged

__all__ = ["fit_of", "remembered", "warn_if_ill"]


def remembered(inits: object, starts: tuple[str, ...] | None, others: tuple[Plan, ...]) -> dict[str, Any]:
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


@staged("conversion")
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
    written = subject.written_instance
    seed = int(settings["seed"])
    states = draw_states(subject.instance, latents, seed) | draw_integrated(subject.instance, latents, seed)
    derived = list(written.graph.derived)
    posterior = latents | states | {n: subject.shaped(n, found.values[n]) for n in derived if n in found.values}
    absent = [n for n in derived if n not in posterior]
    posterior |= derived_quantities(
        written, latents | states, absent, (chains, draws), seed=seed
    )
    ordered = {name: posterior[name] for name in subject.names}
    wanted = ordered if keep is None else {name: array for name, array in ordered.items() if name in keep}
    left_out = frozenset() if keep is None else frozenset(GENERATED) - set(keep)
    rejected = tuple(text for text, _ in tell_rejections(found, subject))
    flat = {name: array.reshape(chains * draws, *array.shape[2:]) for name, array in latents.items()}
    centred = told_of_centring(subject, shares(subject, subject.centring, flat))
    gone = told_of_integrals(subject.instance)
    told = (*subject.remarks, *gone, *subject.merged, *centred, *found.notes, *rejected, *notes)
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


def warn_if_ill(fit: Fit, depth: int = 4) -> None:
    """Say aloud what must not be overlooked, at the user's line, so many calls up: missing chains and ill draws."""
    told = list(fit.draws.notes) if not fit.draws.complete else []
    if fit.subject is not None:
        told += [f"{fit.model_name}: {remark}" for remark in fit.subject.remarks]
        told += [text for text, often in tell_rejections(fit.draws, fit.subject) if often]
    # Of chains the quick checks alone: what takes longer is left to `fit.diagnose()`.
    found = fit._quick_diagnosis() if fit.method == "mcmc" else fit.diagnose()
    if found.findings:
        told.append(messages.unhealthy(fit.model_name, found.verdict))
    for text in told:
        warnings.warn(text, messages.ChainWarning, stacklevel=depth)
