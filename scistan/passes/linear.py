"""Read linear predictors: the summands of a sum, and those that are data times coefficients."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from scistan.graph.node import Apply, Node, is_applied, literal
from scistan.ops.declaration import REGISTRY as OPS

__all__ = ["Signed", "product_of", "scaled_column", "signed", "sum_of", "summands"]

Signed = tuple[Node, bool]  # a summand, and whether it is added; a factor, and whether it multiplies


def summands(node: Node) -> Iterator[Signed]:
    """Take sums and differences apart, in the order they are written."""
    stack: list[Signed] = [(node, True)]
    while stack:
        top, added = stack.pop()
        if isinstance(top, Apply) and top.op.name in ("add", "subtract"):
            left, right = top.args
            stack += [(right, added == (top.op.name == "add")), (left, added)]
        elif is_applied(top, "negative"):
            stack.append((top.args[0], not added))
        else:
            yield top, added


def sum_of(parts: Iterable[Signed]) -> Node | None:
    """Add summands up; None if there are none."""
    total: Node | None = None
    for part, added in parts:
        if total is None:
            total = signed(part, added)
        else:
            total = OPS["add" if added else "subtract"].build((total, part))
    return total


def signed(node: Node, added: bool) -> Node:
    """Give a value, or its negative."""
    return node if added else OPS["negative"].build((node,))


def product_of(node: Node, latent: Container[Node]) -> tuple[Node, Node] | None:
    """Give design and coefficients of `x @ beta` with `x` a matrix of data, also where a number multiplies it.

    `latent` is what depends on latents.
    """
    if not isinstance(node, Apply):
        return None
    if node.op.name == "multiply":
        for number, inner in (node.args, node.args[::-1]):
            found = product_of(inner, latent) if not number.shape else None
            if found is not None:
                return found[0], OPS["multiply"].build((number, found[1]))
        return None
    if node.op.name != "matmul":
        return None
    design, beta = node.args
    if len(design.shape) != 2 or not 1 <= len(beta.shape) <= 2:
        return None
    return None if design in latent else (design, beta)


def scaled_column(node: Node, latent: Container[Node]) -> tuple[Node, Node] | None:
    """Give column and coefficient of `b * x`, with `x` a vector of data and `b` a number that depends on latents.

    Both may be products and quotients of such: `-m.b * m.x ** 2 / m.c`.
    """
    numbers: list[Signed] = []
    columns: list[Signed] = []
    positive = True
    stack: list[Signed] = [(node, True)]
    while stack:
        top, above = stack.pop()
        if top not in latent:
            columns.append((top, above))
        elif not top.shape:
            numbers.append((top, above))
        elif isinstance(top, Apply) and top.op.name in ("multiply", "divide"):
            left, right = top.args
            stack += [(right, above == (top.op.name == "multiply")), (left, above)]
        elif is_applied(top, "negative"):
            positive = not positive
            stack.append((top.args[0], above))
        else:
            return None
    if not numbers or len(node.shape) != 1:
        return None
    return _quotient(columns), signed(_quotient(numbers), positive)


def _quotient(factors: list[Signed]) -> Node:
    """Multiply what stands above the line, and divide by what stands below it."""
    above = [factor for factor, is_above in factors if is_above]
    result = above[0] if above else literal(1.0)
    for factor in above[1:]:
        result = OPS["multiply"].build((result, factor))
    for factor, is_above in factors:
        if not is_above:
            result = OPS["divide"].build((result, factor))
    return result
