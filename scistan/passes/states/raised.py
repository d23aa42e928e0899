"""Values with axes of states in front of their own: one for each hidden latent that they depend on."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Literal, Node, is_applied, literal
from scistan.graph.walk import topological
from scistan.messages import states as messages
from scistan.ops import FUNCTIONS
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.declaration import Op
from scistan.ops.expression import Expression
from scistan.ops.items import FULL, are_scattered, place_of_arrays
from scistan.passes.states.fold import fold
from scistan.passes.states.hidden import Hidden
from scistan.shapes import ONE, Shape, Size

__all__ = ["Raised", "Raiser", "in_order", "indexed", "repeated"]

NEW = ("new",)


@dataclass(frozen=True, slots=True)
class Raised:
    """A node with an axis for each of `states` in front of `own` axes; of those some are 1 where nothing differs."""

    node: Node
    states: tuple[Hidden, ...]
    own: Shape  # what the value's own axes were, and are again once repeated

    @property
    def rank(self) -> int:
        return len(self.own)


def indexed(node: Node, items: Sequence[tuple[Any, ...]]) -> Node:
    """Take items of a node; all of it is the node itself."""
    return node if all(item == FULL for item in items) else OPS["index"].build((node,), {"items": tuple(items)})


def repeated(node: Node, shape: Shape) -> Node:
    """Repeat a node to a shape."""
    if node.shape == shape:
        return node
    made: Node = FUNCTIONS["broadcast_to"](Expression(node), shape)._scistan_node_
    return made


class Raiser:
    """Rebuilds values with axes of states; `hidden` in the order in which their axes stand.

    A latent of two states has no axis on the way: a value is rebuilt for each, with a number in the latent's place, so
    that what is the same in all draws, or does not count, is seen to be; the two are put side by side at the end.
    """

    def __init__(self, hidden: Mapping[Any, Hidden], instance: Instance) -> None:
        self._hidden: dict[Node, Hidden] = dict(hidden)
        self._order = {one: k for k, one in enumerate(self._hidden.values())}
        self._instance = instance
        self._memos: dict[tuple[int, ...], dict[Node, Raised]] = {}
        self._memo: dict[Node, Raised] = {}

    def __call__(self, root: Node) -> Raised:
        """Give a value for all states of the hidden latents that it depends on."""
        below = set(topological([root]))
        pairs = {node: one for node, one in self._hidden.items() if one.is_pair and node in below}
        two = list(pairs.values())
        parts = {}
        for numbers in itertools.product(*((one.lowest, one.highest) for one in two)):
            parts[numbers] = self._raised(root, dict(zip(pairs, numbers, strict=True)))
        return self._side_by_side(two, parts, root.shape)

    def _raised(self, root: Node, numbers: Mapping[Node, int]) -> Raised:
        key = tuple(numbers.get(node, -1) for node in self._hidden)
        self._memo = self._memos.setdefault(key, {})
        for node in topological([root]):
            if node not in self._memo:
                self._memo[node] = (
                    Raised(literal(numbers[node]), (), node.shape) if node in numbers else self._raise(node)
                )
        found = self._memo[root]
        # What is repeated for all rows need not be, before it meets what differs between them.
        while not found.states and is_applied(found.node, "broadcast_to"):
            found = Raised(found.node.args[0], (), root.shape)
        return found

    def _side_by_side(self, two: list[Hidden], parts: dict[tuple[int, ...], Raised], own: Shape) -> Raised:
        """Put the values for the two states of each latent along an axis of states, the last latent first."""
        for k in reversed(range(len(two))):
            one = two[k]
            merged: dict[tuple[int, ...], Raised] = {}
            for before in dict.fromkeys(key[:k] for key in parts):
                pair = [parts[*before, number] for number in (one.lowest, one.highest)]
                others = self.united(pair)
                states = tuple(sorted((*others, one), key=self._order.__getitem__))
                rank = max(len(value.node.shape) - len(value.states) for value in pair)
                nodes = tuple(self._at_rank(value, others, rank) for value in pair)
                axis = states.index(one) - len(others) - rank - 1
                merged[before] = Raised(OPS["stack"].build(nodes, {"axis": axis}), states, own)
            parts = merged
        ((_, found),) = parts.items()
        inner = len(found.node.shape) - len(found.states)
        if found.states and inner < len(own):  # axes that nothing differed along
            items = [*[FULL] * len(found.states), *[NEW] * (len(own) - inner), *[FULL] * inner]
            return Raised(indexed(found.node, items), found.states, own)
        return found

    def _at_rank(self, value: Raised, states: tuple[Hidden, ...], rank: int) -> Node:
        """Give a value an axis for each of `states`, and `rank` axes behind them."""
        inner = len(value.node.shape) - len(value.states)
        front = [FULL if one in value.states else NEW for one in states]
        return indexed(value.node, [*front, *[NEW] * (rank - inner), *[FULL] * inner])

    def united(self, values: Sequence[Raised]) -> tuple[Hidden, ...]:
        """Give all latents that some values differ by, in their order."""
        return tuple(sorted({one for value in values for one in value.states}, key=self._order.__getitem__))

    def aligned(self, value: Raised, states: tuple[Hidden, ...], rank: int) -> Node:
        """Give a value an axis for each of `states`, 1 for those that it does not depend on, and `rank` of its own."""
        if not value.states:
            return value.node
        front = [FULL if one in value.states else NEW for one in states]
        return indexed(value.node, [*front, *[NEW] * (rank - value.rank), *[FULL] * value.rank])

    def filled(self, value: Raised) -> Node:
        """Repeat a value along its own axes where it was 1 for all."""
        return repeated(value.node, (*value.node.shape[: len(value.states)], *value.own))

    def _raise(self, node: Node) -> Raised:
        if node in self._hidden:
            one = self._hidden[node]
            return Raised(one.values, (one,), node.shape)
        if not isinstance(node, Apply):
            return Raised(node, (), node.shape)
        args = [self._memo[arg] for arg in node.args]
        states = self.united(args)
        if not states and all(arg.node is old for arg, old in zip(args, node.args, strict=True)):
            return Raised(node, (), node.shape)
        op = node.op
        if not isinstance(op, Op):
            raise messages.cannot_sum(op.name, [one.name for one in states], node)
        attributes: dict[str, Any] = dict(node.attributes)
        made: Node
        if op.elementwise:
            nodes = [self.aligned(arg, states, len(node.shape)) for arg in args]
            made = _spread_late(op, nodes, attributes) if states else fold(op, nodes, attributes)
        elif op.name == "stack":
            made = op.build(tuple(self.aligned(arg, states, len(node.shape) - 1) for arg in args), attributes)
        elif op.name == "broadcast_to":
            made = self.aligned(args[0], states, len(node.shape))
        else:
            rule = _RULES.get(op.name, _stacked if op.stacks else None)
            found = None if rule is None else rule(self, node, args, states, attributes)
            if found is None:
                raise messages.cannot_sum(op.name, [one.name for one in states], node)
            made = found
        return Raised(made, states, node.shape)

    def is_whole(self, position: Raised, axis: Size) -> Hidden | None:
        """Give the latent whose states, one after the other, are all positions of an axis."""
        if len(position.states) != 1 or position.node is not position.states[0].values:
            return None
        (one,) = position.states
        length = self._instance.length
        return one if one.counts and not one.joint and length(one.size) == length(axis) else None


def _spread_late(op: Op, args: list[Node], attributes: dict[str, Any]) -> Node:
    """Apply an elementwise op before axes are added to its one value: log(x[:, None]) -> log(x)[:, None]."""
    chosen = _choose_late(op, args, attributes)
    if chosen is not None:
        return chosen
    spread = [arg for arg in args if not isinstance(arg, Literal)]
    if len(spread) == 1 and is_applied(spread[0], "index") and len(spread[0].args) == 1:
        items: Any = dict(spread[0].attributes)["items"]  # type: ignore[attr-defined]
        if all(item in (FULL, NEW) for item in items):
            inner = spread[0].args[0]
            return indexed(fold(op, [inner if arg is spread[0] else arg for arg in args], attributes), items)
    return fold(op, args, attributes)


def _choose_late(op: Op, args: list[Node], attributes: dict[str, Any]) -> Node | None:
    """Compute what states choose between before they choose, where that is less: f(c ? a : b) -> c ? f(a) : f(b)."""
    chosen = [arg for arg in args if is_applied(arg, "where") and _cells(arg) > max(map(_cells, arg.args[1:]))]
    if not chosen or any(arg.args[0] is not chosen[0].args[0] for arg in chosen):
        return None
    test = chosen[0].args[0]
    yes, no = (fold(op, [arg.args[k] if arg in chosen else arg for arg in args], attributes) for k in (1, 2))
    return OPS["where"].build((test, yes, no)) if max(_cells(yes), _cells(no)) < _cells(test) else None


def _cells(node: Node) -> int:
    return math.prod(size.today for size in node.shape)


def _stacked(raiser: Raiser, node: Apply, args: list[Raised], _: Any, attributes: dict[str, Any]) -> Node | None:
    return node.op.build((raiser.filled(args[0]),), attributes)  # type: ignore[attr-defined, no-any-return]


def _transposed(raiser: Raiser, node: Apply, args: list[Raised], states: Any, attributes: dict[str, Any]) -> Node:
    rank = len(node.shape)
    front = tuple(range(-rank - len(states), -rank))
    return OPS["transpose"].build((args[0].node,), {"order": (*front, *attributes["order"])})


def _reshaped(raiser: Raiser, node: Apply, args: list[Raised], states: Any, attributes: dict[str, Any]) -> Node:
    whole = raiser.filled(args[0])
    shape = (*whole.shape[: len(states)], *attributes["shape"])
    return OPS["reshape"].build((whole,), {"shape": shape, "rank": len(whole.shape)})


def _concatenated(raiser: Raiser, node: Apply, args: list[Raised], states: Any, attributes: dict[str, Any]) -> Node:
    sizes = tuple(one.size for one in states)
    parts = [
        repeated(raiser.aligned(arg, states, arg.rank), (*sizes, *arg.own)) for arg in args
    ]
    return OPS["concatenate"].build(tuple(parts), attributes)


def _multiplied(raiser: Raiser, node: Apply, args: list[Raised], states: Any, _: dict[str, Any]) -> Node | None:
    """Write a product with a vector as a sum: a (n, m) @ v (m) -> sum over m of a * v."""
    left, right = args
    if left.rank > 2 or (right.rank != 1 and left.rank != 1):
        return None
    ranks = (left.rank, right.rank)
    a, b = raiser.aligned(left, states, left.rank), raiser.aligned(right, states, right.rank)
    front = [FULL] * len(states)
    if ranks == (2, 1) and right.states:
        b = indexed(b, [*front, NEW, FULL])
    if ranks == (1, 2) and left.states:
        a = indexed(a, [*front, FULL, NEW])
    elif ranks == (1, 2):
        a = indexed(a, [FULL, NEW])
    axis = -2 if ranks == (1, 2) else -1
    product = OPS["multiply"].build((a, b))
    return OPS["sum"].build((product,), {"axes": (axis,), "keepdims": False})


def _picked(raiser: Raiser, node: Apply, args: list[Raised], states: Any, attributes: dict[str, Any]) -> Node:
    table, position = args
    rank = len(node.shape)
    whole = raiser.is_whole(position, table.own[-1])
    if whole is not None and whole not in table.states:
        # The table's last axis is the axis of states, once it is in front with them.
        inner = len(table.states)
        last = len(table.node.shape) - 1
        before = sum(one in table.states for one in states[: states.index(whole)])
        order = [*range(before), last, *range(before, last)]
        turned = in_order(table.node, order)
        return raiser.aligned(Raised(turned, states_with(table.states, whole, states), table.own[:-1]), states, rank) \
            if inner or rank else turned
    x = raiser.aligned(table, states, rank + 1)
    at = raiser.aligned(position, states, rank)
    return OPS["pick"].build((x, at), {"ranks": (len(x.shape), len(at.shape))})


def states_with(own: tuple[Hidden, ...], one: Hidden, order: tuple[Hidden, ...]) -> tuple[Hidden, ...]:
    """Add a latent to others, in the order of all."""
    return tuple(hidden for hidden in order if hidden is one or hidden in own)


def in_order(node: Node, order: list[int]) -> Node:
    """Put axes into an order."""
    rank = len(order)
    if order == list(range(rank)):
        return node
    return OPS["transpose"].build((node,), {"order": tuple(axis - rank for axis in order)})


def _taken(raiser: Raiser, node: Apply, args: list[Raised], states: Any, attributes: dict[str, Any]) -> Node | None:
    base, *positions = args
    if not base.states and not base.node.shape:  # one number for all elements: which of them is taken is the same
        return base.node
    items, positions = _with_numbers(attributes["items"], positions)
    if not positions and not base.states:
        return indexed(raiser.filled(base), items)
    if base.states:
        return _taken_of_raised(raiser, base, positions, items)
    if base.node.shape != base.own:
        base = Raised(raiser.filled(base), (), base.own)
    at = place_of_arrays(items)
    arrays = [k for k, item in enumerate(items) if item[0] == "array"]
    if len(arrays) == 1 and all(item in (FULL, NEW) for k, item in enumerate(items) if k != arrays[0]):
        axis = sum(item != NEW for item in items[: arrays[0]])
        whole = raiser.is_whole(positions[0], base.own[axis])
        if whole is not None:
            rank = len(base.own)
            turned = in_order(base.node, [axis, *(k for k in range(rank) if k != axis)])
            inner = [NEW] * positions[0].rank
            rest = [item for k, item in enumerate(items) if k != arrays[0]]
            return indexed(turned, [FULL, *rest[: arrays[0]], *inner, *rest[arrays[0] :]])
    rank = max(position.rank for position in positions)
    given = [raiser.aligned(position, states, rank) for position in positions]
    widened = tuple(("array", len(one.shape)) if item[0] == "array" else item for item, one in _paired(items, given))
    made = OPS["index"].build((base.node, *given), {"items": widened})
    front = len(states)
    if at == 0:
        return made
    order = [*range(at, at + front), *range(at), *range(at + front, len(made.shape))]
    return in_order(made, order)


def _with_numbers(items: tuple[Any, ...], positions: list[Raised]) -> tuple[tuple[Any, ...], list[Raised]]:
    """Write a position that is a number as one, with new axes for those that it would have brought."""
    waiting, left = iter(positions), []
    found: list[tuple[Any, ...]] = []
    others = [position.rank for position in positions if not isinstance(position.node, Literal)]
    # Beside other positions a number brings no axes, which must be as many as before.
    several = bool(others)
    alike = max(others, default=-1) == max((position.rank for position in positions), default=0)
    for item in items:
        if item[0] != "array":
            found.append(item)
            continue
        position = next(waiting)
        if isinstance(position.node, Literal) and several and alike:
            found.append(("int", int(position.node.value)))
        elif isinstance(position.node, Literal) and len(positions) == 1:
            found += [("int", int(position.node.value)), *([NEW] * position.rank if found else [])]
        else:
            found.append(item)
            left.append(position)
    return tuple(found), left


def _paired(items: tuple[Any, ...], given: list[Node]) -> list[tuple[Any, Any]]:
    waiting = iter(given)
    return [(item, next(waiting) if item[0] == "array" else None) for item in items]


def _taken_of_raised(raiser: Raiser, base: Raised, positions: list[Raised], items: tuple[Any, ...]) -> Node | None:
    """Take the same elements of every state."""
    if any(position.states for position in positions) or are_scattered(items):
        return None
    prefix = (FULL,) * len(base.states)
    alike = _taken_where_alike(base, items)
    if alike is not None:
        return indexed(base.node, [*prefix, *alike])
    whole = raiser.filled(base)
    return OPS["index"].build((whole, *(p.node for p in positions)), {"items": (*prefix, *items)})


def _taken_where_alike(base: Raised, items: tuple[Any, ...]) -> list[tuple[Any, ...]] | None:
    """Write positions along axes on which all elements are alike as new axes: which of them is taken is the same."""
    own = iter(base.node.shape[len(base.states) :])
    found: list[tuple[Any, ...]] = []
    for item in items:
        if item in (FULL, NEW):
            found.append(item)
            if item == FULL:
                next(own)
        elif next(own) == ONE and item[0] == "array":
            found += [("int", 0), *[NEW] * item[1]]
        else:
            return None
    return found if sum(item[0] == "array" for item in items) == 1 else None


_RULES: dict[str, Any] = {
    "transpose": _transposed,
    "reshape": _reshaped,
    "concatenate": _concatenated,
    "matmul": _multiplied,
    "pick": _picked,
    "index": _taken,
}
