"""Write the sum of a log density over its events as few sums: each summand is summed at its own size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Literal, Node, is_applied
from scistan.targets.torch.backend import TorchBackend
from scistan.targets.torch.scalars import ScalarGroup
from scistan.targets.torch.schedule import Values, alias_of
from scistan.targets.values import Value

__all__ = ["Summand", "Sums", "split_sum"]

Tensor = Any
_FEW = 16  # numbers up to which a summand is summed together with others


@dataclass(frozen=True, slots=True)
class Summand:
    """`weight · Σ node`, or `weight · Σ node²`, or `weight · Σ node² / divisor²` for a single number `divisor`."""

    node: Node
    weight: float
    squared: bool = False
    divisor: Node | None = None

    @property
    def reads(self) -> list[Node]:
        """The nodes that must be computed."""
        return [self.node] if self.divisor is None else [self.node, self.divisor]


def split_sum(node: Node, instance: Instance) -> list[Summand]:
    """Give summands whose total is the sum of `node` over all its elements.

    Σ (a + b) -> Σ a + Σ b; a summand with fewer elements is summed once and counted as often as it
    was broadcast; factors written as numbers come out of the sum.
    """
    elements = prod(instance.shape(node.shape))
    weights: dict[Node, float] = {}
    stack: list[tuple[Node, float]] = [(node, 1.0)]
    while stack:
        top, factor = stack.pop()
        opened = _opened(top, factor)
        if opened is not None:
            stack += opened
            continue
        own = prod(instance.shape(top.shape))
        repeats = elements / own if own else 0.0
        weights[top] = weights.get(top, 0.0) + factor * repeats
    return [_summand(summand, weight, instance) for summand, weight in weights.items() if weight]


def _opened(node: Node, factor: float) -> list[tuple[Node, float]] | None:
    if not isinstance(node, Apply):
        return None
    name, args = node.op.name, node.args
    if name == "add":
        return [(args[0], factor), (args[1], factor)]
    if name == "subtract":
        return [(args[0], factor), (args[1], -factor)]
    if name == "negative":
        return [(args[0], -factor)]
    if name == "broadcast_to":
        return [(args[0], factor)]
    if name == "multiply":
        for one, other in (args, args[::-1]):
            if isinstance(one, Literal):
                return [(other, factor * one.value)]
    if name == "divide" and isinstance(args[1], Literal) and args[1].value:
        return [(args[0], factor / args[1].value)]
    return None


def _summand(node: Node, weight: float, instance: Instance) -> Summand:
    if not isinstance(node, Apply) or node.op.name != "square":
        return Summand(node, weight)
    (root,) = node.args
    while isinstance(root, Apply):
        alias = alias_of(root)
        if alias is not None:
            root = alias
            continue
        divisor = root.args[-1]
        if root.op.name != "divide" or not isinstance(divisor, Literal) or not divisor.value:
            break
        root, weight = root.args[0], weight / divisor.value**2  # Σ (x / c)² -> Σ x² / c²
    long = prod(instance.shape(root.shape)) > _FEW
    if long and is_applied(root, "divide") and root.args[0].shape and not root.args[1].shape:
        return Summand(root.args[0], weight, squared=True, divisor=root.args[1])  # Σ (x / s)² -> Σ x² / s²
    return Summand(root, weight, squared=True)


class Sums:
    """Parts to be added up: those of a few numbers together in one product, for each step of torch has its price."""

    def __init__(
        self, summands: list[Summand], instance: Instance, backend: TorchBackend, groups: Sequence[ScalarGroup] = ()
    ) -> None:
        self.summands = summands
        self._torch = backend.module
        counts = [prod(instance.shape(summand.node.shape)) for summand in summands]
        short = [summand.divisor is None and 0 < count <= _FEW for summand, count in zip(summands, counts, strict=True)]
        self._long = [summand for summand, few in zip(summands, short, strict=True) if not few]
        self._together: list[tuple[list[Node], Tensor, bool]] = []
        self._of_rows: list[tuple[Node, Callable[[Tensor], Tensor], Tensor, bool]] = []
        for squared in (False, True):
            some = [(p, n) for p, n, few in zip(summands, counts, short, strict=True) if few and p.squared is squared]
            for group in groups:
                members = [summand for summand, _ in some if summand.node in group.order]
                some = [(summand, count) for summand, count in some if summand.node not in group.order]
                taken = group.stack_of([summand.node for summand in members]) if members else None
                if taken is not None:
                    weights = backend.constant(np.array([summand.weight for summand in members]))
                    self._of_rows.append((group.row, taken, weights, squared))
            repeated = np.repeat([summand.weight for summand, _ in some], [count for _, count in some])
            if some:
                self._together.append(([summand.node for summand, _ in some], backend.constant(repeated), squared))

    def added(self, values: Values, result: Tensor) -> Tensor:
        """Add the summands' sums to `result`, one for each start."""
        for summand in self._long:
            flat = _flat(values[summand.node])
            total = self._torch.linalg.vecdot(flat, flat) if summand.squared else flat.sum(-1)
            if summand.divisor is not None:
                scale = values[summand.divisor].array
                total = total / scale / scale
            result = result + (total if summand.weight == 1.0 else summand.weight * total)
        for nodes, weights, squared in self._together:
            pieces = [_flat(values[node]) for node in nodes]
            if result.ndim:
                pieces = [piece if piece.ndim == 2 else piece.expand(len(result), -1) for piece in pieces]
            row = self._torch.cat(pieces, -1) if len(pieces) > 1 else pieces[0]
            result = result + (row.square() if squared else row) @ weights
        for row_of, taken, weights, squared in self._of_rows:
            row = taken(values[row_of].array)
            result = result + (row.square() if squared else row) @ weights
        return result


def _flat(value: Value) -> Tensor:
    """Give a value's numbers along one axis, behind that of the starts."""
    x, lead = value.array, int(value.batched)
    return x.reshape(*x.shape[:lead], -1) if x.ndim > lead else x[..., None]
