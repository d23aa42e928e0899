"""How a model shows itself: as text, as a table in a notebook, and as mathematics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape

from scistan.distributions.declaration import Distribution
from scistan.graph.graph import Draw
from scistan.graph.node import Node
from scistan.model.book import Book, Entry
from scistan.model.formula import LATEX, TEXT, latex_name, latex_text, write, write_definition
from scistan.shapes import Size

__all__ = ["Latex", "Length", "as_html", "as_latex", "as_text", "axes_text", "definition"]

Length = Callable[[Size], int]
_LONGEST = 100
# As far from white as from the black of a dark notebook.
_COLORS = {"latent": "#4079c8", "observed": "#c05e38", "data": "#7b7b7b", "derived": "#34895a"}
_LEFT = "style='text-align:left'"


@dataclass(frozen=True, slots=True)
class Latex:
    """A model's mathematics; a notebook renders it, `str` gives the source."""

    source: str

    def _repr_latex_(self) -> str:
        return f"$${self.source}$$"

    def __str__(self) -> str:
        return self.source

    def __repr__(self) -> str:
        return self.source


# -- text ----------------------------------------------------------------------------------------
def definition(entry: Entry, names: Mapping[Node, str]) -> str:
    """Write what an entry means on one line."""
    if entry.draw is not None:
        return f"~ {_draw_text(entry.draw, names)}"
    return "data" if entry.role == "data" else f"= {_short(_without_own_name(entry, names))}"


def _without_own_name(entry: Entry, names: Mapping[Node, str]) -> str:
    first = names.get(entry.node)
    if first is not None and first != entry.name:  # a second name for what has one
        return first
    return write_definition(entry.node, names, TEXT)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _draw_text(draw: Draw, names: Mapping[Node, str]) -> str:
    d: Distribution = draw.distribution
    parts = [d.keyword(p) + write(arg, names, TEXT) for p, arg in zip(d.parameters, draw.args, strict=True)]
    for side in ("lower", "upper"):
        bound = getattr(draw, side)
        if bound is not None:
            parts.append(f"{side}={write(bound, names, TEXT)}")
    if draw.constraint:
        parts.append(f"constraint={draw.constraint!r}")
    if draw.centred is not None:
        parts.append(f"centred={draw.centred}")
    return _short(f"{d.title}({', '.join(parts)})")


def axes_text(entry: Entry, length: Length) -> str:
    """Write the axes of an entry: the dims where it has them, and the lengths."""
    axes = zip(entry.dims, map(length, entry.node.shape), strict=True)
    return ", ".join(f"{dim}: {n}" if dim else str(n) for dim, n in axes)


def as_text(book: Book, length: Length) -> str:
    """Write a model one variable a line."""
    lines = [book.owner]
    for entry in book.entries.values():
        axes = f"  [{axes_text(entry, length)}]" if entry.node.shape else ""
        role = " observed" if entry.role == "observed" else ""
        lines.append(f"  {entry.name} {definition(entry, book.named)}{axes}{role}")
    return "\n".join(lines)


def as_html(book: Book, length: Length) -> str:
    """Write a model as a table."""
    rows = "".join(
        f"<tr><td {_LEFT}><b>{escape(e.name)}</b></td>"
        f"<td style='text-align:left;color:{_COLORS[e.role]}'>{e.role}</td>"
        f"<td {_LEFT}><code>{escape(definition(e, book.named))}</code></td>"
        f"<td {_LEFT}>{escape(axes_text(e, length))}</td></tr>"
        for e in book.entries.values()
    )
    head = "".join(f"<th {_LEFT}>{word}</th>" for word in ("variable", "role", "definition", "axes"))
    head = f"<tr>{head}</tr>"
    return f"<table><caption {_LEFT}>{escape(book.owner)}</caption><thead>{head}</thead><tbody>{rows}</tbody></table>"


# -- mathematics ---------------------------------------------------------------------------------
def as_latex(book: Book, length: Length) -> Latex:
    """Write a model as aligned mathematics, data aside."""
    rows = [_row(entry, book.named, length) for entry in book.entries.values() if entry.role != "data"]
    return Latex("\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}")


def _row(entry: Entry, names: Mapping[Node, str], length: Length) -> str:
    left = latex_name(entry.name)
    axes = latex_text(axes_text(entry, length))
    note = rf" && \text{{{axes}}}" if axes else ""
    if entry.draw is not None:
        return rf"{left} &\sim {_draw_latex(entry.draw, names)}{note}"
    first = names.get(entry.node, entry.name)
    right = latex_name(first) if first != entry.name else write_definition(entry.node, names, LATEX)
    return f"{left} &= {right}{note}"


def _draw_latex(draw: Draw, names: Mapping[Node, str]) -> str:
    args = r",\, ".join(write(arg, names, LATEX) for arg in draw.args)
    text = rf"\operatorname{{{latex_text(draw.distribution.title)}}}\left({args}\right)"
    if draw.truncated:
        low = r"(-\infty" if draw.lower is None else f"[{write(draw.lower, names, LATEX)}"
        high = r"\infty)" if draw.upper is None else f"{write(draw.upper, names, LATEX)}]"
        text += rf" \text{{ on }} {low},\, {high}"
    if draw.constraint:
        words = draw.constraint.replace("_", " ")
        text += rf" \text{{, {words}}}"
    return text
