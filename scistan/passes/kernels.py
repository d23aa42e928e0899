"""Recognize the covariance of a Gaussian process, however it was written out."""

from __future__ import annotations

import math

from scistan.graph.node import Apply, Literal, Node, is_applied, literal
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.items import FULL
from scistan.passes.signs import Signs

__all__ = ["kernel_of"]


def kernel_of(op: str, args: tuple[Node, ...], signs: Signs) -> Node | None:
    """alpha² exp(-(x_i - x_j)² / (2 rho²)) -> gp_exp_quad_cov(x, alpha, rho), both positive; None for anything else."""
    if op == "exp" and len(args[0].shape) == 2:
        return _standard_kernel(args[0], signs)
    if op != "multiply":
        return None
    for height, kernel in (args, args[::-1]):
        if is_applied(kernel, "gp_exp_quad_cov") and not height.shape:
            x, alpha, rho = kernel.args
            constant, powers = _factors(height)
            root = next(iter(powers), None)
            squared = constant == 1.0 and list(powers.values()) == [2]
            if alpha is literal(1.0) and squared and root is not None and signs.is_positive(root):
                return OPS["gp_exp_quad_cov"].build((x, root, rho))
    return None


def _standard_kernel(exponent: Node, signs: Signs) -> Node | None:
    constant, powers = _factors(exponent)
    if constant != -0.5 or sorted(powers.values()) != [-2, 2]:
        return None
    apart, rho = sorted(powers, key=lambda node: -powers[node])
    x = _points(apart)
    if x is None or rho.shape or not signs.is_positive(rho):
        return None
    return OPS["gp_exp_quad_cov"].build((x, literal(1.0), rho))


def _factors(node: Node) -> tuple[float, dict[Node, int]]:
    """Write a product as a number and powers of what is no product."""
    constant, powers = 1.0, dict[Node, int]()
    stack = [(node, 1)]
    while stack:
        top, power = stack.pop()
        name = top.op.name if isinstance(top, Apply) else ""
        if isinstance(top, Literal):
            constant *= _power(float(top.value), power)
        elif name == "negative":
            constant *= (-1.0) ** power
            stack.append((top.args[0], power))
        elif name in ("multiply", "divide"):
            stack += [(top.args[0], power), (top.args[1], power if name == "multiply" else -power)]
        elif name == "square" or (name == "power" and top.args[1] in (literal(2), literal(2.0))):
            stack.append((top.args[0], 2 * power))
        else:
            powers[top] = powers.get(top, 0) + power
    return constant, powers


def _power(number: float, power: int) -> float:
    try:
        return number**power
    except (OverflowError, ZeroDivisionError):
        return math.nan  # equal to no constant that is looked for


def _points(node: Node) -> Node | None:
    """Give `x` for `x[:, None] - x[None, :]`."""
    if not isinstance(node, Apply) or node.op.name != "subtract":
        return None
    sides = [arg for arg in node.args if isinstance(arg, Apply) and arg.op.name == "index"]
    items = {dict(side.attributes)["items"] for side in sides}
    same = len(sides) == 2 and sides[0].args[0] is sides[1].args[0] and len(sides[0].args[0].shape) == 1
    return sides[0].args[0] if same and items == {(FULL, ("new",)), (("new",), FULL)} else None
