"""Symbolic sizes: a length is a linear form in symbols, with today's value at hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

__all__ = [
    "ONE", "RULES", "LengthRule", "Shape", "Size", "SizeConflict", "SizeTable", "Symbol", "broadcast", "is_repeated",
    "new_serial", "values_of",
]

_serials = itertools.count()

# Which of two equal symbols gives its name to both: a dim before a data axis before a shape= before the rest.
DIM, DATA, GIVEN, COMPUTED = range(4)


def new_serial() -> int:
    """Give a symbol's place in the order in which symbols are made."""
    return next(_serials)


RULES: Mapping[str, Callable[..., int]] = {
    "product": lambda *lengths: math.prod(lengths),
    "rest": lambda total, *known: total // max(1, math.prod(known)),
    "floor_divide": lambda length, by: length // by,
    "remainder": lambda length, by: length % by,
    "slice": lambda length, start, stop, step: len(range(*slice(start, stop, step).indices(length))),
}


@dataclass(frozen=True, slots=True)
class LengthRule:
    """How Python computes a length from others: by name and constants, so that it can be written down."""

    name: str
    constants: tuple[int | None, ...] = ()

    def __call__(self, *lengths: int) -> int:
        return RULES[self.name](*lengths, *self.constants)


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """One unknown length; `today` is its value on the data at hand."""

    hint: str
    today: int
    rank: int = GIVEN
    axis: int = 0
    rule: Callable[..., int] | None = None
    of: tuple[Size, ...] = ()
    serial: int = field(default_factory=new_serial)

    def __repr__(self) -> str:
        return f"{self.hint}={self.today}"


