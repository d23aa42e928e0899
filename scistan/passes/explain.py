"""`m.explain()`: what each pass did to each term, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from scistan.distributions.declaration import Distribution
from scistan.distributions.standard import frame_of
from scistan.graph.graph import Graph, Law
from scistan.graph.node import Node
from scistan.graph.text import short_text
from scistan.passes import PASSES, trace_passes
from scistan.passes.conjugate import conjugacies
from scistan.passes.hints import hints

__all__ = ["Explanation", "changes", "explain"]


@dataclass(frozen=True, slots=True)
class Explanation:
    """One row per pass and term it changed; what the user may want to change; and which latents are conjugate."""

    rows: tuple[tuple[str, str, str, str], ...]
    idle: tuple[str, ...]
    hints: tuple[str, ...] = ()
    summed: tuple[str, ...] = ()
    integrated: tuple[str, ...] = ()
    conjugate: tuple[str, ...] = ()

    def __repr__(self) -> str:
        lines = [] if self.rows else [f"no pass changed anything ({', '.join(self.idle)})"]
        for step, name, before, after in self.rows:
            lines += [f"{step}: {name}", f"    {before}", f"  → {after}"]
        if self.idle and self.rows:
            lines.append(f"nothing to do for: {', '.join(self.idle)}")
        lines = [*(f"summed: {found}" for found in self.summed), *lines]
        lines += [f"integrated: {found}" for found in self.integrated]
        lines += [f"hint: {hint}" for hint in self.hints]
        lines += [f"conjugate: {found}" for found in self.conjugate]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self.rows)
        told = "".join(f"<p>summed: {escape(found)}</p>" for found in self.summed)
        told += "".join(f"<p>integrated: {escape(found)}</p>" for found in self.integrated)
        told += "".join(f"<p>hint: {escape(hint)}</p>" for hint in self.hints)
        told += "".join(f"<p>conjugate: {escape(found)}</p>" for found in self.conjugate)
        return f"<table><tr><th>pass</th><th>variable</th><th>before</th><th>after</th></tr>{body}</table>{told}"


def explain(
    graph: Graph, summed: Sequence[str] = (), integrated: Sequence[str] = (), **switches: bool
) -> Explanation:
    """Run the passes and say what each changed.

    `summed` tells of discrete latents that no pass sees any more, `integrated` of normal ones that are not sampled.
    """
    rows: list[tuple[str, str, str, str]] = []
    worked: set[str] = set()
    for step, before, after in trace_passes(graph, **switches):
        found = changes(before, after)
        if found:
            worked.add(step.name)
        rows += [(step.name, *change) for change in found]
    idle = tuple(p.name for p in PASSES if p.name not in worked)
    told = tuple(summed), tuple(integrated)
    return Explanation(tuple(rows), idle, hints(graph), *told, tuple(map(str, conjugacies(graph))))


def changes(before: Graph, after: Graph) -> list[tuple[str, str, str]]:
    """List what differs between two forms of a graph: the variable, and its definition before and after."""
    known = {term.name: term.law for term in before.terms}
    names_before, names_after = _names(before), _names(after)
    found: list[tuple[str, str, str]] = []
    for term in after.terms:
        new = _text(term.law, names_after)
        if term.name not in known:
            gone = [t.name for t in before.terms if all(t.name != kept.name for kept in after.terms)]
            found.append((term.name, f"{len(gone)} terms, {gone[0]} … {gone[-1]}" if gone else "", new))
        elif _text(known[term.name], names_before) != new:
            found.append((term.name, _text(known[term.name], names_before), new))
    for name, node in after.derived.items():
        old, new = short_text(before.derived[name], names_before), short_text(node, names_after)
        if old != new:
            found.append((name, old, new))
    return found


def _names(graph: Graph) -> dict[Node, str]:
    named: dict[Node, str] = {leaf: name for leaf, name in graph.data_names.items()}  # noqa: C416
    return {term.value: term.name for term in graph.terms} | named


def _text(law: Law, names: dict[Node, str]) -> str:
    d: Distribution = law.distribution
    written = zip(d.parameters, law.args, strict=True)
    arguments = ", ".join(f"{d.keyword(p)}{short_text(arg, names)}" for p, arg in written)
    frame = frame_of(law) if law.noncentred else None
    how = "" if frame is None else " from independent normals" if frame.is_matrix else " by offset and multiplier"
    return f"{d.title}({arguments}){how}"
