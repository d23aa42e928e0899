"""A model beside the Stan program written by hand for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import scistan as ss

__all__ = ["Pair", "values"]


@dataclass(frozen=True)
class Pair:
    """A model, the program a good Stan programmer would write for it, and that program's data."""

    name: str
    model: Callable[[], ss.Model]
    handwritten: str
    data: Callable[[ss.Model], dict[str, Any]]


def values(m: ss.Model, *names: str) -> dict[str, np.ndarray]:
    """Give the numbers of a model's data by their names."""
    instance = m.instance()
    return {n: np.array(instance.values[m[n]._scistan_node_]) for n in names}
