"""Whose line each line of a program is: the user's variables and lines that a statement was written for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scistan.errors import Place
from scistan.graph.graph import Graph, Term
from scistan.graph.node import Node
from scistan.graph.places import first_place
from scistan.graph.walk import topological
from scistan.ops.own_stan import owner_of_function
from scistan.targets.stan.syntax import Line

__all__ = ["Source", "map_sources", "with_origins"]


@dataclass(frozen=True, slots=True)
class Source:
    """A line of the program: its block and text, the user's variables it is there for, and their lines."""

    block: str
    text: str
    names: tuple[str, ...]
    places: tuple[Place, ...]

    @property
    def place(self) -> Place | None:
        """The first of the user's lines."""
        return self.places[0] if self.places else None


def with_origins(code: str, origin: object) -> Iterator[Line]:
    """Give the lines of a function's code with what each is there for; a list has one origin for each."""
    lines = code.splitlines()
    own = owner_of_function(code)
    each = origin if isinstance(origin, list) else [own.place if own is not None else origin] * len(lines)
    return zip(lines, each, strict=True)


def map_sources(blocks: Mapping[str, Sequence[Line]], graph: Graph) -> dict[int, Source]:
    """Number the lines of a program's blocks as its text does, and say of each whose it is."""
    found: dict[int, Source] = {}
    users = _Users(graph)
    number = 0
    for block, lines in blocks.items():
        if not lines:
            continue
        number += 1  # the line that opens the block
        for text, origin in lines:
            for part in text.splitlines():
                number += 1
                found[number] = users.source(block, part, origin)
        number += 1  # and the one that closes it
    return found


class _Users:
    """The user's names and lines of what statements are written for."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.names: dict[Node, str] = dict(graph.data_names.items())
        for name, node in graph.derived.items():
            self.names.setdefault(node, name)
        self._term_of: dict[Node, Term] = {}

    def source(self, block: str, text: str, origin: object) -> Source:
        if isinstance(origin, Place):
            return Source(block, text, (), (origin,))
        called: dict[str, None] = {}
        places: dict[Place, None] = {}
        for one in origin if isinstance(origin, tuple) else (origin,):
            for name, place in self._written_as(one, _declared(text)):
                called |= dict.fromkeys([name] if name else [])
                places |= dict.fromkeys([place] if place is not None else [])
        return Source(block, text, tuple(called), tuple(places))

    def _written_as(self, origin: object, declared: str) -> Iterator[tuple[str, Place | None]]:
        if isinstance(origin, Term):
            for name in origin.users:
                yield name, self.graph.places.get(name) or self.graph.place_of(origin)
        elif isinstance(origin, Node):
            own = declared if declared in self.graph.derived else self.names.get(origin, "")
            place = (self.graph.places.get(own) if own else None) or _nearest(origin)
            if place is None and (term := self._user_of(origin)) is not None:  # a pass made it for that term
                yield from self._written_as(term, "")
            else:
                yield own, place

    def _user_of(self, node: Node) -> Term | None:
        """Find the first term that depends on a node."""
        if not self._term_of:
            for term in self.graph.terms:
                for below in topological([*term.law.inputs, term.value]):
                    self._term_of.setdefault(below, term)
        return self._term_of.get(node)


def _declared(text: str) -> str:
    """Give the name that a line declares: two names of one value are two lines of the user's."""
    return text.partition("=")[0].rstrip("; ").rpartition(" ")[2]


def _nearest(node: Node) -> Place | None:
    """Give a node's own line, or that of the nearest of what it is made of, where a pass made it."""
    level = {node: None}
    seen: set[Node] = set()
    while level:
        for one in level:
            if (place := first_place(one)) is not None:
                return place
        seen |= level.keys()
        level = {arg: None for one in level for arg in one.args if arg not in seen}
    return None
