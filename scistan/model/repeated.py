"""Values that are one number everywhere: they are as long as the data beside them."""

from __future__ import annotations

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.node import Data
from scistan.model.variables import Variables
from scistan.shapes import Shape, Size

__all__ = ["followed_shape", "let_go", "repeat", "repeat_again"]

Lengths = tuple[int, ...]


def repeat(variables: Variables, leaf: Data, number: np.ndarray, shape: Lengths) -> None:
    """Let data be one number everywhere, whatever their lengths will be."""
    variables.axes.repeated[leaf] = number
    variables.axes.values[leaf] = np.broadcast_to(number, shape)


def let_go(variables: Variables) -> dict[Data, Lengths]:
    """Forget how often numbers are repeated, until the lengths of other data are known; give what they had."""
    values = variables.axes.values
    before = {leaf: array.shape for leaf in variables.axes.repeated if (array := values[leaf]) is not None}
    values.update(dict.fromkeys(before))
    return before


def repeat_again(variables: Variables, before: dict[Data, Lengths], instance: Instance) -> None:
    """Repeat numbers along the lengths that the other data have now."""
    for leaf, number in variables.axes.repeated.items():
        variables.axes.values[leaf] = np.broadcast_to(number, followed_shape(leaf.shape, before[leaf], instance))


def followed_shape(shape: Shape, before: Lengths, instance: Instance) -> Lengths:
    """Give the lengths that follow from the data of an instance, those of before where nothing says them."""
    return tuple(
        instance.length(size) if _is_known(size, instance) else length
        for size, length in zip(shape, before, strict=True)
    )


def _is_known(size: Size, instance: Instance) -> bool:
    return all(
        symbol in instance.lengths or (symbol.rule is not None and all(_is_known(one, instance) for one in symbol.of))
        for symbol, _ in instance.table.reduce(size).terms
    )
