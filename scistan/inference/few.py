"""Whether `auto` first tries to draw the few numbers that integration leaves independently, and what became of it."""

from __future__ import annotations

from dataclasses import replace

from scistan.diagnostics import check_draws
from scistan.engines.registry import ENGINES, engines_at_hand
from scistan.graph.instance import Instance
from scistan.graph.node import Apply
from scistan.graph.walk import topological
from scistan.inference.asked import Asked
from scistan.inference.certificate import Certificate
from scistan.inference.certified import certified
from scistan.inference.climb import illness
from scistan.inference.integrate import integrated
from scistan.inference.plan import Plan
from scistan.inference.prepare import Prepared, prepare
from scistan.inference.run import Outcome, run_plan
from scistan.inference.work import coordinates, gradient_work
from scistan.messages import few as messages
from scistan.ops.declaration import Op
from scistan.passes.integrate import NormalIntegral

__all__ = ["Drawn", "draw_few", "for_few"]

# What NUTS counts for a model as it is written: steps for a draw, and warm-up. Below SHORT nothing is worth a change.
STEPS, WARMUP, SHORT = 10, 400, 2e8
# Points at which the density is asked beside those of draws, and how many draws each may take; a point counts this
# part of a gradient.
LOOKS, TRIES, POINT = 3_000, 2, 0.7

Drawn = tuple[Prepared, Certificate | None, Outcome]


def for_few(asked: Asked) -> Asked | None:
    """Give the call as one for the engine of a few numbers; None where more are left, or it does not pay."""
    name = next((one for one in engines_at_hand() if ENGINES[one].few), None)
    given = asked.options or asked.inits is not None or asked.executor is not None or asked.plan is not None
    if name is None or given or asked.engine != "auto" or not asked.integrate:
        return None
    everything = asked.integrate == "auto"
    made = integrated(asked.instance, True if everything else asked.integrate)
    if not made.integrated or not 0 < coordinates(made) <= ENGINES[name].few or not _is_for_rows(made):
        return None
    if everything and not (integrated(asked.instance, "auto").integrated or _pays(made, asked)):
        return None
    return replace(asked, engine=name, fitting=(name,), integrate=True if everything else asked.integrate)


def _is_for_rows(made: Instance) -> bool:
    """Tell whether the density keeps its digits everywhere, and can be asked at many points at once."""
    blocks = [one.structure for one in made.integrated if isinstance(one, NormalIntegral)]
    if any(one.chained and one.slots > 1 for one in blocks):  # digits go where steps are small
        return False
    nodes = topological([node for term in made.graph.terms for node in term.law.inputs])
    binding = {node.op.name for node in nodes if isinstance(node, Apply) and isinstance(node.op, Op) and node.op.binds}
    return binding <= {"scan"}  # a solver of equations takes its points one by one


def _pays(made: Instance, asked: Asked) -> bool:
    """Tell by counted work whether this is cheaper than sampling the model as it is written, where that takes long."""
    whole = (WARMUP + asked.draws) * asked.chains * STEPS * gradient_work(asked.instance)
    points = LOOKS + TRIES * asked.draws * asked.chains
    return whole > SHORT and points * POINT * gradient_work(made) < whole


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
