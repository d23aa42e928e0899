"""Where the elements of a hidden latent go: which rows of a density depend on which of them, by the ops between."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from scistan.graph.node import Apply, Node, Variable, is_applied
from scistan.graph.walk import topological
from scistan.ops import axes as flow
from scistan.ops.axes import Flow
from scistan.ops.declaration import Op
from scistan.ops.items import FULL, place_of_arrays

__all__ = ["Along", "Paths", "paths_to"]


@dataclass(frozen=True, slots=True)
class Along:
    """An axis of a latent runs along axis `axis` of a value: row by row, or, `by` positions of the data, as groups."""

    axis: int
    by: Node | None = None


# For each hidden latent that a value depends on: where each of its axes runs, None where elements cannot be told apart.
Paths = Mapping[Variable, tuple[Along | None, ...]]


def paths_to(root: Node, hidden: Container[Variable]) -> Paths:
    """Tell how the elements of hidden latents run to a value."""
    found: dict[Node, dict[Variable, tuple[Along | None, ...]]] = {}
    for node in topological([root]):
        if isinstance(node, Variable) and node in hidden:
            found[node] = {node: tuple(Along(axis) for axis in range(len(node.shape)))}
        elif isinstance(node, Apply) and any(found[arg] for arg in node.args):
            found[node] = _through(node, [found[arg] for arg in node.args])
        else:
            found[node] = {}
    return found[root]


def _through(node: Apply, args: list[dict[Variable, tuple[Along | None, ...]]]) -> dict[Variable, Any]:
    rule = _flow(node)
    mixed = {source for group in rule.inside for source in group} | set(rule.over) | set(rule.by_position)
    result: dict[Variable, tuple[Along | None, ...]] = {}
    for k, paths in enumerate(args):
        for variable, own in paths.items():
            moved = tuple(None if at is None else _moved(node, rule, k, at, mixed) for at in own)
            before = result.get(variable)
            # What comes on two ways must come the same way on both.
            agreed = moved if before is None else tuple(
                a if a == b else None for a, b in zip(before, moved, strict=True)
            )
            result[variable] = agreed
    return result


def _moved(node: Apply, rule: Flow, argument: int, at: Along, mixed: set[tuple[int, int]]) -> Along | None:
    source = (argument, at.axis)
    if argument == 0 and is_applied(node, "index"):
        grouped = _grouped(node, at)
        if grouped is not None:
            return grouped
    if source in mixed:
        return None
    target = next((axis for axis, sources in enumerate(rule.along) if source in sources), None)
    return None if target is None else Along(target, at.by)


def _grouped(node: Apply, at: Along) -> Along | None:
    """See whether rows are picked by positions of the data: `z[group]`."""
    items: tuple[Any, ...] = dict(node.attributes)["items"]  # type: ignore[assignment]
    taken = [item for item in items if item[0] != "new"]
    others = [item for k, item in enumerate(taken) if k != at.axis]
    if taken[at.axis] != ("array", 1) or any(item != FULL for item in others) or at.by is not None:
        return None
    (positions,) = node.args[1:]
    if any(isinstance(leaf, Variable) for leaf in topological([positions])):
        return None
    return Along(place_of_arrays(items), positions)


def _flow(node: Apply) -> Flow:
    op = node.op
    if not isinstance(op, Op):
        return flow.unknown(node)
    if op.elementwise:
        return flow.elementwise(node)
    return flow.unknown(node) if op.axes is None else op.axes(node, dict(node.attributes))
