"""What a model knows of the nodes it is built from; each node is looked at once, however often it is used."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scistan.errors import Place
from scistan.graph.body import Body, Bound, bodies_of
from scistan.graph.node import Apply, Data, Node, Variable, is_applied
from scistan.graph.places import first_place
from scistan.graph.walk import topological
from scistan.messages import data as messages
from scistan.messages import recurrences
from scistan.model.axes import Axes, Key, dim_key
from scistan.model.factors import check_factor_index, check_factor_use, factor_positions
from scistan.model.numbers import check_computed_index, numbers_at_hand
from scistan.model.times import check_times
from scistan.ops.axes import Source
from scistan.ops.declaration import Op
from scistan.ops.flow import axis_flow
from scistan.ops.scan import parts_of
from scistan.shapes import ONE, Size

__all__ = ["Dims", "Fact", "Facts"]

Dims = tuple[str | None, ...]
Keys = tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """Whether a node's numbers follow from the data alone, which dim each axis runs along, and which axis it is.

    A dim is what people read; a key says what an axis is matched with by label. A slice has a key of its own.
    """

    fixed: bool
    dims: Dims
    keys: Keys = ()


class Facts:
    """The facts of every node met so far.

    `admit` is asked about each leaf before it is let in, `levels_of` for the dim of a factor's levels.
    """

    def __init__(self, admit: Callable[[Variable | Data], None], dims: Mapping[str, Size], axes: Axes,
                 levels_of: Callable[[Node], str | None]) -> None:
        self._admit = admit
        self._levels_of = levels_of
        self._model_dims = dims
        self._axes = axes
        self._known: dict[Node, Fact] = {}
        self._inside: dict[Node, list[Fact]] = {}  # of what each recurrence gives
        self._standing: Mapping[Node, Node] = {}  # inside a recurrence: what its parameters stand for

    def learn(self, roots: Iterable[Node]) -> None:
        """Look at every node below `roots` that is new, arguments first."""
        stack = [(root, False) for root in roots]
        while stack:
            node, ready = stack.pop()
            if node in self._known:
                continue
            if ready or not node.args:
                self._known[node] = self._look(node)
            else:
                stack.append((node, True))
                stack.extend((arg, False) for arg in node.args)

    def of(self, node: Node) -> Fact:
        """Give the facts of one node."""
        self.learn([node])
        return self._known[node]

    def note(self, node: Node, dims: Dims, keys: Keys) -> None:
        """Note the dims of a leaf that a model has just named, and which axes it has."""
        self._known[node] = Fact(isinstance(node, Data), dims, keys)

    def knows(self, node: Node) -> bool:
        """Tell whether a node has been met before."""
        return node in self._known

    def forget(self) -> None:
        """Start anew, after a name has changed its meaning."""
        self._known.clear()

    def _look(self, node: Node) -> Fact:
        if isinstance(node, Apply):
            return self._look_applied(node, [self._known[arg] for arg in node.args])
        if isinstance(node, Bound):
            raise recurrences.leaves_its_step(None)
        if isinstance(node, Variable | Data):
            self._admit(node)
            dims = node.dims or (None,) * len(node.shape)
            if isinstance(node, Data):
                return Fact(True, dims, self._axes.enter(node.called, node, dims))
            return Fact(False, dims, own_keys(node, dims))
        return Fact(True, ())

    def _look_applied(self, node: Apply, facts: list[Fact]) -> Fact:
        args = [self._standing.get(arg, arg) for arg in node.args]
        if node.op.name == "index":
            check_computed_index(node, args)
            check_factor_index(node, args, facts[0].dims, self._levels_of, self._axes.coords, first_place(node))
        if node.op.name == "ode":
            check_times(node, args, numbers_at_hand)
        check_factor_use(node, args)
        if node.op.name == "frozen" and not facts[0].fixed:
            raise messages.frozen_latent(first_place(node))
        if node.op.name == "scanned":
            return self._recorded(node, facts[0])
        for body in bodies_of(node):
            self._inside[node] = self._look_inside(node, body, facts)
        keys = self._keys(node, facts)
        fixed = all(f.fixed for f in facts) and not (isinstance(node.op, Op) and node.op.random)
        return Fact(fixed, self._dims(node, [f.dims for f in facts]), keys)

    def _look_inside(self, node: Apply, body: Body, facts: list[Fact]) -> list[Fact]:
        """Look at every node of a recurrence's body, with what is known of its arguments; give what its results are.

        Axes meet inside a step as they do outside, and a state's axes are those of its start.
        """
        parts = parts_of(node)
        first, last = len(parts.states), len(parts.states) + len(parts.elements)
        known: dict[Node, Fact] = {}
        outer = self._standing
        pairs = zip(body.parameters[first:], node.args[first:], strict=True)
        standing: dict[Node, Node] = {parameter: outer.get(arg, arg) for parameter, arg in pairs}
        for k, (parameter, fact) in enumerate(zip(body.parameters, facts, strict=True)):
            gone = int(first <= k < last)
            known[parameter] = Fact(fact.fixed, fact.dims[gone:], fact.keys[gone:])
        self._standing = standing
        try:
            for inner in body.nodes:
                if isinstance(inner, Apply):
                    known[inner] = self._look_applied(inner, [known[arg] for arg in inner.args])
                elif inner not in known:
                    known[inner] = Fact(True, ())
        finally:
            self._standing = outer
        results = [known[result] for result in body.results]
        for start, result in zip(facts, results[:first], strict=False):
            for one, other in zip(start.keys, result.keys, strict=True):
                named = (lambda: "the start of a recurrence", lambda: "what its step gives")
                self._axes.meet(one, other, named, first_place(node))
        return results

    def _recorded(self, node: Apply, bundle: Fact) -> Fact:
        """Give the facts of what a recurrence records: the axis of its steps, then the axes of a result."""
        output: Any = dict(node.attributes)["output"]
        result = self._inside[node.args[0]][output]
        return Fact(bundle.fixed, (*bundle.dims, *result.dims), (*bundle.keys, *result.keys))

    def _keys(self, node: Apply, facts: list[Fact]) -> Keys:
        """Follow the axes through an op: those that meet become one, and what is sliced is an axis of its own."""
        flow = axis_flow(node)
        place = first_place(node)
        args = [self._standing.get(arg, arg) for arg in node.args]
        by_label = dict(factor_positions(node, args)) if node.op.name == "index" else {}
        for axis, factor in by_label.items():  # a factor picks by label: what it picks from stands in its levels' order
            levels = self._levels_of(factor)
            if levels is not None:
                told = self.speaking(node.args[0], facts[0].dims[axis])
                self._axes.meet(dim_key(levels), facts[0].keys[axis], (self.speaking(factor, None), told), place)
        for k, axis in flow.by_position:
            if k == 0 and axis in by_label:
                continue
            self._axes.read_by_position(facts[k].keys[axis], self.speaking(node.args[k], facts[k].dims[axis]), place)
        for sources in flow.inside:
            self._meet(node, sources, facts, place)
        return tuple(
            self._meet(node, self._running(node, sources, size), facts, place) or (node, axis)
            for axis, (sources, size) in enumerate(zip(flow.along, node.shape, strict=True))
        )

    def _running(self, node: Apply, sources: tuple[Source, ...], size: Size) -> tuple[Source, ...]:
        """Leave out what is repeated along an axis."""
        return tuple((k, axis) for k, axis in sources if node.args[k].shape[axis].today == size.today != 1)

    def _meet(self, node: Apply, sources: tuple[Source, ...], facts: list[Fact], place: Place | None) -> Key | None:
        """Make axes that meet one, and give the one that is matched with others from then on."""
        told = [(facts[k].keys[axis], self.speaking(node.args[k], facts[k].dims[axis])) for k, axis in sources]
        return self._axes.meet_all(told, place)

    def speaking(self, node: Node, dim: str | None) -> Callable[[], str]:
        """Give what names an expression's axis when asked to: names are looked up for messages alone."""
        return lambda: self.speaker(node, dim)

    def _dims(self, node: Apply, dims: list[Dims]) -> Dims:
        if not node.shape:
            return ()
        op = node.op
        if op.name == "index":  # a slice or a shift is a new axis, however long it is
            along = axis_flow(node).along
            return tuple(_only({d for k, axis in sources if (d := dims[k][axis])}) for sources in along)
        if isinstance(op, Op) and op.elementwise:
            for (left, own), (right, other) in itertools.combinations(zip(node.args, dims, strict=True), 2):
                if not _are_transposes(left, right):
                    self.check_turned(node.op.name, (left, own), (right, other), first_place(node))
            return tuple(self._along(axis, node, dims) for axis in range(-len(node.shape), 0))
        named: dict[Size, set[str]] = {}
        for dim, size in self._model_dims.items():
            named.setdefault(size, set()).add(dim)
        for arg, own in zip(node.args, dims, strict=True):
            for name, size in zip(own, arg.shape, strict=True):
                if name is not None:
                    named.setdefault(size, set()).add(name)
        return tuple(_only(named.get(size, set())) if size != ONE else None for size in node.shape)

    def _along(self, axis: int, node: Apply, dims: list[Dims]) -> str | None:
        """Name an axis of an elementwise result by the arguments that have it."""
        found = [
            (self.speaker(arg, dim), dim, own.count(dim) > 1)
            for arg, own in zip(node.args, dims, strict=True)
            if len(own) >= -axis and arg.shape[axis].today == node.shape[axis].today
            and (dim := own[axis]) is not None
        ]
        # A dim met twice in one value, as in a covariance, says how long its axes are and no more.
        said = [(who, dim) for who, dim, twice in found if not twice] or [(who, dim) for who, dim, _ in found]
        if node.shape[axis].today != 1:
            self.check_meeting(node.op.name, said, first_place(node))
        return _only({dim for _, dim in said})

    def check_turned(
        self, what: str, first: tuple[Node, Dims], second: tuple[Node, Dims], place: Place | None
    ) -> None:
        """Refuse two values that have the same dims in another order: their labels may be alike, and do not tell."""
        (left, own), (right, other) = first, second
        if None in own or own == other or len(own) < 2 or sorted(map(str, own)) != sorted(map(str, other)):
            return
        at = next(k for k, (a, b) in enumerate(zip(own, other, strict=True)) if a != b)
        one, two = str(own[at]), str(other[at])
        raise messages.dims_meet(what, (self.speaker(left, one), one), (self.speaker(right, two), two), place)

    def check_meeting(self, what: str, said: list[tuple[str, str]], place: Place | None) -> None:
        """Refuse two dims along one axis, unless their labels say that they are one thing under two names."""
        for first, second in itertools.pairwise(said):
            labels = self._axes.coords.get(first[1])
            same = labels == self._axes.coords.get(second[1]) and any(isinstance(label, str) for label in labels or ())
            if first[1] != second[1] and not same:
                raise messages.dims_meet(what, first, second, place)

    def speaker(self, node: Node, dim: str | None) -> str:
        """Name what gives an expression its dim, or an axis without one."""
        if isinstance(node, Variable | Data):
            return _called(node)
        leaves = [leaf for leaf in topological([node]) if isinstance(leaf, Variable | Data)]
        return next((_called(leaf) for leaf in leaves if dim in self._known[leaf].dims), "it")


def _are_transposes(left: Node, right: Node) -> bool:
    """Tell whether a value meets itself turned round, as where a matrix is made symmetric."""
    return any(is_applied(a, "transpose") and a.args[0] is b for a, b in ((left, right), (right, left)))


def own_keys(node: Node, dims: Dims) -> Keys:
    """Give the axes of a value that come from nowhere else: its dims, or its own."""
    return tuple((node, axis) if dim is None else dim_key(dim) for axis, dim in enumerate(dims))


def _called(leaf: Variable | Data) -> str:
    return leaf.name if isinstance(leaf, Variable) else leaf.called or "the data"


def _only(names: set[str]) -> str | None:
    return next(iter(names)) if len(names) == 1 else None
