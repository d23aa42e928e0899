"""What the user calls a value before a model has named it, read from their line: for messages alone."""

from __future__ import annotations

import ast
import linecache

from scistan.graph.places import user_frame

__all__ = ["assigned_name", "variable_name"]


def assigned_name() -> str:
    """Give the name that the user's statement assigns to, `x` of `m.x = …`; "" where there is none."""
    frame = user_frame()
    if frame is None:
        return ""
    try:
        tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals)))
    except SyntaxError:
        return ""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and node.lineno <= frame.f_lineno <= (node.end_lineno or node.lineno)
    ]
    if len(around) != 1 or len(around[0].targets) != 1:
        return ""
    target = around[0].targets[0]
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        return str(target.slice.value)
    return target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""


def variable_name(value: object) -> str:
    """Give the name under which the user's line sees an object; "" where there is none."""
    frame = user_frame()
    for names in (frame.f_locals, frame.f_globals) if frame is not None else ():
        for name, held in names.items():
            if held is value and not name.startswith("_"):
                return str(name)
    return ""
