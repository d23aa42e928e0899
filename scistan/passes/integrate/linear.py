"""Read a value as a sum of multiples of elements: those of the latents to be integrated, of all else that is sampled.

This looks at data: positions and columns are numbers, so that what is made of them serves these data alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Node, Variable
from scistan.graph.walk import topological
from scistan.ops.expression import Expression
from scistan.passes.integrate.part import Part, but_zeros, joined, product, summed_over, with_axis
from scistan.passes.integrate.sums import RunningSums, cumulated, find_sums, telescoped

__all__ = ["LinearReader", "NotLinear", "Numbers", "element"]

# Elements of a sampled vector that enters by its elements: each is a column of the statistics.
MOST_SOURCES = 60
MOST_FACTORS = 12  # elements of what is sampled that latents are multiplied by

Numbers = Callable[..., np.ndarray]  # of a node without latents, or of one and the values of nodes below it

_MOVES = frozenset({"index", "broadcast_to", "reshape", "transpose", "stack", "concatenate"})
_LINEAR = frozenset({"add", "subtract", "negative", "multiply", "divide", "matmul", "sum", "cumsum", *_MOVES})


class NotLinear(Exception):  # noqa: N818 - a reason to leave a latent alone, never shown
    """A value is not linear in latents: those of `latents` must be sampled."""

    def __init__(self, latents: Collection[Node]) -> None:
        super().__init__("not linear")
        self.latents = frozenset(latents)


class LinearReader:
    """Reads values on one instance, linear in the `hidden` latents.

    One that has a location is read from there on, as `location + rest`: its elements are those of the rest, so that
    nothing cancels where it hardly varies. One of `sums` is read by its running sums; those that could be are `summed`.
    """

    def __init__(
        self, instance: Instance, numbers: Numbers, hidden: Collection[Variable], locations: Mapping[Node, Node],
        sums: Mapping[Node, RunningSums] | None = None,
    ) -> None:
        self.locations = locations
        self.sums = sums or {}
        self.summed: dict[Node, RunningSums] = {}
        self._instance = instance
        self._numbers = numbers
        self.hidden = frozenset(hidden)
        self._parts: dict[Node, tuple[Part, ...]] = {}
        self._below: dict[Node, tuple[bool, frozenset[Variable]]] = {}  # is it sampled at all, and which hidden ones

    def read(self, node: Node) -> tuple[Part, ...]:
        """Give the parts of a value; `NotLinear` where it is none."""
        self.look_below(node)
        wanted: list[Node] = [node]
        seen: set[Node] = set()
        while wanted:
            one = wanted.pop()
            if one not in seen and one not in self._parts:
                seen.add(one)
                wanted += self._needed(one)
        for one in [n for n in topological([node]) if n in seen]:
            self._parts[one] = self._read(one)
        return self._parts[node]

    def look_below(self, node: Node) -> None:
        """Learn what a value depends on."""
        for one in topological([node]):
            if one in self._below:
                continue
            if isinstance(one, Variable):
                self._below[one] = True, frozenset({one}) & self.hidden
            else:
                found = [self._below[arg] for arg in one.args]
                self._below[one] = any(s for s, _ in found), frozenset().union(*(h for _, h in found))

    def is_known(self, node: Node) -> bool:
        """Tell whether data alone say what a value is."""
        return not self._below[node][0]

    def hides(self, node: Node) -> frozenset[Variable]:
        """Give the hidden latents that a value depends on."""
        return self._below[node][1]

    def _needed(self, node: Node) -> list[Node]:
        """List the arguments that must be read to read a value."""
        if self.is_known(node) or isinstance(node, Variable):
            return []
        if not self.hides(node) and (not node.shape or not self._is_linear(node)):
            return []
        if not isinstance(node, Apply) or not self._is_linear(node):
            raise NotLinear(self.hides(node))
        return [arg for arg in node.args if not self.is_known(arg) and (arg.shape or self.hides(arg))]

    def _is_linear(self, node: Node) -> bool:
        """Tell whether an op is linear in all that is not a number, as far as its arguments show it."""
        if not isinstance(node, Apply) or node.op.name not in _LINEAR:
            return False
        name, args = node.op.name, node.args
        if name == "multiply":
            return any(self._is_number(arg) for arg in args) or self._is_by_few(args)
        if name == "divide":
            return self._is_number(args[1])
        if name == "matmul":
            return any(map(self.is_known, args)) or (self._is_by_few(args) and len(node.shape) == 2)
        if name == "index":
            return all(map(self.is_known, args[1:]))
        return True

    def _is_number(self, node: Node) -> bool:
        """Tell whether a value is data, or one number that is sampled."""
        return self.is_known(node) or (not node.shape and not self.hides(node))

    def _is_by_few(self, args: tuple[Node, ...]) -> bool:
        """Tell whether one of two arguments hides latents and the other does not: its elements must be few."""
        return sum(bool(self.hides(arg)) for arg in args) == 1

    def _shape(self, node: Node) -> tuple[int, ...]:
        return self._instance.shape(node.shape)

    def _read(self, node: Node) -> tuple[Part, ...]:
        shape = self._shape(node)
        if self.is_known(node):
            return (Part(None, None, np.zeros((*shape, 1), int), _numbers(self._numbers(node), shape)[..., None]),)
        if not node.shape and not self.hides(node):
            return (Part(None, node, np.zeros((1,), int), np.ones((1,))),)
        if node in self.locations:
            location = [part.on(shape) for part in self.read(self.locations[node])]
            return joined([self.as_source(node, shape), *location])
        if isinstance(node, Variable) or not self._is_linear(node):
            return (self.as_source(node, shape),)
        if not isinstance(node, Apply):
            raise NotLinear(self.hides(node))
        return joined(getattr(self, f"_{node.op.name}", self._move)(node, shape))

    def as_source(self, node: Node, shape: tuple[int, ...]) -> Part:
        """Read a value by its own elements."""
        size = int(np.prod(shape))
        if node not in self.hidden and size > MOST_SOURCES:
            raise NotLinear(self.hidden)
        positions = np.arange(size).reshape(shape)[..., None]
        plain = Part(node, None, positions, np.ones(positions.shape))
        return self.sums[node].elements(plain) if node in self.sums else plain

    def _of(self, node: Node) -> tuple[Part, ...]:
        """Give the parts of an argument."""
        return self._parts[node] if node in self._parts else self._read(node)

    # -- op by op ---------------------------------------------------------------------------------
    def _add(self, node: Apply, shape: tuple[int, ...]) -> list[Part]:
        return [part.on(shape) for arg in node.args for part in self._of(arg)]

    def _subtract(self, node: Apply, shape: tuple[int, ...]) -> list[Part]:
        left, right = (self._of(arg) for arg in node.args)
        return [part.on(shape) for part in left] + [part.on(shape).times(np.array(-1.0)) for part in right]

    def _negative(self, node: Apply, _: tuple[int, ...]) -> list[Part]:
        return [part.times(np.array(-1.0)) for part in self._of(node.args[0])]

    def _multiply(self, node: Apply, shape: tuple[int, ...]) -> list[Part]:
        if not any(map(self._is_number, node.args)):
            left, right = ([part.on(shape) for part in self._of(arg)] for arg in node.args)
            return self._products(left, right)
        factor, other = node.args if self._is_number(node.args[0]) else node.args[::-1]
        parts = [part.on(shape) for part in self._of(other)]
        if self.is_known(factor):
            numbers = _numbers(self._numbers(factor), shape)
            return [part.times(numbers) for part in parts]
        return [part.scaled(factor) for part in parts]

    def _divide(self, node: Apply, shape: tuple[int, ...]) -> list[Part]:
        value, by = node.args
        parts = [part.on(shape) for part in self._of(value)]
        if self.is_known(by):
            numbers = 1 / _numbers(self._numbers(by), shape)
            return [part.times(numbers) for part in parts]
        return [part.scaled(by, divided=True) for part in parts]

    def _sum(self, node: Apply, shape: tuple[int, ...]) -> list[Part]:
        attributes = dict(node.attributes)
        rank = len(node.args[0].shape)
        axes = attributes["axes"]
        gone = tuple(range(rank)) if axes is None else tuple(axis % rank for axis in axes)  # type: ignore[attr-defined]
        made = []
        for part in self._of(node.args[0]):
            arrays = []
            for array in (part.positions, part.columns):
                kept = [axis for axis in range(rank) if axis not in gone]
                turned = np.transpose(array, (*kept, *gone, rank))
                arrays.append(turned.reshape(*(array.shape[axis] for axis in kept), -1).reshape(*shape, -1))
            total = replace(part, positions=arrays[0], columns=arrays[1])
            made.append(telescoped(total) if part.source in self.sums else total)
        return made

    def _cumsum(self, node: Apply, _: tuple[int, ...]) -> list[Part]:
        axis = int(dict(node.attributes)["axis"]) % len(node.shape)  # type: ignore[call-overload]
        made = []
        for part in self._of(node.args[0]):
            self._notice(part, axis)
            total = cumulated(part, axis)
            if total is None:
                raise NotLinear(self.hides(node) or self.hidden)
            made.append(total)
        return made

    def _notice(self, part: Part, axis: int) -> None:
        """Keep in mind how the elements of a latent are summed up."""
        source = part.source
        if source is None or source not in self.hidden or source in self.sums:
            return
        found = find_sums(part, axis, int(np.prod(self._shape(source))))
        if found is not None:
            self.summed[source] = self.summed[source].joined(found) if source in self.summed else found

    def _matmul(self, node: Apply, shape: tuple[int, ...]) -> list[Part]:
        left, right = node.args
        ranks = len(left.shape), len(right.shape)
        if self.is_known(left) and ranks == (2, 1):
            matrix = np.asarray(self._numbers(left), float)
            return [product(part, matrix) for part in but_zeros(self._of(right))]
        if self.is_known(right) and ranks == (2, 1):
            vector = np.asarray(self._numbers(right), float)
            return [
                replace(part, positions=part.positions.reshape(*shape, -1),
                        columns=(part.columns * vector[:, None]).reshape(*shape, -1))
                for part in self._of(left)
            ]
        if ranks == (1, 1):
            known, other = (left, right) if self.is_known(left) else (right, left)
            matrix = np.asarray(self._numbers(known), float)[None]
            made = [product(part, matrix) for part in self._of(other)]
            return [replace(part, positions=part.positions[0], columns=part.columns[0]) for part in made]
        if ranks == (2, 2) and not self.is_known(left) and not self.is_known(right):
            rows, columns, inner = *shape, self._shape(left)[1]
            lefts = [with_axis(part, 2, (rows, inner, columns)) for part in self._of(left)]
            rights = [with_axis(part, 0, (rows, inner, columns)) for part in self._of(right)]
            return [summed_over(part, 1) for part in self._products(lefts, rights)]
        raise NotLinear(self.hides(node) or self.hidden)

    def _products(self, left: list[Part], right: list[Part]) -> list[Part]:
        """Multiply what hides latents by what is sampled: as many parts as that has elements."""
        hidden, sampled = (left, right) if any(part.source in self.hidden for part in left) else (right, left)
        made = []
        for factor in sampled:
            places = [0] if factor.source is None else np.unique(factor.positions[factor.columns != 0])
            if len(places) > MOST_FACTORS:
                raise NotLinear(self.hidden)
            for place in places:
                number = factor.scale
                if factor.source is not None:
                    own = element(factor.source, int(place), self._instance)
                    number = own if number is None else (Expression(number) * Expression(own))._scistan_node_
                is_here = True if factor.source is None else factor.positions == place
                columns = np.where(is_here, factor.columns, 0.0).sum(-1)
                made += [part.times(columns).scaled(number) if number is not None else part.times(columns)
                         for part in hidden]
        return made

    def _move(self, node: Apply, _: tuple[int, ...]) -> list[Part]:
        """Move elements: what happens to positions is what happens to values."""
        made = []
        movable = list(dict.fromkeys(node.args[:1] if node.op.name == "index" else node.args))
        for arg in movable:
            others: dict[Node, np.ndarray] = {one: np.zeros(self._shape(one)) for one in movable if one is not arg}

            def change(array: np.ndarray, arg: Node = arg, others: Mapping[Node, np.ndarray] = others) -> np.ndarray:
                return np.asarray(self._numbers(node, {**others, arg: array}))

            for part in self._of(arg):
                moved = part.moved(change)
                made.append(replace(moved, positions=moved.positions.astype(int)))
        return made


def _numbers(found: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return np.broadcast_to(np.asarray(found, float), shape)


def element(source: Node, position: int, instance: Instance) -> Node:
    """Give one element of a sampled value, by its place in the flattened array."""
    place = tuple(int(k) for k in np.unravel_index(position, instance.shape(source.shape)))
    return Expression(source)[place]._scistan_node_
