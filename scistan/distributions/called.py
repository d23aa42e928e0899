"""Functions that construct series: calls that Python would refuse are told in our words."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from scistan.messages import series as messages

__all__ = ["told"]

P = ParamSpec("P")
R = TypeVar("R")


def told(function: Callable[P, R]) -> Callable[P, R]:
    """Tell of arguments that a function does not take, and of those that it lacks."""
    form = signature(function)
    names = tuple(form.parameters)
    called = f"{function.__name__}({', '.join(names)})"

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        unknown = next((name for name in kwargs if name not in names), None)
        if unknown is not None:
            raise messages.no_option(function.__name__, unknown, names)
        try:
            form.bind(*args, **kwargs)
        except TypeError as error:
            raise messages.bad_call(function.__name__, error, called) from None
        return function(*args, **kwargs)

    return checked
