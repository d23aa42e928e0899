"""A function run on examples, on every library that is here and in both precisions, and watched while it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from inspect import unwrap
from typing import Any

import numpy as np

from scistan.errors import Place
from scistan.messages import purity as messages
from scistan.ops.coerce import read_any
from scistan.targets.jax.backend import import_jax
from scistan.targets.torch.devices import import_torch
from scistan.transforms.watch import Seen, place_in, watch_jax, watch_torch, watched_places

__all__ = ["seen_in_runs"]

_PRECISIONS = ("float64", "float32")


def seen_in_runs(function: Callable[..., Any], example_args: Sequence[object]) -> list[Seen]:
    """Run `function(xp, *arrays)` on torch and on JAX, as far as they are installed, and list what is impure."""
    if not isinstance(example_args, tuple | list):
        raise messages.bad_examples(example_args)
    arrays = [np.asarray(read_any(value).values) for value in example_args]
    found: dict[tuple[str, Place], Seen] = {}
    for package, runner in {"torch": _on_torch, "jax": _on_jax}.items():
        if find_spec(package) is None:
            continue
        for precision in _PRECISIONS:
            given = [a.astype(precision) if a.dtype.kind == "f" else a for a in arrays]
            try:
                seen = runner(function, given, precision)
            except Exception as error:  # whatever a function of the user's does with a library it is not written for
                told = f"{type(error).__name__} on {package}, {error}"
                seen = [("failure", told, place_in(error.__traceback__, _begin(function)))]
            for kind, what, place in seen:
                found.setdefault((kind, place), (kind, what, place))
    return list(found.values())


def _begin(function: Callable[..., Any]) -> Place:
    code = unwrap(function).__code__
    return Place(code.co_filename, code.co_firstlineno)


def _on_torch(function: Callable[..., Any], arrays: list[np.ndarray], precision: str) -> list[Seen]:
    torch = import_torch()
    tensors = [torch.tensor(array) for array in arrays]
    place = watched_places(unwrap(function))
    return watch_torch(lambda: function(torch, *tensors), getattr(torch, precision), "cpu", place)


def _on_jax(function: Callable[..., Any], arrays: list[np.ndarray], precision: str) -> list[Seen]:
    xp = import_jax().numpy
    return watch_jax(lambda *given: function(xp, *given), arrays, _begin(function), precision)
