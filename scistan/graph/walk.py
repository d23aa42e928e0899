"""Iterative walks over nodes: no recursion, each shared node once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from scistan.graph.node import Apply, Node, Variable

__all__ = ["has_latents", "leaves", "rebuild", "topological", "use_counts", "with_latents"]


def topological(roots: Iterable[Node]) -> list[Node]:
    """List every node below `roots`, arguments before their users, in a fixed order."""
    order: list[Node] = []
    done: set[Node] = set()
    for root in roots:
        stack: list[tuple[Node, bool]] = [(root, False)]
        while stack:
            node, expanded = stack.pop()
            if node in done:
                continue
            if expanded:
                done.add(node)
                order.append(node)
            else:
                stack.append((node, True))
                stack.extend((arg, False) for arg in reversed(node.args) if arg not in done)
    return order


def leaves(roots: Iterable[Node]) -> Iterator[Node]:
    """Yield the leaves below `roots` in order of first use."""
    return (node for node in topological(roots) if not isinstance(node, Apply))


def random_in(roots: Iterable[Node]) -> list[Node]:
    """List the random draws that values are computed from."""
    return [node for node in topological(roots) if isinstance(node, Apply) and getattr(node.op, "random", False)]


def has_latents(node: Node) -> bool:
    """Tell whether a node is a latent, or computed from one."""
    return any(isinstance(leaf, Variable) for leaf in leaves([node]))


def with_latents(roots: Iterable[Node]) -> set[Node]:
    """Give every node below `roots` that is a latent, or computed from one."""
    found: set[Node] = set()
    for node in topological(roots):
        if isinstance(node, Variable) or not found.isdisjoint(node.args):
            found.add(node)
    return found


def use_counts(roots: Iterable[Node]) -> dict[Node, int]:
    """Count how often each node is used, as an argument or as a root."""
    roots = list(roots)
    counts: dict[Node, int] = {}
    for node in topological(roots):
        counts.setdefault(node, 0)
        for arg in node.args:
            counts[arg] = counts.get(arg, 0) + 1
    for root in roots:
        counts[root] += 1
    return counts


def rebuild(
    roots: Iterable[Node],
    rule: Callable[[Node, tuple[Node, ...]], Node],
    memo: dict[Node, Node] | None = None,
) -> dict[Node, Node]:
    """Map every node below `roots` through `rule(node, new_args)`, arguments first."""
    memo = {} if memo is None else memo
    for node in topological(roots):
        if node not in memo:
            memo[node] = rule(node, tuple(memo[arg] for arg in node.args))
    return memo
