"""Purity of numerical functions: one array library, one precision, no number taken out of an array.

A function that is given an array library as `xp` computes with that library alone. What depends on its arguments is
followed through assignments; only such values are judged, so that `math.log(2)` and shapes are nobody's business.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

from scistan.errors import Place
from scistan.messages import purity as messages
from scistan.messages.purity import REMEDIES, WHAT

__all__ = ["Impurity", "check_purity", "impurities_in"]

LIBRARIES = frozenset({"numpy", "np", "torch", "jax", "jnp", "math", "scipy", "cupy", "tensorflow", "tf"})
_TRIPS = frozenset({"numpy", "cpu", "cuda", "to_numpy", "__array__"})
_READS = frozenset({"asarray", "array", "as_tensor", "tensor", "from_numpy"})
_SCALARS = frozenset({"item", "tolist"})
_NARROW = frozenset({"float32", "float16", "bfloat16", "half", "single"})
_NARROWING = frozenset({"float", "half", "bfloat16"})
_STILL = frozenset({"shape", "ndim", "dtype", "device", "size", "__name__"})  # of an array, but no numbers of it
_EXCUSE = "# pure: "  # with a reason, on the line itself


@dataclass(frozen=True, slots=True)
class Impurity:
    """One line that is not pure: the kind of fault, where it is, what it does and what to do."""

    kind: str
    place: Place
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.place.file}, line {self.place.line}: {self.what}\n  try: {self.remedy}"


def check_purity(function: Callable[..., Any], example_args: Sequence[object] | None = None) -> list[Impurity]:
    """Look for lines of a function that leave its array library, its precision or its derivatives behind.

    For functions of `(xp, *arrays)`, as `ss.declare_op` takes them; an empty list is a clean bill. With arrays as
    `example_args` it is also run on torch and JAX, where they are installed, in single and in double precision: then
    what it calls is seen as well, by the precision and the device of every value on the way.

    >>> import scistan as ss
    >>> ss.check_purity(lambda xp, x: xp.exp(x))
    []
    """
    code = getattr(inspect.unwrap(function) if callable(function) else None, "__code__", None)
    lines = [] if code is None else linecache.getlines(code.co_filename)
    module = ast.parse("".join(lines))
    written = [] if code is None else _written(code, module)
    if code is None or not written:
        raise messages.no_source(function)
    found = [fault for node in written for fault in _of_function(node, code.co_filename, lines, module)]
    return found if example_args is None else found + _in_runs(function, example_args, lines, found)


def _written(code: CodeType, module: ast.Module) -> list[ast.FunctionDef | ast.Lambda]:
    """Find where a function is written; of several lambdas on a line, the one that its instructions lie in."""
    found = [
        node for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.Lambda) and _starts(node) == code.co_firstlineno
        and [a.arg for a in (*node.args.posonlyargs, *node.args.args)] == list(code.co_varnames[: code.co_argcount])
    ]
    if len(found) < 2:
        return found
    places = [(line, column) for line, _, column, _ in code.co_positions() if line is not None and column is not None]
    inside = [
        sum((n.lineno, n.col_offset) <= place < (n.end_lineno or 0, n.end_col_offset or 0) for place in places)
        for n in found
    ]
    return [node for node, count in zip(found, inside, strict=True) if count == max(inside)]


def _imported(module: ast.Module, function: ast.AST) -> Mapping[str, str]:
    """Give what names stand for in array libraries: `exp` for `math.exp` behind `from math import exp`.

    Those of the file and of the function itself: what another function imports is its own.
    """
    found: dict[str, str] = {}
    for node in (*module.body, *ast.walk(function)):
        if isinstance(node, ast.Import):
            found |= {a.asname: a.name for a in node.names if a.asname and a.name.partition(".")[0] in LIBRARIES}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in LIBRARIES:
            found |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    return found


def _in_runs(
    function: Callable[..., Any], example_args: Sequence[object], lines: list[str], known: list[Impurity]
) -> list[Impurity]:
    """Run on examples; what was read of a line already is not said again."""
    from scistan.transforms.run_pure import seen_in_runs

    told = {(fault.kind, fault.place) for fault in known}
    return [
        Impurity(kind, place, WHAT[kind].format(what), REMEDIES[kind].format(what.rpartition(".")[2]))
        for kind, what, place in seen_in_runs(function, example_args)
        if (kind, place) not in told and _EXCUSE not in lines[place.line - 1]
    ]


def _starts(node: ast.FunctionDef | ast.Lambda) -> int:
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return min((d.lineno for d in decorators), default=node.lineno)


def impurities_in(file: str, text: str) -> list[Impurity]:
    """Look at every function of a file that is given an array library as `xp`."""
    lines, module = text.splitlines(keepends=True), ast.parse(text)
    found: list[Impurity] = []
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.Lambda) and node.args.args and node.args.args[0].arg == "xp":
            found += _of_function(node, file, lines, module)
    return found


def _of_function(
    node: ast.FunctionDef | ast.Lambda, file: str, lines: list[str], module: ast.Module
) -> Iterator[Impurity]:
    given, imported = node.args, _imported(module, node)
    library = given.args[0].arg if given.args else ""
    arrays = [a for a in (*given.posonlyargs, *given.args[1:]) if _may_be_array(a)]
    moving = {a.arg for a in arrays} | ({given.vararg.arg} if given.vararg else set())
    body: list[ast.AST] = list(node.body) if isinstance(node, ast.FunctionDef) else [node.body]
    _follow(body, moving)
    excused = _where_it_is_given(body, library)
    for part in body:
        for call in ast.walk(part):
            if not isinstance(call, ast.Call) or call in excused:
                continue
            fault = _fault(call, library, moving, imported)
            line = lines[call.lineno - 1] if call.lineno <= len(lines) else ""
            if fault is not None and _EXCUSE not in line:
                name = ast.unparse(call.func)
                last = name.rpartition(".")[2]
                yield Impurity(fault, Place(file, call.lineno), WHAT[fault].format(name), REMEDIES[fault].format(last))


def _may_be_array(argument: ast.arg) -> bool:
    return argument.annotation is None or ast.unparse(argument.annotation) not in ("bool", "int", "float", "str")


def _where_it_is_given(body: list[ast.AST], library: str) -> set[ast.AST]:
    """Give what is only computed where the library is one of a name, `if xp is np`: that name is the library there."""
    found: set[ast.AST] = set()
    for part in body:
        for node in ast.walk(part):
            if isinstance(node, ast.If | ast.IfExp) and _is_library(node.test, library):
                chosen = node.body if isinstance(node.body, list) else [node.body]
                found |= {inner for one in chosen for inner in ast.walk(one)}
    return found


def _is_library(test: ast.expr, library: str) -> bool:
    compared = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is)
    return compared and ast.unparse(test.left) == library  # type: ignore[attr-defined]


def _follow(body: list[ast.AST], moving: set[str]) -> None:
    """Add the names that are given values which depend on the arguments, until there are no more."""
    before = -1
    while before != len(moving):
        before = len(moving)
        for part in body:
            for node in ast.walk(part):
                value, targets = _assigned(node)
                if value is not None and _moves(value, moving):
                    moving |= {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}


def _assigned(node: ast.AST) -> tuple[ast.expr | None, list[ast.expr]]:
    """Give the value that a statement or a loop gives to names, and these."""
    if isinstance(node, ast.Assign):
        return node.value, node.targets
    if isinstance(node, ast.AnnAssign | ast.AugAssign):
        return node.value, [node.target]
    if isinstance(node, ast.For | ast.comprehension):
        return node.iter, [node.target]
    return None, []


def _moves(tree: ast.AST, moving: set[str]) -> bool:
    """Tell whether an expression depends on numbers of the arguments; their shapes are none."""
    if isinstance(tree, ast.Attribute) and tree.attr in _STILL:
        return False
    if isinstance(tree, ast.Name):
        return tree.id in moving
    if isinstance(tree, ast.Lambda):
        return False
    return any(_moves(child, moving) for child in ast.iter_child_nodes(tree))


def _fault(call: ast.Call, library: str, moving: set[str], imported: Mapping[str, str]) -> str | None:
    arguments = [*call.args, *(k.value for k in call.keywords)]
    moved = any(_moves(argument, moving) for argument in arguments)
    narrow = any(k.arg == "dtype" and ast.unparse(k.value).strip("'\"").rpartition(".")[2] in _NARROW
                 for k in call.keywords)
    if isinstance(call.func, ast.Name):
        if call.func.id in imported and call.func.id not in moving and moved:
            return "library"
        return "scalar" if call.func.id in ("float", "int", "bool") and moved else None
    if not isinstance(call.func, ast.Attribute):
        return None
    owner, name = ast.unparse(call.func.value), call.func.attr
    root = owner.partition(".")[0]
    root = imported.get(root, root).partition(".")[0]
    if root in LIBRARIES and root != library and moved:
        return "round trip" if name in _READS else "library"
    of_array = _moves(call.func.value, moving)
    cast = name in ("astype", "to", "type") and any(
        ast.unparse(argument).strip("'\"").rpartition(".")[2] in _NARROW for argument in arguments)
    if (moved or of_array) and (narrow or cast or (root == library and name in _NARROW)):
        return "precision"
    if of_array and name in _NARROWING and not arguments:
        return "precision"
    if of_array and name in _TRIPS:
        return "round trip"
    if of_array and name == "to" and any(ast.unparse(a).strip("'\"") in ("cpu", "cuda") for a in arguments):
        return "round trip"
    return "scalar" if of_array and name in _SCALARS else None
