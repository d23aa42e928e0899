"""Place a model's variables in layers: causes above effects, lines through gaps, few crossings."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from scistan.graph.node import Node
from scistan.model.variables import Variables

__all__ = ["Layout", "lay_out", "parents"]

_SWEEPS = 4
_MOST_BENDS = 2000  # beyond this, lines go straight: the picture is too large to read anyhow
_BEND_WIDTH = 12.0

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where each variable stands (the middle of its upper edge), and the points each line passes."""

    places: dict[str, Point]
    edges: list[list[Point]]
    width: float
    height: float


def parents(variables: Variables) -> dict[str, list[str]]:
    """List, for each variable, the named ones that it is directly written in."""
    order = {name: k for k, name in enumerate(variables.entries)}
    reached: dict[Node, frozenset[str]] = {}
    result: dict[str, list[str]] = {}
    for name, entry in variables.entries.items():
        first = variables.named[entry.node] == name
        roots = entry.law.inputs if entry.law else entry.node.args if first else (entry.node,)
        found = frozenset().union(*(_reach(root, variables.named, reached) for root in roots))
        if entry.law is not None and not first:  # data observed under another name
            found |= {variables.named[entry.node]}
        result[name] = sorted(found, key=order.__getitem__)
    return result


def _reach(root: Node, named: dict[Node, str], reached: dict[Node, frozenset[str]]) -> frozenset[str]:
    stack = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if node in reached:
            continue
        if node in named:
            reached[node] = frozenset((named[node],))
        elif ready:
            reached[node] = frozenset().union(*(reached[arg] for arg in node.args))
        else:
            stack.append((node, True))
            stack.extend((arg, False) for arg in node.args)
    return reached[root]


def lay_out(variables: Variables, widths: dict[str, float], gap: float, step: float) -> Layout:
    """Give every variable a place and every dependence a line."""
    above = parents(variables)
    level = _levels(above)
    lines = _lines(above, level)
    rows: list[list[str]] = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for point in level:
        rows[level[point]].append(point)
    _uncross(rows, lines)
    x: dict[str, float] = {}
    row_widths = [sum(widths.get(p, _BEND_WIDTH) + gap for p in row) - gap for row in rows]
    full = max(row_widths, default=0.0)
    for row, own in zip(rows, row_widths, strict=True):
        at = (full - own) / 2
        for point in row:
            width = widths.get(point, _BEND_WIDTH)
            x[point] = at + width / 2
            at += width + gap
    where = {point: (x[point], level[point] * step) for point in level}
    edges = [[where[point] for point in line] for line in lines]
    return Layout({name: where[name] for name in above}, edges, full, len(rows) * step)


def _levels(above: dict[str, list[str]]) -> dict[str, int]:
    level: dict[str, int] = {}
    for name, causes in above.items():  # a variable is written after those it depends on
        level[name] = 1 + max((level[c] for c in causes if c in level), default=-1)
    below: dict[str, list[str]] = {name: [] for name in above}
    for name, causes in above.items():
        for cause in causes:
            below[cause].append(name)
    for name in reversed(list(above)):  # what has no causes stands just above its first use
        if not above[name] and below[name]:
            level[name] = max(0, min(level[b] for b in below[name]) - 1)
    return level


def _lines(above: dict[str, list[str]], level: dict[str, int]) -> list[list[str]]:
    """Route each dependence through every layer between, at bends that take part in the ordering."""
    pairs = [(cause, name) for name, causes in above.items() for cause in causes]
    bends = sum(level[name] - level[cause] - 1 for cause, name in pairs)
    lines: list[list[str]] = []
    for cause, name in pairs:
        between = range(level[cause] + 1, level[name]) if bends <= _MOST_BENDS else ()
        points = [f"{cause}→{name}:{k}" for k in between]
        level.update(zip(points, between, strict=True))
        lines.append([cause, *points, name])
    return lines


def _uncross(rows: list[list[str]], lines: list[list[str]]) -> None:
    """Order each layer by the mean position of its neighbours in the layer before, up and down a few times."""
    up: dict[str, list[str]] = {}
    down: dict[str, list[str]] = {}
    for line in lines:
        for one, other in pairwise(line):
            down.setdefault(one, []).append(other)
            up.setdefault(other, []).append(one)
    for sweep in range(_SWEEPS):
        neighbours, order = (up, rows) if sweep % 2 == 0 else (down, rows[::-1])
        position = {point: (k + 0.5) / len(row) for row in rows for k, point in enumerate(row)}
        for row in order:
            means = {}
            for point in row:
                others = [position[o] for o in neighbours.get(point, ())]
                means[point] = sum(others) / len(others) if others else position[point]
            row.sort(key=means.__getitem__)
            position.update({point: (k + 0.5) / len(row) for k, point in enumerate(row)})
