"""`hint.try_it()` and `fit.refit(hint)`: run again as a hint suggests, and show before and after."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.diagnostics import Change, Diagnosis, Hint
from scistan.engines.registry import ENGINES
from scistan.graph.places import warn_at_users_line
from scistan.inference.changed import changed_instance
from scistan.inference.few import made_again
from scistan.inference.profile.kept import profiled
from scistan.messages import diagnosis as messages
from scistan.messages.sampling import ChainWarning

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["Trial", "refit", "try_out"]

SHORT = 400  # draws of a chain in a trial
_RUN = ("draws", "warmup", "chains", "seed")


@dataclass(frozen=True, slots=True)
class Trial:
    """What a suggestion did in a short run, beside the fit that it was made for; `fit` is that run.

    Effective draws and divergences are for each thousand draws, so that runs of different lengths can be compared.
    """

    change: Change
    check: str
    before: Diagnosis = field(repr=False)
    after: Diagnosis = field(repr=False)
    fit: Fit = field(repr=False, compare=False)

    @property
    def healed(self) -> bool:
        """Whether the finding is gone, and nothing of its severity came in its place."""
        chance = 1 + 8 / max(1, self.fit.shape[1])  # the R-hat that one of many elements may have in a short run
        graver = [h for h in self.after.hints if h.severity == "error" and (h.check != "R-hat" or h.value > chance)]
        return all(h.check != self.check for h in self.after.findings) and not graver

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """What was measured, before and after."""
        before, after = _numbers(self.before), _numbers(self.after)
        return [(what, before[what], after[what]) for what in before if what in after]

    def __repr__(self) -> str:
        verdict = f"'{self.check}' is gone" if self.healed else f"'{self.check}' is not healed"
        width = max(len(what) for what, _, _ in self.rows)
        head = f"tried {self.change}: {verdict}"
        lines = [f"  {what:<{width}}  {before:>10}  {after:>10}" for what, before, after in self.rows]
        return "\n".join([head, f"  {'':<{width}}  {'before':>10}  {'after':>10}", *lines])

    def _repr_html_(self) -> str:
        head = escape(repr(self).splitlines()[0])
        rows = "".join(f"<tr><th>{escape(w)}</th><td>{b}</td><td>{a}</td></tr>" for w, b, a in self.rows)
        return f"<p>{head}</p><table><tr><th></th><th>before</th><th>after</th></tr>{rows}</table>"


def _numbers(found: Diagnosis) -> dict[str, str]:
    seen = found.evidence
    told = {"findings": str(len(found.findings))}
    if seen is None:
        return told
    total = max(1, seen.chains * seen.draws)
    if seen.health:
        rhat = max(float(np.nanmax(h.rhat, initial=1.0)) for h in seen.health.values())
        bulk = min(float(np.nanmin(h.bulk_ess, initial=np.inf)) for h in seen.health.values())
        told |= {"worst R-hat": f"{rhat:.3f}", "fewest effective draws per 1000": f"{1000 * bulk / total:.0f}"}
    if "diverging" in seen.statistics:
        told["divergences per 1000"] = f"{1000 * float(np.sum(seen.statistics['diverging'])) / total:.1f}"
    if "n_steps" in seen.statistics:
        told["steps per draw"] = f"{float(np.mean(seen.statistics['n_steps'])):.0f}"
    return told


def try_out(fit: Fit, hint: Hint, draws: int | None, seed: int | None) -> Trial:
    """Run what a hint suggests for a short while; what it finds is told by the trial, not aloud."""
    change = _change(fit, hint)
    asked = change.options.get("draws")
    short = {"draws": draws or int(asked or SHORT), "progress": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChainWarning)
        tried = _run(fit, hint, change, {**short, **({} if seed is None else {"seed": seed})})
    return Trial(change, hint.check, fit.diagnose(), tried.diagnose(), tried)


def refit(fit: Fit, hint: Hint, settings: Mapping[str, Any]) -> Fit:
    """Make a whole run of what a hint suggests; what it warns of is told at the user's line."""
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            return _run(fit, hint, _change(fit, hint), settings)
    finally:
        for one in caught:
            warn_at_users_line(str(one.message), one.category)


def _change(fit: Fit, hint: Hint) -> Change:
    if fit.method != "mcmc":
        raise messages.only_of_mcmc(fit.method)
    if not isinstance(hint, Hint):
        raise messages.not_a_hint(hint)
    if hint.change is None:
        raise messages.nothing_to_try(hint.check, hint.suggestion)
    return hint.change


def _run(fit: Fit, hint: Hint, change: Change, settings: Mapping[str, Any]) -> Fit:
    from scistan.inference.sample import sample

    if fit.subject is None:
        raise messages.needs_the_model(hint.check)
    subject = fit.subject.whole
    if not set(change.variables) <= set(subject.latents):
        raise messages.not_of_this_fit(hint.check)
    instance, model = subject.instance, subject.model
    if change.variables:
        model = None if model is None else model.changed(change.variables)
        instance = changed_instance(instance, change.variables)
    asked = {**_settings(fit, change), **change.options, **settings}
    run = {name: asked.pop(name) for name in _RUN}
    engine, inits, progress = (asked.pop(name, None) for name in ("engine", "inits", "progress"))
    with profiled("mcmc") as kept:
        again = kept(
            sample(instance, engine=engine, inits=inits, progress=progress is not False, model=model, **run, **asked)
        )
    again.notes = (messages.refitted(hint.check, str(change)), *again.notes)
    return again


def _settings(fit: Fit, change: Change) -> dict[str, Any]:
    """Give the settings of the run that was made, as far as the engine of the next one takes them."""
    usual, settings = made_again(fit.engine, fit.settings)
    engine = str(change.options.get("engine", usual))
    takes = ENGINES.get(engine)
    had = {name: value for name, value in settings.items() if name in _RUN or (takes and name in takes.options)}
    if takes is None or had.get("metric") not in takes.metrics:
        had.pop("metric", None)
    return {**had, "engine": engine}


