"""Write the sum of a log density over its events as few sums: each part is summed at its own size."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Literal, Node, is_applied
from scistan.targets.torch.schedule import Values

__all__ = ["Part", "add_parts", "split_sum"]

Tensor = Any


@dataclass(frozen=True, slots=True)
class Part:
    """`weight · Σ node`, or `weight · Σ node²`, or `weight · Σ node² / divisor²` for a single number `divisor`."""

    node: Node
    weight: float
    squared: bool = False
    divisor: Node | None = None

    @property
    def reads(self) -> list[Node]:
        """The nodes that must be computed."""
        return [self.node] if self.divisor is None else [self.node, self.divisor]


def split_sum(node: Node, instance: Instance) -> list[Part]:
    """Give parts whose total is the sum of `node` over all its elements.

    Σ (a + b) -> Σ a + Σ b; a part with fewer elements is summed once and counted as often as it
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
    return [_part(part, weight) for part, weight in weights.items() if weight]


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


def _part(node: Node, weight: float) -> Part:
    if not isinstance(node, Apply) or node.op.name != "square":
        return Part(node, weight)
    (root,) = node.args
    if is_applied(root, "divide") and root.args[0].shape and not root.args[1].shape:
        return Part(root.args[0], weight, squared=True, divisor=root.args[1])  # Σ (x / s)² -> Σ x² / s²
    return Part(root, weight, squared=True)


def add_parts(parts: list[Part], values: Values, result: Tensor, torch: Any) -> Tensor:
    """Add the parts' sums to `result`, one for each start."""
    for part in parts:
        value = values[part.node]
        x = value.array
        lead = 1 if value.batched else 0
        flat = x.reshape(*x.shape[:lead], -1) if x.ndim > lead else x[..., None]
        total = torch.linalg.vecdot(flat, flat) if part.squared else flat.sum(-1)
        if part.divisor is not None:
            scale = values[part.divisor].array
            total = total / scale / scale
        result = result + (total if part.weight == 1.0 else part.weight * total)
    return result
