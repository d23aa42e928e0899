"""Whether `auto` first asks the engine for a few numbers, where integration leaves no more, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scistan.diagnostics import check_draws
from scistan.engines.registry import ENGINES, engines_at_hand
from scistan.graph.instance import Instance
from scistan.graph.node import Apply
from scistan.graph.walk import topological
from scistan.inference.asked import Asked
from scistan.inference.certificate import Certificate
from scistan.inference.certified import certified
from scistan.inference.choose import USUAL_WARMUP
from scistan.inference.climb import illness
from scistan.inference.integrate import Integrate, integrated, pays, told_ahead
from scistan.inference.plan import Plan
from scistan.inference.prepare import Prepared, prepare
from scistan.inference.run import Outcome, run_plan
from scistan.inference.work import coordinates, gradient_work
from scistan.messages import few as messages
from scistan.ops.declaration import Op
from scistan.passes.integrate import NormalIntegral

__all__ = ["check_few", "draw_few", "for_few", "left_for_few", "made_again", "would_be_integrated"]

# What NUTS counts for a model as it is written: steps for a draw, and warm-up beside the draws.
STEPS, WARMUP = 10, 0.4
USUAL_DRAWS = 4_000  # of all chains
# Points at which the density is asked beside those of draws, how many draws each may take, and which part of a gradient
# a point counts. What drawing the rest again costs is about what starting NUTS does.
LOOKS, TRIES, POINT = 3_000, 2, 0.7

Drawn = tuple[Prepared, Certificate | None, Outcome]


def for_few(asked: Asked) -> Asked | None:
    """Give the call as one for the engine of a few numbers; None where more are left, or it does not pay.

    The latents are integrated out of the instance that it then is of.
    """
    name = _engine()
    given = asked.options or asked.inits is not None or asked.executor is not None or asked.plan is not None
    if name is None or given or asked.engine != "auto":
        return None
    made = left_for_few(asked.instance, asked.integrate, asked.draws * asked.chains)
    return None if made is None else replace(asked, instance=made, engine=name, fitting=(name,))


def _engine() -> str | None:
    return next((one for one in engines_at_hand() if ENGINES[one].few), None)


def check_few(instance: Instance, most: int) -> None:
    """Raise where more numbers are left of a model than an engine takes."""
    left = coordinates(integrated(instance, True))
    if left > most:
        raise messages.too_many(left, most)


def made_again(engine: str, settings: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Give engine and settings for runs on other data: what an engine might decline there is left to `auto`."""
    if not ENGINES[engine].few:
        return engine, dict(settings)
    return "auto", {**settings, "warmup": USUAL_WARMUP}


def left_for_few(instance: Instance, integrate: Integrate, draws: int) -> Instance | None:
    """Give what is left of a model where that is a few numbers whose density can be asked at many points at once."""
    name = _engine()
    if name is None or not integrate:
        return None
    made = integrated(instance, True if integrate == "auto" else integrate)
    if not made.integrated or not 0 < coordinates(made) <= ENGINES[name].few or not _is_for_rows(made):
        return None
    if integrate == "auto" and not (pays(made, instance) or _is_cheaper(made, instance, draws)):
        return None
    return made


def would_be_integrated(instance: Instance) -> tuple[str, ...]:
    """Tell of the latents that `m.mcmc()` would integrate out by itself."""
    if instance.missing:
        return ()
    return told_ahead(left_for_few(instance, "auto", USUAL_DRAWS) or integrated(instance, "auto"))


def _is_for_rows(made: Instance) -> bool:
    """Tell whether the density keeps its digits everywhere, and can be asked at many points at once."""
    blocks = [one.structure for one in made.integrated if isinstance(one, NormalIntegral)]
    if any(one.chained and one.slots > 1 for one in blocks):  # digits go where steps are small
        return False
    nodes = topological([node for term in made.graph.terms for node in term.law.inputs])
    binding = {node.op.name for node in nodes if isinstance(node, Apply) and isinstance(node.op, Op) and node.op.binds}
    return binding <= {"scan"}  # a solver of equations takes its points one by one


def _is_cheaper(made: Instance, instance: Instance, draws: int) -> bool:
    """Tell by counted work whether this costs less than sampling the model as it is written."""
    whole = (1 + WARMUP) * draws * STEPS * gradient_work(instance)
    return (LOOKS + TRIES * draws) * POINT * gradient_work(made) < whole


def draw_few(asked: Asked, time_limit: float | None) -> Drawn | str:
    """Draw so; where the posterior is not made for it, or the draws are ill, say in a line why."""
    prepared = prepare(asked, merge=asked.looks_at_data)
    certificate, prepared = certified(asked, prepared)
    if certificate is not None and not certificate.ok:
        return certificate.told_apart()
    subject = prepared.subject
    left = coordinates(subject.instance)
    plan = Plan(asked.engine, {}, 0, messages.why(left))
    try:
        draws = run_plan(subject, replace(prepared.request, time_limit=time_limit), plan, None)
    except messages.DeclinedError as error:
        return error.what
    values = {name: subject.shaped(name, draws.values[name]) for name in subject.latents if name in draws.values}
    diagnosis = check_draws(values, draws.statistics, 0, subject.context)
    if draws.complete and (ill := illness(diagnosis, draws)):
        return messages.ill(ill)
    return prepared, certificate, Outcome(plan, draws, diagnosis)
