"""`ss.scan`: a state that goes from step to step by a function written in the language itself."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from scistan.given import as_switch
from scistan.graph.body import Body, Bound, close, free_bound
from scistan.graph.node import Literal, Node, literal
from scistan.graph.places import remember, user_place
from scistan.messages import recurrences as messages
from scistan.messages.values import as_given
from scistan.ops.coerce import as_node
from scistan.ops.expression import Expression
from scistan.ops.running_sum import running_sum
from scistan.ops.scan import SCAN, as_wide, is_value, result_of
from scistan.ops.structure import Structure, leaves_in, structure_of
from scistan.shapes import GIVEN, Shape, Size, SizeConflict, broadcast, values_of

__all__ = ["scan"]


def scan(
    step: object, init: object, over: object = None, length: object = None, reverse: bool = False
) -> Any:
    """Carry a state from step to step: `step(state, *elements)` gives the next state, or a pair (state, output).

    The elements of a step are those of the arrays in `over`, which run along their first axis; without any, `length`
    says how many steps there are. What is given back has an axis over the steps in front, without `init`: the outputs
    where the step gives any, else the states. States and outputs may be numbers, arrays, or tuples and dicts of them.
    `reverse=True` starts from the end; positions stay what they are.

    >>> import scistan as ss
    >>> m = ss.Model("smooth")
    >>> m.x = ss.data([1.0, 2.0, 4.0])
    >>> m.a = ss.Beta(2, 2)
    >>> m.level = ss.scan(lambda level, x: m.a * x + (1 - m.a) * level, init=0.0, over=m.x)
    >>> m.level.shape
    (3,)
    """
    if not callable(step):
        raise messages.no_step(step)
    place = user_place()
    reverse = as_switch("reverse", reverse)
    form = structure_of(init, is_value)
    states = [_state(value) for value in leaves_in(init, form)]
    forms, elements = _elements(over)
    size = _length(elements, length)
    traced, body, outside = _traced(step, form, states, forms, elements)
    states = [as_wide(state, parameter) for state, parameter in zip(states, body.parameters, strict=False)]
    if traced is None and len(states) == 1 and not reverse:  # backwards, a loop is the shorter program
        summed = running_sum(body, states[0], elements, outside, size)
        if summed is not None:
            return form.filled(iter([summed]))
    counts = {"states": len(states), "elements": len(elements)}
    attributes = {"body": body, "length": size, "reverse": reverse, **counts}
    node = SCAN.build((*states, *elements, *outside), attributes)
    remember(node, place)
    recorded = range(len(states), len(body.results)) if traced is not None else range(len(states))
    found = (result_of(node, body, k, place) for k in recorded)
    return (traced or form).filled(found)


# -- what is given --------------------------------------------------------------------------------
def _state(value: object) -> Node:
    node = as_node(value)
    return literal(float(node.value)) if isinstance(node, Literal) else node  # a state is a real number


def _elements(over: object) -> tuple[list[Structure], list[Node]]:
    """Read what is run over: one array or a dict of arrays for each element that the step is given."""
    each = [] if over is None else list(over) if isinstance(over, tuple) else [over]
    forms = [structure_of(one, is_value) for one in each]
    nodes = [as_node(leaf) for one, form in zip(each, forms, strict=True) for leaf in leaves_in(one, form)]
    for node in nodes:
        if not node.shape:
            raise messages.no_axis(as_given(node.value) if isinstance(node, Literal) else "one of it")
    return forms, nodes


def _length(elements: list[Node], asked: object) -> Size:
    lengths = [node.shape[0] for node in elements]
    if asked is not None:
        if isinstance(asked, Size):
            lengths.insert(0, asked)
        elif isinstance(asked, int | np.integer) and not isinstance(asked, bool) and asked >= 1:
            lengths.append(Size.new(int(asked), rank=GIVEN))
        else:
            raise messages.bad_length(asked)
    if not lengths:
        raise messages.no_length()
    if len({size.today for size in lengths}) > 1:
        raise messages.lengths_differ([size.today for size in lengths])
    return next((size for size in lengths if size.symbol is not None), lengths[0])


# -- reading the step -----------------------------------------------------------------------------
def _traced(
    step: Callable[..., Any], form: Structure, states: list[Node], forms: list[Structure], elements: list[Node]
) -> tuple[Structure | None, Body, tuple[Node, ...]]:
    """Call the step with values that stand for any; a state grows to the shape that a step gives it."""
    shapes = [state.shape for state in states]
    while True:
        given = [free_bound(shape) for shape in shapes]
        given += [free_bound(node.shape[1:], node.integer) for node in elements]
        traced, results = _called(step, form, given, forms)
        grown = [broadcast_or_refuse(a, b.shape) for a, b in zip(shapes, results, strict=False)]
        if [len(s) for s in grown] == [len(s) for s in shapes]:
            break
        shapes = grown
    body, outside = close(tuple(given), tuple(results))
    return traced, body, outside


def broadcast_or_refuse(state: Shape, result: Shape) -> Shape:
    """Give the shape of a state that a step turns into `result`."""
    try:
        united, _ = broadcast(state, result)
    except SizeConflict:
        raise messages.other_shape(values_of(state), values_of(result)) from None
    if len(united) > len(result) or values_of(united) != values_of(result):
        raise messages.other_shape(values_of(state), values_of(result))
    return result if len(result) > len(state) else state


def _called(
    step: Callable[..., Any], form: Structure, given: list[Bound], forms: list[Structure]
) -> tuple[Structure | None, list[Node]]:
    values = map(Expression, given)
    state = form.filled(values)
    each = [one.filled(values) for one in forms]
    try:
        found = step(state, *each)
    except TypeError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is None:  # the call itself
            raise messages.changes_something(error) from None
        raise
    whole = structure_of(found, is_value)
    if whole == form:
        return None, [as_node(leaf) for leaf in leaves_in(found, whole)]
    if isinstance(found, tuple) and len(found) == 2 and whole.parts[0] == form:
        leaves = chain(leaves_in(found[0], form), leaves_in(found[1], whole.parts[1]))
        return whole.parts[1], [as_node(leaf) for leaf in leaves]
    raise messages.other_structure(str(whole), str(form))
