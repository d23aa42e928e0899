"""The user's own line with other constants: their text where Python still has it, else a line that means the same."""

from __future__ import annotations

import ast
import linecache
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from scistan.distributions.declaration import Distribution
from scistan.errors import Place
from scistan.graph.graph import Law
from scistan.graph.node import Data, Node
from scistan.inference.prior_check.change import Change
from scistan.inference.prior_check.constants import Slot
from scistan.model.formula import TEXT, write
from scistan.model.variables import Entry, Variables

__all__ = ["Source"]

_PYTHON = replace(TEXT, name=lambda name: f"m.{name}", call=lambda name, args: f"ss.{name}({', '.join(args)})")
_LISTED = 20  # elements that are written out where the user's own text is not at hand
Edit = tuple[ast.expr, str]


class Source:
    """How a model was written, as far as its lines are known."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables

    def lines(self, changes: Mapping[Slot, Change]) -> list[str]:
        """Give the lines with these changes: data that have a name first, then each latent once."""
        named = set(self._variables.entries)
        own = [change for slot, change in changes.items() if slot.is_data and slot.name in named]
        rest: dict[str, dict[str, Change]] = {}
        for change in changes.values():
            for use in change.slot.uses if change not in own else ():
                rest.setdefault(use.variable, {})[use.parameter] = change
        return [
            *(self._data_line(self._variables.entries[change.slot.name], change) for change in own),
            *(self._latent_line(self._variables.entries[name], parts) for name, parts in rest.items()),
        ]

    def _data_line(self, entry: Entry, change: Change) -> str:
        def edits(value: ast.expr) -> list[Edit] | None:
            made = _call_of(value, "data")
            given = made.args[0] if made is not None and made.args else None
            return None if given is None else [(given, _text(change, _part(entry, given)))]

        dims = f", dims={_dims(entry)}" if any(entry.dims) else ""
        return _edited(entry, edits) or f"m.{entry.name} = ss.data({_text(change, f'm.{entry.name}')}{dims})"

    def _latent_line(self, entry: Entry, parts: Mapping[str, Change]) -> str:
        law = entry.law
        if law is None:
            raise TypeError(f"`{entry.name}` has no distribution")
        d: Distribution = law.distribution

        def edits(value: ast.expr) -> list[Edit] | None:
            made = _call_of(value, d.title)
            if made is None or any(isinstance(arg, ast.Starred) for arg in made.args):
                return None
            found = {keyword.arg: keyword.value for keyword in made.keywords}
            found |= dict(zip([p.name for p in d.parameters], made.args, strict=False))
            if any(name not in found for name in parts):
                return None
            return [(found[name], _text(change, _part(entry, found[name]))) for name, change in parts.items()]

        return _edited(entry, edits) or f"m.{entry.name} = {self._written(entry, law, parts)}"

    def _written(self, entry: Entry, law: Law, parts: Mapping[str, Change]) -> str:
        """Write a distribution anew, with what the graph knows of it."""
        d: Distribution = law.distribution
        names: Mapping[Node, str] = self._variables.named

        def argument(name: str, node: Node) -> str:
            return _text(parts[name], "") if name in parts else _node_text(node, names)

        args = [d.keyword(p) + argument(p.name, node) for p, node in zip(d.parameters, law.args, strict=True)]
        for side in ("lower", "upper"):
            node = getattr(law, side)
            if node is not None:
                args.append(f"{side}={argument(side, node)}")
        args += [f"constraint={law.constraint!r}"] if law.constraint else []
        args += [f"centred={law.centred}"] if law.centred is not None else []
        if any(entry.dims):
            args.append(f"dims={_dims(entry)}")
        elif entry.node.shape and not d.event_rank:
            args.append(f"shape={tuple(size.today for size in entry.node.shape)}")
        return f"ss.{d.title}({', '.join(args)})"


# -- the user's text ----------------------------------------------------------------------------------
def _edited(entry: Entry, edits: Callable[[ast.expr], list[Edit] | None]) -> str:
    """Give the statement that made a variable with some expressions replaced; "" where it cannot be found."""
    statement = None if entry.place is None else _statement(entry.place, entry.name)
    if entry.place is None or statement is None or statement.value is None:
        return ""
    wanted = edits(statement.value)
    if wanted is None:
        return ""
    lines = [line.encode() for line in linecache.getlines(entry.place.file)]
    for node, text in sorted(wanted, key=lambda edit: (edit[0].lineno, edit[0].col_offset), reverse=True):
        end = (node.end_lineno or node.lineno) - 1
        tail = lines[end][node.end_col_offset or 0 :]
        head = lines[node.lineno - 1][: node.col_offset]
        lines[node.lineno - 1 : end + 1] = [head + text.encode() + tail, *[b""] * (end - node.lineno + 1)]
    text = b"".join(lines[statement.lineno - 1 : statement.end_lineno]).decode()
    return textwrap.dedent(text).rstrip()


def _statement(place: Place, name: str) -> ast.Assign | ast.AnnAssign | None:
    """Find the assignment to `name` that runs over a line."""
    try:
        tree = ast.parse("".join(linecache.getlines(place.file)))
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not node.lineno <= place.line <= (node.end_lineno or 0):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if len(targets) == 1 and _target(targets[0]) == name:
            return node
    return None


def _target(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return node.attr if isinstance(node, ast.Attribute) else ""


def _call_of(value: ast.expr, title: str) -> ast.Call | None:
    """Find the one call of this name in an expression."""
    calls = [
        node for node in ast.walk(value)
        if isinstance(node, ast.Call)
        and (node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")) == title
    ]  # fmt: skip
    return calls[0] if len(calls) == 1 else None


def _part(entry: Entry, node: ast.expr) -> str:
    source = "".join(linecache.getlines(entry.place.file)) if entry.place is not None else ""
    return ast.get_source_segment(source, node) or ""


# -- numbers -----------------------------------------------------------------------------------------
def _text(change: Change, old: str) -> str:
    """Write a change: numbers as numbers, many of them as what was done to those that were there."""
    numbers = change.numbers
    if numbers.ndim == 0:
        return _number(float(numbers))
    if (change.scale == 1.0 and change.shift == 0.0) or (not old and numbers.size <= _LISTED):
        return repr(np.vectorize(_rounded, otypes=[float])(numbers).tolist())
    old = old or "…"
    scaled = old if change.scale == 1.0 else f"np.multiply({old}, {_number(change.scale)})"
    return scaled if change.shift == 0.0 else f"np.add({scaled}, {_number(change.shift)})"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _rounded(value: float) -> float:
    return float(f"{value:.12g}")


def _node_text(node: Node, names: Mapping[Node, str]) -> str:
    if isinstance(node, Data) and node not in names and node.default is not None and node.default.size <= _LISTED:
        return repr(node.default.tolist())
    return write(node, names, _PYTHON)


def _dims(entry: Entry) -> str:
    return repr(entry.dims[0]) if len(entry.dims) == 1 else repr(entry.dims)
