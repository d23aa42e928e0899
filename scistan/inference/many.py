"""`ss.sample_models`: many fits at once, their chains on one executor."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from scistan.errors import ScistanError
from scistan.given import as_whole
from scistan.graph.places import warn_at_users_line
from scistan.inference.executors import Executor
from scistan.inference.models import as_models
from scistan.interrupts import interrupts_held
from scistan.profiling import carried
from scistan.settings import under_settings

__all__ = ["sample_models"]


def sample_models(models: Any, executor: Executor | None = None, workers: int = 8, **settings: Any) -> Any:
    """Sample many models; a list or dict of fits, or of errors, as given.

    Each model is lowered, checked and put together here; its chains go to `executor`, so that a cluster's workers
    get plain text and numbers and send draws back. Without one, models run one after the other.
    """
    names, given = as_models("ss.sample_models", models)
    workers = as_whole("workers", workers)
    settings.setdefault("progress", False)
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            fits = _fits(given, executor, workers, settings)
    finally:
        _pass_on(caught)
    return fits if names is None else dict(zip(names, fits, strict=True))


def _fits(models: Sequence[Any], executor: Executor | None, workers: int, settings: Mapping[str, Any]) -> list[Any]:
    if executor is None:
        return [_fit(model, settings) for model in models]
    with ThreadPoolExecutor(workers, thread_name_prefix="scistan-sample") as threads:
        fit = under_settings(_fit)
        with interrupts_held():
            tasks = [threads.submit(carried(fit), model, {**settings, "executor": executor}) for model in models]
        return [task.result() for task in tasks]


def _fit(model: Any, settings: Mapping[str, Any]) -> Any:
    """Give a fit, or the error in its place."""
    try:
        return model.mcmc(**settings)
    except ScistanError as error:
        return error


def _pass_on(caught: Iterable[warnings.WarningMessage]) -> None:
    """Repeat warnings; those that `m.mcmc` gave its caller, which is this module, at the user's line."""
    for one in caught:
        if one.filename == __file__:
            warn_at_users_line(str(one.message), one.category)
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno, source=one.source)
