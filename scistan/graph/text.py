"""The graph as text: one line per node and per variable, in a fixed order; `graph/parse.py` reads it back.

    %0 = variable mu []
    %1 = data x real [n0]
    %2 = multiply(%0, %1) [n0]
    %3 = data y real [n0]
    latent mu = %0 ~ Normal(0, 5.0) []
    observed y = %3 ~ Normal(%2, 1) [n0]

A recurrence holds a body, as does a series, which is written before it; `@0`, `@1`, … are its parameters:

    body 0 (real [], real [])
    | %0 = multiply(@0, @1) []
    | give %0

Lengths are named by position; `#n0+1` is a length used as a number or in an attribute. The exact text, from which a
model is restored, also says what each length is and which must be equal:

    length n0 = 5 data 0 ''
    length n1 = slice(#n0, None, None, 2)
    equal n0 = n2
    %2 = multiply(%0, %1) [n0] where n0 = n3
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scistan.graph.body import Body, bodies_of
from scistan.graph.graph import Graph, Law, bodies_of_law
from scistan.graph.node import Apply, Data, Extent, Literal, Node, Variable
from scistan.shapes import COMPUTED, DATA, DIM, GIVEN, Equality, LengthRule, Shape, Size, SizeTable, Symbol

__all__ = ["RANKS", "ExactText", "UnwritableError", "exact_text", "graph_text", "short_text", "structure_text"]

RANKS = {DIM: "dim", DATA: "data", GIVEN: "given"}

_INLINE = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "power": "**", "matmul": "@"}
_LONGEST = 60


def short_text(node: Node, names: dict[Node, str] | None = None, depth: int = 4) -> str:
    """Write an expression on one line, cut where it grows too deep."""
    if names and node in names:
        return names[node]
    if not isinstance(node, Apply):
        return repr(node)
    if depth == 0:
        return "…"
    inner = [short_text(arg, names, depth - 1) for arg in node.args]
    if node.op.name in _INLINE:
        text = f"({inner[0]} {_INLINE[node.op.name]} {inner[1]})"
    elif node.op.name == "index":
        text = f"{inner[0]}[{', '.join(inner[1:]) or '…'}]"
    else:
        text = f"{node.op.name}({', '.join(inner)})"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


class _Names:
    """Names by position, so that equal models give equal text."""

    def __init__(self, table: SizeTable, symbols: Iterable[Symbol] = ()) -> None:
        self.table = table
        self.sizes: dict[Symbol, int] = {symbol: number for number, symbol in enumerate(symbols)}
        self.bodies: dict[Body, int] = {}

    def size(self, size: Size) -> str:
        reduced = self.table.reduce(size)
        parts = [str(reduced.constant)] if reduced.constant or not reduced.terms else []
        numbered = sorted((self.sizes.setdefault(symbol, len(self.sizes)), k) for symbol, k in reduced.terms)
        parts += [f"n{number}" if k == 1 else f"{k}*n{number}" for number, k in numbered]
        return "+".join(parts)

    def shape(self, shape: Shape) -> str:
        return f"[{', '.join(self.size(size) for size in shape)}]"

    def name(self, given: str) -> str:
        """Write the name of a variable."""
        return given

    def literal(self, node: Literal) -> str:
        """Write a number of the model."""
        return repr(node.value)

    def equal(self, pair: Equality) -> str:
        return f"{self.size(pair[0])} = {self.size(pair[1])}"

    def attribute(self, value: object) -> str:
        if isinstance(value, Size):
            return f"#{self.size(value)}"
        if isinstance(value, tuple):
            inner = ", ".join(self.attribute(v) for v in value)
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        return f"body({self.bodies[value]})" if isinstance(value, Body) else repr(value)


class _Nameless(_Names):
    """No names and no numbers but lengths of 1: what is left is structure."""

    def name(self, _given: str) -> str:
        return "_"

    def literal(self, _node: Literal) -> str:
        return "number"


def structure_text(graph: Graph) -> str:
    """Print a graph without names and numbers; models that differ in these alone print the same."""
    lines, _ = _lines(graph, _Nameless(graph.sizes()), exact=False, merged=False)
    return "\n".join(lines) + "\n"


def graph_text(graph: Graph) -> str:
    """Print a graph; models that are equal up to data and lengths print the same."""
    lines, _ = _lines(graph, _Names(graph.sizes()), exact=False)
    return "\n".join(lines) + "\n"


class UnwritableError(ValueError):
    """A graph with something in it that only Python knows."""


@dataclass(frozen=True, slots=True)
class ExactText:
    """A graph's text from which the very graph can be read, and what its nodes are called there."""

    text: str
    numbers: dict[Node, str]
    names: _Names

    def size(self, size: Size) -> str:
        """Write a length as the text does."""
        return self.names.size(size)


