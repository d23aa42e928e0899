"""What a user wrote as an argument: the text between the brackets, found in the source of their line."""

from __future__ import annotations

import ast
import linecache

from scistan.errors import Place

__all__ = ["argument_text"]

_LONGEST = 60


def argument_text(place: Place | None, function: str, position: int, keyword: str) -> tuple[str, str]:
    """Give the text of an argument of the call of `function` on a line, and that of all its arguments.

    Both are "" where they cannot be told for certain, or are long.
    """
    calls = [] if place is None else [c for c in _calls(place) if _called(c) == function]
    if len(calls) != 1 or any(isinstance(arg, ast.Starred) for arg in calls[0].args):
        return "", ""
    (call,) = calls
    named = [k.value for k in call.keywords if k.arg == keyword]
    found = named or call.args[position : position + 1]
    own = _short(ast.unparse(found[0])) if found else ""
    return own, "" if named else _short(", ".join([*map(ast.unparse, call.args), *map(ast.unparse, call.keywords)]))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else ""


def _calls(place: Place) -> list[ast.Call]:
    """List the calls of the statements that a line belongs to."""
    try:
        tree = ast.parse("".join(linecache.getlines(place.file)))
    except (SyntaxError, ValueError):  # a cell with magics, or a file that has changed
        return []
    return [
        call
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and not hasattr(node, "body")
        if node.lineno <= place.line <= (node.end_lineno or node.lineno)
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
    ]


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
