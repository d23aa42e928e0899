"""Slopes of elementwise ops: formulas as users write them, read once; zeros and ones are left out."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cache

from scistan.graph.node import Literal, Node, is_applied, literal
from scistan.ops.declaration import REGISTRY, Op, Slope
from scistan.ops.expression import Expression
from scistan.ops.tables import FUNCTIONS
from scistan.shapes import values_of

__all__ = ["divided", "is_literal", "minus", "names_of", "negated", "plus", "slope_at", "times", "unless"]


def slope_at(op: Op, slope: Slope, out: Node, args: tuple[Node, ...]) -> Node:
    """Give a slope that is a formula or a function, at a use of the op."""
    if isinstance(slope, str):
        return read(slope)({**dict(zip(names_of(op), args, strict=True)), "out": out})
    if not callable(slope):
        raise TypeError(f"{op.name}: no slope to compute: {slope}")
    found = slope(Expression(out), *map(Expression, args))
    return literal(float(found)) if isinstance(found, int | float) else found._scistan_node_  # type: ignore[no-any-return]


def names_of(op: Op) -> tuple[str, ...]:
    """Give the names that an op's arguments have in formulas."""
    return op.arguments or ("x", "y", "z", "w")[: op.arity]


# -- arithmetic that leaves out zeros and ones -------------------------------------------------------
def is_literal(node: Node, value: float) -> bool:
    """Tell whether a node is this number, written."""
    return isinstance(node, Literal) and node.value == value


def _op(name: str, *args: Node) -> Node:
    return REGISTRY[name].build(args)


def _numbers(*nodes: Node) -> list[float] | None:
    return [n.value for n in nodes if isinstance(n, Literal)] if all(isinstance(n, Literal) for n in nodes) else None


def _covers(node: Node, other: Node) -> bool:
    """Tell whether a node alone has the shape that it has together with the other."""
    mine, others = values_of(node.shape), values_of(other.shape)
    return len(others) <= len(mine) and all(b in (1, a) for a, b in zip(mine[::-1], others[::-1], strict=False))


def times(x: Node, y: Node) -> Node:
    """Multiply; factors of 1 and of -1 leave no product behind."""
    numbers = _numbers(x, y)
    if numbers is not None:
        return literal(float(numbers[0] * numbers[1]))
    for one, other in ((x, y), (y, x)):
        if is_literal(one, 1.0):
            return other
        if is_literal(one, -1.0):
            return negated(other)
        if is_literal(one, 0.0) and not other.shape:
            return literal(0.0)
        if is_applied(one, "negative"):
            return negated(times(one.args[0], other))
        if isinstance(one, Literal) and is_applied(other, "multiply") and isinstance(other.args[0], Literal):
            return times(literal(float(one.value * other.args[0].value)), other.args[1])
    return _op("multiply", x, y)


def plus(x: Node, y: Node) -> Node:
    """Add; a 0 leaves no sum behind."""
    numbers = _numbers(x, y)
    if numbers is not None:
        return literal(float(numbers[0] + numbers[1]))
    for one, other in ((x, y), (y, x)):
        if is_literal(one, 0.0):
            return other
        if is_applied(one, "negative") and one is y:
            return _op("subtract", other, one.args[0])
    return _op("add", x, y)


def minus(x: Node, y: Node) -> Node:
    """Subtract; a 0 leaves no difference behind."""
    if is_literal(y, 0.0):
        return x
    if is_literal(x, 0.0) and _covers(y, x):
        return negated(y)
    numbers = _numbers(x, y)
    return literal(float(numbers[0] - numbers[1])) if numbers is not None else _op("subtract", x, y)


def negated(x: Node) -> Node:
    """Change the sign."""
    if isinstance(x, Literal):
        return literal(-x.value)
    return x.args[0] if is_applied(x, "negative") else _op("negative", x)


def divided(x: Node, y: Node) -> Node:
    """Divide; a divisor of 1 leaves no fraction behind."""
    return x if is_literal(y, 1.0) else _op("divide", x, y)


def unless(mask: Node, x: Node) -> Node:
    """Give `x` where the mask is not 0, and 0 elsewhere, whatever `x` is there."""
    return x if is_literal(x, 0.0) else _op("where", mask, x, literal(0.0))


def _raised(x: Node, y: Node) -> Node:
    if is_literal(y, 2):
        return _op("square", x)
    return x if is_literal(y, 1) else _op("power", x, y)


def _compared(name: str, x: Node, y: Node) -> Node:
    """Compare; two numbers are compared now."""
    if isinstance(x, Literal) and isinstance(y, Literal):
        return literal(int(getattr(operator, _SYMBOLS[name])(x.value, y.value)))
    return _op(name, x, y)


def _chosen(condition: Node, x: Node, y: Node) -> Node:
    """Choose; where the condition is a number the choice is made now."""
    if isinstance(condition, Literal):
        return x if condition.value else y
    return x if x is y else _op("where", condition, x, y)


_SYMBOLS = {"less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq", "not_equal": "ne"}


# -- formulas ----------------------------------------------------------------------------------------
_Reader = Callable[[Mapping[str, Node]], Node]
_BINARY: dict[type, Callable[[Node, Node], Node]] = {
    ast.Add: plus, ast.Sub: minus, ast.Mult: times, ast.Div: divided, ast.Pow: _raised,
}
_COMPARED: dict[type, str] = {
    ast.Lt: "less", ast.LtE: "less_equal", ast.Gt: "greater", ast.GtE: "greater_equal", ast.Eq: "equal",
    ast.NotEq: "not_equal",
}


@cache
def read(formula: str) -> _Reader:
    """Read a formula once; what it gives takes nodes for its names."""
    return _reader(ast.parse(formula, mode="eval").body)


def _reader(tree: ast.expr) -> _Reader:
    if isinstance(tree, ast.Name):
        return lambda named: named[tree.id]
    if isinstance(tree, ast.Constant) and isinstance(tree.value, int | float):
        number = tree.value
        return lambda named: literal(number)
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        inner = _reader(tree.operand)
        return lambda named: negated(inner(named))
    if isinstance(tree, ast.BinOp):
        left, right, apply = _reader(tree.left), _reader(tree.right), _BINARY[type(tree.op)]
        return lambda named: apply(left(named), right(named))
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
        left, right, name = _reader(tree.left), _reader(tree.comparators[0]), _COMPARED[type(tree.ops[0])]
        return lambda named: _compared(name, left(named), right(named))
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        inners, called = [_reader(arg) for arg in tree.args], tree.func.id
        if called == "where":
            return lambda named: _chosen(*(one(named) for one in inners))
        return lambda named: FUNCTIONS[called](*(Expression(one(named)) for one in inners))._scistan_node_
    raise ValueError(f"no part of a formula: {ast.unparse(tree)}")
