"""Stan forms of the ops that move elements without changing them."""

from __future__ import annotations

from typing import Any

from scistan.graph.node import Apply, Node
from scistan.ops.declaration import REGISTRY as OPS
from scistan.targets.stan.data_block import sized_type
from scistan.targets.stan.elementwise import expand
from scistan.targets.stan.fill import zeros
from scistan.targets.stan.lower import NeedsStatements, Scope, canonical_type
from scistan.targets.stan.lowered import Lowered, unsupported
from scistan.targets.stan.syntax import (
    MATRIX,
    POSTFIX,
    REAL,
    VECTOR,
    Assign,
    Declare,
    Expr,
    PlusAssign,
    Statement,
    call,
    name,
)

__all__ = [
    "as_whole", "attributes_of", "lower_broadcast_to", "lower_concatenate", "lower_positions", "lower_reshape",
    "lower_stack", "lower_transpose",
]


def attributes_of(node: Apply) -> dict[str, Any]:
    """Give the static attributes of an op by name."""
    return dict(node.attributes)


def as_whole(scope: Scope, node: Apply, expr: Expr) -> Lowered:
    """Give a value that exists as a whole; an element of it is taken from a variable."""

    def element(indices: tuple[str, ...]) -> Expr:
        return scope.named(node).at(*indices) if indices else expr

    return Lowered(expr, element)


def lower_transpose(scope: Scope, node: Apply) -> Lowered:
    """Lower `transpose`."""
    (arg,) = node.args
    order: tuple[int, ...] = attributes_of(node)["order"]
    lowered = scope._lower(arg)
    rank = len(arg.shape)

    def element(indices: tuple[str, ...]) -> Expr:
        keys = [""] * rank
        for place, axis in enumerate(order):
            keys[axis + rank] = indices[place]
        return scope.element(arg, tuple(keys))

    if rank == 2 and lowered.whole is not None and lowered.whole.type == MATRIX:
        return Lowered(Expr(f"{lowered.whole.within(POSTFIX)}'", MATRIX, POSTFIX), element)
    return Lowered(None, element, 1)


def lower_reshape(scope: Scope, node: Apply) -> Lowered:
    """Lower `reshape`."""
    (arg,) = node.args
    old, new = len(arg.shape), len(node.shape)
    sizes = scope.writer.sizes
    if old > 2 or new > 2:
        raise unsupported(node, "reshaping more than two axes")
    base = scope.canonical(arg)
    flat = base if old == 1 else Expr(f"to_vector({base.within(POSTFIX)}')", VECTOR) if old == 2 else (
        Expr(f"[{base.text}]'", VECTOR, POSTFIX))
    if new == 0:
        return as_whole(scope, node, flat.at("1"))
    if new == 1:
        return as_whole(scope, node, flat)
    # NumPy fills row by row, Stan column by column unless told otherwise.
    rows, columns = (sizes.text(s) for s in node.shape)
    return as_whole(scope, node, call("to_matrix", [flat, rows, columns, "0"], MATRIX))


def lower_stack(scope: Scope, node: Apply) -> Lowered:
    """Lower `stack`."""
    axis: int = attributes_of(node)["axis"]
    inner = len(node.shape) - 1
    if inner == 0:
        parts = ", ".join(scope.whole(a).text for a in node.args)
        return as_whole(scope, node, Expr(f"[{parts}]'", VECTOR, POSTFIX))
    if inner > 1:
        return _stack_matrices(scope, node, axis)
    shape = node.shape[1:] if axis == -2 else node.shape[:1]
    rows: list[str] = []
    for arg in node.args:
        value = scope.container(arg, shape)
        if value.type.rank == 0:
            value = call("rep_vector", [value, scope.writer.sizes.text(shape[0])], VECTOR)
        if axis == -1 and len(node.args) == 1:
            return as_whole(scope, node, call("to_matrix", [value], MATRIX))
        rows.append(f"{value.within(POSTFIX)}'")
    matrix = Expr(f"[{', '.join(rows)}]", MATRIX)
    if axis == -1:
        matrix = Expr(f"{matrix.text}'", MATRIX, POSTFIX)
    return as_whole(scope, node, matrix)


