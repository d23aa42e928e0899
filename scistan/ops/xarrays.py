"""Expressions that xarray's operators put into a DataArray: taken out, with the labels that they lost on the way."""

from __future__ import annotations

from typing import Any

from scistan.graph.node import Apply, Data, Node
from scistan.graph.walk import rebuild
from scistan.messages import expressions as messages
from scistan.ops.coerce import Labelled, as_node, data_leaf, labels_in_xarray, leaf_of
from scistan.ops.declaration import Op
from scistan.ops.tables import READERS

__all__ = ["unwrapped"]


def unwrapped(value: Any) -> object:
    """Take an expression out of the DataArray that xarray's operators put it in; all else stays as it is.

    With a DataArray on the left, xarray computes with its bare numbers: these are labelled again, so that they meet
    other labels as data do.
    """
    held: Any = getattr(value, "data", None) if type(value).__module__.startswith("xarray.") else None
    if not hasattr(type(held), "_scistan_node_"):
        return value
    node: Node = held._scistan_node_
    bare = _first_operand(node)
    if bare is None or bare.default is None or bare.default.shape != value.shape:
        raise messages.inside_xarray(tuple(map(str, value.dims)))
    leaf = leaf_of(Labelled(bare.default, tuple(map(str, value.dims)), labels_in_xarray(value)))
    return type(held)(rebuild([node], _rebuilt, {bare: leaf})[node])


def _first_operand(node: Node) -> Data | None:
    """Find the numbers on the left of everything; None where axes were changed on the way."""
    rank = len(node.shape)
    while isinstance(node, Apply) and not node.attributes and len(node.shape) == rank:
        node = node.args[0]
    bare = isinstance(node, Data) and not any(node.dims or ()) and all(labels is None for labels in node.labels)
    return node if isinstance(node, Data) and bare else None


def _rebuilt(node: Node, args: tuple[Node, ...]) -> Node:
    if not isinstance(node, Apply) or not isinstance(node.op, Op) or args == node.args:
        return node
    return node.op.build(args, dict(node.attributes))


def _read(value: Any) -> Node:
    bare = unwrapped(value)
    return data_leaf(value) if bare is value else as_node(bare)


READERS["xarray"] = _read
