"""The flat twin of a program: the same parameters with nothing but their Jacobians."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scistan.targets.stan.program import Block, StanProgram
from scistan.targets.stan.syntax import Assign, Braces, Declare, For, PlusAssign, Statement, render

__all__ = ["FlatTwin", "flat_twin"]

_NAME = re.compile(r"[A-Za-z]\w*")
_DEFINED = re.compile(r"^\s*[a-z][\w\[\], ]*?\b(\w+)\s*\(", re.MULTILINE)  # and what is called in a line of its own


@dataclass(frozen=True, slots=True)
class FlatTwin:
    """What is left of a program when the density is taken away, and the data entries that it still reads."""

    text: str
    reads: frozenset[str]

    def data(self, whole: Mapping[str, Any]) -> dict[str, Any]:
        """Pick what the twin reads from the program's data."""
        return {name: value for name, value in whole.items() if name in self.reads}


def flat_twin(program: StanProgram) -> FlatTwin | None:
    """Give the twin, without data and quantities that no parameter needs; None where there is no Jacobian at all."""
    jacobians = tuple(s for p in program.parameters for s in (*p.jacobian, *p.volume))
    if not jacobians and all(_is_free(p.declaration) for p in program.parameters):
        return None
    needed = _names((*(p.declaration for p in program.parameters), *jacobians))
    blocks = {block.name: block for block in program.blocks}
    kept = {"model": Block("model", jacobians), "parameters": blocks["parameters"]}
    for name in ("transformed parameters", "transformed data", "data"):  # from the uses up to the definitions
        kept[name] = Block(name, _defining(blocks[name].statements, needed))
    functions = _called(program.functions, needed)
    ordered = tuple(kept[block.name] for block in program.blocks if block.name in kept)
    twin = replace(program, blocks=ordered, generated=(), log_prior="", functions=functions)
    return FlatTwin(twin.text, frozenset(s.name for s in kept["data"].statements if isinstance(s, Declare)))


def _is_free(declaration: Declare) -> bool:
    """Tell whether a parameter is its own coordinate: a constraint stands in `< >` or is a type of its own."""
    inner = declaration.kind.partition("] ")[2] if declaration.kind.startswith("array") else declaration.kind
    return _names_in(inner.partition("[")[0]) <= {"real", "vector", "matrix"} and "<" not in declaration.kind


def _defining(statements: tuple[Statement, ...], needed: set[str]) -> tuple[Statement, ...]:
    """Keep the statements that define what is needed; what they use is needed too."""
    kept: list[Statement] = []
    for statement in reversed(statements):
        if _written([statement]) & needed:
            needed |= _names([statement])
            kept.append(statement)
    return tuple(reversed(kept))


def _called(functions: Mapping[str, str], needed: set[str]) -> dict[str, str]:
    """Keep the functions that are called, by others too; each stands behind those it calls."""
    kept: dict[str, str] = {}
    for name, code in reversed(list(functions.items())):
        if needed.intersection(_DEFINED.findall(code)):
            needed |= _names_in(code)
            kept[name] = code
    return dict(reversed(kept.items()))


def _written(statements: Iterable[Statement]) -> set[str]:
    found: set[str] = set()
    for statement in statements:
        if isinstance(statement, Declare):
            found.add(statement.name)
        elif isinstance(statement, Assign | PlusAssign):
            found.add(statement.target.partition("[")[0])
        elif isinstance(statement, For | Braces):
            found |= _written(statement.body)
    return found


def _names(statements: Iterable[Statement]) -> set[str]:
    return _names_in("\n".join(render(tuple(statements))))


def _names_in(text: str) -> set[str]:
    return set(_NAME.findall(text))
