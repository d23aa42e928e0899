"""Tell whether two definitions mean the same, so that a notebook cell can be run twice."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from scistan.graph.graph import Law
from scistan.graph.node import Apply, Data, Extent, Node
from scistan.shapes import DIM, GIVEN, Shape, Size, Symbol

__all__ = ["same_definition"]


def same_definition(left: Node, left_draw: Law | None, right: Node, right_draw: Law | None) -> bool:
    """Compare two definitions; data are equal here when their contents are."""
    if (left_draw is None) != (right_draw is None):
        return False
    paired = _Pairs()
    if left_draw is None or right_draw is None:
        return paired.nodes([(left, right)])
    if isinstance(left, Data) != isinstance(right, Data) or not _same_family(left_draw, right_draw):
        return False
    pairs = list(zip(left_draw.inputs, right_draw.inputs, strict=True))
    if isinstance(left, Data):
        pairs.append((left, right))
    return paired.nodes(pairs) and paired.shapes(left_draw.shape, right_draw.shape)


def _same_family(left: Law, right: Law) -> bool:
    return (
        left.distribution is right.distribution
        and (left.lower is None, left.upper is None) == (right.lower is None, right.upper is None)
        and (left.constraint, left.centred) == (right.constraint, right.centred)
    )


class _Pairs:
    """Pairs of symbols that stand for each other: the lengths of equal arrays, and of equal `shape=`."""

    def __init__(self) -> None:
        self.of: dict[Symbol, Symbol] = {}

    def nodes(self, pairs: list[tuple[Node, Node]]) -> bool:
        seen: set[tuple[Node, Node]] = set()
        later: list[tuple[Apply, Apply]] = []
        while pairs:
            a, b = pairs.pop()
            if a is b or (a, b) in seen:
                continue
            seen.add((a, b))
            if isinstance(a, Data) and isinstance(b, Data):
                if not self._data(a, b):
                    return False
            elif isinstance(a, Apply) and isinstance(b, Apply):
                if a.op is not b.op or len(a.args) != len(b.args):
                    return False
                later.append((a, b))
                pairs += zip(a.args, b.args, strict=True)
            elif isinstance(a, Extent) and isinstance(b, Extent):
                if not self.size(a.size, b.size):
                    return False
            else:  # numbers and latents are interned: others are others
                return False
        return all(self._attribute(a.attributes, b.attributes) for a, b in later)

    def _data(self, a: Data, b: Data) -> bool:
        if a.default is None or b.default is None:
            return a.default is b.default and self.shapes(a.shape, b.shape)
        if a.default.dtype != b.default.dtype or not np.array_equal(a.default, b.default) or a.labels != b.labels:
            return False
        if a.coding != b.coding:
            return False
        for one, other in zip(a.shape, b.shape, strict=True):
            if one.symbol is not None and other.symbol is not None:
                self.of[one.symbol] = other.symbol
        return True

    def _attribute(self, a: Hashable, b: Hashable) -> bool:
        if isinstance(a, tuple) and isinstance(b, tuple):
            return len(a) == len(b) and all(map(self._attribute, a, b))
        if isinstance(a, Size) and isinstance(b, Size):
            return self.size(a, b)
        return type(a) is type(b) and a == b

    def shapes(self, a: Shape, b: Shape) -> bool:
        return len(a) == len(b) and all(map(self.size, a, b))

    def size(self, a: Size, b: Size) -> bool:
        if a == b:
            return True
        if a.today != b.today or len(a.terms) != len(b.terms):
            return False
        return all(k == n and self._symbol(s, t) for (s, k), (t, n) in zip(a.terms, b.terms, strict=True))

    def _symbol(self, s: Symbol, t: Symbol) -> bool:
        if s is t:
            return True
        if s.rule is not None and t.rule is not None:
            return s.today == t.today and self.shapes(s.of, t.of)
        if s.rank == t.rank == DIM:
            return (s.hint, s.today) == (t.hint, t.today)
        if s.rank == t.rank == GIVEN:  # a `shape=3` written again
            return s.today == t.today and self.of.setdefault(s, t) is t
        return self.of.get(s) is t
