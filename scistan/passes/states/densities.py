"""The log density of a term whose arguments, or value, are states: -∞ in states that cannot be."""

from __future__ import annotations

from collections.abc import Container, Mapping
from math import inf

from scistan.distributions.declaration import Distribution
from scistan.distributions.density import pointwise
from scistan.graph.graph import Term
from scistan.graph.node import Apply, Node, Variable, is_applied
from scistan.graph.walk import has_latents, leaves, rebuild, topological
from scistan.ops import FUNCTIONS
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.declaration import Op
from scistan.ops.expression import Expression
from scistan.passes.signs import Signs
from scistan.passes.states.fold import times_log
from scistan.passes.states.hidden import Hidden
from scistan.shapes import values_of

__all__ = ["argument_tests", "depends_on", "log_density"]

where, minimum, maximum, logical_and = (FUNCTIONS[n] for n in ("where", "minimum", "maximum", "logical_and"))


def depends_on(node: Node, hidden: Container[object]) -> bool:
    """Tell whether a value is computed from a hidden latent."""
    return any(isinstance(leaf, Variable) and leaf in hidden for leaf in leaves([node]))


def log_density(term: Term, own: Hidden | None, hidden: Mapping[Variable, Hidden], signs: Signs) -> Node:
    """Give the log density of each event of a term, for whatever states the hidden latents are in."""
    inside: list[Expression] = []
    density = _within_support(term, own, hidden, inside)
    density = Expression(pointwise(term)) if density is None else density
    if own is None:
        # A latent of two states is a number in what is computed of each, so that nothing is 0 unnoticed.
        density = Expression(_safe_logs(density._scistan_node_, [v for v, one in hidden.items() if not one.is_pair]))
        density = Expression(_plain_products(density._scistan_node_, hidden))
    inside += [test for _, test in argument_tests(term, signs, hidden)]
    if not inside:
        return density._scistan_node_
    possible = inside[0]
    for test in inside[1:]:
        possible = logical_and(possible, test)
    node: Node = where(possible, density, -inf)._scistan_node_
    batch = term.law.shape[: len(term.law.shape) - term.law.event_rank]
    if values_of(node.shape) != values_of(batch):
        node = FUNCTIONS["broadcast_to"](Expression(node), batch)._scistan_node_
    return node


def _safe_logs(root: Node, hidden: Container[object]) -> Node:
    """Keep slopes finite where a state makes an argument 0, as `rate * z` does: log(x) -> x > 0 ? log(x) : -∞.

    Only where a latent counts as a number: where it is a position, what it picks is as it always is.
    """
    counting = _counting(root, hidden)
    if not counting:
        return root

    def rule(node: Node, args: tuple[Node, ...]) -> Node:
        if not isinstance(node, Apply) or not isinstance(node.op, Op):
            return node
        changed = args != node.args
        made = node.op.build(args, dict(node.attributes)) if changed else node
        if node.op.name not in ("log", "log1m") or node.args[0] not in counting:
            return made
        x = Expression(args[0])
        some, stand_in = (x > 0, 1.0) if node.op.name == "log" else (x < 1, 0.0)
        safe = FUNCTIONS[node.op.name](where(some, x, stand_in))
        kept: Node = where(some, safe, -inf)._scistan_node_
        return kept

    return rebuild([root], rule)[root]


def _plain_products(root: Node, hidden: Container[object]) -> Node:
    """Write `k · log(p)` as one vectorized op where no state makes `p` 0: k > 0 ? k * log(k > 0 ? p : 1) : 0."""
    counting = _counting(root, hidden)

    def rule(node: Node, args: tuple[Node, ...]) -> Node:
        if not isinstance(node, Apply) or not isinstance(node.op, Op):
            return node
        found = times_log(node.op, node.args)
        if found is not None and found[1] not in counting and has_latents(found[1]):
            return OPS["multiply_log"].build(found)
        return node.op.build(args, dict(node.attributes)) if args != node.args else node

    return rebuild([root], rule)[root]


def _counting(root: Node, hidden: Container[object]) -> set[Node]:
    """Give the values that hidden latents enter as numbers, and not as positions."""
    found: set[Node] = set()
    for node in topological([root]):
        own = node.args
        if is_applied(node, "index") or is_applied(node, "pick"):
            own = node.args[:1]
        elif is_applied(node, "where"):  # what decides is no part of what comes out
            own = node.args[1:]
        if (isinstance(node, Variable) and node in hidden) or any(arg in found for arg in own):
            found.add(node)
    return found


def _within_support(
    term: Term, own: Hidden | None, hidden: Container[object], inside: list[Expression]
) -> Expression | None:
    """Keep a value within a support that ends elsewhere in other states: formulas have no sense beyond it."""
    law, value = term.law, Expression(term.value)
    d: Distribution = law.distribution
    support = d.domain(law.args)
    moving = own is not None and not own.exact
    ends = {
        side: Expression(end)
        for side, end in (("lower", support.lower), ("upper", support.upper))
        if isinstance(end, Node) and (moving or depends_on(end, hidden))
    }
    if not ends:
        return None
    at = value
    if "lower" in ends:
        inside.append(value >= ends["lower"])
        at = maximum(at, ends["lower"])
    if "upper" in ends:
        inside.append(value <= ends["upper"])
        at = minimum(at, ends["upper"])
    return d.log_density(at, *map(Expression, law.args))


def argument_tests(term: Term, signs: Signs, hidden: Container[object]) -> list[tuple[str, Expression]]:
    """Tell where arguments lie in their domains, of those that might not."""
    found: list[tuple[str, Expression]] = []
    d: Distribution = term.law.distribution
    for parameter, node in zip(d.parameters, term.law.args, strict=True):
        domain = parameter.domain
        if domain.event_rank or not has_latents(node):
            continue
        value = Expression(node)
        at_end = domain.lower_open and node in _counting(node, hidden)  # a state may make it 0
        if isinstance(domain.lower, int | float) and not (domain.lower <= 0 and signs.is_positive(node) and not at_end):
            found.append((parameter.name, value > domain.lower if domain.lower_open else value >= domain.lower))
        if isinstance(domain.upper, int | float) and not (domain.upper >= 1 and signs.is_unit(node)):
            found.append((parameter.name, value < domain.upper if domain.upper_open else value <= domain.upper))
    return found
