"""Put other nodes in the place of some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scistan.graph.node import Apply, Node
from scistan.graph.walk import rebuild
from scistan.ops.declaration import Op

__all__ = ["substituted"]


def substituted(roots: Sequence[Node], known: Mapping[Node, Node]) -> list[Node]:
    """Rebuild nodes with others in the place of some."""

    def rule(node: Node, args: tuple[Node, ...]) -> Node:
        if not isinstance(node, Apply) or args == node.args or not isinstance(node.op, Op):
            return node
        return node.op.build(args, dict(node.attributes))

    memo = rebuild(roots, rule, dict(known))
    return [memo[root] for root in roots]
