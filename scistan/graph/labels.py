"""The labels along one axis: what its positions are called, and how two orders of the same labels match."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property

import numpy as np

__all__ = ["Labels", "LabelsDiffer", "order_of"]


class Labels:
    """Names of the positions along an axis, in order.

    `implied` ones are the 0, 1, 2, … of a table that was never given an index: they count as labels only beside others.
    """

    def __init__(self, values: Sequence[object], *, implied: bool = False) -> None:
        self.values: Sequence[object] = values if isinstance(values, range) else [_plain(one) for one in values]
        self.implied = implied

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[object]:
        return iter(self.values)

    def __eq__(self, other: object) -> bool:
        """Compare the sequences."""
        if not isinstance(other, Labels):
            return NotImplemented
        return len(self) == len(other) and (self.values == other.values or list(self.values) == list(other.values))

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def listed(self) -> list[object]:
        """The labels as a list, one for all who ask."""
        return self.values if isinstance(self.values, list) else list(self.values)

    @cached_property
    def places(self) -> dict[Hashable, int]:
        """Where each label stands; a label that repeats counts where it is last."""
        return {_key(label): k for k, label in enumerate(self.values)}

    @property
    def repeated(self) -> bool:
        """Whether a label stands for several positions, as in repeated measures."""
        return not isinstance(self.values, range) and len(self.places) < len(self.values)

    def same_set(self, other: Labels) -> bool:
        """Tell whether both name the same positions, in whatever order."""
        if self.repeated or other.repeated:
            return self == other
        return len(self) == len(other) and self.places.keys() == other.places.keys()

    def at(self, positions: np.ndarray) -> Labels:
        """Give the labels at some positions."""
        return Labels([self.values[int(k)] for k in positions])


class LabelsDiffer(ValueError):  # noqa: N818
    """Two axes that meet have other labels: some are `missing` from the second, some are `unknown` to the first."""

    def __init__(self, missing: list[object], unknown: list[object], repeated: bool) -> None:
        self.missing, self.unknown, self.repeated = missing, unknown, repeated
        super().__init__(f"missing {missing}, unknown {unknown}")


def order_of(wanted: Labels, given: Labels) -> np.ndarray | None:
    """Give the positions that put `given` into the order of `wanted`; None where it stands so already."""
    if wanted == given:
        return None
    missing = [label for label in wanted if _key(label) not in given.places]
    unknown = [label for label in given if _key(label) not in wanted.places]
    repeated = wanted.repeated or given.repeated
    if missing or unknown or repeated:
        raise LabelsDiffer(missing, unknown, repeated)
    return np.array([given.places[_key(label)] for label in wanted], dtype=np.intp)


def _plain(label: object) -> object:
    return label.item() if isinstance(label, np.generic) and label.dtype.kind not in "mM" else label


def _key(label: object) -> Hashable:
    """Give what a label is found by: NaN is one label, and what cannot be looked up is known by its text."""
    if isinstance(label, float) and math.isnan(label):
        return ("nan",)
    return label if isinstance(label, Hashable) else ("text", str(label))
