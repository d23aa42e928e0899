"""Back through a recurrence: a recurrence the other way round, which carries what comes back to the state.

A step of it is the gradient of the body, over the state that the step was given, its elements, and what comes back to
its results: from later steps to the state, and to whatever of it was recorded. What goes to elements is recorded in
place; what goes to values from outside is recorded as well, and added up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from scistan.graph.body import Bound, close, free_bound
from scistan.graph.node import Apply, Node, literal
from scistan.graph.places import copy_places
from scistan.ops import FUNCTIONS
from scistan.ops.declaration import REGISTRY
from scistan.ops.derivative import plus, times
from scistan.ops.expression import Expression
from scistan.ops.scan import SCAN, SCANNED, parts_of
from scistan.shapes import Shape
from scistan.transforms.substitute import substituted

__all__ = ["back_through"]

Gradients = Callable[[Node, Sequence[Node]], list[Node]]
Full = Callable[[Node, Shape], Node]


def back_through(
    node: Apply, coming: Mapping[int, Node], moving: set[Node], gradients: Gradients, full: Full
) -> list[tuple[Node, Node]]:
    """Give what goes to each argument that moves, where `coming` comes back to what is recorded of the results."""
    parts = parts_of(node)
    body, states = parts.body, len(parts.states)
    first_free = states + len(parts.elements)
    seeds = [free_bound(result.shape) for result in body.results]
    nothing: Node = literal(0.0)
    total = reduce(plus, (_dot(r, s) for r, s in zip(body.results, seeds, strict=True) if not r.integer), nothing)
    chosen = [k for k, arg in enumerate(node.args) if k < states or arg in moving]
    slopes = gradients(total, [body.parameters[k] for k in chosen])

    carried = [free_bound(parameter.shape) for parameter in body.parameters[:states]]
    before = [free_bound(parameter.shape) for parameter in body.parameters[:states]]
    inside = [free_bound(p.shape, p.integer) for p in body.parameters[states:first_free]]
    backs = {k: free_bound(body.results[k].shape) for k in coming}
    known: dict[Node, Node] = dict(zip(body.parameters, (*before, *inside, *parts.free), strict=True))
    for k, seed in enumerate(seeds):
        known[seed] = _seed(k, carried, backs, body.results[k].shape, full)
    results = [full(slope, body.parameters[k].shape) for k, slope in zip(chosen, slopes, strict=True)]
    given: tuple[Bound, ...] = (*carried, *before, *inside, *backs.values())
    made, outside = close(given, tuple(substituted(results, known)))

    over = (*(_given_to(node, k, full) for k in range(states)), *parts.elements, *coming.values())
    starts = tuple(full(literal(0.0), parameter.shape) for parameter in body.parameters[:states])
    attributes = {"body": made, "length": parts.length, "reverse": not parts.reverse, "states": states,
                  "elements": len(over)}
    scan = SCAN.build((*starts, *over, *outside), attributes)
    copy_places(node, scan)

    found = []
    for place, k in enumerate(chosen):
        arg = node.args[k]
        if arg not in moving:
            continue
        recorded = SCANNED.build((scan,), {"inner": made.results[place].shape, "output": place})
        if k < states:
            none = _lifted(starts[k])  # what comes back to the start where there is no step
            last = _joined(none, recorded)[-1] if parts.reverse else _joined(recorded, none)[0]
            part: Node = last._scistan_node_
        elif k < first_free:
            part = recorded
        else:
            part = REGISTRY["sum"].build((recorded,), {"axes": (-len(recorded.shape),), "keepdims": False})
        found.append((arg, part))
    return found


def _dot(result: Node, seed: Node) -> Node:
    product = times(result, seed)
    axes = tuple(range(-len(product.shape), 0))
    return REGISTRY["sum"].build((product,), {"axes": axes, "keepdims": False}) if axes else product


def _seed(k: int, carried: Sequence[Bound], backs: Mapping[int, Bound], shape: Shape, full: Full) -> Node:
    """Add up what comes back to a result of a step: from the step after it, and to what was recorded of it."""
    known: list[Node] = [carried[k]] if k < len(carried) else []
    known += [backs[k]] if k in backs else []
    nothing: Node = literal(0.0)
    return full(reduce(plus, known, nothing), shape)


def _given_to(node: Apply, k: int, full: Full) -> Node:
    """Give the state that each step was given: that of the step before, and the start for the first."""
    parts = parts_of(node)
    shape = parts.body.parameters[k].shape
    recorded = SCANNED.build((node,), {"inner": parts.body.results[k].shape, "output": k})
    start = _lifted(full(parts.states[k], shape))
    given = _joined(recorded, start)[1:] if parts.reverse else _joined(start, recorded)[:-1]
    return given._scistan_node_


def _joined(*parts: Node) -> Expression:
    return FUNCTIONS["concatenate"]([Expression(part) for part in parts])  # type: ignore[no-any-return]


def _lifted(node: Node) -> Node:
    """Give a value an axis of length 1 in front."""
    return FUNCTIONS["stack"]([Expression(node)])._scistan_node_  # type: ignore[no-any-return]
