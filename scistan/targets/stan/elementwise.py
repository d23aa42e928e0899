"""Elementwise ops in Stan: vectorized where its types allow, else a formula for one element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scistan.graph.node import Apply, Node, Variable
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.declaration import Call, Infix, Op, Template
from scistan.shapes import ONE, Shape, is_repeated
from scistan.targets.stan.lowered import Lowered, unsupported
from scistan.targets.stan.scaling import unexpanded, write_diagonal_sum, write_scaling
from scistan.targets.stan.syntax import (
    ATOM,
    INT,
    MATRIX,
    POSTFIX,
    REAL,
    UNARY,
    VECTOR,
    Expr,
    Type,
    call,
)

if TYPE_CHECKING:
    from scistan.targets.stan.lower import Scope

__all__ = ["expand", "write_elementwise"]

_COMPARISONS = frozenset({"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"})
_ASSOCIATIVE = frozenset({"+"})


def write_elementwise(scope: Scope, node: Apply) -> Lowered:
    """Lower an elementwise op."""
    form = node.op.stan if isinstance(node.op, Op) else None
    scope.writer.use_functions(form, node)
    if node.op.name == "multiply_log" and node.shape and isinstance(node.args[1], Variable) and not node.args[1].shape:
        # One logarithm for all elements; a latent that must be positive is at 0 nowhere.
        return scope._lower(OPS["multiply"].build((node.args[0], OPS["log"].build((node.args[1],)))))
    parts = [scope._lower(arg) for arg in node.args]
    depth = 1 + max((p.depth for p in parts), default=0)

    if node.op.name == "where" and len(node.shape) == 2 and not scope.expressions_only:
        for arg in node.args[1:]:  # what is chosen for every row is computed once
            if arg.shape and is_repeated(arg.shape, node.shape) and scope.is_costly(arg):
                scope.named(arg)

    def element(indices: tuple[str, ...]) -> Expr:
        return write_form(node, [scope.broadcast_element(arg, indices) for arg in node.args], REAL)

    if not node.shape:
        scalars = [scope.whole(arg) for arg in node.args]
        return Lowered(write_form(node, scalars, REAL), element)
    wholes = [p.whole for p in parts]
    if not _vectorizes(node) or any(w is None or w.type.arrays for w in wholes):
        return Lowered(None, element, depth)
    kind = VECTOR if len(node.shape) == 1 else MATRIX
    scaled = write_scaling(scope, node) or write_diagonal_sum(scope, node)
    if scaled is not None:
        return Lowered(scaled, element, depth)
    containers = [expand(scope, arg, w, node.shape) for arg, w in zip(node.args, wholes, strict=True) if w is not None]
    return Lowered(write_form(node, containers, kind), element, depth)


def _vectorizes(node: Apply) -> bool:
    form = node.op.stan if isinstance(node.op, Op) else None
    return len(node.shape) <= 2 and (isinstance(form, Infix) or (isinstance(form, Call | Template) and form.vectorizes))


def write_form(node: Apply, args: Sequence[Expr], kind: Type) -> Expr:
    """Write an op's declared form with these arguments."""
    form = node.op.stan if isinstance(node.op, Op) else None
    scalar = all(a.type.rank == 0 for a in args)
    if isinstance(form, Infix):
        return _infix(node.op.name, form, args, kind)
    if isinstance(form, Call):
        return call(form.name, args, REAL if scalar else kind)
    if isinstance(form, Template):
        return _template(node.op.name, form, args, kind)
    raise unsupported(node, f"the op `{node.op.name}` has no Stan form")


def _infix(op: str, form: Infix, args: Sequence[Expr], kind: Type) -> Expr:
    left, right = args
    a, b = left.type.rank > 0, right.type.rank > 0
    both_integer = left.type == INT and right.type == INT
    if op == "divide" and both_integer:  # whole numbers would divide as such
        left = Expr(f"{left.text}.0", REAL) if left.text.isdigit() else Expr(f"1.0 * {left.within(8)}", REAL, 7)
    plain = not (a and b) and (form.scalar_right if a else form.scalar_left if b else True)
    symbol = form.symbol if plain else form.container
    tight = form.precedence
    if form.symbol == "^":
        text = f"{left.within(tight + 1)} {symbol} {right.within(tight + 1)}" if a or b else (
            f"{left.within(tight + 1)}^{right.within(tight + 1)}")
    else:
        inner = right.within(tight if symbol in _ASSOCIATIVE and right.precedence == tight else tight + 1)
        if symbol == "-" and right.precedence == UNARY:
            inner = f"({right.text})"
        text = f"{left.within(tight)} {symbol} {inner}"
    integer = both_integer and op in ("add", "subtract", "multiply")
    return Expr(text, INT if integer else kind if a or b else REAL, tight)


def _template(op: str, form: Template, args: Sequence[Expr], kind: Type) -> Expr:
    texts = [a.within(UNARY + 1 if form.text.startswith("-") else UNARY) for a in args]
    if op == "where" and args[0].type != INT:
        texts[0] = f"{texts[0]} != 0"
    scalar = all(a.type.rank == 0 for a in args)
    text = form.text.format(*texts)
    result = INT if op in _COMPARISONS else REAL if scalar else kind
    if op == "negative" and scalar:
        result = args[0].type
    return Expr(text, result, UNARY if text.startswith("-") else ATOM)


def expand(scope: Scope, node: Node, value: Expr, shape: Shape) -> Expr:
    """Repeat a value to `shape` where Stan needs it; a scalar stays one, for Stan repeats it itself."""
    own = node.shape
    sizes = scope.writer.sizes
    if not own or not is_repeated(own, shape):
        return value
    if all(size == ONE for size in own):
        return scope.element(node, ("1",) * len(own))
    rows, columns = (sizes.text(s) for s in shape[-2:])
    inner = unexpanded(node, column=own[0] != ONE)
    if len(own) == 1:
        return call("rep_matrix", [Expr(f"{value.within(POSTFIX)}'", VECTOR, POSTFIX), rows], MATRIX)
    if own[0] == ONE:
        row = f"{scope.whole(inner).within(POSTFIX)}'" if inner is not None else value.at("1").text
        return call("rep_matrix", [row, rows], MATRIX)
    column = scope.whole(inner).text if inner is not None else value.at(":", "1").text
    return call("rep_matrix", [column, columns], MATRIX)
