"""Statistics of the data in a model, such as the mean that centres a predictor: what they are at new inputs.

A mean or standard deviation that standardizes its own data is recognized; what else is computed over rows that were
replaced could mean either, and is refused unless the user says which: `ss.frozen(...)` or `ss.live(...)`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Data, Literal, Node, Variable, is_applied
from scistan.graph.places import first_place
from scistan.graph.text import short_text
from scistan.inference.replaced import changed_data, replaced_lengths
from scistan.messages import prediction as messages
from scistan.ops.declaration import Op
from scistan.ops.flow import lengths_combined
from scistan.ops.items import FULL
from scistan.shapes import Size
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy import NUMPY

__all__ = ["freeze_statistics"]


def freeze_statistics(fitted: Instance, instance: Instance) -> tuple[Instance, list[str]]:
    """Put the fit's numbers in the place of statistics that standardize data; say which these are."""
    changed = set(changed_data(fitted, instance))
    marked = any(is_applied(node, "frozen") for node in instance.graph.nodes)
    if not changed and not marked:
        return instance, []
    frozen = _Search(instance, changed, replaced_lengths(fitted, instance)).frozen()
    if not frozen:
        return instance, []
    numbers = Evaluator(fitted, NUMPY)
    values = {node: np.asarray(numbers[node].array) for node in frozen}
    for node, array in values.items():
        if array.shape != instance.shape(node.shape):
            raise messages.frozen_rows(short_text(node.args[0], _names(instance)), array.shape, first_place(node))
    leaves = {node: Data(array, node.shape, integer=node.integer) for node, array in values.items()}
    graph = instance.graph.mapped(lambda node, args: leaves.get(node) or _rebuilt(node, args))
    known = {**instance.values, **{leaves[node]: array for node, array in values.items()}}
    told = [_shown(node, _names(instance)) for node in frozen]
    return replace(instance, graph=graph, values=known), told


def _rebuilt(node: Node, args: tuple[Node, ...]) -> Node:
    if not isinstance(node, Apply) or not isinstance(node.op, Op) or args == node.args:
        return node
    return node.op.build(args, dict(node.attributes))


def _names(instance: Instance) -> dict[Node, str]:
    names: dict[Node, str] = {t.value: t.name for t in instance.graph.terms}
    return names | dict(instance.graph.data_names)


class _Search:
    """Walks down from what the model computes to the statistics of data that were replaced."""

    def __init__(self, instance: Instance, changed: set[Data], lengths: set[Size]) -> None:
        self.instance = instance
        self.symbols = {symbol for size in lengths for symbol, _ in size.terms}
        self.fixed: dict[Node, bool] = {}  # follows from data alone
        self.moves: dict[Node, bool] = {}  # follows from data that were replaced
        self.marked: dict[Node, bool] = {}  # holds something that the user froze
        for node in instance.graph.nodes:
            known = node in instance.values if isinstance(node, Data) else not isinstance(node, Variable)
            self.fixed[node] = known and all(self.fixed[arg] for arg in node.args)
            self.moves[node] = node in changed or any(self.moves[arg] for arg in node.args)
            self.marked[node] = is_applied(node, "frozen") or any(self.marked[arg] for arg in node.args)

    def frozen(self) -> list[Node]:
        """List the nodes to freeze; refuse a statistic that nobody has said the meaning of."""
        found: dict[Node, None] = {}
        seen: set[Node] = set()
        terms = self.instance.graph.terms
        stack = [node for t in terms for node in t.law.inputs] + list(self.instance.graph.derived.values())
        while stack:
            node = stack.pop()
            if node in seen or not (self.moves[node] or self.marked[node]):
                continue
            seen.add(node)
            if is_applied(node, "live"):
                continue
            if is_applied(node, "frozen"):
                found[node] = None
                continue
            standard = [arg for arg in node.args if self._standardizes(node, arg)]
            found.update(dict.fromkeys(standard))
            if self._is_statistic(node):
                raise messages.other_statistic(_shown(node, _names(self.instance)), first_place(node))
            stack += [arg for arg in node.args if arg not in standard]
        return list(found)

    def _is_statistic(self, node: Node) -> bool:
        """Tell whether a node that follows from data alone runs over positions that are not those of the fit."""
        if not isinstance(node, Apply) or not self.fixed[node]:
            return False
        return any(map(self._replaced, lengths_combined(node)))

    def _replaced(self, size: Size) -> bool:
        """Tell whether a length follows one whose positions are others now: the whole of it, or a part."""
        symbols = [symbol for symbol, _ in self.instance.table.reduce(size).terms]
        return any(symbol in self.symbols or any(map(self._replaced, symbol.of)) for symbol in symbols)

    def _standardizes(self, node: Node, arg: Node) -> bool:
        """Tell whether an argument is the mean or deviation, over rows, of what it is taken from or divides."""
        if not (is_applied(node, "subtract") or is_applied(node, "divide")) or arg is not node.args[1]:
            return False
        whole, statistic = node.args[0], _bare(arg)
        if not self.fixed[arg]:
            return False
        if is_applied(node, "subtract"):
            return _is_mean(statistic, whole) and self._is_statistic(statistic)
        centred = is_applied(whole, "subtract") and _is_mean(_bare(whole.args[1]), whole.args[0])
        deviation = _deviation(_without_factor(statistic))
        return deviation is not None and deviation[0] is (whole.args[0] if centred else whole) and (
            self._is_statistic(deviation[1])
        )


def _bare(node: Node) -> Node:
    """Look through what only adds axes to a statistic."""
    while isinstance(node, Apply) and (node.op.name == "broadcast_to" or _adds_axes(node)):
        node = node.args[0]
    return node


def _adds_axes(node: Apply) -> bool:
    items: Any = dict(node.attributes).get("items", ()) if node.op.name == "index" else ()
    return bool(items) and len(node.args) == 1 and all(item in (("new",), FULL) for item in items)


def _is_mean(node: Node, of: Node) -> bool:
    return is_applied(node, "mean") and node.args[0] is of


def _without_factor(node: Node) -> Node:
    """Look through a number that multiplies: some divide by two standard deviations."""
    factors = [arg for arg in node.args if not isinstance(arg, Literal)] if is_applied(node, "multiply") else []
    return factors[0] if len(factors) == 1 else node


def _deviation(node: Node) -> tuple[Node, Node] | None:
    """Recognize `ss.std(x)`, with whatever divisor, and give `x` and what sums its squares."""
    inner = node.args[0] if is_applied(node, "sqrt") else None
    if inner is not None and is_applied(inner, "divide"):  # by n - ddof
        inner = inner.args[0] if is_applied(inner.args[0], "sum") else None
    elif inner is not None and not is_applied(inner, "mean"):
        inner = None
    away = inner.args[0].args[0] if inner is not None and is_applied(inner.args[0], "square") else None
    if inner is None or away is None or not is_applied(away, "subtract"):
        return None
    return (away.args[0], inner) if _is_mean(_bare(away.args[1]), away.args[0]) else None


def _shown(node: Node, names: dict[Node, str]) -> str:
    found = _deviation(_without_factor(node))
    return short_text(node, names) if found is None else f"std({short_text(found[0], names)})"
