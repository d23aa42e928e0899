"""A latent series by its path: how far it is, in its own scale, from where its start leads without any noise.

Its innovations tie an observation to all that comes before; its elements are tied to their neighbours, but ever more
closely as the scale goes to 0. A path `c` has the good of both: `c[t]` alone moves element `t`, and where the scale
vanishes it has the same law as ever, `c[t] = a · c[t - 1] + z[t]`, and moves nothing. It begins at 0, behind the
innovations of the first elements; its volume is that of the innovations.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

from scistan.distributions.innovations import has_innovations, innovations_of, lifted, repeated, standard_law
from scistan.distributions.rule import Rule, rule_of, taken_apart
from scistan.errors import InternalError
from scistan.graph.body import Body, close
from scistan.graph.graph import Law, Term
from scistan.graph.node import Node, Variable, is_applied
from scistan.graph.walk import topological
from scistan.ops import FUNCTIONS
from scistan.ops.along_steps import along_steps
from scistan.ops.derivative import minus, negated, plus
from scistan.ops.expression import Expression
from scistan.ops.linear_steps import ZERO

__all__ = ["Path", "has_path", "path_of", "standard_term"]

concatenate = FUNCTIONS["concatenate"]


def has_path(law: Law) -> bool:
    """Tell whether a series is of normal numbers with one scale, each linear in those before it."""
    rule = rule_of(law)
    if rule is None or rule.states or not rule.lags or rule.element.name != "Normal" or not has_innovations(law):
        return False
    return standard_law(law).distribution.name == "StdNormal" and _linear_part(rule) is not None


@lru_cache(maxsize=256)
def path_of(law: Law) -> Path:
    """Give the path of a latent series."""
    return Path(law)


def standard_term(term: Term, z: Node) -> Term:
    """Give the term whose density a non-centred latent has, given its coordinates: its innovations, or itself."""
    value = path_of(term.law).innovations_at(z) if term.law.path else z
    return Term(term.name, value, standard_law(term.law))  # type: ignore[arg-type]


class Path:
    """The way between a latent series and its path, as nodes over leaves `z` and `x` that stand for both."""

    def __init__(self, law: Law) -> None:
        rule = rule_of(law)
        part = None if rule is None else _linear_part(rule)
        if rule is None or part is None:
            raise InternalError("a series that is not linear in itself was taken to have a path")
        self.law, self.rule, self._part, self._taken = law, rule, part, taken_apart(law)
        self._way = innovations_of(law)
        self.z = Variable("c", law.shape, self, None)
        self.x = Variable("x", law.shape, self, None)

    # -- from the path to the series ----------------------------------------------------------------
    @cached_property
    def value(self) -> Node:
        """The series at a path `z`."""
        c, lead = Expression(self.z), self.rule.lead
        away = self._steps(c)[1] * c[lead:]
        return (self._alone(c) + concatenate([_nothing(c[:lead]), away], 0))._scistan_node_

    def innovations_at(self, path: Node) -> Node:
        """Give the innovations of a path."""
        c, lead = Expression(path), self.rule.lead
        return concatenate([c[:lead], c[lead:] - self._steps(c)[0]], 0)._scistan_node_

    def _steps(self, c: Expression) -> tuple[Expression, Expression]:
        """Give what each element of a path has of those before it, of which the first ones have none; and the scale."""
        rule, tail = self.rule, c[self.rule.lead :]
        before = [concatenate([_nothing(tail[:k]), tail[:-k]], 0)._scistan_node_ for k in rule.lags]
        over = [Expression(node)[rule.lead :]._scistan_node_ for node in self._taken.over]
        found, moving = along_steps(self._part, (), [*before, *over], self._taken.free, tail._scistan_node_.shape[0])
        return lifted(found[0], moving[0], len(rule.shape)), Expression(found[1])

    def _alone(self, z: Expression) -> Expression:
        """Give where the innovations of the first elements lead without any others."""
        lead = self.rule.lead
        return Expression(self._way.at(concatenate([z[:lead], _nothing(z[lead:])], 0)))

    # -- and back -----------------------------------------------------------------------------------
    @cached_property
    def standard(self) -> Node:
        """The path of a series `x`."""
        x, lead = Expression(self.x), self.rule.lead
        z = Expression(self._way.standard_of(self.x))
        away = (x - self._alone(z))[lead:] / self._steps(x)[1]
        return concatenate([z[:lead], away], 0)._scistan_node_

    @cached_property
    def log_scale(self) -> Node:
        """The log scale of every element of a series `x`: their sum is how much larger its space is."""
        return self._way.log_scale_of(self.x)


def _nothing(like: Expression) -> Expression:
    return repeated(Expression(ZERO), like._scistan_node_.shape)


def _linear_part(rule: Rule) -> Body | None:
    """Give what an element has of those before it, if that is linear, and its scale, if that is one for all steps.

    Every op goes element by element, so that elements with scales of their own may be measured in these.
    """
    location, scale = rule.body.results[rule.states :]
    before = rule.body.parameters[: len(rule.lags)]
    moving = {*before, *rule.body.parameters[len(rule.lags) : len(rule.lags) + rule.over]}
    if any(node in moving for node in topological([scale])):
        return None
    parts: dict[Node, Node] = {node: node for node in before}
    for node in rule.body.nodes:
        if node not in parts and any(arg in parts for arg in node.args):
            found = _part_of(node, [parts.get(arg) for arg in node.args])
            if found is None:
                return None
            parts[node] = found
    return close(rule.body.parameters, (parts[location], scale))[0] if location in parts else None


def _part_of(node: Node, parts: list[Node | None]) -> Node | None:
    """Give the linear part of a value, given those of its arguments, if they have some; None where it is not linear."""
    moved = [part is not None for part in parts]
    by_number = is_applied(node, "multiply") and not all(moved)
    if by_number or (is_applied(node, "divide") and moved == [True, False]):
        op: Any = node.op  # type: ignore[attr-defined]
        scaled: Node = op.build(tuple(part or arg for part, arg in zip(parts, node.args, strict=True)))
        return scaled
    for name, combine in (("add", plus), ("subtract", minus), ("negative", negated)):
        if is_applied(node, name):
            combined: Node = combine(*(part or ZERO for part in parts))  # type: ignore[operator]
            return combined
    return None
