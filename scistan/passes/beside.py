"""What stands beside a latent: the numbers that are added to its elements wherever they are used.

In `a + u[group]` data know of each element's sum with `a`, not of the element: where they know much, `a` and the mean
of `u` can be exchanged for each other, which is slow to sample unless elements are measured from `-a`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

from scistan.graph.graph import Graph, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Node, Variable, is_applied
from scistan.graph.walk import topological, with_latents
from scistan.passes.linear import summands

__all__ = ["besides"]

SUMS = ("add", "subtract", "negative")
Summand = tuple[Node, bool, Node | None]  # what is added or not, and the data that multiply it


def besides(instance: Instance, terms: Sequence[Term]) -> dict[str, tuple[Variable, ...]]:
    """Give, for each of these latents that has some, the numbers written before it that are added wherever it is used.

    Of several latents in a sum one alone, with the fewest elements, is measured from them: it is what they are most
    easily exchanged for.
    """
    graph = instance.graph
    sums = [list(found) for found in _sums(graph)]
    latents = [term.value for term in graph.latents if isinstance(term.value, Variable)]
    own: dict[Node, int] = {term.value: math.prod(instance.shape(term.law.shape)) for term in terms}
    alone = _used_alone(graph)
    found: dict[str, tuple[Variable, ...]] = {}
    for term in terms:
        before = latents[: graph.latents.index(term)]
        used = [beside for parts in sums for beside in _beside(term.value, parts, own)]
        common = tuple(n for n in before if not n.shape and all(n in beside for beside in used))
        if used and common and term.value not in alone:
            found[term.name] = common
    return found


def _sums(graph: Graph) -> Iterator[Iterator[Summand]]:
    """Give every sum of the density that is no part of another."""
    nodes = topological([node for term in graph.terms for node in term.law.inputs])
    moving = with_latents(nodes)
    inner = {arg for node in nodes if _is_sum(node) for arg in node.args}
    for node in nodes:
        if node in moving and node not in inner and _is_sum(node):
            yield (_split(part, added, moving) for part, added in summands(node))


def _is_sum(node: Node) -> bool:
    return isinstance(node, Apply) and node.op.name in SUMS


def _split(node: Node, added: bool, moving: Collection[Node]) -> Summand:
    """Take data off a product with them."""
    if is_applied(node, "multiply"):
        for part, data in (node.args, node.args[::-1]):
            if part in moving and data not in moving:
                return part, added, data
    return node, added, None


def _beside(latent: Node, parts: Sequence[Summand], sizes: Mapping[Node, int]) -> Iterator[list[Node]]:
    """Give what is added to each use of a latent in a sum; nothing where another latent is measured from it."""
    for part, added, data in parts:
        if _picked(part) is latent:
            like = [other for other, sign, times in parts if sign == added and times is data]
            rivals = [chosen for other in like if (chosen := _picked(other)) in sizes]
            yield like if min(rivals, key=sizes.__getitem__) is latent else []


def _used_alone(graph: Graph) -> set[Node]:
    """Give what is used otherwise than in a sum, with data as a factor or without."""
    nodes = topological([node for term in graph.terms for node in term.law.inputs])
    linear = (*SUMS, "multiply", "index")
    users = [node.args for node in nodes if isinstance(node, Apply) and node.op.name not in linear]
    direct = [arg for term in graph.terms for arg in term.law.inputs]
    return {_picked(arg) for args in (*users, direct) for arg in args}


def _picked(node: Node) -> Node:
    """Give what elements are taken of; the node itself if they are all."""
    return node.args[0] if is_applied(node, "index") else node
