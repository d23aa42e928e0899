"""Build an executable beside the user, where that was allowed and the runs so far would have paid for it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from scistan.engines.assemble import cores_for
from scistan.engines.registry import COMPILING, ENGINES, engines_at_hand
from scistan.errors import ScistanError
from scistan.graph.instance import Instance
from scistan.history.learnt import failures_noted
from scistan.inference.planning.advice import advice_on_compiling
from scistan.inference.planning.executable import executable_of
from scistan.inference.planning.seconds import Effort, expected
from scistan.inference.prepare import GRAPH_WORK, subject_of
from scistan.messages import planning as messages

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["compile_beside"]

_begun: set[str] = set()  # structures whose executable this process has begun to build


def compile_beside(fit: Fit) -> None:
    """Begin to build the executable of a fit's model in a thread, once for each structure, and say so in the fit."""
    plan, subject = fit.plan, fit.subject
    if plan is None or subject is None or plan.workload is None:
        return
    work = plan.workload
    compiled = [name for name in engines_at_hand() if ENGINES[name].compiled]
    if not compiled or plan.compiled or work.key in _begun:
        return
    iterations = plan.chains * (plan.draws + plan.warmup)
    at_once = cores_for(plan.chains, plan.options.get("parallel_chains"), plan.threads)
    efforts = {n: Effort("mcmc", n, iterations, at_once, builds=n in compiled) for n in (plan.engine, *compiled)}
    costs = {name: expected(effort, work) for name, effort in efforts.items()}
    if not advice_on_compiling(work, plan.engine, costs, executable_of(subject.whole.instance)):
        return
    _begun.add(work.key)
    threading.Thread(target=_build, args=(subject.whole.instance,), name="scistan-compile", daemon=True).start()
    fit._note(messages.compiling_beside())


def _build(instance: Instance) -> None:
    from scistan.inference.compile import compile_model

    try:
        with GRAPH_WORK:
            subject = subject_of(instance)
        with failures_noted("compile", "stan", COMPILING):
            compile_model(subject, progress=False)
    except ScistanError:  # counted; nobody waits for this executable
        return
