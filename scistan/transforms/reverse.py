"""Differentiate a graph: from one node back to others, by the gradients that ops declare; the result is a graph.

What a node's slope is times what comes back from its users is what goes to its arguments. Slopes that are the same
for every element stay single numbers for as long as they can (they are *thin*). Behind a `where`, what goes into the
branch that was not taken is 0 whatever the slopes are there: a mask goes along with it, and slopes that may be
infinite are cut out by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scistan.graph.node import Apply, Data, Literal, Node, extent, literal
from scistan.graph.places import first_place
from scistan.graph.walk import topological
from scistan.messages import transforms as messages
from scistan.ops.declaration import REGISTRY, Chosen, Never, NotYet, Op
from scistan.ops.derivative import is_literal, names_of, plus, read, slope_at, times, unless
from scistan.ops.expression import Expression
from scistan.ops.items import FULL
from scistan.ops.scan import SCAN, SCANNED
from scistan.shapes import ONE, Shape, Size
from scistan.transforms.reverse_scan import back_through

__all__ = ["full", "gradients"]


@dataclass(slots=True)
class _Coming:
    """What comes back to a node: parts to be added, and single elements by their position.

    `masks` tell where it may be other than 0; None as soon as one part comes unmasked.
    """

    parts: list[Node] = field(default_factory=list)
    elements: list[tuple[int, Node]] = field(default_factory=list)
    masks: dict[Node, None] | None = field(default_factory=dict)

    def take(self, part: Node, mask: Node | None) -> None:
        """Take one more part."""
        self.parts.append(part)
        self.note(mask)

    def note(self, mask: Node | None) -> None:
        """Note where a part may be other than 0."""
        if mask is None:
            self.masks = None
        elif self.masks is not None:
            self.masks[mask] = None


def gradients(root: Node, wrt: Sequence[Node], seed: Node | None = None) -> list[Node]:
    """Give the derivatives of `root` in each of `wrt`, of their shapes; each of `wrt` is taken as a variable.

    `seed` is what comes back to the root: of its shape, 1 by default.
    """
    order = topological([root])
    moving: set[Node] = set(wrt)
    for node in order:
        if node not in moving and any(arg in moving for arg in node.args):
            moving.add(node)
    coming: dict[Node, _Coming] = {}
    if root in moving:
        coming[root] = _Coming([literal(1.0) if seed is None else seed], masks=None)
    found: dict[Node, Node] = {}
    leaves = set(wrt)
    for node in reversed(order):
        if node not in coming or node not in moving:
            continue
        if isinstance(node, Apply) and node.op is SCAN:
            _through_recurrence(node, coming.pop(node), moving, coming)
            continue
        back, mask = _collected(node, coming.pop(node))
        if node in leaves:
            found[node] = back
        elif isinstance(node, Apply):
            _go_back(node, back, mask, moving, coming)
    return [full(found.get(node, literal(0.0)), node.shape) for node in wrt]


def full(value: Node, shape: Shape) -> Node:
    """Repeat a value to a shape."""
    thin = [size == ONE for size in value.shape]
    if thin == [size == ONE for size in shape]:
        return value
    return REGISTRY["broadcast_to"].build((value,), {"shape": shape, "rank": len(value.shape)})


# -- what comes to a node ----------------------------------------------------------------------------
def _collected(node: Node, coming: _Coming) -> tuple[Node, Node | None]:
    """Add up what comes to a node, and give where it may be other than 0 (None: anywhere)."""
    parts = coming.parts + _joined(node, coming.elements)
    total = parts[0]
    for part in parts[1:]:
        total = plus(total, part)
    if not coming.masks:
        return total, None
    first, *others = coming.masks
    for other in others:
        first = REGISTRY["maximum"].build((first, other))
    return total, first


def _joined(node: Node, elements: list[tuple[int, Node]]) -> list[Node]:
    """Put what comes for elements that were taken one by one into one value: a value for each were quadratic."""
    if not elements:
        return []
    shape = node.shape
    rest = (FULL,) * (len(shape) - 1)
    values = [full(value, shape[1:]) for _, value in elements]
    if len(elements) == 1:
        items: tuple[Any, ...] = (("int", elements[0][0]), *rest)
        given: tuple[Node, ...] = (values[0],)
    else:
        places = np.array([place for place, _ in elements])
        at = Data(places, (Size(len(places)),), integer=True)
        stacked = REGISTRY["stack"].build(tuple(values), {"axis": -1 - len(rest)})
        items, given = (("array", 1), *rest), (stacked, at)
    attributes = {"items": items, "shape": shape, "rank": len(given[0].shape)}
    return [REGISTRY["scatter"].build(given, attributes)]


# -- what goes to its arguments ------------------------------------------------------------------------
def _go_back(node: Apply, back: Node, mask: Node | None, moving: set[Node], coming: dict[Node, _Coming]) -> None:
    op = node.op
    if not isinstance(op, Op) or is_literal(back, 0.0):
        return
    if op.elementwise and not callable(op.gradient):
        _through_elements(op, node, back, mask, moving, coming)
        return
    if isinstance(op.gradient, Never):
        return
    if op is SCANNED:
        to = coming.setdefault(node.args[0], _Coming())
        to.elements.append((dict(node.attributes)["output"], full(back, node.shape)))  # type: ignore[arg-type]
        to.note(None)
        return
    if not callable(op.gradient):
        reason = op.gradient.reason if isinstance(op.gradient, NotYet) else _UNSAID
        raise messages.no_slope(op.name, (op.arguments or ("x",))[0], reason, first_place(node))
    place = _single_place(node)
    if place is not None and node.args[0] in moving:
        to = coming.setdefault(node.args[0], _Coming())
        to.elements.append((place, back))
        to.note(None if mask is None else _somewhere(mask))
        return
    for arg, part in zip(node.args, _parts(op, node, back), strict=False):
        if part is not None and arg in moving:
            part_mask = None if mask is None else _mask_of(op, node, arg, mask)
            shape = node.shape if op.elementwise else part.shape
            coming.setdefault(arg, _Coming()).take(_gathered(part, shape, arg.shape), part_mask)


def _through_recurrence(node: Apply, back: _Coming, moving: set[Node], coming: dict[Node, _Coming]) -> None:
    """Go back through all steps at once, with what has come back to each thing that is recorded of them."""
    recorded: dict[int, Node] = {}
    for output, value in back.elements:
        recorded[output] = plus(recorded[output], value) if output in recorded else value
    for arg, part in back_through(node, recorded, moving, gradients, full):
        coming.setdefault(arg, _Coming()).take(part, None)


_UNSAID = "its declaration has no `gradient=`"


def _parts(op: Op, node: Apply, back: Node) -> list[Node | None]:
    """Give what goes to each argument by the rule of an op along axes."""
    if op.name in ("sum", "broadcast_to") and not back.shape:
        rest = _size(node.shape, node.args[0].shape) if op.name == "broadcast_to" else None
        return [back if rest is None else times(back, rest)]
    rule: Any = op.gradient
    found = rule(Expression(full(back, node.shape)), Expression(node), *map(Expression, node.args),
                 **dict(node.attributes))
    given = (found,) if isinstance(found, Expression) else found
    return [None if part is None else part._scistan_node_ for part in given]


def _single_place(node: Apply) -> int | None:
    """Give the position along the first axis where a node takes one element of it and all of the others."""
    items: Any = dict(node.attributes).get("items", ()) if node.op.name == "index" else ()
    plain = bool(items) and items[0][0] == "int" and items[0][1] >= 0 and all(item == FULL for item in items[1:])
    return items[0][1] if plain else None


def _through_elements(
    op: Op, node: Apply, back: Node, mask: Node | None, moving: set[Node], coming: dict[Node, _Coming]
) -> None:
    slopes = op.gradient if isinstance(op.gradient, tuple) else (op.gradient,) * len(node.args)
    for slope, arg, name in zip(slopes, node.args, names_of(op), strict=True):
        if arg not in moving or isinstance(slope, Never):
            continue
        if slope is None or isinstance(slope, NotYet):
            raise messages.no_slope(op.name, name, _UNSAID if slope is None else slope.reason, first_place(node))
        if isinstance(slope, Chosen):
            part, where = _chosen(op, slope, node, back, mask)
        else:
            part, where = _multiplied(back, slope_at(op, slope, node, node.args), mask), mask
        if is_literal(part, 0.0):
            continue
        own = _gathered(part, node.shape, arg.shape)
        if where is not None and where.shape != arg.shape:
            where = _somewhere(where, node.shape, arg.shape)
        coming.setdefault(arg, _Coming()).take(own, where)


def _multiplied(back: Node, slope: Node, mask: Node | None) -> Node:
    product = times(back, slope)
    return product if mask is None or isinstance(slope, Literal) else unless(mask, product)


def _chosen(op: Op, slope: Chosen, node: Apply, back: Node, mask: Node | None) -> tuple[Node, Node | None]:
    named = {**dict(zip(names_of(op), node.args, strict=True)), "out": node}
    here, share = read(slope.mask)(named), read(slope.share)(named)
    if isinstance(here, Literal):
        return (times(back, share) if here.value else literal(0.0)), mask
    return unless(here, times(back, share)), here if mask is None else times(here, mask)


# -- shapes ------------------------------------------------------------------------------------------------
def _gathered(part: Node, shape: Shape, own: Shape) -> Node:
    """Add up what comes for an argument that was repeated from its `own` shape to `shape`; `part` may be thin."""
    rank = len(shape)
    have = (ONE,) * (rank - len(part.shape)) + part.shape
    want = (ONE,) * (rank - len(own)) + own
    repeated = [k for k in range(rank) if shape[k] != ONE and want[k] == ONE]
    for k in repeated:
        if have[k] == ONE:
            part = times(part, extent(shape[k]) if shape[k].terms else literal(float(shape[k].constant)))
    lead = tuple(k - rank for k in range(rank - len(own)) if k >= rank - len(part.shape))
    part = REGISTRY["sum"].build((part,), {"axes": lead, "keepdims": False}) if lead else part
    inner = tuple(k - rank for k in repeated if have[k] != ONE and k >= rank - len(own))
    return REGISTRY["sum"].build((part,), {"axes": inner, "keepdims": True}) if inner else part


def _size(shape: Shape, own: Shape) -> Node:
    """Count how often each element of a value was repeated."""
    return _gathered(literal(1.0), shape, own)


def _somewhere(mask: Node, shape: Shape | None = None, own: Shape = ()) -> Node:
    """Tell for each element of an argument whether anything that came of it is wanted."""
    if not mask.shape:
        return mask
    counted = _gathered(mask, shape if shape is not None else mask.shape, own)
    return counted if counted is mask else REGISTRY["greater"].build((counted, literal(0)))


def _mask_of(op: Op, node: Apply, arg: Node, mask: Node) -> Node:
    if not op.carries:
        return _somewhere(mask)
    part = _parts(op, node, mask)[node.args.index(arg)]
    if part is None:
        return _somewhere(mask)
    own = _gathered(part, part.shape, arg.shape)
    return own if own is mask else REGISTRY["greater"].build((own, literal(0)))
