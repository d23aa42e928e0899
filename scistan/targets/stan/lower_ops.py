"""Write the ops that are not elementwise: by the form they declare, or by a rule where types decide."""

from __future__ import annotations

from collections.abc import Callable

from scistan.graph.node import Apply, is_applied
from scistan.ops.declaration import AlongAxis, Call, Op, Reduction, Template
from scistan.shapes import ONE, Shape
from scistan.targets.stan.data_block import sized_type
from scistan.targets.stan.elementwise import write_elementwise
from scistan.targets.stan.indexing import lower_index, lower_pick, lower_scatter
from scistan.targets.stan.lower import NeedsStatements, Scope, canonical_type
from scistan.targets.stan.lower_ode import lower_solved
from scistan.targets.stan.lower_scan import lower_scanned
from scistan.targets.stan.lower_shapes import (
    as_whole,
    attributes_of,
    lower_broadcast_to,
    lower_concatenate,
    lower_positions,
    lower_reshape,
    lower_stack,
    lower_transpose,
)
from scistan.targets.stan.lowered import Lowered, unsupported
from scistan.targets.stan.scaling import write_scaling
from scistan.targets.stan.syntax import (
    MATRIX,
    MULTIPLY,
    POSTFIX,
    REAL,
    UNARY,
    VECTOR,
    Assign,
    Declare,
    Expr,
    For,
    PlusAssign,
    call,
    name,
)

__all__ = ["STRUCTURED", "lower_op"]


def _call(scope: Scope, node: Apply) -> Lowered:
    """Lower an op that is one Stan function of whole values."""
    form = node.op.stan if isinstance(node.op, Op) else None
    if not isinstance(form, Call | Template):
        raise unsupported(node, f"the op `{node.op.name}` has no Stan form")
    scope.writer.use_functions(form, node)
    if any(len(arg.shape) > 2 for arg in node.args):
        shown = form.name if isinstance(form, Call) else node.op.name
        raise unsupported(node, f"`{shown}` of a stack of matrices")
    args, kind = [scope.canonical(a) for a in node.args], canonical_type(node.shape)
    if isinstance(form, Call):
        return as_whole(scope, node, call(form.name, args, kind))
    return as_whole(scope, node, Expr(form.text.format(*(a.within(UNARY) for a in args)), kind))


# -- reductions -----------------------------------------------------------------------------------
def _reduce(scope: Scope, node: Apply, form: Reduction) -> Lowered:
    axes: tuple[int, ...] = attributes_of(node)["axes"]
    (arg,) = node.args
    rank = len(arg.shape)
    if not axes:
        return scope._lower(arg)
    if len(axes) == rank and rank <= 2:
        whole = _reduced(form, scope.canonical(arg), is_vector=rank == 1)
        if not node.shape:
            return as_whole(scope, node, whole)
        kept = Expr(f"[{whole.text}]'", VECTOR, POSTFIX) if rank == 1 else Expr(f"[[{whole.text}]]", MATRIX)
        return Lowered(kept, lambda indices: whole)
    if len(axes) == rank == 3 and node.op.name == "sum" and not node.shape:
        return _sum_stack(scope, node)
    if len(axes) > 1 and not form.in_turn:
        raise unsupported(node, f"`{node.op.name}` along several axes of a stack at once")
    if len(axes) > 1:
        return _reduce_in_turn(scope, node, axes)
    return _reduce_one_axis(scope, node, axes[0] + rank, form)


def _reduced(form: Reduction, value: Expr, *, is_vector: bool) -> Expr:
    """Reduce all of a value."""
    flat = form.vectors_only and not is_vector
    return call(form.name, [call("to_vector", [value], VECTOR) if flat else value], REAL)


def _sum_stack(scope: Scope, node: Apply) -> Lowered:
    """Sum a stack of matrices, one matrix after the other."""
    (arg,) = node.args
    if scope.expressions_only:
        raise NeedsStatements
    base, text = scope.named(arg), scope.claim(node)
    index = scope.writer.names.claim_index(0)
    body = (PlusAssign(text, f"sum({base.at(index).text})", node),)
    scope.statements += [Declare("real", text, "0", node), *scope.loops(arg.shape[:1], (index,), body)]
    total = name(text, REAL)
    return Lowered(total, lambda indices: total)


