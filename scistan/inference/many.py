"""`ss.sample_models`: many fits at once, their chains on one executor."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from scistan.errors import ScistanError
from scistan.inference.executors import Executor

__all__ = ["sample_models"]


def sample_models(models: Any, executor: Executor | None = None, workers: int = 8, **settings: Any) -> Any:
    """Sample many models; a list or dict of fits, or of errors, as given.

    Each model is lowered, checked and put together here; its chains go to `executor`, so that a cluster's workers
    get plain text and numbers and send draws back. Without one, models run one after the other.
    """
    if isinstance(models, Mapping):
        return dict(zip(models, sample_models(list(models.values()), executor, workers, **settings), strict=True))
    settings.setdefault("progress", False)
    if executor is None:
        return [_fit(model, settings) for model in models]
    with ThreadPoolExecutor(workers, thread_name_prefix="scistan-sample") as threads:
        tasks = [threads.submit(_fit, model, {**settings, "executor": executor}) for model in models]
        return [task.result() for task in tasks]


def _fit(model: Any, settings: Mapping[str, Any]) -> Any:
    """Give a fit, or the error in its place."""
    try:
        return model.mcmc(**settings)
    except ScistanError as error:
        return error
