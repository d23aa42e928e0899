"""Names in the program: the user's own stay, generated ones give way; lengths get short ones."""

from __future__ import annotations

from scistan.shapes import GIVEN, Size, SizeTable, Symbol

__all__ = ["Names", "SizeNames"]

# What a generated name must not be although Stan would take it for a variable.
_RESERVED = frozenset({"lp__", "target"})


class Names:
    """Hands out names that nothing else in the program has."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = set(taken) | _RESERVED
        self._next: dict[str, int] = {}  # numbers below are taken, so that the next name is found at once

    def claim(self, wish: str) -> str:
        """Give `wish`, or `wish_2`, `wish_3`, … if it is taken."""
        wish = wish.strip("_") or "value"
        if not wish[0].isalpha():
            wish = f"v{wish}"
        if wish in self._taken:
            return self._numbered(wish, 2)
        self._taken.add(wish)
        return wish

    def claim_numbered(self, stem: str) -> str:
        """Give `stem_1`, `stem_2`, …, the first that is free."""
        return self._numbered(stem, 1)

    def _numbered(self, stem: str, start: int) -> str:
        k = max(start, self._next.get(stem, 0))
        while f"{stem}_{k}" in self._taken:
            k += 1
        self._taken.add(f"{stem}_{k}")
        self._next[stem] = k + 1
        return f"{stem}_{k}"

    def claim_index(self, depth: int) -> str:
        """Give a loop variable; the same one serves every loop of its depth."""
        wish = "nkmj"[depth] if depth < 4 else f"n{depth}"
        while wish in self._taken:
            wish += "_"
        return wish


class SizeNames:
    """The lengths of the program: each independent symbol is an `int` of the data block."""

    def __init__(self, table: SizeTable, names: Names) -> None:
        self._table = table
        self._names = names
        self.symbols: dict[Symbol, str] = {}
        self.wishes: dict[Symbol, str] = {}

    def text(self, size: Size) -> str:
        """Write a size as a Stan expression."""
        reduced = self._table.reduce(size)
        parts: list[str] = []
        for symbol, k in reduced.terms:
            text = self._name(symbol)
            text = text if abs(k) == 1 else f"{abs(k)} * {text}"
            if parts:
                parts.append(f"{'-' if k < 0 else '+'} {text}")
            else:
                parts.append(f"-{text}" if k < 0 else text)
        if reduced.constant or not parts:
            c = reduced.constant
            parts.append(str(c) if not parts else f"{'-' if c < 0 else '+'} {abs(c)}")
        return " ".join(parts)

    def wish(self, shape: tuple[Size, ...], owner: str) -> None:
        """Name the lengths that a variable brings with it after the variable."""
        for axis, size in enumerate(shape):
            for symbol, _ in self._table.reduce(size).terms:
                if symbol.rank == GIVEN:
                    self.wishes.setdefault(symbol, f"{'NKM'[min(axis, 2)]}_{owner}")

    def has(self, size: Size, symbol: Symbol) -> bool:
        """Tell whether a size is made of a symbol."""
        return any(one is symbol for one, _ in self._table.reduce(size).terms)

    def same(self, left: Size, right: Size) -> bool:
        """Tell whether two sizes are equal by the model's own equalities."""
        return self._table.reduce(left) == self._table.reduce(right)

    def _name(self, symbol: Symbol) -> str:
        if symbol not in self.symbols:
            if symbol.hint.isidentifier():
                wish = f"N_{symbol.hint}"
            elif symbol in self.wishes:
                wish = self.wishes[symbol]
            else:
                wish = "NKM"[symbol.axis] if symbol.axis < 3 else "M"
            self.symbols[symbol] = self._names.claim(wish)
        return self.symbols[symbol]
