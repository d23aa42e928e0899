"""One expression for many: rebuild a value with an axis over the terms of a loop in front of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scistan.graph.node import Apply, Node
from scistan.ops import FUNCTIONS
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.declaration import Op
from scistan.ops.expression import Expression
from scistan.ops.items import FULL
from scistan.shapes import Size

__all__ = ["Batched", "CannotBatch", "batch_apply"]


class CannotBatch(Exception):  # noqa: N818
    """There is no one expression for these terms."""


@dataclass(frozen=True, slots=True)
class Batched:
    """A value in the merged term, and whether it has the axis over terms in front of its own `rank` axes."""

    node: Node
    rank: int
    varies: bool


def batch_apply(node: Apply, args: list[Batched], size: Size) -> Batched:
    """Apply an op to values some of which have the axis over terms."""
    op = node.op
    if not isinstance(op, Op):
        raise CannotBatch
    attributes: dict[str, Any] = dict(node.attributes)
    if not any(arg.varies for arg in args):
        nodes = tuple(arg.node for arg in args)
        return Batched(node if nodes == node.args else op.build(nodes, attributes), len(node.shape), varies=False)
    made: Node
    if op.elementwise:
        made = op.build(tuple(_aligned(arg, len(node.shape)) for arg in args), attributes)
    elif op.stacks:
        made = op.build((args[0].node,), attributes)
    elif op.name == "index" and args[0].varies and not any(arg.varies for arg in args[1:]):
        items = (FULL, *attributes["items"])
        made = op.build(tuple(arg.node for arg in args), {**attributes, "items": items})
    elif op.name == "stack":
        made = op.build(tuple(_repeated(arg, size) for arg in args), attributes)
    elif op.name == "matmul":
        made = _product(args)
    else:
        raise CannotBatch
    return Batched(made, len(node.shape), varies=True)


def _aligned(arg: Batched, rank: int) -> Node:
    """Insert axes behind the one over terms, so that a value meets others of more axes."""
    if not arg.varies or arg.rank == rank:
        return arg.node
    items = (FULL, *(("new",),) * (rank - arg.rank), *(FULL,) * arg.rank)
    return OPS["index"].build((arg.node,), {"items": items})


def _repeated(arg: Batched, size: Size) -> Node:
    if arg.varies:
        return arg.node
    return FUNCTIONS["broadcast_to"](Expression(arg.node), (size, *arg.node.shape))._scistan_node_


def _product(args: list[Batched]) -> Node:
    left, right = args
    matmul = OPS["matmul"].build
    if left.rank == right.rank == 1 and left.varies and right.varies:
        return OPS["sum"].build((OPS["multiply"].build((left.node, right.node)),), {"axes": (-1,), "keepdims": False})
    if left.rank == right.rank == 1:  # row after row of a matrix
        matrix, vector = (left, right) if left.varies else (right, left)
        return matmul((matrix.node, vector.node), {"ranks": (2, 1)})
    if left.rank == 1 and right.rank == 2 and not right.varies:
        return matmul((left.node, right.node), {"ranks": (2, 2)})
    if left.rank == 2 and right.rank == 1 and not left.varies:
        turned = OPS["transpose"].build((left.node,), {"order": (-1, -2)})
        return matmul((right.node, turned), {"ranks": (2, 2)})
    raise CannotBatch
