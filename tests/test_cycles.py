"""No import inside a function hides a cycle, but for the methods of what users hold: those reach up to the verbs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (ROOT / "scistan").rglob("*.py")
}
# A fit can be refitted, a model sampled and an estimate loaded: their methods import what does it when they are called.
HELD = {
    "scistan.inference.fit",
    "scistan.inference.point.estimate",
    "scistan.inference.prior_check.result",
    "scistan.model.fitted",
    "scistan.model.model",
}


def imports(module: str) -> Iterator[str]:
    """List the modules that one imports when it runs; of those that users hold, when it is read."""

    def visit(node: ast.AST) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, ast.FunctionDef) and module in HELD:
                continue
            if isinstance(child, ast.ImportFrom) and child.module:
                for alias in child.names:
                    whole = f"{child.module}.{alias.name}"
                    yield whole if whole in MODULES else child.module
            yield from visit(child)

    return visit(ast.parse(MODULES[module].read_text()))


def test_imports_have_an_order():
    graph = {name: {found for found in imports(name) if found in MODULES and found != name} for name in MODULES}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise AssertionError(f"a cycle of imports: {' -> '.join(reversed(error.args[1]))}") from None
