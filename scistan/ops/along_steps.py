"""What a body gives at every step, computed for all steps at once where its ops allow it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scistan.graph.body import Body, Bound
from scistan.graph.node import Apply, Node
from scistan.ops.declaration import Op
from scistan.ops.expression import Expression
from scistan.ops.indexing import INDEX
from scistan.ops.items import FULL
from scistan.ops.linear import matmul
from scistan.ops.scan import SCAN, SCANNED
from scistan.ops.shaping import transpose
from scistan.shapes import Size

__all__ = ["along_steps"]


def along_steps(
    body: Body, states: Sequence[Node], moving: Sequence[Node], still: Sequence[Node], length: Size
) -> tuple[list[Node], list[bool]]:
    """Give each output of a body at every step, and whether it has an axis of steps: some are the same in all.

    The parameters of the body are states, then what moves with the steps (arrays with an axis of steps in front),
    then what stands still. What a state enters, or an op that has no form for all steps, is a recurrence.
    """
    first, last = len(states), len(states) + len(moving)
    steps = _Steps(dict(zip(body.parameters[first:last], moving, strict=True)),
                   dict(zip(body.parameters[last:], still, strict=True)))
    for node in body.nodes:
        steps.take(node)
    outputs: list[Node] = []
    has_axis: list[bool] = []
    loop: Node | None = None
    for k, result in enumerate(body.results[first:], first):
        if result in steps.still:
            outputs.append(steps.still[result])
        elif result in steps.moving:
            outputs.append(steps.moving[result])
        else:
            counts = {"states": first, "elements": len(moving)}
            loop = loop or SCAN.build(
                (*states, *moving, *still), {"body": body, "length": length, "reverse": False, **counts}
            )
            outputs.append(SCANNED.build((loop,), {"inner": result.shape, "output": k}))
        has_axis.append(result not in steps.still)
    return outputs, has_axis


class _Steps:
    """The nodes of a body that are known: for all steps at once, or the same in each."""

    def __init__(self, moving: Mapping[Node, Node], still: Mapping[Node, Node]) -> None:
        self.moving, self.still = dict(moving), dict(still)

    def take(self, node: Node) -> None:
        """Compute a node from its arguments, if all of them are known and its op has a form for it."""
        if node in self.moving or node in self.still:
            return
        if not isinstance(node, Apply):
            if not isinstance(node, Bound):
                self.still[node] = node
            return
        op = node.op
        if not isinstance(op, Op) or not all(arg in self.moving or arg in self.still for arg in node.args):
            return
        attributes = dict(node.attributes)
        if all(arg in self.still for arg in node.args):
            self.still[node] = op.build(tuple(self.still[arg] for arg in node.args), attributes)
            return
        found = self._for_all(node, op, attributes)
        if found is not None:
            self.moving[node] = found

    def _for_all(self, node: Apply, op: Op, attributes: dict[str, Any]) -> Node | None:
        if op.elementwise:
            return op.build(tuple(self._wide(arg, len(node.shape)) for arg in node.args), attributes)
        if op is INDEX:
            return self._picked(node, attributes)
        if op.name == "matmul":
            return self._multiplied(*node.args)
        return None

    def _wide(self, arg: Node, rank: int) -> Node:
        """Give an argument of an elementwise op: what moves has its axis of steps in front of all others."""
        if arg in self.still:
            return self.still[arg]
        node = self.moving[arg]
        missing = rank - len(arg.shape)
        if not missing:
            return node
        key = (slice(None), *(None,) * missing, Ellipsis)
        return Expression(node)[key]._scistan_node_

    def _picked(self, node: Apply, attributes: dict[str, Any]) -> Node | None:
        """Pick from what stands still by a position of each step, or at fixed positions from what moves."""
        source, *positions = node.args
        items: Any = attributes["items"]
        if source in self.moving:
            if positions or any(item[0] == "array" for item in items):
                return None
            return INDEX.build((self.moving[source],), {"items": (FULL, *items)})
        simple = items[0] == ("array", 0) and all(item == FULL for item in items[1:])
        if len(positions) != 1 or positions[0].shape or not simple:
            return None
        rows = (("array", 1), *items[1:])
        return INDEX.build((self.still[source], self.moving[positions[0]]), {"items": rows})

    def _multiplied(self, left: Node, right: Node) -> Node | None:
        """Multiply each step's vector by a matrix or a vector that stands still: one product for all."""
        if left in self.moving and right in self.still and len(left.shape) == 1:
            return matmul(Expression(self.moving[left]), Expression(self.still[right]))._scistan_node_
        if left in self.still and right in self.moving and len(right.shape) == 1:
            matrix = Expression(self.still[left])
            turned = transpose(matrix) if len(matrix.shape) == 2 else matrix
            return matmul(Expression(self.moving[right]), turned)._scistan_node_
        return None
