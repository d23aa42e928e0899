"""The labels along one axis: what its positions are called, and how two orders of the same labels match."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property

import numpy as np

__all__ = ["Labels", "LabelsDiffer", "order_of"]


class Labels:
    """Names of the positions along an axis, in order.

    `implied` ones are the 0, 1, 2, … of a table that was never given an index: they count as labels only beside others.
    """

    def __init__(self, values: Sequence[object], *, implied: bool = False) -> None:
        self.values: Sequence[object] = values if isinstance(values, range) else list(values)
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
    def keys(self) -> Sequence[Hashable]:
        """What each label is found by: itself; NaN is one label, and what cannot be looked up is known by its text."""
        try:
            usual = set(self.values) if not isinstance(self.values, range) else ()
        except TypeError:
            return [_key(label) for label in self.values]
        unusual = any(label != label for label in usual)
        return [_key(label) for label in self.values] if unusual else self.values  # type: ignore[return-value]

    @cached_property
    def places(self) -> dict[Hashable, int]:
        """Where each label stands; a label that repeats counts where it is last."""
        return dict(zip(self.keys, range(len(self)), strict=True))

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
    places = given.places
    order = [places.get(key, -1) for key in wanted.keys]
    if len(given) == len(order) and -1 not in order and not wanted.repeated and not given.repeated:
        return np.array(order, dtype=np.intp)
    missing = [label for label, place in zip(wanted, order, strict=True) if place == -1]
    unknown = [label for label, key in zip(given, given.keys, strict=True) if key not in wanted.places]
    raise LabelsDiffer(missing, unknown, wanted.repeated or given.repeated)


def _key(label: object) -> Hashable:
    if not isinstance(label, Hashable):
        return ("text", str(label))
    return ("nan",) if label != label else label