def exact_text(graph: Graph, more: Iterable[Size] = ()) -> ExactText:
    """Print a graph with every length as it stands, and `more` lengths that it need not have."""
    symbols = _symbols(graph, more)
    names = _Names(SizeTable(), symbols)
    lines = [f"length n{number} = {_length_text(symbol, names)}" for number, symbol in enumerate(symbols)]
    lines += [f"equal {names.equal(pair)}" for pair in graph.equalities]
    body, numbers = _lines(graph, names, exact=True)
    return ExactText("\n".join([*lines, *body]) + "\n", numbers, names)


def _symbols(graph: Graph, more: Iterable[Size]) -> list[Symbol]:
    """List every length that a graph knows, in the order they were made."""
    found: set[Symbol] = set()
    stack = [*more, *_sizes(graph)]
    while stack:
        new = {symbol for symbol, _ in stack.pop().terms} - found
        found |= new
        stack += [size for symbol in new for size in symbol.of]
    return sorted(found, key=lambda symbol: symbol.serial)


def _sizes(graph: Graph) -> Iterator[Size]:
    yield from _sizes_of(graph.nodes)
    for term in graph.terms:
        yield from term.law.shape
        for body in bodies_of_law(term.law):
            yield from _sizes_of([*body.parameters, *body.nodes])
        yield from _sizes_among(tuple(term.law.written.values()))
        yield from _sizes_among(term.law.equalities)
    yield from _sizes_among(graph.equalities)


def _sizes_of(nodes: Iterable[Node]) -> Iterator[Size]:
    for node in nodes:
        yield from node.shape
        if isinstance(node, Extent):
            yield node.size
        if isinstance(node, Apply):
            yield from _sizes_among(node.attributes)
            yield from _sizes_among(node.equalities)
            for body in bodies_of(node):
                yield from _sizes_of([*body.parameters, *body.nodes])


def _sizes_among(value: object) -> Iterator[Size]:
    if isinstance(value, Size):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _sizes_among(part)


def _length_text(symbol: Symbol, names: _Names) -> str:
    if symbol.rank != COMPUTED:
        return f"{symbol.today} {RANKS[symbol.rank]} {symbol.axis} {symbol.hint!r}"
    if not isinstance(symbol.rule, LengthRule):
        raise UnwritableError(f"the rule {symbol.rule!r} of a length")
    parts = [names.attribute(size) for size in symbol.of] + [repr(constant) for constant in symbol.rule.constants]
    return f"{symbol.rule.name}({', '.join(parts)})"


