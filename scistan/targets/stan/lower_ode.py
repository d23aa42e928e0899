"""Differential equations in Stan: a function for the slope, and one call of a solver."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from scistan.graph.body import Bound
from scistan.graph.node import Apply, Data, Node
from scistan.ops.scan import Parts, find_recorded, parts_of
from scistan.shapes import Size
from scistan.targets.stan.data_block import Reader, sized_type
from scistan.targets.stan.fill import loops, zeros
from scistan.targets.stan.lower import NeedsStatements, Scope, Writer, canonical_type, value_args
from scistan.targets.stan.lowered import Lowered
from scistan.targets.stan.names import Names, SizeNames
from scistan.targets.stan.syntax import (
    INT,
    MATRIX,
    REAL,
    VECTOR,
    Assign,
    Braces,
    Declare,
    Expr,
    PlusAssign,
    Statement,
    array_of,
    call,
    name,
    number,
    unsized,
    written,
)

__all__ = ["lower_solved"]

_LONGEST_NAME = 24


def lower_solved(scope: Scope, node: Apply) -> Lowered:
    """Write the solution of an equation, and what the program reads of it."""
    if scope.expressions_only:
        raise NeedsStatements
    (bundle,) = node.args
    if not isinstance(bundle, Apply):
        raise KeyError(f"{bundle!r} is no equation")
    parts = parts_of(bundle)
    read = {k: one for k, one in find_recorded(bundle).items() if one is node or one in scope.writer.reachable}
    states = _Layout(parts, scope.writer.sizes, scope.writer.names)
    containers = {k: name(scope.claim(one), canonical_type(one.shape)) for k, one in read.items()}
    solved = _solved(scope, bundle, parts, states, next(iter(containers.values())).text)
    filled = [statement for k, one in read.items() for statement in states.filled(k, containers[k], solved.name, one)]
    for k, one in read.items():
        scope.statements += _declared(scope, containers[k], one)
        scope.values[one] = _held(containers[k])
    scope.statements.append(Braces((solved, *filled)))
    return scope.values[node]


def _declared(scope: Scope, container: Expr, node: Apply) -> list[Statement]:
    """Declare what holds a state at all times; rows are added to zeros, for the reason in `fill.py`."""
    if container.type == MATRIX:
        return zeros(scope.writer.sizes, container, node)
    return [Declare(sized_type(container.type, node.shape, scope.writer.sizes), container.text, node=node)]


def _solved(scope: Scope, bundle: Apply, parts: Parts, states: _Layout, called: str) -> Declare:
    """Write the states at all times, one vector for each."""
    slope, passed = _Slope(scope, bundle, parts, states).write(called)
    asked: dict[str, Any] = dict(bundle.attributes)
    start = scope.whole(parts.free[0])
    limits = [number(asked[key]).text for key in ("rtol", "atol", "max_steps")]
    given = [slope, states.packed([scope.canonical(s) for s in parts.states]), start.text, _times(scope, parts)]
    value = call(f"ode_{asked['method']}_tol", [*given, *limits, *passed], array_of(VECTOR))
    text = scope.writer.names.claim(f"{called}_states")
    return Declare(f"array[{scope.writer.sizes.text(parts.length)}] vector[{states.total}]", text, value.text, bundle)


def _times(scope: Scope, parts: Parts) -> str:
    """Give the times as the array that a solver takes; one of data is made once."""
    (times,) = parts.elements
    if not scope.writer.is_data(times):
        return f"to_array_1d({scope.whole(times).text})"
    top = scope
    while top.parent is not None:
        top = top.parent
    value = f"to_array_1d({top.whole(times).text})"
    found = next((s.name for s in top.statements if isinstance(s, Declare) and s.value == value), "")
    if not found:
        wish = top.whole(times)
        found = scope.writer.names.claim(f"{wish.text}_array" if wish.is_name else "times_array")
        top.statements.append(Declare(f"array[{scope.writer.sizes.text(parts.length)}] real", found, value, times))
    return found


class _Layout:
    """Where each state lies in the one vector that a solver moves."""

    def __init__(self, parts: Parts, sizes: SizeNames, names: Names) -> None:
        self._names = names
        self.shapes = [parameter.shape for parameter in parts.body.parameters[: len(parts.states)]]
        self._sizes = sizes
        self.total = sizes.text(self._before(len(self.shapes)))

    def _before(self, k: int) -> Size:
        """Count the numbers before a state."""
        total = Size()
        for shape in self.shapes[:k]:
            total = total + (shape[0] if shape else Size(1))
        return total

    @property
    def is_one_vector(self) -> bool:
        return len(self.shapes) == 1 and len(self.shapes[0]) == 1

    def packed(self, values: list[Expr]) -> str:
        """Write states as one vector."""
        if self.is_one_vector:
            return values[0].text
        if not any(self.shapes):
            return f"[{', '.join(value.text for value in values)}]'"
        *rest, text = [value.text for value in values]
        for value in reversed(rest):
            text = f"append_row({value}, {text})"
        return text

    def state(self, k: int, whole: str, sizes: SizeNames) -> Expr:
        """Write one state of a vector of all of them, in a place with names of its own for lengths."""
        if self.is_one_vector:
            return name(whole, VECTOR)
        first = sizes.text(self._before(k) + Size(1))
        if not self.shapes[k]:
            return Expr(f"{whole}[{first}]", REAL)
        return Expr(f"segment({whole}, {first}, {sizes.text(self.shapes[k][0])})", VECTOR)

    def filled(self, k: int, container: Expr, solved: str, node: Apply) -> tuple[Statement, ...]:
        """Write one state at all times into its container."""
        first = self._sizes.text(self._before(k) + Size(1))
        if not self.shapes[k]:
            return (Assign(container.text, f"to_vector({solved}[, {first}])", node),)
        last = _bracketed(self._sizes.text(self._before(k + 1)))
        n = self._names.claim_index(0)
        row = f"{solved}[{n}]" if self.is_one_vector else f"{solved}[{n}, {first}:{last}]"
        return loops(self._sizes, node.shape[:1], (n,), (PlusAssign(f"{container.text}[{n}]", f"{row}'", node),))


def _bracketed(text: str) -> str:
    return text if text.isidentifier() or text.isdigit() else f"({text})"


@dataclass(slots=True)
class _Arguments:
    """Where a slope finds whole numbers of the data: as arguments, for a function sees nothing else."""

    outer: Reader
    standing: dict[Bound, Node]
    names: Names
    given: dict[str, Expr] = field(default_factory=dict)  # argument -> what is passed for it

    def take(self, passed: Expr, wish: str = "value") -> Expr:
        """Make what is passed an argument; the same is passed once."""
        text = next((t for t, known in self.given.items() if known.text == passed.text), "")
        if not text:
            text = self.names.claim(passed.text if passed.is_name else wish)
            self.given[text] = passed
        return name(text, passed.type)

    def integers(self, node: Node, bounds: str = "") -> Expr:
        return self.take(self.outer.integers(self._outside(node), bounds))

    def index(self, node: Node, axis: Size | None) -> Expr:
        return self.take(self.outer.index(self._outside(node), axis))

    def real(self, leaf: Data) -> Expr:
        return self.take(self.outer.real(leaf))

    def vectors(self, leaf: Data, bounds: str = "") -> Expr:
        return self.take(self.outer.vectors(leaf, bounds))

    def bound(self, leaf: Data, bounds: str) -> None:
        self.outer.bound(leaf, bounds)

    def known(self, node: Node) -> str:
        return self.outer.known(self._outside(node))

    def _outside(self, node: Node) -> Node:
        return self.standing[node] if isinstance(node, Bound) else node


class _Slope:
    """The function that gives the slope: its body is the equation's, and all that it uses comes as an argument."""

    def __init__(self, scope: Scope, bundle: Apply, parts: Parts, states: _Layout) -> None:
        self.scope, self.bundle, self.parts, self.states = scope, bundle, parts, states
        writer = scope.writer
        self.names = Names({"t", "state"})
        self.sizes = SizeNames(writer.graph.sizes(), self.names)
        self.parameters = parts.body.parameters
        standing = dict(zip(self.parameters, bundle.args, strict=True))
        self.reader = _Arguments(writer.entries, standing, self.names)
        self.writer = Writer(
            writer.lower_op, writer.graph, self.names, self.sizes, self.reader, gaps=writer.gaps,
            reachable=writer.reachable,
        )  # fmt: skip

    def write(self, solution: str) -> tuple[str, list[Expr]]:
        """Take the function into the functions block; give its name, and what is passed to it."""
        inner = Scope(self.writer)
        self._give(inner)
        results = self.parts.body.results
        inner.share(results)
        given = [inner.canonical(result) if result.shape else inner.whole(result) for result in results]
        lines = [*written(inner.statements), (f"return {self.states.packed(given)};", self.bundle)]
        lengths = self._lengths([text for text, _ in lines])
        arguments = self.reader.given | lengths
        declared = "".join(f", {unsized(passed.type)} {text}" for text, passed in arguments.items())
        code = "\n".join([f"(real t, vector state{declared}) {{", *(f"  {text}" for text, _ in lines), "}"])
        for key, function in self.writer.functions.items():
            self.scope.writer.need(key, function, self.bundle)
        origins = [self.bundle, *(node for _, node in lines), self.bundle]
        return self._named(code, solution, origins), list(arguments.values())

    def _give(self, inner: Scope) -> None:
        """Say what each parameter of the body is inside the function."""
        count = len(self.parts.states)
        read = {arg for one in self.parts.body.nodes for arg in value_args(one)} | set(self.parts.body.results)
        pairs = list(zip(self.parameters, self.bundle.args, strict=True))
        for k, (parameter, _) in enumerate(pairs[:count]):
            inner.values[parameter] = _held(self.states.state(k, "state", self.sizes))
        inner.values[self.parameters[count]] = _held(name("t", REAL))
        for parameter, argument in pairs[count + 2 :]:
            if parameter in read:  # positions are read from the data by themselves
                passed = self.scope.named(argument) if argument.shape else self.scope.whole(argument)
                kind = passed.type if argument.shape else REAL
                wish = _wish(argument, passed)
                inner.values[parameter] = _held(self.reader.take(Expr(passed.text, kind, passed.precedence), wish))

    def _lengths(self, lines: list[str]) -> dict[str, Expr]:
        """Pass the lengths that the body speaks of."""
        words = {word for line in lines for word in re.findall(r"[A-Za-z]\w*", line)}
        outer = self.scope.writer.sizes
        return {
            text: Expr(outer.text(Size.of(symbol)), INT)
            for symbol, text in self.sizes.symbols.items()
            if text in words
        }

    def _named(self, code: str, solution: str, origins: list[object]) -> str:
        """Give the name of a function with this code, which stands there once."""
        key = f"slope {code}"
        known = self.scope.writer.functions.get(key)
        if known is not None:
            return known.partition("(")[0].rpartition(" ")[2]
        found = self.scope.writer.names.claim(f"d{solution}_dt")
        self.scope.writer.need(key, f"vector {found}{code}", origins)
        return found


def _wish(argument: Node, passed: Expr) -> str:
    """Find a name for an argument: `theta_2` for `theta[2]`, `negative_gamma` for `-gamma`."""
    words = re.sub(r"\W+", "_", passed.text).strip("_")
    if passed.is_read:
        return words
    made = argument.op.name if isinstance(argument, Apply) else "value"
    return f"{made}_{words}" if len(words) <= _LONGEST_NAME else made


def _held(value: Expr) -> Lowered:
    return Lowered(value, lambda indices: value.at(*indices))

