"""A function run on examples, on every library that is here and in both precisions, and watched while it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from scistan.errors import Place
from scistan.messages import purity as messages
from scistan.ops.coerce import read_any
from scistan.targets.jax.backend import import_jax
from scistan.targets.torch.devices import import_torch
from scistan.transforms.watch import Seen, watch_jax, watch_torch, watched_places

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
            for kind, what, place in runner(function, given, precision):
                found.setdefault((kind, place), (kind, what, place))
    return list(found.values())


def _on_torch(function: Callable[..., Any], arrays: list[np.ndarray], precision: str) -> list[Seen]:
    torch = import_torch()
    tensors = [torch.tensor(array) for array in arrays]
    return watch_torch(lambda: function(torch, *tensors), getattr(torch, precision), "cpu", watched_places(function))


def _on_jax(function: Callable[..., Any], arrays: list[np.ndarray], precision: str) -> list[Seen]:
    xp = import_jax().numpy
    begin = Place(function.__code__.co_filename, function.__code__.co_firstlineno)
    return watch_jax(lambda *given: function(xp, *given), arrays, begin, precision)