def _reduce_in_turn(scope: Scope, node: Apply, axes: tuple[int, ...]) -> Lowered:
    keep = attributes_of(node)["keepdims"]
    op = node.op
    if not isinstance(op, Op):
        raise unsupported(node, "the op is not declared")
    inner = op.build(node.args, {"axes": (axes[0],), "keepdims": True})
    rest = op.build((inner,), {"axes": axes[1:], "keepdims": True})
    if keep:
        return scope._lower(rest)
    rank = len(node.args[0].shape)
    removed = {a + rank for a in axes}

    def element(indices: tuple[str, ...]) -> Expr:
        waiting = iter(indices)
        return scope.element(rest, tuple("1" if k in removed else next(waiting) for k in range(rank)))

    if not node.shape:
        return Lowered(element(()), lambda indices: element(()))
    return Lowered(None, element, 1)


def _dot_products(scope: Scope, node: Apply) -> Expr | None:
    """Write sums of products of two matrices, row by row or column by column, by Stan's own function."""
    (arg,) = node.args
    full = is_applied(arg, "multiply") and all(
        len(factor.shape) == 2 and ONE not in factor.shape for factor in arg.args
    )
    axes = attributes_of(node)["axes"]
    if node.op.name != "sum" or not full or attributes_of(node)["keepdims"] or arg in scope.shared:
        return None
    factors = [scope.canonical(factor) for factor in arg.args]
    if axes == (-1,):
        return call("rows_dot_product", factors, VECTOR)
    return Expr(f"{call('columns_dot_product', factors, VECTOR).text}'", VECTOR, POSTFIX)


def _reduce_one_axis(scope: Scope, node: Apply, axis: int, form: Reduction) -> Lowered:
    (arg,) = node.args
    dots = _dot_products(scope, node)
    if dots is not None:
        return as_whole(scope, node, dots)
    base = scope.named(arg)
    keep = attributes_of(node)["keepdims"]

    def element(indices: tuple[str, ...]) -> Expr:
        keys = [i for k, i in enumerate(indices) if not keep or k != axis]
        keys.insert(axis, ":")
        while len(keys) > 1 and keys[-1] == ":":
            keys.pop()  # a row needs no trailing colon
        return _reduced(form, base.at(*keys), is_vector=axis >= base.type.arrays)

    return Lowered(None, element, 1)


# -- along an axis --------------------------------------------------------------------------------
def _along(scope: Scope, node: Apply, form: AlongAxis) -> Lowered:
    (arg,) = node.args
    axis: int = attributes_of(node)["axis"]
    function = form.name
    scope.writer.use_functions(form, node)
    if len(arg.shape) == 1:
        return as_whole(scope, node, call(function, [scope.whole(arg)], VECTOR))
    if len(arg.shape) > 2:
        return _along_in_stack(scope, node, function, axis)
    base = scope.canonical(arg)
    base = base if base.is_name else scope.named(arg)
    text = scope.claim(node)
    size = scope.writer.sizes.text(node.shape[0 if axis == -1 else 1])
    index = scope.writer.names.claim_index(0)
    if axis == -1:
        body = Assign(f"{text}[{index}]", f"{function}({base.text}[{index}]')'", node)
    else:
        body = Assign(f"{text}[:, {index}]", f"{function}({base.text}[:, {index}])", node)
    declared = sized_type(MATRIX, node.shape, scope.writer.sizes)
    scope.statements += [Declare(declared, text, node=node), For(index, size, (body,))]
    variable = name(text, MATRIX)
    return Lowered(variable, lambda indices: variable.at(*indices))


def _along_in_stack(scope: Scope, node: Apply, function: str, axis: int) -> Lowered:
    """Apply a function along one axis of a stack of matrices, for every position on the others."""
    if scope.expressions_only:
        raise NeedsStatements
    base = scope.named(node.args[0])
    rank = len(node.shape)
    text = scope.claim(node)
    at = rank + axis
    kept = tuple(scope.writer.names.claim_index(k) for k in range(rank - 1))
    keys = [*kept[:at], ":", *kept[at:]]
    taken = base.at(*(keys[:-1] if at == rank - 1 else keys))
    made = f"{function}(to_vector({taken.text}))"
    # Stan keeps a stack as an array of matrices: a row, a column, or an array across the stack.
    made = f"{made}'" if at == rank - 1 else made if at == rank - 2 else f"to_array_1d({made})"
    variable = name(text, canonical_type(node.shape))
    place = variable.at(*(keys[:-1] if at == rank - 1 else keys))
    others = tuple(size for k, size in enumerate(node.shape) if k != at)
    declared = sized_type(canonical_type(node.shape), node.shape, scope.writer.sizes)
    filled = scope.loops(others, kept, (Assign(place.text, made, node),))
    scope.statements += [Declare(declared, text, node=node), *filled]
    return Lowered(variable, lambda indices: variable.at(*indices))


