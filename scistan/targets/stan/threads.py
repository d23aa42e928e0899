"""Within-chain threads: an observed term as a `reduce_sum` over slices of its observations."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from scistan.graph.graph import Term
from scistan.graph.node import Data, Node
from scistan.graph.walk import topological
from scistan.shapes import Size
from scistan.targets.stan.lower import Scope, Writer
from scistan.targets.stan.names import Names, SizeNames
from scistan.targets.stan.reduce_sum_slices import Sliced, slice_term
from scistan.targets.stan.statements import term_statements
from scistan.targets.stan.syntax import (
    Comment,
    Declare,
    Expr,
    For,
    Line,
    PlusAssign,
    Statement,
    TargetPlus,
    Tilde,
    Type,
    unsized,
    written,
)

__all__ = ["threaded_statements"]

_FUNCTION = """\
/** Log density of the observations `start` to `end` of {term}. */
real {name}_lpmf(array[] int {rows}, int start, int end{declared}) {{
{body}
}}"""
_HEADING = 2  # lines above the body


@dataclass(slots=True)
class _Arguments:
    """The arguments of a partial sum: what its body reads comes in as an argument, or as a slice of one."""

    outside: Scope
    sliced: Sliced
    names: Names
    given: dict[str, Expr] = field(default_factory=dict)  # argument -> what is passed for it

    def real(self, leaf: Data) -> Expr:
        origin = self.sliced.origins[leaf]
        cut = leaf in self.sliced.cut
        return self._take(leaf, self.outside.named(origin) if cut else self.outside.whole(origin))

    def integers(self, node: Node, bounds: str = "") -> Expr:
        return self._take(node, self.outside.writer.entries.integers(self.sliced.origins[node], bounds))

    def index(self, node: Node, axis: Size | None) -> Expr:
        return self._take(node, self.outside.writer.entries.index(self.sliced.origins[node], axis))

    def vectors(self, leaf: Data, bounds: str = "") -> Expr:
        return self._take(leaf, self.outside.writer.entries.vectors(self._data(leaf), bounds))

    def bound(self, leaf: Data, bounds: str) -> None:
        self.outside.writer.entries.bound(self._data(leaf), bounds)

    def known(self, node: Node) -> str:
        return self.outside.writer.entries.known(self.sliced.origins.get(node, node))

    def _data(self, leaf: Data) -> Data:
        origin = self.sliced.origins[leaf]
        if not isinstance(origin, Data):
            raise TypeError("a stack of vectors is read from the data")
        return origin

    def _take(self, leaf: Node, passed: Expr) -> Expr:
        text = next((t for t, known in self.given.items() if known == passed), None)
        if text is None:
            text = self.names.claim(passed.text if passed.is_name else "value")
            self.given[text] = passed
        return Expr(f"{text}[start:end]" if leaf in self.sliced.cut else text, passed.type)


def threaded_statements(scope: Scope, term: Term) -> list[Statement]:
    """Write an observed term as a sum over slices; as it always is where it has no slices."""
    if term.value in topological(term.law.inputs):  # states were summed out before: what is left is a sum of numbers
        return term_statements(scope, term)
    sliced = slice_term(term, scope.writer)
    if sliced is None or sliced.term is None:
        return term_statements(scope, term)
    names = Names({"start", "end", "total"})
    rows = _rows(scope, term, names)
    sizes = SizeNames(scope.writer.graph.sizes(), names)
    reads = _Arguments(scope, sliced, names)
    writer = Writer(scope.writer.lower_op, scope.writer.graph, names, sizes, reads, gaps=scope.writer.gaps)
    writer.data_only.update({leaf: scope.writer.is_data(origin) for leaf, origin in sliced.origins.items()})
    inner = Scope(writer)
    inner.share(sliced.term.law.inputs)
    body = _summed(inner, sliced.term)
    lengths = _lengths(scope, sizes, sliced, rows, [text for text, _ in body])
    arguments = {text: passed for text, passed in reads.given.items() if text in lengths.used} | lengths.arguments
    name = scope.writer.names.claim(f"{term.name}_part")
    declared = "".join(f", {unsized(passed.type)} {text}" for text, passed in arguments.items())
    lines = "\n".join(f"  {line}" for line in (*lengths.local, *(text for text, _ in body)))
    for key, code in writer.functions.items():
        scope.writer.need(key, code, term)
    code = _FUNCTION.format(term=term.name, name=name, rows=rows, declared=declared, body=lines)
    before = [term] * (_HEADING + len(lengths.local))
    scope.writer.need(name, code, [*before, *(node for _, node in body), term])
    passed = ", ".join([f"{name}_lupmf", rows, "1", *(given.text for given in arguments.values())])
    return [TargetPlus(f"reduce_sum({passed})", term)]


def _rows(scope: Scope, term: Term, names: Names) -> str:
    """Number the observations in transformed data, once for each length."""
    top = scope
    while top.parent is not None:
        top = top.parent
    length = scope.writer.sizes.text(term.law.shape[0])
    value = f"linspaced_int_array({length}, 1, max(1, {length}))"  # without observations it would be refused
    found = next((s.name for s in top.statements if isinstance(s, Declare) and s.value == value), "")
    if not found:
        found = scope.writer.names.claim("rows")
        top.statements.append(Declare(f"array[{length}] int", found, value, term))
    return names.claim(found)


@dataclass(frozen=True, slots=True)
class _Lengths:
    """The words of a body, and the lengths among them: its own as a local variable, others as arguments."""

    used: frozenset[str]
    local: tuple[str, ...]
    arguments: dict[str, Expr]


def _lengths(scope: Scope, sizes: SizeNames, sliced: Sliced, rows: str, body: list[str]) -> _Lengths:
    used = frozenset(re.findall(r"\w+", "\n".join(body)))
    local: tuple[str, ...] = ()
    arguments: dict[str, Expr] = {}
    for symbol, text in sizes.symbols.items():
        if text not in used:
            continue
        if symbol is sliced.size.symbol:
            local = (f"int {text} = size({rows});",)
        else:
            arguments[text] = Expr(scope.writer.sizes.text(Size.of(symbol)), Type("int"))
    return _Lengths(used, local, arguments)


def _summed(inner: Scope, term: Term) -> list[Line]:
    """Write the statements of a term as a function's body that returns their sum."""
    statements = [s for s in term_statements(inner, term, in_function=True) if not isinstance(s, Comment)]
    suffix = "lupmf" if term.law.distribution.discrete else "lupdf"
    before = written(inner.statements)
    if len(statements) == 1 and not isinstance(statements[0], For):
        return [*before, (f"return {_value(statements[0], suffix)};", term)]
    sums = [_added(statement, suffix) for statement in statements]
    return [*before, ("real total = 0;", term), *written(sums), ("return total;", term)]


def _added(statement: Statement, suffix: str) -> Statement:
    if isinstance(statement, For):
        return For(statement.variable, statement.size, tuple(_added(s, suffix) for s in statement.body))
    if isinstance(statement, Tilde | TargetPlus):
        return PlusAssign("total", _value(statement, suffix), statement.node)
    return statement


def _value(statement: Statement, suffix: str) -> str:
    if isinstance(statement, Tilde):
        return f"{statement.distribution}_{suffix}({statement.value} | {', '.join(statement.args)})"
    if isinstance(statement, TargetPlus):
        return statement.value
    raise TypeError(f"{statement!r} adds nothing to the density")
