"""Laws of rewriting, `before -> after where …`, written as users write expressions and matched up to commutation."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace

from scistan.graph.body import Body, body
from scistan.graph.node import Apply, Literal, Node, is_applied, literal
from scistan.graph.places import copy_places, first_place
from scistan.graph.walk import rebuild
from scistan.ops import FUNCTIONS
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.declaration import Op
from scistan.ops.expression import Expression

__all__ = ["Guard", "Rewriter", "Rule", "read_rules"]

Guard = Callable[..., bool]
Attributes = tuple[tuple[str, Hashable], ...]


@dataclass(frozen=True, slots=True)
class Wild:
    """Any value; the same one wherever the name stands."""

    name: str


@dataclass(frozen=True, slots=True)
class Number:
    """A number that is written in the model."""

    value: float


@dataclass(frozen=True, slots=True)
class Form:
    """An op on patterns; `attributes` are those it must have, or is to have."""

    op: str
    args: tuple[Pattern, ...]
    attributes: Attributes = ()


Pattern = Wild | Number | Form


@dataclass(frozen=True, slots=True)
class Rule:
    """What may be put in the place of what, and the conditions on the values that the names stand for."""

    text: str
    before: Form
    after: Pattern
    where: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class _Match:
    values: Mapping[str, Node]
    attributes: tuple[Attributes, ...] = ()  # of the ops that were met and have some


def read_rules(text: str) -> tuple[Rule, ...]:
    """Read laws, one a line; what stands behind a `#` is for the reader."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    return tuple(_read_law(line) for line in lines if line)


def _read_law(line: str) -> Rule:
    rule, _, conditions = line.partition(" where ")
    before, after = (_pattern(ast.parse(side.strip(), mode="eval").body) for side in rule.split("->"))
    if not isinstance(before, Form):
        raise ValueError(f"a law must begin with an op: {line}")
    calls = [ast.parse(one.strip(), mode="eval").body for one in conditions.split(" and ")] if conditions else []
    where = tuple((c.func.id, tuple(a.id for a in c.args if isinstance(a, ast.Name)))
                  for c in calls if isinstance(c, ast.Call) and isinstance(c.func, ast.Name))
    return Rule(line, before, after, where)


_INFIX = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.MatMult: "matmul"}


def _pattern(tree: ast.expr) -> Pattern:
    if isinstance(tree, ast.Name):
        return Wild(tree.id)
    if isinstance(tree, ast.Constant) and isinstance(tree.value, int | float):
        return Number(tree.value)
    if isinstance(tree, ast.BinOp):
        return Form(_INFIX[type(tree.op)], (_pattern(tree.left), _pattern(tree.right)))
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        return Form("negative", (_pattern(tree.operand),))
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id in OPS:
        wanted = sorted((k.arg or "", ast.literal_eval(k.value)) for k in tree.keywords)
        return Form(tree.func.id, tuple(map(_pattern, tree.args)), tuple(wanted))
    raise ValueError(f"no part of a law: {ast.unparse(tree)}")


class Rewriter:
    """Rewrites nodes by laws, and by functions of an op's name for what no pattern says."""

    def __init__(self, laws: tuple[Rule, ...], guards: Mapping[str, Guard],
                 others: Mapping[str, Callable[[Apply], Node | None]] | None = None) -> None:
        self._guards = guards
        self._others = others or {}
        self._laws: dict[str, list[Rule]] = {}
        for law in laws:
            self._laws.setdefault(law.before.op, []).append(law)

    def rewrite(self, node: Node, args: tuple[Node, ...]) -> Node:
        """Rebuild a node on new arguments, in a better form where there is one."""
        if not isinstance(node, Apply) or not isinstance(node.op, Op):
            return node
        attributes = {key: self._inside(one) if isinstance(one, Body) else one for key, one in node.attributes}
        same = args == node.args and attributes == dict(node.attributes)
        return self.improve(node if same else node.op.build(args, attributes))

    def _inside(self, held: Body) -> Body:
        """Rewrite what a body computes, as anything else."""
        memo = rebuild(held.results, self.rewrite)
        for old, new in memo.items():
            if new is not old and first_place(new) is None:
                copy_places(old, new)
        return body(held.parameters, [memo[result] for result in held.results])

    def improve(self, node: Apply) -> Node:
        """Give a better form of a node whose arguments have theirs; itself if there is none."""
        for law in self._laws.get(node.op.name, ()):
            for match in _matches(law.before, node, _Match({})):
                if all(self._guards[name](*(match.values[a] for a in names)) for name, names in law.where):
                    return self._built(law.after, match)
        other = self._others.get(node.op.name)
        return (other(node) if other else None) or node

    def apply(self, op: str, *args: Node) -> Node:
        """Apply an op, and improve what comes of it."""
        return self.improve(OPS[op].build(args))

    def _built(self, pattern: Pattern, match: _Match) -> Node:
        if isinstance(pattern, Wild):
            return match.values[pattern.name]
        if isinstance(pattern, Number):
            return literal(pattern.value)
        args = tuple(self._built(arg, match) for arg in pattern.args)
        op = OPS[pattern.op]
        if op.elementwise:
            return self.improve(op.build(args))
        plain = FUNCTIONS[op.name](*map(Expression, args))._scistan_node_
        if not isinstance(plain, Apply):
            return plain
        keys = [key for key, _ in plain.attributes]
        met = (a for a in (pattern.attributes, *match.attributes) if [key for key, _ in a] == keys)
        return self.improve(op.build(args, dict(next(met, plain.attributes))))


def _matches(pattern: Pattern, node: Node, match: _Match) -> Iterator[_Match]:
    """Give every way in which a pattern fits a node."""
    if isinstance(pattern, Wild):
        if pattern.name not in match.values:
            yield replace(match, values={**match.values, pattern.name: node})
        elif match.values[pattern.name] is node:
            yield match
    elif isinstance(pattern, Number):
        if isinstance(node, Literal) and node.value == pattern.value:
            yield match
    elif is_applied(node, pattern.op) and isinstance(node, Apply) and set(pattern.attributes) <= set(node.attributes):
        here = replace(match, attributes=(*match.attributes, node.attributes)) if node.attributes else match
        turned = isinstance(node.op, Op) and node.op.commutes
        for args in (node.args, node.args[::-1]) if turned else (node.args,):
            yield from _match_all(pattern.args, args, here)


def _match_all(patterns: tuple[Pattern, ...], nodes: tuple[Node, ...], match: _Match) -> Iterator[_Match]:
    if len(patterns) != len(nodes):
        return
    if not patterns:
        yield match
        return
    for first in _matches(patterns[0], nodes[0], match):
        yield from _match_all(patterns[1:], nodes[1:], first)