# -- linear algebra -------------------------------------------------------------------------------
def _matmul(scope: Scope, node: Apply) -> Lowered:
    a, b = node.args
    ranks = (len(a.shape), len(b.shape))
    if max(ranks) > 2:
        return _matmul_elements(scope, node)
    scaled = write_scaling(scope, node)
    if scaled is not None:
        return as_whole(scope, node, scaled)
    left, right = scope.canonical(a), scope.canonical(b)
    if ranks == (1, 1):
        return as_whole(scope, node, call("dot_product", [left, right], REAL))
    if ranks == (1, 2):
        product = Expr(f"({left.within(POSTFIX)}' * {right.within(MULTIPLY + 1)})'", VECTOR, POSTFIX)
    else:
        text = f"{left.within(MULTIPLY)} * {right.within(MULTIPLY + 1)}"
        product = Expr(text, VECTOR if ranks[1] == 1 else MATRIX, MULTIPLY)
    return as_whole(scope, node, product)


def _matmul_elements(scope: Scope, node: Apply) -> Lowered:
    """Write one element of a product of stacks, or of values that are not matrices in Stan."""
    a, b = node.args
    left, right = scope.named(a), scope.named(b)

    def element(indices: tuple[str, ...]) -> Expr:
        spare = list(indices)
        column = [spare.pop()] if len(b.shape) > 1 else []
        row = [spare.pop()] if len(a.shape) > 1 else []
        rows = left.at(*_batch(a.shape, spare), *row)
        columns = right.at(*_batch(b.shape, spare), *([":", *column] if column else []))
        return call("dot_product", [rows, columns], REAL)

    return Lowered(None, element, 1)


def _batch(shape: Shape, indices: list[str]) -> list[str]:
    own = shape[:-2]
    used = indices[len(indices) - len(own) :]
    return ["1" if size == ONE else index for size, index in zip(own, used, strict=True)]


def _outer(scope: Scope, node: Apply) -> Lowered:
    left, right = (scope.whole(a) for a in node.args)
    return as_whole(scope, node, Expr(f"{left.within(MULTIPLY)} * {right.within(POSTFIX)}'", MATRIX, MULTIPLY))


def _solve_turned(scope: Scope, node: Apply) -> Lowered:
    """Divide from the right: what stands there is turned twice."""
    a, b = (scope.canonical(arg) for arg in node.args)
    text = f"mdivide_right_tri_low({b.within(POSTFIX)}', {a.text})'"
    return as_whole(scope, node, Expr(text, canonical_type(node.shape), POSTFIX))


def _exp_quad(scope: Scope, node: Apply) -> Lowered:
    x, alpha, rho = (scope.whole(arg) for arg in node.args)
    return as_whole(scope, node, call("gp_exp_quad_cov", [f"to_array_1d({x.text})", alpha, rho], MATRIX))


def _recorded(scope: Scope, node: Apply) -> Lowered:
    """Write what every step gives: of a loop, or of a solver."""
    is_equation = is_applied(node.args[0], "ode")
    return lower_solved(scope, node) if is_equation else lower_scanned(scope, node)


STRUCTURED: dict[str, Callable[[Scope, Apply], Lowered]] = {
    "matmul": _matmul,
    "outer": _outer,
    "solve_lower_turned": _solve_turned,
    "gp_exp_quad_cov": _exp_quad,
    "transpose": lower_transpose,
    "reshape": lower_reshape,
    "stack": lower_stack,
    "concatenate": lower_concatenate,
    "broadcast_to": lower_broadcast_to,
    "positions": lower_positions,
    "arange": lower_positions,
    "index": lower_index,
    "scatter": lower_scatter,
    "pick": lower_pick,
    "scanned": _recorded,
}
"""Every op whose text hangs on its arguments' types, with its rule."""


def lower_op(scope: Scope, node: Apply) -> Lowered:
    """Lower an op: element by element, by the form it declares, by its rule, or as one call."""
    if isinstance(node.op, Op) and node.op.elementwise:
        return write_elementwise(scope, node)
    form = node.op.stan if isinstance(node.op, Op) else None
    if isinstance(form, Reduction):
        return _reduce(scope, node, form)
    if isinstance(form, AlongAxis):
        return _along(scope, node, form)
    return STRUCTURED.get(node.op.name, _call)(scope, node)
