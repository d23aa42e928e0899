"""Hand the chains of a run to any `concurrent.futures`-style executor, and make one run of what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Protocol

from scistan.engines.assemble import join
from scistan.engines.protocol import Draws, Request
from scistan.engines.registry import run_request
from scistan.errors import SamplingError, ScistanError
from scistan.messages import sampling as messages
from scistan.profiling import Stage, bring_home, recorded
from scistan.settings import under_settings

__all__ = ["Executor", "run_everywhere"]


class Executor(Protocol):
    """What runs a function somewhere: a pool of processes or threads, or a cluster's."""

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Any: ...


def run_everywhere(engine: str, request: Request, executor: Executor | None) -> Draws:
    """Run a request here, or chain by chain on an executor: the draws are the same."""
    if executor is None:
        return run_request(engine, request)
    run = under_settings(run_request)
    parts_of_it = _parts(request, here=isinstance(executor, ThreadPoolExecutor))
    tasks = [executor.submit(recorded(run), engine, part) for part in parts_of_it]
    parts: list[Draws] = []
    errors: list[tuple[int, BaseException]] = []
    try:
        for number, task in enumerate(tasks, request.first_chain):
            _collect(number, task, parts, errors)
    except KeyboardInterrupt:
        for task in tasks:
            task.cancel()
        for number, task in enumerate(tasks, request.first_chain):
            if task.done() and number not in {n for p in parts for n in p.numbers}:
                _collect(number, task, parts, errors)
        if not parts:
            raise
        whole = join(parts)
        note = messages.kept_after_interrupt(*_counts(whole, request))
        return replace(whole, notes=(*whole.notes, note), complete=False)
    if not parts:
        raise _worst(errors)
    whole = join(parts)
    failed = tuple(messages.chain_failed(number, _said(error)) for number, error in errors)
    return replace(whole, notes=(*whole.notes, *failed), complete=whole.complete and not failed)


def _parts(request: Request, here: bool) -> list[Request]:
    """Cut a request into one for each chain, as plain data; a worker shows no bar, and one chain needs one core.

    What was lowered for an engine goes along to threads, which are `here`.
    """
    options = {key: value for key, value in request.options.items() if key != "parallel_chains"}
    return [
        replace(
            request,
            chains=1,
            first_chain=request.first_chain + k,
            inits=None if request.inits is None else request.inits[k : k + 1],
            progress=False,
            options=options,
            loaded=None,
            lowered=request.lowered if here else None,
        )
        for k in range(request.chains)
    ]


def _collect(
    number: int, task: Future[tuple[Draws, Stage]], parts: list[Draws], errors: list[tuple[int, BaseException]]
) -> None:
    """Take a chain's draws or its error; a worker that died is an error too."""
    try:
        draws, took = task.result()
        parts.append(draws)
        bring_home(took)
    except Exception as error:
        errors.append((number, error))


def _counts(whole: Draws, request: Request) -> tuple[int, int, int, int]:
    chains, length = whole.kept.shape
    return chains, request.chains, length, request.draws


def _said(error: BaseException) -> str:
    return error.what if isinstance(error, ScistanError) else f"{type(error).__name__}: {error}"


def _worst(errors: Sequence[tuple[int, BaseException]]) -> ScistanError:
    first = errors[0][1]
    if isinstance(first, ScistanError):
        return first
    found: SamplingError = messages.no_chain_ran([_said(error) for _, error in errors])
    return found
