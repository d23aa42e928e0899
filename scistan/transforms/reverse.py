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

from scistan.graph.node import Apply, Data, Literal, Node, literal
from scistan.graph.places import first_place
from scistan.graph.walk import topological
from scistan.messages import transforms as messages
from scistan.ops.declaration import REGISTRY, Chosen, Never, NotYet, Op
from scistan.ops.derivative import is_literal, names_of, plus, read, slope_at, times, unless
from scistan.ops.going_back import full, gathered, mask_behind, parts_back, somewhere
from scistan.ops.items import FULL
from scistan.ops.scan import SCAN, SCANNED
from scistan.shapes import Size
from scistan.transforms.reverse_scan import back_through

__all__ = ["gradients"]


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
    taken = _single_place(node)
    if taken is not None and node.args[0] in moving:
        to = coming.setdefault(node.args[0], _Coming())
        to.elements.append((taken, back))
        to.note(None if mask is None else somewhere(mask))
        return
    for place, (arg, part) in enumerate(zip(node.args, parts_back(op, node, back), strict=False)):
        if part is not None and arg in moving:
            shape = node.shape if op.elementwise else part.shape
            if mask is not None and not op.carries:
                part = unless(mask if op.elementwise else somewhere(mask), part)
            where = None if mask is None else mask_behind(op, node, place, mask)
            coming.setdefault(arg, _Coming()).take(gathered(part, shape, arg.shape), where)


def _through_recurrence(node: Apply, back: _Coming, moving: set[Node], coming: dict[Node, _Coming]) -> None:
    """Go back through all steps at once, with what has come back to each thing that is recorded of them."""
    recorded: dict[int, Node] = {}
    for output, value in back.elements:
        recorded[output] = plus(recorded[output], value) if output in recorded else value
    for arg, part in back_through(node, recorded, moving, gradients, full):
        coming.setdefault(arg, _Coming()).take(part, None)


_UNSAID = "its declaration has no `gradient=`"


def _single_place(node: Apply) -> int | None:
    """Give the position along the first axis where a node takes one element of it and all of the others."""
    items: Any = dict(node.attributes).get("items", ()) if node.op.name == "index" else ()
    plain = bool(items) and items[0][0] == "int" and items[0][1] >= 0 and all(item == FULL for item in items[1:])
    return items[0][1] if plain else None


def _through_elements(
    op: Op, node: Apply, back: Node, mask: Node | None, moving: set[Node], coming: dict[Node, _Coming]
) -> None:
    slopes = op.gradient if isinstance(op.gradient, tuple) else (op.gradient,) * len(node.args)
    for place, (slope, arg, name) in enumerate(zip(slopes, node.args, names_of(op), strict=True)):
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
        where = None if where is None else mask_behind(op, node, place, where)
        coming.setdefault(arg, _Coming()).take(gathered(part, node.shape, arg.shape), where)


def _multiplied(back: Node, slope: Node, mask: Node | None) -> Node:
    product = times(back, slope)
    return product if mask is None or isinstance(slope, Literal) else unless(mask, product)


def _chosen(op: Op, slope: Chosen, node: Apply, back: Node, mask: Node | None) -> tuple[Node, Node | None]:
    named = {**dict(zip(names_of(op), node.args, strict=True)), "out": node}
    here, share = read(slope.mask)(named), read(slope.share)(named)
    if isinstance(here, Literal):
        return (times(back, share) if here.value else literal(0.0)), mask
    return unless(here, times(back, share)), here if mask is None else times(here, mask)
