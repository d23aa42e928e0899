"""What goes back through an op to its arguments: sums over what was repeated, and marks of what is wanted.

A *mask* marks the elements of a value that anything comes of: behind a `where`, those of the branch that is taken.
"""

from __future__ import annotations

from typing import Any

from scistan.graph.node import Apply, Node, extent, literal
from scistan.ops.declaration import REGISTRY, Op
from scistan.ops.derivative import times
from scistan.ops.expression import Expression
from scistan.shapes import ONE, Shape

__all__ = ["full", "gathered", "mask_behind", "parts_back", "somewhere"]


def full(value: Node, shape: Shape) -> Node:
    """Repeat a value to a shape."""
    thin = [size == ONE for size in value.shape]
    if thin == [size == ONE for size in shape]:
        return value
    return REGISTRY["broadcast_to"].build((value,), {"shape": shape, "rank": len(value.shape)})


def parts_back(op: Op, node: Apply, back: Node) -> list[Node | None]:
    """Give what goes to each argument by the rule of an op along axes."""
    if op.name in ("sum", "broadcast_to") and not back.shape:
        rest = _size(node.shape, node.args[0].shape) if op.name == "broadcast_to" else None
        return [back if rest is None else times(back, rest)]
    rule: Any = op.gradient
    found = rule(Expression(full(back, node.shape)), Expression(node), *map(Expression, node.args),
                 **dict(node.attributes))
    given = (found,) if isinstance(found, Expression) else found
    return [None if part is None else part._scistan_node_ for part in given]


def gathered(part: Node, shape: Shape, own: Shape) -> Node:
    """Add up what comes for an argument that was repeated from its `own` shape to `shape`; `part` may be thin."""
    rank = len(shape)
    have = (ONE,) * (rank - len(part.shape)) + part.shape
    want = (ONE,) * (rank - len(own)) + own
    repeated = [k for k in range(rank) if shape[k] != ONE and want[k] == ONE]
    for k in repeated:
        if have[k] == ONE:
            part = times(part, extent(shape[k]) if shape[k].terms else literal(float(shape[k].constant)))
    lead = tuple(k - rank for k in range(rank - len(own)) if k >= rank - len(part.shape))
    part = REGISTRY["sum"].build((part,), {"axes": lead, "keepdims": False}) if lead else part
    inner = tuple(k - rank for k in repeated if have[k] != ONE and k >= rank - len(own))
    return REGISTRY["sum"].build((part,), {"axes": inner, "keepdims": True}) if inner else part


def _size(shape: Shape, own: Shape) -> Node:
    """Count how often each element of a value was repeated."""
    return gathered(literal(1.0), shape, own)


def somewhere(mask: Node, shape: Shape | None = None, own: Shape = ()) -> Node:
    """Tell for each element of an argument whether anything that came of it is wanted."""
    if not mask.shape:
        return mask
    counted = gathered(mask, shape if shape is not None else mask.shape, own)
    return counted if counted is mask else REGISTRY["greater"].build((counted, literal(0)))


def mask_behind(op: Op, node: Apply, place: int, mask: Node) -> Node:
    """Give the mask of the argument at a place."""
    if op.elementwise:
        own = node.args[place].shape
        return mask if mask.shape == own else somewhere(mask, node.shape, own)
    part = parts_back(op, node, mask)[place] if op.carries else None
    if part is None:
        return somewhere(mask)
    counted = gathered(part, part.shape, node.args[place].shape)
    return counted if counted is mask else REGISTRY["greater"].build((counted, literal(0)))
