"""A small Stan syntax tree: typed expressions and statements, and how they become lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from scistan.domains import LARGEST_INT

__all__ = [
    "ATOM", "INT", "MATRIX", "MULTIPLY", "POSTFIX", "REAL", "ROW_VECTOR", "UNARY", "VECTOR",
    "Assign", "Braces", "Comment", "Declare", "Expr", "For", "Line", "PlusAssign", "Statement", "TargetPlus", "Tilde",
    "Type", "array_of", "call", "name", "number", "render", "unsized", "written",
]

MULTIPLY, UNARY, POSTFIX, ATOM = 7, 8, 10, 11


@dataclass(frozen=True, slots=True)
class Type:
    """A Stan type without its sizes: a base, and how many array axes stand before it."""

    base: str
    arrays: int = 0

    @property
    def rank(self) -> int:
        return self.arrays + {"vector": 1, "row_vector": 1, "matrix": 2}.get(self.base, 0)


INT, REAL, VECTOR, ROW_VECTOR, MATRIX = (Type(b) for b in ("int", "real", "vector", "row_vector", "matrix"))


def array_of(base: Type, arrays: int = 1) -> Type:
    """Give the type of arrays of `base`."""
    return Type(base.base, base.arrays + arrays)


def unsized(kind: Type) -> str:
    """Write a type as a function's arguments have it: `array[,] vector`."""
    return f"array[{',' * (kind.arrays - 1)}] {kind.base}" if kind.arrays else kind.base


@dataclass(frozen=True, slots=True)
class Expr:
    """A piece of Stan text with its type and how tightly it binds."""

    text: str
    type: Type
    precedence: int = ATOM

    def within(self, precedence: int) -> str:
        """Give the text, in parentheses if it binds less tightly than its place asks."""
        return self.text if self.precedence >= precedence else f"({self.text})"

    @property
    def is_name(self) -> bool:
        return self.text.isidentifier()

    @property
    def is_read(self) -> bool:
        """Whether it reads a variable or an element of one, and computes nothing."""
        return self.precedence == ATOM and self.text.partition("[")[0].isidentifier()

    def at(self, *indices: str) -> Expr:
        """Index with text that counts from 1; the result's type follows."""
        if not indices:
            return self
        left = self.type.rank - len([i for i in indices if i != ":"])
        arrays = max(0, self.type.arrays - len(indices))
        if self.type.arrays >= len(indices):
            kind = Type(self.type.base, arrays)
        elif left == 0:
            kind = INT if self.type.base == "int" else REAL
        else:
            kind = ROW_VECTOR if self.type.base == "matrix" else VECTOR
        # stanli reads at most two indices of whole numbers at a time: `i[n, k][m]`.
        most = 2 if self.type.base == "int" and ":" not in indices else len(indices)
        taken = "".join(f"[{', '.join(indices[at : at + most])}]" for at in range(0, len(indices), most))
        return Expr(f"{self.within(ATOM)}{taken}", kind)


def name(text: str, kind: Type) -> Expr:
    """Refer to a variable."""
    return Expr(text, kind)


def number(value: float) -> Expr:
    """Write a number; a negative one binds like a minus sign, a whole one beyond Stan's 32 bits is real."""
    kind = INT if isinstance(value, int) and abs(value) <= LARGEST_INT else REAL
    text = repr(value if kind is INT else float(value))
    if kind is REAL and text in ("inf", "-inf"):
        text = text.replace("inf", "positive_infinity()")
    return Expr(text, kind, UNARY if value < 0 else ATOM)


def call(function: str, args: Sequence[Expr | str], kind: Type, bar: bool = False) -> Expr:
    """Call a function; `bar` writes the first argument before `|`, as densities want."""
    texts = [a if isinstance(a, str) else a.text for a in args]
    inner = f"{texts[0]} | {', '.join(texts[1:])}" if bar else ", ".join(texts)
    return Expr(f"{function}({inner.rstrip()})" if not inner.endswith("| ") else f"{function}({inner})", kind)


Line = tuple[str, object]  # its text, and what it was written for: a node, a term, a tuple of terms


class Statement:
    """Something that stands on lines of its own, each written for a node or a term of the model."""

    __slots__ = ()
    node: object

    def written(self) -> Iterator[Line]:
        """Give the lines, each with what it was written for."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Comment(Statement):
    text: str
    node: object = None

    def written(self) -> Iterator[Line]:
        yield f"// {self.text}", self.node


@dataclass(frozen=True, slots=True)
class Declare(Statement):
    """Declare a variable, with its value if it is given at once."""

    kind: str  # the sized type with constraints, as text
    name: str
    value: str = ""
    node: object = None

    def written(self) -> Iterator[Line]:
        yield f"{self.kind} {self.name}{f' = {self.value}' if self.value else ''};", self.node


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    target: str
    value: str
    node: object

    def written(self) -> Iterator[Line]:
        yield f"{self.target} = {self.value};", self.node


@dataclass(frozen=True, slots=True)
class PlusAssign(Statement):
    target: str
    value: str
    node: object

    def written(self) -> Iterator[Line]:
        yield f"{self.target} += {self.value};", self.node


@dataclass(frozen=True, slots=True)
class Tilde(Statement):
    value: str
    distribution: str
    args: tuple[str, ...]
    node: object

    def written(self) -> Iterator[Line]:
        yield f"{self.value} ~ {self.distribution}({', '.join(self.args)});", self.node


@dataclass(frozen=True, slots=True)
class TargetPlus(Statement):
    value: str
    node: object

    def written(self) -> Iterator[Line]:
        yield f"target += {self.value};", self.node


@dataclass(frozen=True, slots=True)
class For(Statement):
    """A loop; it was written for what its body was."""

    variable: str
    size: str
    body: tuple[Statement, ...] = field(default=())

    @property
    def node(self) -> object:  # type: ignore[override]
        return self.body[0].node if self.body else None

    def written(self) -> Iterator[Line]:
        yield f"for ({self.variable} in 1:{self.size}) {{", self.node
        yield from _indented(self.body)
        yield "}", self.node


@dataclass(frozen=True, slots=True)
class Braces(Statement):
    """Statements with variables of their own, which are not saved."""

    body: tuple[Statement, ...]

    @property
    def node(self) -> object:  # type: ignore[override]
        return self.body[0].node if self.body else None

    def written(self) -> Iterator[Line]:
        yield "{", None
        yield from _indented(self.body)
        yield "}", None


def _indented(statements: Sequence[Statement]) -> Iterator[Line]:
    for statement in statements:
        yield from ((f"  {line}", node) for line, node in statement.written())


def written(statements: Sequence[Statement]) -> list[Line]:
    """Write statements as lines without the block's own indent, each with what it was written for."""
    return [line for statement in statements for line in statement.written()]


def render(statements: Sequence[Statement]) -> list[str]:
    """Write statements as lines, without the block's own indent."""
    return [text for text, _ in written(statements)]
