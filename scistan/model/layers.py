"""Place a model's variables in layers: causes above effects, lines through gaps, few crossings."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from scistan.graph.node import Node
from scistan.model.plates import Columns, Frame, columns_of
from scistan.model.variables import Variables

__all__ = ["Layout", "lay_out", "parents"]

_SWEEPS = 4
_MOST_BENDS = 2000  # beyond this, lines go straight: the picture is too large to read anyhow
_BEND_WIDTH = 12.0
_PAD = 9.0  # between a variable and the frame around it, and between frames

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where each variable stands (the middle of its upper edge), the points each line passes, and the frames of dims.

    A frame's bottom is the upper edge of its lowest variables.
    """

    places: dict[str, Point]
    edges: list[list[Point]]
    frames: list[Frame]
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
    """Give every variable a place, every dependence a line, and every dim a plate around its variables."""
    above = parents(variables)
    level = _levels(above)
    columns = columns_of(variables)
    framed = _framed_levels(columns, level)
    lines = _lines(above, level)
    # A bend stands with what its line leads to; nothing without dims stands in a plate.
    column = {point: columns.column[line[-1]] for line in lines for point in line[1:-1]} | dict(columns.column)
    rows: list[list[str]] = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for point in level:
        rows[level[point]].append(point)
    _uncross(rows, lines, column)
    room = gap / 2 + _PAD * (1 + max(_depths(columns).values(), default=0))
    starts, full = _column_starts(rows, widths, gap, column, framed, room)
    x: dict[str, float] = {}
    for number, row in enumerate(rows):
        parts = [[p for p in row if column[p] == k] for k in range(len(starts))] if number in framed else [row]
        for k, part in enumerate(parts):
            start, width = starts[k] if number in framed else (0.0, full)
            at = start + (width - _row_width(part, widths, gap)) / 2
            for point in part:
                x[point] = at + widths.get(point, _BEND_WIDTH) / 2
                at += widths.get(point, _BEND_WIDTH) + gap
    where = {point: (x[point], level[point] * step) for point in level}
    edges = [[where[point] for point in line] for line in lines]
    frames = _frames(columns, level, starts, step)
    return Layout({name: where[name] for name in above}, edges, frames, full, len(rows) * step)


def _row_width(row: list[str], widths: dict[str, float], gap: float) -> float:
    return sum(widths.get(point, _BEND_WIDTH) + gap for point in row) - gap if row else 0.0


def _framed_levels(columns: Columns, level: dict[str, int]) -> set[int]:
    """Give the layers that some plate reaches into; in the others there is nothing to keep out of one."""
    found: set[int] = set()
    for _, run in columns.plates:
        own = [level[name] for name, number in columns.column.items() if number in run]
        found |= set(range(min(own), max(own) + 1))
    return found


def _column_starts(
    rows: list[list[str]], widths: dict[str, float], gap: float, column: dict[str, int], framed: set[int], room: float
) -> tuple[list[tuple[float, float]], float]:
    """Give where each column starts and how wide it is, and how wide they are together."""
    count = 1 + max(column.values(), default=0)
    wide = [0.0] * count
    for number in framed:
        for k in range(count):
            wide[k] = max(wide[k], _row_width([p for p in rows[number] if column[p] == k], widths, gap))
    starts, at = [], 0.0
    for k, width in enumerate(wide):
        side = room if k else 0.0  # what has no dims has no frame
        starts.append((at + side, width))
        at += width + 2 * side if width else 0.0
    free = max((_row_width(row, widths, gap) for n, row in enumerate(rows) if n not in framed), default=0.0)
    shift = max(0.0, (free - at) / 2)
    return [(start + shift, width) for start, width in starts], max(free, at)


def _depths(columns: Columns) -> dict[int, int]:
    """Count, for each plate, those drawn within it."""
    runs = [frozenset(run) for _, run in columns.plates]
    return {
        k: sum(other < run or (bool(other & run) and not other > run and j > k) for j, other in enumerate(runs))
        for k, run in enumerate(runs)
    }


def _frames(
    columns: Columns, level: dict[str, int], starts: list[tuple[float, float]], step: float
) -> list[Frame]:
    found = []
    depths = _depths(columns)
    for k, (dim, run) in enumerate(columns.plates):
        own = [level[name] for name, number in columns.column.items() if number in run]
        depth = depths[k]
        left, right = starts[run[0]][0], sum(starts[run[-1]])
        pad = _PAD * (1 + depth)
        found.append(Frame(dim, left - pad, min(own) * step - pad, right + pad, max(own) * step, depth))
    return sorted(found, key=lambda frame: -frame.depth)


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


def _uncross(rows: list[list[str]], lines: list[list[str]], column: dict[str, int]) -> None:
    """Order each layer by column, then by the mean position of its neighbours in the layer before, up and down."""
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
            row.sort(key=lambda point: (column[point], means[point]))
            position.update({point: (k + 0.5) / len(row) for k, point in enumerate(row)})
