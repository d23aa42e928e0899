"""Recurrences in Stan: one loop that carries the state, and containers for what is recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from scistan.graph.body import Bound
from scistan.graph.node import Apply, Data, Node
from scistan.graph.places import first_place
from scistan.graph.walk import leaves, topological
from scistan.messages import recurrences as messages
from scistan.ops.scan import Parts, find_recorded, parts_of
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

# Written in Stan without a branch: what is made of a state by these alone is made of it in every step.
_UNBRANCHED = frozenset({"add", "divide", "exp", "log", "multiply", "negative", "power", "sqrt", "square", "subtract"})


def lower_scanned(scope: Scope, node: Apply) -> Lowered:
    """Write the loop of a recurrence, which fills every container that the program reads of it."""
    if scope.expressions_only:
        raise NeedsStatements
    (bundle,) = node.args
    if not isinstance(bundle, Apply):
        raise KeyError(f"{bundle!r} is no recurrence")
    read = {k: one for k, one in find_recorded(bundle).items() if one is node or one in scope.writer.reachable}
    loop = _Loop(scope, bundle, parts_of(bundle), read)
    loop.write()
    for k, one in read.items():
        scope.values[one] = _held(loop.containers[k])
    return scope.values[node]


def _held(variable: Expr) -> Lowered:
    return Lowered(variable, lambda indices: variable.at(*indices))


class _Loop:
    """One loop under construction: `recorded` are the nodes that its containers hold, by the number of the result."""

    def __init__(self, scope: Scope, node: Apply, parts: Parts, recorded: dict[int, Apply]) -> None:
        self.scope, self.node, self.parts, self.recorded = scope, node, parts, recorded
        self.writer, self.sizes = scope.writer, scope.writer.sizes
        self.is_data = self.writer.is_data(node)
        self.containers = {k: name(scope.claim(one), canonical_type(one.shape)) for k, one in recorded.items()}
        self.t = self.writer.names.claim("t")
        self.states: list[Expr] = []

    def write(self) -> None:
        """Declare the containers, then, in braces of their own, the state and the loop that changes it."""
        starts = [self._start(k, state) for k, state in enumerate(self.parts.states)]
        inner = self._inside()
        self.scope.statements += [self._container(k) for k in self.recorded]
        body = self._body(inner)
        steps = self.sizes.text(self.parts.length)
        limit = steps if steps.isidentifier() or steps.isdigit() else f"({steps})"
        if self.parts.reverse:
            back = self.writer.names.claim("back")
            body = [Declare("int", self.t, f"{steps} - {back} + 1", self.node), *body]
            loop = For(back, limit, tuple(body))
        else:
            loop = For(self.t, limit, tuple(body))
        self.scope.statements.append(Braces((*starts, loop)))

    def _start(self, k: int, state: Node) -> Statement:
        parameter = self.parts.body.parameters[k]
        wish = f"{self.containers[k].text}_now" if k in self.containers else "state"
        now = name(self.writer.names.claim(wish), canonical_type(parameter.shape))
        self.states.append(now)
        declared = sized_type(now.type, parameter.shape, self.sizes)
        return Declare(declared, now.text, self.scope.canonical(state).text, self.node)

    def _inside(self) -> Scope:
        """Open the loop's own scope: only what the body is given has a meaning there, whatever loop is around it."""
        outermost = self.scope
        while isinstance(outermost, _BodyScope) and outermost.parent is not None:
            outermost = outermost.parent
        parameters = self.parts.body.parameters
        reader = _BodyReader(
            self.writer.entries, dict(zip(parameters, self.node.args, strict=True)), self.parts, self.t
        )
        inner = _BodyScope(replace(self.writer, entries=reader), outermost)
        read = {arg for one in self.parts.body.nodes for arg in value_args(one)} | set(self.parts.body.results)
        for k, (parameter, argument) in enumerate(zip(parameters, self.node.args, strict=True)):
            if k < len(self.states):
                inner.values[parameter] = _held(self.states[k])
            elif parameter in read:  # positions are read from the data by themselves
                inner.values[parameter] = self._argument(k, argument)
        return inner

    def _argument(self, k: int, argument: Node) -> Lowered:
        if k < len(self.states) + len(self.parts.elements):
            return _held(self._element(argument))
        return _held(self.scope.named(argument)) if argument.shape else self.scope._lower(argument)

    def _element(self, argument: Node) -> Expr:
        """Give what an array has at one step: a row of a matrix stands up, as vectors do."""
        if len(argument.shape) == 1 and not self.scope.is_costly(argument):
            return self.scope.element(argument, (self.t,))
        held = self.scope.named(argument)
        at = held.at(self.t)
        return Expr(f"{at.text}'", VECTOR, POSTFIX) if held.type == MATRIX else at

    def _body(self, inner: Scope) -> list[Statement]:
        """Write one step: what it gives besides the state is recorded before the state changes."""
        results = self.parts.body.results
        inner.share(results)
        given = [inner.canonical(result) if result.shape else inner.whole(result) for result in results]
        outputs = [self._record(k, given[k]) for k in self.recorded if k >= len(self.states)]
        states = [self._record(k, self.states[k]) for k in self.recorded if k < len(self.states)]
        return [*inner.statements, *outputs, *self._advance(given), *states]

    def _advance(self, given: list[Expr]) -> list[Statement]:
        """Let the state be the next one; several change together, so each is computed before any is changed."""
        pairs = list(zip(self.states, given, self.parts.body.results, strict=False))
        if len(pairs) == 1:
            return [Assign(now.text, value.text, result) for now, value, result in pairs]
        computed: list[Statement] = []
        changed: list[Statement] = []
        for now, value, result in pairs:
            following = self.writer.names.claim(f"{now.text}_next")
            declared = sized_type(now.type, result.shape, self.sizes)
            computed.append(Declare(declared, following, value.text, result))
            changed.append(Assign(now.text, following, result))
        return [*computed, *changed]

    def _container(self, k: int) -> Statement:
        """Declare what is recorded; what comes from parameters is added to zeros, for the reason in `fill.py`.

        In a chain there is no such reason, and an addition in each step costs a tenth of the gradient.
        """
        variable, node = self.containers[k], self.recorded[k]
        declared = sized_type(variable.type, node.shape, self.sizes)
        if not self._adds(variable):
            return Declare(declared, variable.text, node=node)
        zeros = ", ".join(["0", *map(self.sizes.text, node.shape)])
        return Declare(declared, variable.text, f"rep_{variable.type.base}({zeros})", node)

    def _record(self, k: int, value: Expr) -> Statement:
        container = self.containers[k]
        text = f"{value.within(POSTFIX)}'" if container.type == MATRIX else value.text
        statement = PlusAssign if self._adds(container) else Assign
        return statement(f"{container.text}[{self.t}]", text, self.recorded[k])

    def _adds(self, container: Expr) -> bool:
        return not self.is_data and not container.type.arrays and not self._is_chain

    @cached_property
    def _is_chain(self) -> bool:
        """Tell whether each step is computed from the one before, whatever the data: then no two can come out alike.

        A choice by data could leave the one before out, and steps within steps come again for each around them.
        """
        results = [self.parts.body.results[k] for k in {0, *self.recorded}]
        nodes = topological(results)
        if len(self.states) != 1 or self.parts.reverse or isinstance(self.scope, _BodyScope):
            return False
        plain = all(not isinstance(node, Apply) or node.op.name in _UNBRANCHED for node in nodes)
        if not plain or any(node.shape for node in nodes):
            return False
        state = self.parts.body.parameters[0]
        return all(state in topological([result]) for result in results)


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

    def vectors(self, leaf: Data, bounds: str = "") -> Expr:
        return self.outer.vectors(leaf, bounds)

    def bound(self, leaf: Data, bounds: str) -> None:
        self.outer.bound(leaf, bounds)

    def known(self, node: Node) -> str:
        return self.outer.known(node)

    def _at_step(self, node: Node, read: Callable[[Node], Expr]) -> Expr:
        if not any(isinstance(leaf, Bound) for leaf in leaves([node])):
            return read(node)
        places = self.parts.body.parameters
        k = places.index(node) if isinstance(node, Bound) else -1
        if k < len(self.parts.states):  # computed in the step, or the state itself
            raise messages.computed_position(first_place(node))
        whole = read(self.arguments[places[k]])
        return whole.at(self.t) if k < len(self.parts.states) + len(self.parts.elements) else whole
