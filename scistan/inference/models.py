"""Read what a user gives where many models are wanted: a list or a dict of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scistan.messages import inference as messages

__all__ = ["as_models"]


def as_models(what: str, given: Any) -> tuple[list[Any] | None, list[Any]]:
    """Give the names of a dict, None for a list, and the models themselves."""
    named = list(given) if isinstance(given, Mapping) else None
    if named is None and isinstance(given, str | bytes):
        raise messages.no_models(what, given)
    try:
        models = list(given.values() if isinstance(given, Mapping) else given)
    except TypeError:  # an array without axes calls itself iterable
        raise messages.no_models(what, given) from None
    for model in models:
        if not callable(getattr(model, "_subject", None)):
            raise messages.no_models(what, model)
    return named, models
