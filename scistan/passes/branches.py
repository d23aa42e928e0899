"""Let derivatives feel nothing of a branch that is not taken, in libraries that differentiate by themselves.

What comes back to such a branch is 0, and torch and JAX multiply it by the slopes there: 0 times an infinite one is
NaN, and so is the gradient of `where(x > 0, sqrt(x), x)` below 0. So what is computed in a branch is computed from
arguments that are *held* outside of it: the same numbers, through which no derivative runs. Our own gradients
(`transforms/reverse.py`) cut by the same masks, and Stan computes one branch only: neither needs this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from scistan.graph.body import Body, Bound, bodies_of, body
from scistan.graph.graph import Graph, Term, bodies_of_law
from scistan.graph.node import Apply, Literal, Node, Variable, is_applied
from scistan.graph.walk import rebuild, topological
from scistan.ops.declaration import REGISTRY, Chosen, Never, NotYet, Op, Slope
from scistan.ops.derivative import names_of, read, times
from scistan.ops.going_back import mask_behind, somewhere

__all__ = ["held", "held_density", "hold_branches"]

Rule = Callable[[Node, tuple[Node, ...]], Node]
_Masks = dict[Node, dict[Node, None] | None]  # of each node those of its uses; None: one of them is not masked


def hold_branches(graph: Graph) -> Graph:
    """Hold what is computed in branches of a graph; itself where there are none that latents go through."""
    rule = _holding(graph.roots)
    return graph if rule is None else graph.mapped(rule)


def held(roots: Sequence[Node]) -> tuple[Node, ...]:
    """Hold what is computed in branches below some nodes."""
    rule = _holding(roots)
    if rule is None:
        return tuple(roots)
    memo = rebuild(roots, rule)
    return tuple(memo[root] for root in roots)


def held_density(term: Term, density: Node) -> Node:
    """Hold what is computed in branches of the rule of a series, which is no node of the graph but of its density."""
    return held([density])[0] if bodies_of_law(term.law) else density


def _holding(roots: Iterable[Node]) -> Rule | None:
    """Give what rewrites the nodes below `roots`; None where nothing is to be held."""
    roots = list(roots)
    order = topological(roots)
    moving: set[Node] = set()
    for node in order:
        if isinstance(node, Variable | Bound) or any(arg in moving for arg in node.args):
            moving.add(node)
    bodies = {value for node in order for value in bodies_of(node)}
    rewritten = {one: _held_body(one) for one in bodies}
    branching = any(_branches(node) for node in order if node in moving)
    if not branching and all(one is new for one, new in rewritten.items()):
        return None
    masks = _masks(order, roots, moving) if branching else {}

    def rule(node: Node, args: tuple[Node, ...]) -> Node:
        if not isinstance(node, Apply) or not isinstance(node.op, Op):
            return node
        mask = _joined(masks.get(node))
        if mask is not None and _bends(node.op):
            at = mask if node.op.elementwise else somewhere(mask)
            args = tuple(_hold(at, new) if old in moving else new for old, new in zip(node.args, args, strict=True))
        attributes = {k: rewritten[v] if isinstance(v, Body) else v for k, v in node.attributes}
        return node if args == node.args and attributes == dict(node.attributes) else node.op.build(args, attributes)

    return rule


def _hold(mask: Node, node: Node) -> Node:
    return node if is_applied(node, "held") else REGISTRY["held"].build((mask, node))


def _held_body(one: Body) -> Body:
    return body(one.parameters, held(one.results))


def _slopes(op: Op) -> tuple[Slope | None, ...]:
    return op.gradient if isinstance(op.gradient, tuple) else (op.gradient,) * (op.arity or 1)


def _branches(node: Node) -> bool:
    """Tell whether a node chooses between its arguments."""
    op = node.op if isinstance(node, Apply) else None
    return isinstance(op, Op) and op.elementwise and any(isinstance(slope, Chosen) for slope in _slopes(op))


def _bends(op: Op) -> bool:
    """Tell whether an op multiplies what comes back by slopes that are no plain numbers."""
    if not op.elementwise:
        return not (op.carries or op.binds or isinstance(op.gradient, Never)) and op.name != "scanned"
    return any(not isinstance(slope, Chosen | Never) and not _is_number(slope) for slope in _slopes(op))


def _is_number(slope: Slope | None) -> bool:
    return isinstance(slope, str) and slope.removeprefix("-").replace(".", "", 1).isdigit()


# -- where a value is wanted -------------------------------------------------------------------------
def _masks(order: Sequence[Node], roots: Sequence[Node], moving: set[Node]) -> _Masks:
    """Go from users to arguments, and note for each where something comes of it."""
    masks: _Masks = dict.fromkeys(roots)
    for node in reversed(order):
        if not isinstance(node, Apply) or not isinstance(node.op, Op) or node not in masks:
            continue  # no derivative comes to it: a leaf, or part of a condition
        own = _joined(masks[node])
        for place, arg in enumerate(node.args):
            if arg not in moving or _unfelt(node.op, place):
                continue
            mask = _behind(node, place, own)
            known = masks.setdefault(arg, {})
            if mask is None:
                masks[arg] = None
            elif known is not None:
                known[mask] = None
    return masks


def _joined(masks: dict[Node, None] | None) -> Node | None:
    if not masks:
        return None
    first, *others = masks
    for other in others:
        first = REGISTRY["maximum"].build((first, other))
    return first


def _unfelt(op: Op, place: int) -> bool:
    """Tell whether no derivative runs through an argument: that of a comparison."""
    return op.elementwise and not callable(op.gradient) and isinstance(_slopes(op)[place], Never)


def _behind(node: Apply, place: int, own: Node | None) -> Node | None:
    """Give the mask of an argument of a node that has `own`."""
    op = node.op
    if not isinstance(op, Op) or op.binds or op.name == "scanned" or isinstance(op.gradient, Never | NotYet):
        return None
    slope = _slopes(op)[place] if op.elementwise and not callable(op.gradient) else None
    if isinstance(slope, Chosen):
        here = read(slope.mask)({**dict(zip(names_of(op), node.args, strict=True)), "out": node})
        if not isinstance(here, Literal):
            own = here if own is None else times(here, own)
    return None if own is None else mask_behind(op, node, place, own)
