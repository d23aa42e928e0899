"""A term over some of its observations: the same distribution, with every value along the first axis cut to a slice."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from scistan.distributions.declaration import Distribution
from scistan.graph.graph import Law, Term
from scistan.graph.node import Apply, Data, Extent, Literal, Node
from scistan.graph.places import copy_places
from scistan.ops.declaration import Op
from scistan.ops.flow import carriers
from scistan.shapes import DATA, ONE, Shape, Size
from scistan.targets.stan.lower import Writer

__all__ = ["Sliced", "slice_term"]


@dataclass(slots=True, eq=False)
class Sliced:
    """A term of `size` observations; `origins` says which value each of its leaves is, or is a slice of."""

    size: Size
    origins: dict[Node, Node] = field(default_factory=dict)
    cut: set[Node] = field(default_factory=set)  # the leaves that are slices
    term: Term | None = None

    def leaf(self, node: Node, cut: bool) -> Data:
        """Stand in for a value that is computed outside."""
        shape: Shape = (self.size, *node.shape[1:]) if cut else node.shape
        leaf = Data(None, shape, integer=node.integer)
        self.origins[leaf] = node
        copy_places(node, leaf)
        if cut:
            self.cut.add(leaf)
        return leaf


def slice_term(term: Term, writer: Writer) -> Sliced | None:
    """Cut a term along the first axis of its observations; None where it has none, or nothing to compute."""
    law = term.law
    if len(law.shape) <= law.event_rank or law.shape[0] == ONE or not isinstance(term.value, Data):
        return None
    if all(writer.is_data(node) for node in law.inputs) or law.distribution.rule is not None:
        return None
    sliced = Sliced(Size.new(2, rank=DATA))
    known: dict[tuple[Node, bool], Node] = {}

    def change(node: Node, cut: bool) -> Node:
        key = (node, cut)
        if key not in known:
            known[key] = _cut(node, sliced, known, writer) if cut else _shared(node, sliced)
        return known[key]

    args = tuple(change(node, cut) for node, cut in zip(law.args, _along_batch(law), strict=True))
    lower, upper = (None if b is None else change(b, _has_first_axis(b, law.shape)) for b in (law.lower, law.upper))
    shape = (sliced.size, *law.shape[1:])
    inner = replace(law, args=args, lower=lower, upper=upper, shape=shape, equalities=())
    sliced.term = Term(term.name, sliced.leaf(term.value, cut=True), inner, term.users)
    return sliced


def _along_batch(law: Law) -> list[bool]:
    """Tell which arguments have a value for each observation; a GLM's design matrix has one row for each."""
    d: Distribution = law.distribution
    batch = len(law.shape) - d.event_rank
    return [
        (d.stan.fused and p.name == "x") or (len(a.shape) - p.domain.event_rank == batch and a.shape[0] != ONE)
        for p, a in zip(d.parameters, law.args, strict=True)
    ]


def _has_first_axis(node: Node, shape: Shape) -> bool:
    return len(node.shape) == len(shape) and node.shape[0] != ONE


def _shared(node: Node, sliced: Sliced) -> Node:
    return node if isinstance(node, Literal | Extent) else sliced.leaf(node, cut=False)


def _cut(root: Node, sliced: Sliced, known: dict[tuple[Node, bool], Node], writer: Writer) -> Node:
    """Push the cut down to the leaves; what cannot be computed slice by slice is computed whole, outside."""
    stack: list[tuple[Node, bool]] = [(root, True)]
    while stack:
        key = node, cut = stack[-1]
        carries = _carriers(node, writer) if cut else None
        wanted = [] if carries is None else list(zip(node.args, carries, strict=True))
        waiting = [w for w in wanted if w not in known]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        if key in known:
            continue
        if not cut:
            known[key] = _shared(node, sliced)
        elif carries is None or not isinstance(node, Apply) or not isinstance(node.op, Op):
            known[key] = sliced.leaf(node, cut=True)
        else:
            known[key] = node.op.build(tuple(known[w] for w in wanted), dict(node.attributes))
            copy_places(node, known[key])
    return known[root, True]


def _carriers(node: Node, writer: Writer) -> tuple[bool, ...] | None:
    """Tell which arguments carry the first axis of a value; None where a slice of it needs the whole."""
    if not isinstance(node, Apply) or not isinstance(node.op, Op) or writer.is_data(node):
        return None
    places = carriers(node)
    return None if places is None else tuple(k in places for k in range(len(node.args)))
