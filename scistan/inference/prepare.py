"""From a model on its data to what an engine is given: passes, program, data and starts."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scistan.engines.data_file import write_data
from scistan.engines.protocol import Request
from scistan.engines.registry import ENGINES
from scistan.graph.instance import Instance
from scistan.inference.asked import Asked
from scistan.inference.groups import GENERATED
from scistan.inference.inits import starting_values
from scistan.inference.integrate import integrated
from scistan.inference.memory import check_size
from scistan.inference.metric import check_metric
from scistan.inference.subject import NOTHING_GENERATED, Fitted, Subject
from scistan.inference.summed import as_written
from scistan.messages import sampling as messages
from scistan.passes import run_data_passes
from scistan.passes.centring import set_centring
from scistan.targets.evaluate import Evaluator
from scistan.targets.stan.program import lower_to_stan
from scistan.targets.values import NUMPY

__all__ = ["GRAPH_WORK", "Prepared", "prepare", "subject_of"]

# Nodes are interned in one table: threads that sample many models lower them one at a time.
GRAPH_WORK = threading.RLock()


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """What is sampled, the data that its program reads, and the request to an engine."""

    subject: Subject
    data: Mapping[str, Any]
    request: Request


def prepare(asked: Asked, *, merge: bool, centring: Mapping[str, np.ndarray] | None = None) -> Prepared:
    """Lower a model and write the request; with `merge`, observations of equal rows enter by their sums."""
    with GRAPH_WORK:
        instance = integrated(asked.instance, asked.integrate)
        subject = subject_of(
            instance, asked.model, asked.keep, threads=asked.threads, merge=merge, centring=centring
        )
    check_size(subject.written_instance, subject.names, asked.rows)
    data = subject.data
    json = write_data(data)
    starts = None if asked.plan is None else asked.plan.starts
    if starts is None:
        plain = asked.engine in ENGINES and bool(ENGINES[asked.engine].lowering)
        starts = starting_values(
            subject.instance, subject.program, asked.inits, asked.chains, asked.seed, json, plain=plain
        )
    request = Request(
        subject.program.text, json, asked.draws, asked.warmup, asked.chains, asked.seed, 1, starts, asked.progress,
        dict(asked.options), lowered=_lowered(asked, subject),
    )
    check_metric(asked.options, request, asked.engine)
    return Prepared(subject, data, request)


def _lowered(asked: Asked, subject: Subject) -> Any:
    """Lower the model to the target of an engine that runs no Stan program."""
    elsewhere = asked.executor is not None and not isinstance(asked.executor, ThreadPoolExecutor)
    if asked.engine not in ENGINES or elsewhere:
        return None
    with GRAPH_WORK:
        return ENGINES[asked.engine].lower(subject.sampled or subject.instance)


def _keeping(instance: Instance, keep: Sequence[str]) -> Instance:
    """Leave out derived quantities that nobody asked for."""
    derived = {name: node for name, node in instance.graph.derived.items() if name in keep}
    return instance.on(replace(instance.graph, derived=derived))


def subject_of(
    instance: Instance,
    model: Fitted | None = None,
    keep: Sequence[str] | None = None,
    *,
    threads: bool = False,
    merge: bool = False,
    centring: Mapping[str, np.ndarray] | None = None,
) -> Subject:
    """Lower an instance for sampling: what follows from the draws is computed afterwards, whatever the engine.

    With `threads`, observations are summed in slices, so that one chain can use several cores; with `merge`, those with
    equal predictors enter by their sums, and the program is one for these data; with `centring`, latents are centred
    as far as it says, which is data of the program too.
    """
    if keep is not None:
        graph = as_written(instance).graph
        known = [t.name for t in graph.latents] + list(graph.derived) + list(GENERATED)
        for name in keep:
            if name not in known:
                raise messages.unknown_keep(name, known)
        whole = None if instance.whole is None else _keeping(instance.whole, keep)
        instance = replace(_keeping(instance, keep), whole=whole)
    numbers = Evaluator(instance, NUMPY)
    sampled = run_data_passes(instance, lambda node: numbers[node].array) if merge else instance
    sampled = set_centring(sampled, centring or {})
    program = lower_to_stan(sampled.graph, threads=threads, **NOTHING_GENERATED)
    return Subject(instance, program, model, sampled)
