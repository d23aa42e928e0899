"""Recurrences in Stan: one loop that carries the state, and containers for what is recorded."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scistan.errors import UnsupportedError
from scistan.graph.body import Bound
from scistan.graph.node import Apply, Data, Node, find_applied
from scistan.graph.places import first_place
from scistan.graph.walk import leaves
from scistan.messages import recurrences as messages
from scistan.ops.scan import Parts, parts_of
from scistan.shapes import Size
from scistan.targets.stan.data_block import Reader, sized_type
from scistan.targets.stan.lower import NeedsStatements, Scope, canonical_type, value_args
from scistan.targets.stan.lowered import Lowered
from scistan.targets.stan.syntax import (
    MATRIX,
    POSTFIX,
    VECTOR,
    Assign,
    Braces,
    Declare,
    Expr,
    For,
    PlusAssign,
    Statement,
    name,
)

__all__ = ["lower_scanned"]


def lower_scanned(scope: Scope, node: Apply) -> Lowered:
    """Write the loop of a recurrence, which fills every container that the program reads of it."""
    if scope.expressions_only:
        raise NeedsStatements
    (bundle,) = node.args
    if not isinstance(bundle, Apply):
        raise KeyError(f"{bundle!r} is no recurrence")
    parts = parts_of(bundle)
    known = scope.writer.reachable
    recorded: dict[int, Apply] = {}
    for k in range(len(parts.body.results)):
        made = find_applied(node.op, (bundle,), tuple(sorted({"body": parts.body, "output": k}.items())))  # type: ignore[arg-type]
        if made is not None and (made is node or made in known):
            recorded[k] = made
    containers = {k: name(scope.claim(made), canonical_type(made.shape)) for k, made in recorded.items()}
    _write(scope, bundle, parts, containers, recorded)
    for k, made in recorded.items():
        scope.values[made] = _lowered(containers[k])
    return scope.values[node]


def _lowered(variable: Expr) -> Lowered:
    return Lowered(variable, lambda indices: variable.at(*indices))


def _write(scope: Scope, node: Apply, parts: Parts, containers: dict[int, Expr], recorded: dict[int, Apply]) -> None:
    writer, sizes = scope.writer, scope.writer.sizes
    is_data = writer.is_data(node)
    steps = sizes.text(parts.length)
    t = writer.names.claim("t")
    # Inside of the loop only what the body is given has a meaning: it stands by itself, whatever is around it.
    outermost = scope
    while isinstance(outermost, _BodyScope) and outermost.parent is not None:
        outermost = outermost.parent
    reader = _BodyReader(writer.entries, dict(zip(parts.body.parameters, node.args, strict=True)), parts, t)
    inner = _BodyScope(replace(writer, entries=reader), outermost)
    local: list[Statement] = []
    first = len(parts.states)
    current: list[str] = []
    for k, state in enumerate(parts.states):
        parameter = parts.body.parameters[k]
        kind = canonical_type(parameter.shape)
        stem = containers[k].text if k in containers else "state"
        own = writer.names.claim(f"{stem}_now" if k in containers else "state")
        declared = sized_type(kind, parameter.shape, sizes)
        local.append(Declare(declared, own, scope.canonical(state).text, node))
        inner.values[parameter] = _lowered(name(own, kind))
        current.append(own)
    read = {arg for one in parts.body.nodes for arg in value_args(one)} | set(parts.body.results)
    for k, argument in enumerate(parts.elements, first):
        if parts.body.parameters[k] in read:  # positions are read from the data by themselves
            inner.values[parts.body.parameters[k]] = _lowered(_element(scope, argument, t))
    for k, argument in enumerate(parts.free, first + len(parts.elements)):
        inner.values[parts.body.parameters[k]] = _lowered(scope.named(argument)) if argument.shape else scope._lower(argument)
    inner.share(parts.body.results)
    texts = [inner.canonical(result) if result.shape else inner.whole(result) for result in parts.body.results]
    body: list[Statement] = list(inner.statements)
    for k in (k for k in containers if k >= first):
        body.append(_record(containers[k], t, texts[k], recorded[k], is_data))
    body += _advance(writer, current, texts[:first], parts, sizes)
    for k in (k for k in containers if k < first):
        body.append(_record(containers[k], t, name(current[k], texts[k].type), recorded[k], is_data))
    for k, made in recorded.items():
        scope.statements.append(_container(containers[k], made, sizes, is_data))
    if parts.reverse:
        back = writer.names.claim("k")
        counted = Declare("int", t, f"{steps} - {back} + 1", node)
        local.append(For(back, _limit(steps), (counted, *body)))
    else:
        local.append(For(t, _limit(steps), tuple(body)))
    scope.statements.append(Braces(tuple(local)))


def _limit(text: str) -> str:
    return text if text.isidentifier() or text.isdigit() else f"({text})"


def _element(scope: Scope, argument: Node, t: str) -> Expr:
    """Give what an array has at one step: a row of a matrix stands up, as vectors do."""
    if len(argument.shape) == 1 and not scope.is_costly(argument):
        return scope.element(argument, (t,))
    held = scope.named(argument)
    at = held.at(t)
    return Expr(f"{at.text}'", VECTOR, POSTFIX) if held.type == MATRIX else at


def _container(variable: Expr, node: Apply, sizes: object, is_data: bool) -> Statement:
    """Declare what is recorded; what comes from parameters is added to zeros, for the reason in `fill.py`."""
    declared = sized_type(variable.type, node.shape, sizes)  # type: ignore[arg-type]
    if is_data or variable.type.arrays:
        return Declare(declared, variable.text, node=node)
    zeros = ", ".join(["0", *(sizes.text(size) for size in node.shape)])  # type: ignore[attr-defined]
    return Declare(declared, variable.text, f"rep_{variable.type.base}({zeros})", node)


def _record(container: Expr, t: str, value: Expr, node: Node, is_data: bool) -> Statement:
    place = f"{container.text}[{t}]"
    text = f"{value.within(POSTFIX)}'" if container.type == MATRIX else value.text
    if is_data or container.type.arrays:
        return Assign(place, text, node)
    return PlusAssign(place, text, node)


def _advance(
    writer: object, current: list[str], following: list[Expr], parts: Parts, sizes: object
) -> list[Statement]:
    """Let the state be the next one; several change together, so each is computed before any is changed."""
    results = parts.body.results
    if len(current) == 1:
        return [Assign(current[0], following[0].text, results[0])]
    kept: list[Statement] = []
    texts: list[str] = []
    for own, value, result in zip(current, following, results, strict=False):
        text = writer.names.claim(f"{own}_next")  # type: ignore[attr-defined]
        kind = sized_type(canonical_type(result.shape), result.shape, sizes)  # type: ignore[arg-type]
        kept.append(Declare(kind, text, value.text, result))
        texts.append(text)
    changed = [Assign(own, text, result) for own, text, result in zip(current, texts, results, strict=False)]
    return [*kept, *changed]


class _BodyScope(Scope):
    """The inside of a loop: it sees its own values and what its program shares, nothing of a loop around it."""


@dataclass(frozen=True, slots=True)
class _BodyReader:
    """Where a body finds whole numbers of the data: in the array that it runs over, at this step."""

    outer: Reader
    arguments: dict[Bound, Node]
    parts: Parts
    t: str

    def real(self, leaf: Data) -> Expr:
        return self.outer.real(leaf)

    def integers(self, node: Node, bounds: str = "") -> Expr:
        return self._at_step(node, lambda argument: self.outer.integers(argument, bounds))

    def index(self, node: Node, axis: Size | None) -> Expr:
        return self._at_step(node, lambda argument: self.outer.index(argument, axis))

    def _at_step(self, node: Node, read: object) -> Expr:
        argument = self.arguments.get(node) if isinstance(node, Bound) else None
        if argument is None:
            if any(isinstance(leaf, Bound) for leaf in leaves([node])):
                raise self._refused(node)
            return read(node)  # type: ignore[operator, no-any-return]
        if argument in self.parts.states:
            raise self._refused(node)
        whole: Expr = read(argument)  # type: ignore[operator]
        return whole.at(self.t) if argument in self.parts.elements else whole

    @staticmethod
    def _refused(node: Node) -> UnsupportedError:
        return messages.position_of_state(first_place(node))

    def vectors(self, leaf: Data, bounds: str = "") -> Expr:
        return self.outer.vectors(leaf, bounds)

    def bound(self, leaf: Data, bounds: str) -> None:
        self.outer.bound(leaf, bounds)

    def known(self, node: Node) -> str:
        return self.outer.known(node)
