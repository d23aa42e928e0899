"""A function inside the graph: a body over parameters of its own, which an op applies again and again.

Whatever a body needs from outside comes in as an argument of the node that holds it, so that a body is closed: equal
bodies are one object, whoever wrote them, and walks over a graph need not look inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary

from scistan.graph.node import Apply, Extent, Literal, Node
from scistan.graph.places import copy_places
from scistan.graph.walk import topological
from scistan.shapes import Equality, Shape

__all__ = ["Body", "Bound", "bodies_of", "body", "bound", "close", "free_bound", "put_in", "with_insides"]


class Bound(Node):
    """A parameter of a body, by its place; one that has none yet is of a function that is being read."""

    __slots__ = ("place",)

    def __init__(self, place: int | None, shape: Shape, integer: bool) -> None:
        self.place = place
        self.shape = shape
        self.integer = integer

    def __repr__(self) -> str:
        return "a value of a step" if self.place is None else f"@{self.place}"


class Body:
    """What is computed from parameters; made by `body` only, so that equal ones are one."""

    __slots__ = ("__weakref__", "parameters", "results")

    def __init__(self, parameters: tuple[Bound, ...], results: tuple[Node, ...]) -> None:
        self.parameters = parameters
        self.results = results

    @property
    def nodes(self) -> list[Node]:
        """Every node inside, arguments before their users."""
        return topological(self.results)

    @property
    def equalities(self) -> tuple[Equality, ...]:
        """The lengths that must be equal for it to be what it is."""
        return tuple(pair for node in self.nodes if isinstance(node, Apply) for pair in node.equalities)

    def __repr__(self) -> str:
        return f"body/{len(self.parameters)}"


_bounds: WeakValueDictionary[Any, Bound] = WeakValueDictionary()
_bodies: WeakValueDictionary[Any, Body] = WeakValueDictionary()


def bound(place: int, shape: Shape, integer: bool) -> Bound:
    """Intern a body's parameter."""
    key = (place, shape, integer)
    node = _bounds.get(key)
    return node if node is not None else _bounds.setdefault(key, Bound(place, shape, integer))


def free_bound(shape: Shape, integer: bool = False) -> Bound:
    """Make a value for a function to be read with, unlike every other: functions within functions stay apart."""
    return Bound(None, shape, integer)


def body(parameters: Iterable[Bound], results: Iterable[Node]) -> Body:
    """Intern a body."""
    key = (tuple(parameters), tuple(results))
    found = _bodies.get(key)
    return found if found is not None else _bodies.setdefault(key, Body(*key))


def bodies_of(node: Node) -> list[Body]:
    """List the bodies that a node holds among its attributes."""
    return [value for _, value in node.attributes if isinstance(value, Body)] if isinstance(node, Apply) else []


def with_insides(
    nodes: Iterable[Node], standing: Mapping[Node, Node] | None = None
) -> Iterator[tuple[Node, tuple[Node, ...]]]:
    """Yield nodes and those inside their bodies, each with its arguments or what these stand for there."""
    known = standing or {}
    for node in nodes:
        args = tuple(known.get(arg, arg) for arg in node.args)
        yield node, args
        for one in bodies_of(node):
            yield from with_insides(one.nodes, dict(zip(one.parameters, args, strict=True)))


def close(given: tuple[Bound, ...], results: tuple[Node, ...]) -> tuple[Body, tuple[Node, ...]]:
    """Make a body of what a function gave for `given`, and list what it took from outside, in order of first use.

    What does not depend on the given values comes from outside as a whole: it is computed once, not in every step.
    """
    order = topological(results)
    inside: set[Node] = set(given)
    for node in order:
        if any(arg in inside for arg in node.args):
            inside.add(node)
    wanted = [arg for node in order if node in inside for arg in node.args] + list(results)
    outside = tuple(dict.fromkeys(n for n in wanted if n not in inside and not isinstance(n, Literal | Extent)))
    memo: dict[Node, Node] = {
        node: bound(place, node.shape, node.integer) for place, node in enumerate((*given, *outside))
    }
    parameters = tuple(memo.values())
    for node in order:
        if node not in memo:
            memo[node] = _placed(node, memo) if node in inside else node
    return body(parameters, tuple(memo[node] for node in results)), outside  # type: ignore[arg-type]


def put_in(one: Body, arguments: Sequence[Node]) -> list[Node]:
    """Give what a body gives for arguments: its results, written out once."""
    memo: dict[Node, Node] = dict(zip(one.parameters, arguments, strict=True))
    for node in one.nodes:
        if node not in memo:
            memo[node] = _placed(node, memo) if isinstance(node, Apply) else node
    return [memo[result] for result in one.results]


def _placed(node: Node, memo: Mapping[Node, Node]) -> Node:
    op: Any = node.op  # type: ignore[attr-defined]
    new: Node = op.build(tuple(memo[arg] for arg in node.args), dict(node.attributes))  # type: ignore[attr-defined]
    copy_places(node, new)
    return new