@dataclass(frozen=True, slots=True, eq=False)
class Size:
    """`constant + Σ coefficient · symbol`, equal to another when the forms are equal."""

    constant: int = 0
    terms: tuple[tuple[Symbol, int], ...] = ()
    to_quantity: ClassVar[Callable[[Size], Any]]  # given by `ops`: a length to compute with, which follows the data

    @classmethod
    def of(cls, symbol: Symbol) -> Size:
        """Wrap one symbol."""
        return cls(0, ((symbol, 1),))

    @classmethod
    def new(cls, today: int, hint: str = "", *, rank: int = GIVEN, axis: int = 0) -> Size:
        """Make a size of its own for a length met today; 1 stays 1, for it broadcasts."""
        return ONE if today == 1 else cls.of(Symbol(hint, today, rank, axis))

    @classmethod
    def of_dim(cls, dim: str, today: int) -> Size:
        """Make the size of a dim."""
        return ONE if today == 1 else cls.of(Symbol(dim, today, DIM))

    @classmethod
    def computed(cls, rule: Callable[..., int], *of: Size) -> Size:
        """Make a size that Python computes from others by `rule`, where no linear form will do."""
        today = rule(*(s.today for s in of))
        return cls.of(Symbol("", today, COMPUTED, 0, rule, of))

    @property
    def symbol(self) -> Symbol | None:
        """The symbol this size consists of, or None."""
        if self.constant == 0 and len(self.terms) == 1 and self.terms[0][1] == 1:
            return self.terms[0][0]
        return None

    @property
    def today(self) -> int:
        return self.constant + sum(k * s.today for s, k in self.terms)

    def __eq__(self, other: object) -> bool:
        """Compare forms; with a whole number, today's length."""
        if isinstance(other, Size):
            return self.constant == other.constant and self.terms == other.terms
        return self.today == other if isinstance(other, int) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.constant, self.terms))

    def __index__(self) -> int:
        return self.today

    def __int__(self) -> int:
        return self.today

    def __repr__(self) -> str:
        return str(self.today)

    def __add__(self, other: Size | int) -> Size:
        if not isinstance(other, Size | int):
            return NotImplemented
        other = other if isinstance(other, Size) else Size(other)
        terms = dict(self.terms)
        for symbol, k in other.terms:
            terms[symbol] = terms.get(symbol, 0) + k
        kept = sorted(((s, k) for s, k in terms.items() if k), key=lambda t: t[0].serial)
        return Size(self.constant + other.constant, tuple(kept))

    __radd__ = __add__

    def __neg__(self) -> Size:
        return Size(-self.constant, tuple((s, -k) for s, k in self.terms))

    def __sub__(self, other: Size | int) -> Size:
        return self + (-other)

    def __rsub__(self, other: int) -> Size:
        return -self + other

    def __lt__(self, other: Size | int) -> bool:
        return self.today < int(other)

    def __le__(self, other: Size | int) -> bool:
        return self.today <= int(other)

    def __gt__(self, other: Size | int) -> bool:
        return self.today > int(other)

    def __ge__(self, other: Size | int) -> bool:
        return self.today >= int(other)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int):
            return self.scaled(other)
        if isinstance(other, Size):
            return Size.computed(LengthRule("product"), self, other)
        return Size.to_quantity(self) * other if isinstance(other, float) else NotImplemented

    __rmul__ = __mul__

    def __floordiv__(self, other: int) -> Size:
        return Size.computed(LengthRule("floor_divide", (other,)), self) if isinstance(other, int) else NotImplemented

    def __mod__(self, other: int) -> Size:
        return Size.computed(LengthRule("remainder", (other,)), self) if isinstance(other, int) else NotImplemented

    # What is no whole number is a quantity of the model: `1 / n` follows the data as `n` does.
    def __truediv__(self, other: Any) -> Any:
        return Size.to_quantity(self) / other

    def __rtruediv__(self, other: Any) -> Any:
        return other / Size.to_quantity(self)

    def __pow__(self, other: Any) -> Any:
        return Size.to_quantity(self) ** other

    def __rpow__(self, other: Any) -> Any:
        return other ** Size.to_quantity(self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        lifted = [Size.to_quantity(one) if isinstance(one, Size) else one for one in inputs]
        return getattr(ufunc, method)(*lifted, **options)

    def scaled(self, k: int) -> Size:
        """Multiply by a whole number."""
        return Size(self.constant * k, tuple((s, c * k) for s, c in self.terms) if k else ())


Shape = tuple[Size, ...]
Equality = tuple[Size, Size]
ONE = Size(1)


def values_of(shape: Shape) -> tuple[int, ...]:
    """Give today's lengths of a shape."""
    return tuple(size.today for size in shape)


def is_repeated(own: Shape, shape: Shape) -> bool:
    """Tell whether a value of shape `own` is repeated along an axis where it meets others of `shape`."""
    return len(own) < len(shape) or any(a == ONE != b for a, b in zip(own, shape, strict=True))


def broadcast(*shapes: Shape) -> tuple[Shape, tuple[Equality, ...]]:
    """Unite shapes as NumPy does; also give the equalities of symbols that this needs."""
    rank = max((len(s) for s in shapes), default=0)
    padded = [(ONE,) * (rank - len(s)) + s for s in shapes]
    united: list[Size] = []
    equal: list[Equality] = []
    for axis in zip(*padded, strict=True):
        distinct = [s for i, s in enumerate(axis) if s != ONE and s not in axis[:i]]
        if not distinct:
            united.append(ONE)
            continue
        if len({s.today for s in distinct}) > 1:
            raise SizeConflict(distinct[0], next(s for s in distinct if s.today != distinct[0].today))
        united.append(distinct[0])
        equal += [(distinct[0], s) for s in distinct[1:]]
    return tuple(united), tuple(equal)


class SizeConflict(ValueError):  # noqa: N818
    """Two lengths that must be equal are not."""

    def __init__(self, left: Size, right: Size) -> None:
        self.left, self.right = left, right
        super().__init__(f"{left.today} and {right.today}")


class SizeTable:
    """The solution of a model's size equalities: every symbol as a form in the independent ones."""

    def __init__(self, equalities: Iterable[Equality] = ()) -> None:
        self._solved: dict[Symbol, Size] = {}
        self._checks: list[Equality] = []
        self._ruled: list[Symbol] = []  # computed lengths that an equality also fixes
        for left, right in equalities:
            self._equate(left, right)

    def reduce(self, size: Size) -> Size:
        """Write a size in independent symbols."""
        result = Size(size.constant)
        for symbol, k in size.terms:
            known = self._solved.get(symbol)
            result = result + (self.reduce(known) if known is not None else Size.of(symbol)).scaled(k)
        return result

    def _equate(self, left: Size, right: Size) -> None:
        """Take one more equality in: solve it for a symbol, or keep it as a check."""
        difference = self.reduce(left) - self.reduce(right)
        units = [s for s, k in difference.terms if abs(k) == 1]
        if not units:
            if difference.constant or difference.terms:
                self._checks.append((left, right))
            return
        victim = max(units, key=lambda s: (s.rank, s.serial))
        k = dict(difference.terms)[victim]
        rest = difference - Size.of(victim).scaled(k)
        self._solved[victim] = rest.scaled(-k)
        if victim.rule is not None:
            self._ruled.append(victim)

    def evaluate(self, size: Size, lengths: Mapping[Symbol, int]) -> int:
        """Give a size's value when the independent symbols have these lengths (today's where unsaid)."""
        reduced = self.reduce(size)
        return reduced.constant + sum(k * self._value(s, lengths) for s, k in reduced.terms)

    def _value(self, symbol: Symbol, lengths: Mapping[Symbol, int]) -> int:
        if symbol in lengths:
            return lengths[symbol]
        if symbol.rule is not None:
            return symbol.rule(*(self.evaluate(size, lengths) for size in symbol.of))
        return symbol.today

    def solve(self, known: Iterable[Equality]) -> dict[Symbol, int]:
        """Give the independent symbols' lengths that make each `(size, constant)` true, or raise."""
        lengths: dict[Symbol, int] = {}
        known = list(known)
        while self._solve_more(known, lengths):
            pass
        for size, value in [*known, *self._checks]:
            if self.evaluate(size, lengths) != self.evaluate(value, lengths):
                raise SizeConflict(size, Size(self.evaluate(value, lengths)))
        for symbol in self._ruled:
            if symbol.rule is not None:
                computed = symbol.rule(*(self.evaluate(size, lengths) for size in symbol.of))
                if computed != self.evaluate(Size.of(symbol), lengths):
                    raise SizeConflict(Size.of(symbol), Size(computed))
        return lengths

    def _solve_more(self, known: list[Equality], lengths: dict[Symbol, int]) -> bool:
        """Find the symbols that one known length fixes, given those found before."""
        before = len(lengths)
        for size, value in known:
            reduced = self.reduce(size)
            free = [(s, k) for s, k in reduced.terms if s not in lengths and s.rule is None]
            computed = any(s.rule is not None for s, _ in reduced.terms)
            if len(free) == 1 and abs(free[0][1]) == 1 and not computed:
                symbol, k = free[0]
                rest = reduced - Size.of(symbol).scaled(k)
                lengths[symbol] = (value.today - self.evaluate(rest, lengths)) * k
        return len(lengths) > before
