"""Where a density is zero: observations beyond bounds that are latent, and arguments outside their domain.

Formulas know nothing of it: `Uniform(0, a)` at 2 is -log(a) for every `a`, and the gamma function has values at
negative numbers. Each guard is a node that is 0 inside and -∞ outside; where the graph shows that nothing can be
outside there is none, so that most models pay nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from scistan.distributions.declaration import Distribution
from scistan.distributions.resolve import value_domain
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Data, Literal, Node, Variable, literal
from scistan.graph.walk import topological
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression

__all__ = ["guards"]

_NOT_NEGATIVE = {"exp", "exp2", "square", "abs", "sqrt", "softplus", "inv_logit", "Phi", "softmax", "erfc", "cosh"}
_UNIT = {"inv_logit", "Phi", "softmax"}
_KEEPS = {"index", "broadcast_to", "reshape", "transpose", "stack", "concatenate", "max", "min", "maximum", "minimum",
          "mean", "where", "diagonal"}
_ADDS = {"add", "multiply", "divide", "sum", "prod", "power", "cumsum"}


def guards(term: Term, instance: Instance, inputs: Iterable[Node] = (), *, bijected: bool = True) -> list[Node]:
    """Give what must be added to a term's log density.

    `inputs` are data whose numbers come later; latents that are `bijected` lie within their own bounds.
    """
    d: Distribution = term.draw.distribution
    ranges = _Ranges(instance, inputs)
    found: list[Node] = []
    if term.is_observed or not bijected:
        domain = value_domain(term.draw)
        found += _between(term.value, domain.lower if isinstance(domain.lower, Node) else None,
                          domain.upper if isinstance(domain.upper, Node) else None)
    for parameter, node in zip(d.parameters, term.draw.args, strict=True):
        domain = parameter.domain
        if domain.event_rank or not _moves(node):
            continue
        lower = domain.lower if isinstance(domain.lower, int | float) else None
        upper = domain.upper if isinstance(domain.upper, int | float) else None
        found += _between(
            node,
            None if lower is None or ranges.at_least(node, lower) else literal(float(lower)),
            None if upper is None or ranges.at_most(node, upper) else literal(float(upper)),
        )
    return found


def _between(value: Node, lower: Node | None, upper: Node | None) -> list[Node]:
    """Give 0 where a value lies between its bounds and -∞ elsewhere; the ends are for the formulas to judge."""
    found = []
    for node, test in ((lower, "greater_equal"), (upper, "less_equal")):
        if node is not None and (_moves(node) or _moves(value)):
            inside = FUNCTIONS[test](Expression(value), Expression(node))
            found.append(FUNCTIONS["log"](inside)._scistan_node_)
    return found


def _moves(node: Node) -> bool:
    return any(isinstance(n, Variable) for n in topological([node]))


class _Ranges:
    """What the graph shows of the range of a node: enough to see that 0 or 1 cannot be passed."""

    def __init__(self, instance: Instance, inputs: Iterable[Node]) -> None:
        self._instance = instance
        self._latents: dict[Node, Term] = {term.value: term for term in instance.graph.latents}
        self._inputs = frozenset(inputs)

    def at_least(self, node: Node, bound: float) -> bool:
        """Tell whether a node is surely not below `bound`."""
        sure, keeps = (_NOT_NEGATIVE, _ADDS) if bound == 0 else (set(), set())
        return all(lower is not None and lower >= bound for lower, _ in self._leaves(node, sure, keeps))

    def at_most(self, node: Node, bound: float) -> bool:
        """Tell whether a node is surely not above `bound`."""
        sure = _UNIT if bound == 1 else set()
        return all(upper is not None and upper <= bound for _, upper in self._leaves(node, sure, set()))

    def _leaves(self, node: Node, sure: set[str], keeps: set[str]) -> list[tuple[float | None, float | None]]:
        """Give the ranges of the nodes that decide; ops in `sure` are in range, those in `keeps` pass theirs on."""
        found: list[tuple[float | None, float | None]] = []
        stack, seen = [node], set()
        while stack:
            top = stack.pop()
            if top in seen:
                continue
            seen.add(top)
            if isinstance(top, Literal):
                found.append((float(top.value), float(top.value)))
            elif isinstance(top, Apply):
                if top.op.name in sure:
                    continue
                if top.op.name not in keeps | _KEEPS:
                    found.append((None, None))
                else:
                    stack += _values_of(top)
            else:
                found.append(self._range(top))
        return found

    def _range(self, node: Node) -> tuple[float | None, float | None]:
        if isinstance(node, Data) and node not in self._inputs:
            array = self._instance.values[node]
            return (float(array.min()), float(array.max())) if array.size else (None, None)
        term = self._latents.get(node)
        if term is None or term.draw.noncentred:
            return None, None
        domain = value_domain(term.draw)
        if domain.structure in ("simplex", "positive_ordered"):
            return 0.0, 1.0 if domain.structure == "simplex" else None
        lower, upper = domain.lower, domain.upper
        return (float(lower) if isinstance(lower, int | float) else None,
                float(upper) if isinstance(upper, int | float) else None)


def _values_of(node: Apply) -> tuple[Node, ...]:
    """Give the arguments whose values come through: positions and conditions do not."""
    if node.op.name == "index":
        return node.args[:1]
    return node.args[1:] if node.op.name == "where" else node.args