def _lines(graph: Graph, names: _Names, *, exact: bool, merged: bool = True) -> tuple[list[str], dict[Node, str]]:
    """Write nodes and variables; give also what each node is called."""
    numbers: dict[Node, str] = {}
    lines: list[str] = []
    written: dict[str, str] = {}
    count = 0
    for node in graph.nodes:
        for body in bodies_of(node):
            lines += _body_lines(body, graph, names, exact=exact)
        if isinstance(node, Literal):
            numbers[node] = names.literal(node)
            continue
        if isinstance(node, Extent):
            numbers[node] = f"#{names.size(node.size)}"
            continue
        text = _node_text(node, graph, numbers, names) + (_where(node, names) if exact else "")
        same = isinstance(node, Apply) and text in written
        if same and merged and not exact:  # equal up to lengths that must be equal
            numbers[node] = written[text]
            continue
        numbers[node] = written[text] = f"%{count}"
        count += 1
        lines.append(f"{numbers[node]} = {text}")
    for term in graph.terms:
        for body in bodies_of_law(term.law):
            lines += _body_lines(body, graph, names, exact=exact)
        role = "potential" if term.is_potential else "observed" if term.is_observed else "latent"
        where = _where(term.law, names) if exact else ""
        law = _law_text(term.law, numbers, names)
        lines.append(f"{role} {names.name(term.name)} = {numbers[term.value]} ~ {law}{where}")
    for name, node in graph.derived.items():
        lines.append(f"derived {names.name(name)} = {numbers[node]}")
    return lines, numbers


def _body_lines(body: Body, graph: Graph, names: _Names, *, exact: bool) -> list[str]:
    """Write a body that has not been written before, those that it holds itself first."""
    if body in names.bodies:
        return []
    lines: list[str] = []
    for node in body.nodes:
        for inner in bodies_of(node):
            lines += _body_lines(inner, graph, names, exact=exact)
    names.bodies[body] = len(names.bodies)
    kinds = [f"{'int' if p.integer else 'real'} {names.shape(p.shape)}" for p in body.parameters]
    lines.append(f"body {names.bodies[body]} ({', '.join(kinds)})")
    numbers: dict[Node, str] = {parameter: repr(parameter) for parameter in body.parameters}
    count = 0
    for node in body.nodes:
        if isinstance(node, Literal | Extent):
            numbers[node] = repr(node.value) if isinstance(node, Literal) else f"#{names.size(node.size)}"
        elif node not in numbers:
            numbers[node] = f"%{count}"
            count += 1
            text = _node_text(node, graph, numbers, names) + (_where(node, names) if exact else "")
            lines.append(f"| {numbers[node]} = {text}")
    return [*lines, f"| give {', '.join(numbers[result] for result in body.results)}"]


def _where(made: Node | Law, names: _Names) -> str:
    """Say which lengths must be equal for a node or a distribution to be what it is."""
    pairs = made.equalities if isinstance(made, Apply | Law) else ()
    return " where " + ", ".join(map(names.equal, pairs)) if pairs else ""


def _node_text(node: Node, graph: Graph, numbers: dict[Node, str], names: _Names) -> str:
    if isinstance(node, Data):
        kind = "int" if node.integer else "real"
        return f"data {names.name(graph.data_names.get(node, '_'))} {kind} {names.shape(node.shape)}"
    if isinstance(node, Variable):
        kind = " int" if node.integer else ""
        return f"variable {names.name(node.name)}{kind} {names.shape(node.shape)}"
    if not isinstance(node, Apply):
        return repr(node)
    arguments = [numbers[arg] for arg in node.args]
    arguments += [f"{key}={names.attribute(value)}" for key, value in node.attributes]
    return f"{node.op.name}({', '.join(arguments)}) {names.shape(node.shape)}"


def _law_text(law: Law, numbers: dict[Node, str], names: _Names) -> str:
    arguments = [numbers[arg] for arg in law.args]
    if law.lower is not None:
        arguments.append(f"lower={numbers[law.lower]}")
    if law.upper is not None:
        arguments.append(f"upper={numbers[law.upper]}")
    arguments += [f"{key}={names.attribute(value)}" for key, value in law.written.items()]
    flags = {"constraint": law.constraint, "centred": law.centred}
    arguments += [f"{flag}={value!r}" for flag, value in flags.items() if value is not None]
    if law.noncentred:
        arguments.append("noncentred=True")
    if law.centring is not None:
        arguments.append("centring=learnt")
    if law.beside:
        arguments.append(f"beside=({', '.join(numbers[node] for node in law.beside)})")
    return f"{law.distribution.name}({', '.join(arguments)}) {names.shape(law.shape)}"