def _stack_matrices(scope: Scope, node: Apply, axis: int) -> Lowered:
    """Fill an array of matrices: one after the other, or element by element where they stand side by side in it."""
    if scope.expressions_only:
        raise NeedsStatements
    kind, at = canonical_type(node.shape), axis + len(node.shape)
    if at:
        return _stack_elements(scope, node, at)
    parts = [scope.canonical(OPS["broadcast_to"].build((arg,), {"shape": node.shape[1:], "rank": len(arg.shape)}))
             for arg in node.args]
    variable = name(scope.claim(node), kind)
    filled = [Assign(variable.at(str(k + 1)).text, part.text, node) for k, part in enumerate(parts)]
    declared = sized_type(kind, node.shape, scope.writer.sizes)
    scope.statements += [Declare(declared, variable.text, node=node), *filled]
    return Lowered(variable, lambda indices: variable.at(*indices))


def _stack_elements(scope: Scope, node: Apply, at: int) -> Lowered:
    """Add one value after the other to zeros, for the reason in `fill.py`."""
    shape = (*node.shape[:at], *node.shape[at + 1 :])
    indices = tuple(scope.writer.names.claim_index(k) for k in range(len(shape)))
    variable = name(scope.claim(node), canonical_type(node.shape))
    added: list[Statement] = []
    for k, arg in enumerate(node.args):
        part = scope.broadcast_element(arg, indices)
        place = variable.at(*indices[:at], str(k + 1), *indices[at:])
        added.append(PlusAssign(place.text, part.text, node))
    scope.statements += [*zeros(scope.writer.sizes, variable, node), *scope.loops(shape, indices, tuple(added))]
    return Lowered(variable, lambda keys: variable.at(*keys))


def lower_concatenate(scope: Scope, node: Apply) -> Lowered:
    """Lower `concatenate`."""
    axis: int = attributes_of(node)["axis"]
    if len(node.shape) > 2:
        raise unsupported(node, "concatenating more than two axes")
    function = "append_col" if len(node.shape) == 2 and axis == -1 else "append_row"
    joined, *others = (scope.canonical(arg) if single is None else single for arg, single in _parts(scope, node))
    for part in others:
        joined = call(function, [joined, part], canonical_type(node.shape))
    return as_whole(scope, node, joined)


def _parts(scope: Scope, node: Apply) -> list[tuple[Node, Expr | None]]:
    """Give what is concatenated, and without its axis of length 1 what Stan appends as it is.

    That is a number to a vector, and a vector to a matrix.
    """
    along_last = attributes_of(node)["axis"] == -1
    parts = [(arg, _single(scope, arg, len(node.shape)) if along_last else None) for arg in node.args]
    # Stan joins a number and a vector, and no two numbers.
    return parts if sum(single is None for _, single in parts[:2]) else [(arg, None) for arg, _ in parts]


def _single(scope: Scope, node: Node, rank: int) -> Expr | None:
    """Give the number that `x[None]` has for its only element, or the one value that was stacked along a last axis."""
    if not isinstance(node, Apply) or not node.args:
        return None
    if rank == 1 and node.op.name == "index" and attributes_of(node)["items"] == (("new",),):
        return scope.whole(node.args[0])
    is_alone = node.op.name == "stack" and len(node.args) == 1 and attributes_of(node)["axis"] == -1
    return scope.canonical(node.args[0]) if is_alone else None


def lower_broadcast_to(scope: Scope, node: Apply) -> Lowered:
    """Lower `broadcast_to`."""
    (arg,) = node.args

    def element(indices: tuple[str, ...]) -> Expr:
        return scope.broadcast_element(arg, indices)

    value = scope._lower(arg).whole
    if value is None or len(node.shape) > 2 or value.type.arrays:
        return Lowered(None, element, 1)
    sizes = [scope.writer.sizes.text(s) for s in node.shape]
    repeated = expand(scope, arg, value, node.shape)
    if repeated.type.rank == 0:
        function = "rep_vector" if len(sizes) == 1 else "rep_matrix"
        repeated = call(function, [repeated, *sizes], canonical_type(node.shape))
    return Lowered(repeated, element)


def lower_positions(scope: Scope, node: Apply) -> Lowered:
    """Lower `positions`."""
    size = scope.writer.sizes.text(node.shape[-1])
    last = scope.writer.sizes.text(node.shape[-1] - 1)

    def element(indices: tuple[str, ...]) -> Expr:
        return Expr(f"{indices[-1]} - 1", REAL, 6)

    if len(node.shape) == 1:
        return Lowered(call("linspaced_vector", [size, "0", last], VECTOR), element)
    return Lowered(None, element, 1)
