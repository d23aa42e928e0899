"""The op of a recurrence: a body that is run step by step, and what every step gives."""

from __future__ import annotations

from typing import Any

from scistan.errors import InternalError
from scistan.graph.body import Body, Bound
from scistan.graph.node import Apply, Node, find_applied
from scistan.graph.places import remember
from scistan.ops.axes import Flow
from scistan.ops.coerce import holds_expressions
from scistan.ops.declaration import Attributes, declare
from scistan.ops.expression import Expression
from scistan.ops.shaping import broadcast_to
from scistan.shapes import Equality, Shape, Size, SizeConflict, values_of

__all__ = [
    "SCAN", "SCANNED", "Parts", "as_wide", "find_recorded", "is_value", "parts_of", "result_of", "steps_axes",
    "steps_shape",
]

Rule = tuple[Shape, tuple[Equality, ...]]


def _elsewhere(*_: Any, **__: Any) -> Any:
    raise InternalError("a recurrence is run by `targets/recurrence.py`, not as a function of arrays")


def steps_shape(shapes: tuple[Shape, ...], attributes: Attributes) -> Rule:
    """Give the shape of what runs a body step by step: states, elements of arrays, and what does not change."""
    body: Any = attributes["body"]
    length: Any = attributes["length"]
    first, last = int(attributes["states"]), int(attributes["states"]) + int(attributes["elements"])  # type: ignore[call-overload]
    equal: list[Equality] = list(body.equalities)
    for k, (own, parameter) in enumerate(zip(shapes, body.parameters, strict=True)):
        inner = (length, *parameter.shape) if first <= k < last else parameter.shape
        equal += _meeting(own, inner)
    for parameter, result in zip(body.parameters[:first], body.results[:first], strict=True):
        equal += _meeting(parameter.shape, result.shape)
    return (length,), tuple(equal)


def _meeting(one: Shape, other: Shape) -> tuple[Equality, ...]:
    if values_of(one) != values_of(other):
        raise SizeConflict(*next((a, b) for a, b in zip((*one, Size(0)), (*other, Size(0)), strict=False) if a != b))
    return tuple((a, b) for a, b in zip(one, other, strict=True) if a != b)


def steps_axes(node: Apply, attributes: Attributes) -> Flow:
    """Say that what is run over gives the steps their axis."""
    first = int(attributes["states"])  # type: ignore[call-overload]
    over = tuple((first + k, 0) for k in range(int(attributes["elements"])))  # type: ignore[call-overload]
    return Flow((over,), by_position=over, over=over)


def _scanned_shape(shapes: tuple[Shape, ...], attributes: Attributes) -> Rule:
    inner: Any = attributes["inner"]
    return (shapes[0][0], *inner), ()


def _scanned_axes(node: Apply, attributes: Attributes) -> Flow:
    steps = ((0, 0),)  # nothing can be taken of a recurrence but what it records of all steps
    return Flow((steps, *((),) * (len(node.shape) - 1)), over=steps)


def _taken(_: Any, found: Any, *, output: int, inner: tuple[int, ...]) -> Any:
    return found[output]


def _back(*_: Any, **__: Any) -> Any:
    raise InternalError("a recurrence is gone back through by `transforms/reverse_scan.py`, over all that it records")


SCAN = declare("scan", "A recurrence: all that its steps give.", numpy=_elsewhere, torch=_elsewhere, arity=None,
               shape=steps_shape, axes=steps_axes, public=False, binds=True, gradient=_back)
SCANNED = declare("scanned", "What every step of a recurrence gives.", numpy=_taken, torch=_taken,
                  shape=_scanned_shape, axes=_scanned_axes, public=False, gradient=_back)


class Parts:
    """A recurrence or an equation taken apart: its body, and its arguments by what they are to it."""

    __slots__ = ("body", "elements", "free", "length", "reverse", "states")

    def __init__(self, node: Apply) -> None:
        attributes: dict[str, Any] = dict(node.attributes)
        self.body: Body = attributes["body"]
        self.length: Size = attributes["length"]
        self.reverse: bool = attributes.get("reverse", False)
        first, last = attributes["states"], attributes["states"] + attributes["elements"]
        self.states, self.elements, self.free = node.args[:first], node.args[first:last], node.args[last:]


def parts_of(node: Apply) -> Parts:
    """Take a recurrence apart."""
    return Parts(node)


def find_recorded(node: Apply) -> dict[int, Apply]:
    """Give what there is of what a recurrence records, by the number of the result."""
    body = Parts(node).body
    asked = {k: (("inner", result.shape), ("output", k)) for k, result in enumerate(body.results)}
    found = {k: find_applied(SCANNED, (node,), key) for k, key in asked.items()}
    return {k: one for k, one in found.items() if one is not None}


def result_of(node: Apply, body: Body, output: int, place: Any) -> Expression:
    """Give one result of every step."""
    made = SCANNED.build((node,), {"inner": body.results[output].shape, "output": output})
    remember(made, place)
    return Expression(made)


def is_value(value: object) -> bool:
    """Tell a list of numbers, which is an array, from a list of values of their own."""
    held = value if isinstance(value, list) else ()
    return isinstance(value, list) and not holds_expressions(value) and not any(isinstance(v, dict) for v in held)


def as_wide(state: Node, parameter: Bound) -> Node:
    """Repeat a start to the shape that its state has."""
    if len(state.shape) == len(parameter.shape):
        return state
    wide: Node = broadcast_to(Expression(state), parameter.shape)._scistan_node_
    return wide
