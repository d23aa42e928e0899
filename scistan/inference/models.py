"""Read what a user gives where many models are wanted: a list or a dict of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scistan.messages import inference as messages

__all__ = ["as_models"]


def as_models(what: str, given: Any) -> tuple[list[Any] | None, list[Any]]:
    """Give the names of a dict, None for a list, and the models themselves."""
    named = list(given) if isinstance(given, Mapping) else None
    if named is None and (not isinstance(given, Iterable) or isinstance(given, str | bytes)):
        raise messages.no_models(what, given)
    models = list(given.values() if isinstance(given, Mapping) else given)
    for model in models:
        if not callable(getattr(model, "_subject", None)):
            raise messages.no_models(what, model)
    return named, models
