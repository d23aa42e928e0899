"""How a model shows itself: as text, as a table in a notebook, and as mathematics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape

from scistan.distributions.declaration import Distribution
from scistan.distributions.rule import step_law, taken_apart
from scistan.graph.graph import Law
from scistan.graph.node import Node
from scistan.model.formula import LATEX, TEXT, AsItStands, latex_name, latex_text, write, write_definition
from scistan.model.variables import Entry, Variables
from scistan.shapes import Size

__all__ = ["Latex", "Length", "as_html", "as_latex", "as_text", "axes_text", "definition"]

Length = Callable[[Size], int]
_LONGEST = 100
# As far from white as from the black of a dark notebook.
_COLORS = {
    "latent": "#4079c8", "observed": "#c05e38", "data": "#7b7b7b", "derived": "#34895a", "potential": "#8d5aa5",
}
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
    if entry.role == "potential":
        return f"adds {_short(write(entry.shown, names, TEXT))} to the log density"
    if entry.law is not None:
        return f"~ {_law_text(entry.law, names)}"
    return "data" if entry.role == "data" else f"= {_short(_without_own_name(entry, names))}"


def _without_own_name(entry: Entry, names: Mapping[Node, str]) -> str:
    first = names.get(entry.node)
    if first is not None and first != entry.name:  # a second name for what has one
        return first
    return write_definition(entry.node, names, TEXT)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _series_text(law: Law, names: Mapping[Node, str]) -> str:
    """Write a series by the law of its next element, and those of the first."""
    rule, step = law.distribution.rule, step_law(law)
    inner: dict[Node, str] = {**names, **{node: f"past[-{k}]" for node, k in step.before.items()}}
    inner |= dict.fromkeys(step.states, "state")
    inner |= {node: write(whole, names, TEXT) for node, whole in step.over.items()}
    pairs = zip(rule.starts, taken_apart(law).starts, strict=True)
    starts = list(dict.fromkeys(_law_text(Law(d, args, rule.shape), names) for d, args in pairs))
    start = "'given'" if rule.given else starts[0] if len(starts) == 1 else f"[{', '.join(starts)}]"
    shown = f", start={start}" if starts or rule.given else ""
    return _short(f"Series({_law_text(step.law, inner)}{shown})")


def _law_text(law: Law, names: Mapping[Node, str]) -> str:
    d: Distribution = law.distribution
    if d.rule is not None:
        return _series_text(law, names)
    parts = [d.keyword(p) + write(arg, names, TEXT) for p, arg in zip(d.parameters, law.args, strict=True)]
    for side in ("lower", "upper"):
        bound = getattr(law, side)
        if bound is not None:
            parts.append(f"{side}={write(bound, names, TEXT)}")
    if law.constraint:
        parts.append(f"constraint={law.constraint!r}")
    if law.centred is not None:
        parts.append(f"centred={law.centred}")
    return _short(f"{d.title}({', '.join(parts)})")


def axes_text(entry: Entry, length: Length) -> str:
    """Write the axes of an entry: the dims where it has them, and the lengths."""
    axes = zip(entry.dims, map(length, entry.node.shape), strict=True)
    return ", ".join(f"{dim}: {n}" if dim else str(n) for dim, n in axes)


def as_text(variables: Variables, length: Length) -> str:
    """Write a model one variable a line."""
    lines = [variables.owner]
    for entry in variables.entries.values():
        axes = f"  [{axes_text(entry, length)}]" if entry.node.shape else ""
        role = " observed" if entry.role == "observed" else ""
        lines.append(f"  {entry.name} {definition(entry, variables.named)}{axes}{role}")
    return "\n".join(lines)


def as_html(variables: Variables, length: Length) -> str:
    """Write a model as a table."""
    rows = "".join(
        f"<tr><td {_LEFT}><b>{escape(e.name)}</b></td>"
        f"<td style='text-align:left;color:{_COLORS[e.role]}'>{e.role}</td>"
        f"<td {_LEFT}><code>{escape(definition(e, variables.named))}</code></td>"
        f"<td {_LEFT}>{escape(axes_text(e, length))}</td></tr>"
        for e in variables.entries.values()
    )
    head = "".join(f"<th {_LEFT}>{word}</th>" for word in ("variable", "role", "definition", "axes"))
    head = f"<tr>{head}</tr>"
    caption = f"<caption {_LEFT}>{escape(variables.owner)}</caption>"
    return f"<table>{caption}<thead>{head}</thead><tbody>{rows}</tbody></table>"


# -- mathematics ---------------------------------------------------------------------------------
def as_latex(variables: Variables, length: Length) -> Latex:
    """Write a model as aligned mathematics, data aside."""
    rows = [_row(entry, variables.named, length) for entry in variables.entries.values() if entry.role != "data"]
    return Latex("\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}")


def _row(entry: Entry, names: Mapping[Node, str], length: Length) -> str:
    left = latex_name(entry.name)
    axes = latex_text(axes_text(entry, length))
    note = rf" && \text{{{axes}}}" if axes else ""
    if entry.role == "potential":
        return rf"{left} &: \; \log p \mathrel{{+}}= {write(entry.shown, names, LATEX)}"
    if entry.law is not None and entry.law.distribution.rule is not None:
        return rf"{{{left}}}_{{t}} &\sim {_series_latex(entry.law, left, names)}{note}"
    if entry.law is not None:
        return rf"{left} &\sim {_law_latex(entry.law, names)}{note}"
    first = names.get(entry.node, entry.name)
    right = latex_name(first) if first != entry.name else write_definition(entry.node, names, LATEX)
    return f"{left} &= {right}{note}"


def _series_latex(law: Law, left: str, names: Mapping[Node, str]) -> str:
    """Write the law of one element, those before it with their times."""
    step = step_law(law)
    inner: dict[Node, str] = {**names}
    inner |= {node: AsItStands(f"{{{left}}}_{{t-{k}}}") for node, k in step.before.items()}
    inner |= {node: AsItStands(r"\mathrm{state}_{t-1}") for node in step.states}
    inner |= {node: AsItStands(f"{{{write(whole, names, LATEX)}}}_{{t}}") for node, whole in step.over.items()}
    return _law_latex(step.law, inner)


def _law_latex(law: Law, names: Mapping[Node, str]) -> str:
    args = r",\, ".join(write(arg, names, LATEX) for arg in law.args)
    text = rf"\operatorname{{{latex_text(law.distribution.title)}}}\left({args}\right)"
    if law.truncated:
        low = r"(-\infty" if law.lower is None else f"[{write(law.lower, names, LATEX)}"
        high = r"\infty)" if law.upper is None else f"{write(law.upper, names, LATEX)}]"
        text += rf" \text{{ on }} {low},\, {high}"
    if law.constraint:
        words = law.constraint.replace("_", " ")
        text += rf" \text{{, {words}}}"
    return text
