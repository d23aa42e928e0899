"""The parts of a Stan program that are measured one by one: statements, each with what it declares first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from scistan.errors import Place
from scistan.graph.graph import Term
from scistan.graph.node import Data
from scistan.targets.stan.program import Block, StanProgram
from scistan.targets.stan.source_map import map_sources
from scistan.targets.stan.syntax import Assign, Comment, Declare, Line, Statement, render, written

__all__ = ["Unit", "profiled_program", "program_up_to", "statements_about", "units_of"]

MOST = 40  # programs that are made of one: more statements than that are measured in groups of neighbours
_MEASURED = ("transformed parameters", "model")


@dataclass(frozen=True, slots=True)
class Unit:
    """Statements of one block that are measured together, and the user's variables and line they are there for."""

    block: str
    statements: tuple[Statement, ...]
    names: tuple[str, ...]
    place: Place | None
    observed: bool

    @property
    def text(self) -> str:
        """The last statement, which does the work; how many, where they are several of a kind."""
        lines = [line for line in render(self.statements) if not line.startswith("//")]
        body = [s for s in self.statements if not _is_bare(s) and not isinstance(s, Comment)]
        shown = " ".join(" ".join(render((body[-1] if body else self.statements[-1],))).split())
        return shown if len(body) < 2 else f"{len(lines)} lines, the last: {shown}"


def units_of(program: StanProgram) -> list[Unit]:
    """Part a program's statements; a declaration without a value goes with what follows it."""
    found: list[Unit] = []
    for block in program.blocks:
        if block.name in _MEASURED:
            parts = _gathered(list(_parts(block.statements)))
            found += [_unit(program, block.name, part) for part in parts]
    return found


def _parts(statements: Sequence[Statement]) -> Iterator[tuple[Statement, ...]]:
    waiting: list[Statement] = []
    for statement in statements:
        waiting.append(statement)
        if not _is_bare(statement) and not isinstance(statement, Comment):
            yield tuple(waiting)
            waiting = []
    if waiting:
        yield tuple(waiting)


def _gathered(parts: list[tuple[Statement, ...]]) -> Iterator[tuple[Statement, ...]]:
    step = -(-len(parts) // MOST)
    for start in range(0, len(parts), max(1, step)):
        yield tuple(statement for part in parts[start : start + step] for statement in part)


def _is_bare(statement: Statement) -> bool:
    return isinstance(statement, Declare) and not statement.value


def _unit(program: StanProgram, block: str, statements: tuple[Statement, ...]) -> Unit:
    sources = map_sources({block: written(statements)}, program.entries.graph).values()
    names = dict.fromkeys(name for source in sources for name in source.names)
    place = next((source.place for source in sources if source.place is not None), None)
    terms = [s.node for s in statements if isinstance(s.node, Term)]
    observed = any(isinstance(term.value, Data) for term in terms)
    return Unit(block, statements, tuple(names), place, observed)


def statements_about(program: StanProgram, names: Sequence[str]) -> int:
    """Count the statements of the density that were written for some of the user's variables."""
    wanted, found = set(names), 0
    for block in program.blocks:
        if block.name == "model":
            for statement in block.statements:
                terms = statement.node if isinstance(statement.node, tuple) else (statement.node,)
                found += any(isinstance(term, Term) and wanted.intersection(term.users) for term in terms)
    return found


def program_up_to(program: StanProgram, units: Sequence[Unit]) -> str:
    """Write the program with some of its first units and no others; what it generates from draws is left out."""
    kept = {name: tuple(s for unit in units if unit.block == name for s in unit.statements) for name in _MEASURED}
    return _with_blocks(program, kept)


def profiled_program(program: StanProgram, units: Sequence[Unit]) -> str:
    """Write the program with a `profile` block around each unit, named by its number."""
    kept: dict[str, tuple[Statement, ...]] = dict.fromkeys(_MEASURED, ())
    for number, unit in enumerate(units):
        declared = tuple(replace(s, value="") for s in unit.statements if isinstance(s, Declare))
        work = tuple(
            Assign(s.name, s.value, s.node) if isinstance(s, Declare) else s
            for s in unit.statements
            if not _is_bare(s)
        )
        kept[unit.block] += (*declared, _Profiled(number, work)) if work else declared
    return _with_blocks(program, kept)


def _with_blocks(program: StanProgram, kept: dict[str, tuple[Statement, ...]]) -> str:
    blocks = tuple(
        Block(b.name, kept.get(b.name, b.statements)) for b in program.blocks if b.name != "generated quantities"
    )
    return replace(program, blocks=blocks, generated=(), log_prior="").text


@dataclass(frozen=True, slots=True)
class _Profiled(Statement):
    """Statements that CmdStan times, under a number."""

    number: int
    body: tuple[Statement, ...]
    node: object = None

    def written(self) -> Iterator[Line]:
        yield f'profile("{self.number}") {{', None
        yield from ((f"  {line}", node) for line, node in written(self.body))
        yield "}", None
