"""An array with the dims and labels that came with it, and the way others like it are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from scistan.graph.labels import Labels

__all__ = ["Coding", "Labelled"]


@dataclass(frozen=True, slots=True)
class Labelled:
    """An array with the dims and labels that came with it."""

    values: np.ndarray
    dims: tuple[str | None, ...] | None = None
    labels: tuple[Labels | None, ...] = ()


class Coding(Protocol):
    """How data became numbers: what a user gives later becomes numbers in the same way."""

    def read(self, value: object, name: str) -> Labelled:
        """Turn other values for the data `name` into numbers."""
        ...

    def to_plain(self) -> dict[str, Any]:
        """Write the coding as values that JSON can hold."""
        ...
