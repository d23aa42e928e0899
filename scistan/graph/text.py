"""The graph as text: one line per node and per variable, in a fixed order; `graph/parse.py` reads it back.

    %0 = variable mu []
    %1 = data x real [n0]
    %2 = multiply(%0, %1) [n0]
    %3 = data y real [n0]
    latent mu = %0 ~ Normal(0, 5.0) []
    observed y = %3 ~ Normal(%2, 1) [n0]

Lengths are named by position; `#n0+1` is a length used as a number or in an attribute.
"""

from __future__ import annotations

from scistan.graph.graph import Draw, Graph
from scistan.graph.node import Apply, Data, Extent, Literal, Node, Variable
from scistan.shapes import Shape, Size, SizeTable, Symbol

__all__ = ["graph_text", "short_text"]

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

    def __init__(self, table: SizeTable) -> None:
        self.table = table
        self.sizes: dict[Symbol, int] = {}

    def size(self, size: Size) -> str:
        reduced = self.table.reduce(size)
        parts = [str(reduced.constant)] if reduced.constant or not reduced.terms else []
        numbered = sorted((self.sizes.setdefault(symbol, len(self.sizes)), k) for symbol, k in reduced.terms)
        parts += [f"n{number}" if k == 1 else f"{k}*n{number}" for number, k in numbered]
        return "+".join(parts)

    def shape(self, shape: Shape) -> str:
        return f"[{', '.join(self.size(size) for size in shape)}]"

    def attribute(self, value: object) -> str:
        if isinstance(value, Size):
            return f"#{self.size(value)}"
        if isinstance(value, tuple):
            inner = ", ".join(self.attribute(v) for v in value)
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        return repr(value)


def graph_text(graph: Graph) -> str:
    """Print a graph; models that are equal up to data and lengths print the same."""
    names = _Names(graph.sizes())
    numbers: dict[Node, str] = {}
    lines: list[str] = []
    written: dict[str, str] = {}
    for node in graph.nodes:
        if isinstance(node, Literal):
            numbers[node] = repr(node.value)
            continue
        if isinstance(node, Extent):
            numbers[node] = f"#{names.size(node.size)}"
            continue
        text = _node_text(node, graph, numbers, names)
        if isinstance(node, Apply) and text in written:  # equal up to lengths that must be equal
            numbers[node] = written[text]
            continue
        numbers[node] = written[text] = f"%{len(lines)}"
        lines.append(f"{numbers[node]} = {text}")
    for term in graph.terms:
        role = "observed" if term.is_observed else "latent"
        lines.append(f"{role} {term.name} = {numbers[term.value]} ~ {_draw_text(term.draw, numbers, names)}")
    for name, node in graph.derived.items():
        lines.append(f"derived {name} = {numbers[node]}")
    return "\n".join(lines) + "\n"


def _node_text(node: Node, graph: Graph, numbers: dict[Node, str], names: _Names) -> str:
    if isinstance(node, Data):
        kind = "int" if node.integer else "real"
        return f"data {graph.data_names.get(node, '_')} {kind} {names.shape(node.shape)}"
    if isinstance(node, Variable):
        return f"variable {node.name} {names.shape(node.shape)}"
    if not isinstance(node, Apply):
        return repr(node)
    arguments = [numbers[arg] for arg in node.args]
    arguments += [f"{key}={names.attribute(value)}" for key, value in node.attributes]
    return f"{node.op.name}({', '.join(arguments)}) {names.shape(node.shape)}"


def _draw_text(draw: Draw, numbers: dict[Node, str], names: _Names) -> str:
    arguments = [numbers[arg] for arg in draw.args]
    if draw.lower is not None:
        arguments.append(f"lower={numbers[draw.lower]}")
    if draw.upper is not None:
        arguments.append(f"upper={numbers[draw.upper]}")
    flags = {"constraint": draw.constraint, "centred": draw.centred}
    arguments += [f"{flag}={value!r}" for flag, value in flags.items() if value is not None]
    if draw.noncentred:
        arguments.append("noncentred=True")
    return f"{draw.distribution.name}({', '.join(arguments)}) {names.shape(draw.shape)}"
