"""A fixed order of evaluation in torch: what depends on data alone is computed once, when the schedule is made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Data, Literal, Node
from scistan.graph.walk import topological
from scistan.ops.declaration import Op
from scistan.ops.items import FULL
from scistan.targets.bound import runner_of
from scistan.targets.evaluate import Evaluator
from scistan.targets.torch.backend import TorchBackend, import_torch
from scistan.targets.torch.convert import lay_out
from scistan.targets.torch.scalars import ScalarGroup
from scistan.targets.values import Value, concrete, implementation, meeting_rank

__all__ = ["Schedule", "Stage", "Values", "alias_of"]

Tensor = Any


@dataclass(frozen=True, slots=True)
class _Step:
    node: Node
    function: Callable[..., Tensor]
    args: tuple[Node, ...]
    attributes: dict[str, Any]
    lifts: tuple[tuple[int, int], ...]  # which arguments need how many axes behind that of the starts


@dataclass(frozen=True, slots=True)
class Stage:
    """A leaf that is set while the schedule runs, and the nodes that setting it needs."""

    leaf: Node
    needs: tuple[Node, ...] = ()


class Values:
    """What a run has computed so far."""

    __slots__ = ("batched", "held", "moving")

    def __init__(self, held: dict[Node, Tensor], moving: frozenset[Node], batched: bool) -> None:
        self.held = held
        self.moving = moving
        self.batched = batched

    def __getitem__(self, node: Node) -> Value:
        return Value(self.held[node], self.batched and node in self.moving)


class Schedule:
    """Stages in order, then roots. `inputs` are data leaves whose numbers come with each run, `groups` set together."""

    def __init__(
        self,
        instance: Instance,
        backend: TorchBackend,
        stages: Sequence[Stage],
        roots: Iterable[Node],
        inputs: Iterable[Node] = (),
        groups: Sequence[ScalarGroup] = (),
    ) -> None:
        self.stages = tuple(stages)
        roots = list(roots)
        leaves = [s.leaf for s in stages] + [leaf for group in groups for leaf in group.leaves]
        order = topological([node for s in stages for node in s.needs] + leaves + roots)
        fed = set(inputs)
        self._batched = _below(order, set(leaves))
        moving = self._batched | _below(order, fed)
        read = {*roots, *(node for s in stages for node in s.needs)}
        self._fixed = _fold(instance, backend, order, moving, read)
        done = set(self._fixed) | fed
        self._segments: list[list[_Step]] = []
        for targets in [*(s.needs for s in stages), tuple(roots)]:
            steps = [n for n in topological(targets) if isinstance(n, Apply) and n in moving and n not in done]
            known = self._batched, self._fixed
            self._segments.append([_step(instance, backend, node, *known, groups) for node in steps])
            done.update(steps)
        read |= {arg for steps in self._segments for step in steps for arg in step.args}
        # Of the rows, only those come apart whose members are read one by one.
        self._apart: dict[Node, list[tuple[Node, int]]] = {}
        self._apart |= {g.row: [(leaf, k) for leaf, k in g.order.items() if leaf in read] for g in groups}

    def is_fixed(self, node: Node) -> bool:
        """Tell whether a node was computed when the schedule was made."""
        return node in self._fixed

    @property
    def constants(self) -> Values:
        """What was computed then."""
        return Values(self._fixed, self._batched, False)

    def run(
        self, setters: Sequence[Callable[[Values], Tensor]], batched: bool, inputs: Mapping[Node, Tensor] | None = None
    ) -> Values:
        """Set each stage's leaf with its setter, in order, and compute the roots."""
        held = dict(self._fixed)
        held.update(inputs or {})
        values = Values(held, self._batched, batched)
        for stage, segment, setter in zip(self.stages, self._segments, setters, strict=False):
            if segment:
                _advance(held, segment, batched)
            held[stage.leaf] = setter(values)
            if self._apart.get(stage.leaf):
                members = held[stage.leaf].unbind(-1)
                held.update({leaf: members[k] for leaf, k in self._apart[stage.leaf]})
        _advance(held, self._segments[-1], batched)
        return values


def _below(order: list[Node], leaves: set[Node]) -> frozenset[Node]:
    """Find the nodes that depend on any of `leaves`."""
    found = set(leaves)
    for node in order:
        if any(arg in found for arg in node.args):
            found.add(node)
    return frozenset(found)


def _fold(
    instance: Instance, backend: TorchBackend, order: list[Node], moving: frozenset[Node], roots: Iterable[Node]
) -> dict[Node, Tensor]:
    """Compute what does not move, and keep of it what a moving node, a stage or a root reads."""
    needed = {arg for node in order if node in moving for arg in node.args if arg not in moving}
    needed |= {root for root in roots if root not in moving}
    evaluator = Evaluator(instance, backend)
    with backend.module.no_grad():
        evaluator.compute(needed)
    factors = {arg for node in order if node in moving and isinstance(node, Apply) and node.op.name == "matmul"
               for arg in node.args}
    fixed = {}
    for node in needed:
        tensor = evaluator[node].array
        array = instance.values.get(node) if isinstance(node, Data) else None
        fixed[node] = lay_out(tensor, array) if node in factors else tensor
    return fixed


def _step(
    instance: Instance,
    backend: TorchBackend,
    node: Apply,
    batched: frozenset[Node],
    fixed: dict[Node, Tensor],
    groups: Sequence[ScalarGroup],
) -> _Step:
    alias = alias_of(node)
    if alias is not None:
        return _Step(node, _same, (alias,), {}, ())
    for group in groups if node.op.name == "stack" and len(node.shape) == 1 else ():
        taken = group.stack_of(node.args)
        if taken is not None:
            return _Step(node, taken, (group.row,), {}, ())
    if isinstance(node.op, Op) and node.op.binds:
        return _Step(node, _bound(instance, backend, node, batched), node.args, {}, ())
    rank = meeting_rank(node)
    lifts = []
    if rank is not None and node in batched:
        for place, arg in enumerate(node.args):
            if arg in batched and len(arg.shape) != rank:
                lifts.append((place, rank - len(arg.shape)))
    attributes = {key: concrete(instance, value) for key, value in node.attributes}
    op: Any = node.op
    selected = _selection(instance, node, attributes, fixed)
    if selected is not None:
        return _Step(node, selected, node.args[:1], {}, ())
    function = _TOTAL.get(op.name) or implementation(op, "torch", backend.module)
    return _Step(node, function, node.args, attributes, tuple(lifts))


def _bound(
    instance: Instance, backend: TorchBackend, node: Apply, batched: frozenset[Node]
) -> Callable[..., Any]:
    """Give what runs a body, for one start and for many: which of its arguments have an axis over starts is told."""
    moving = [arg in batched for arg in node.args]
    runs = {many: runner_of(instance, backend, node, [many and m for m in moving]) for many in (False, True)}
    ranks = [len(arg.shape) for arg in node.args]

    def run(*arrays: Any) -> Any:
        many = any(m and _rank(a) > rank for a, m, rank in zip(arrays, moving, ranks, strict=True))
        return runs[many](*arrays)

    return run


def _rank(value: Any) -> int:
    return int(value.ndim)


def _same(x: Tensor) -> Tensor:
    return x


def _cholesky(x: Tensor) -> Tensor:
    factor, failed = import_torch().linalg.cholesky_ex(x)
    return factor.masked_fill((failed != 0)[..., None, None], math.nan)


def _inverse(x: Tensor) -> Tensor:
    found, failed = import_torch().linalg.inv_ex(x)
    return found.masked_fill((failed != 0)[..., None, None], math.nan)


# One start whose matrix cannot be taken apart must not stop the others, and a device need not be waited for.
_TOTAL: dict[str, Callable[..., Tensor]] = {"cholesky": _cholesky, "inverse": _inverse}


_NEUTRAL = {"add": 0, "subtract": 0, "multiply": 1, "divide": 1}


def alias_of(node: Apply) -> Node | None:
    """Find the argument that an op leaves as it is: x + 0 -> x, x / 1 -> x."""
    neutral = _NEUTRAL.get(node.op.name)
    if neutral is None:
        return None
    left, right = node.args
    if isinstance(right, Literal) and right.value == neutral:
        return left
    commutes = node.op.name in ("add", "multiply")
    return right if commutes and isinstance(left, Literal) and left.value == neutral else None


def _selection(
    instance: Instance, node: Apply, attributes: dict[str, Any], fixed: dict[Node, Tensor]
) -> Callable[..., Tensor] | None:
    """Write `x[groups]` along one axis as a selection: its gradient is many times faster than that of indexing.

    `x[groups, 0]`, numbers beside the one array and nothing else, is a selection of what the numbers leave.
    """
    if node.op.name != "index" or len(node.args) != 2 or node.args[1] not in fixed:
        return None
    items = attributes["items"]
    kinds = [item[0] for item in items]
    whole = all(item == FULL for item in items if item[0] == "slice")
    if kinds.count("array") != 1 or set(kinds) not in ({"array"}, {"array", "slice"}, {"array", "int"}) or not whole:
        return None
    if "int" in kinds and len(kinds) != len(node.args[0].shape):
        return None
    axis = kinds.index("array") - len(kinds)
    positions = fixed[node.args[1]]
    if positions.ndim != 1:
        return None
    given = instance.values.get(node.args[1]) if isinstance(node.args[1], Data) else None
    counted_back = given is None or bool((given < 0).any())  # asked of the array: a device would have to be waited for
    places = positions.long()
    if counted_back:
        places = places.remainder(instance.shape(node.args[0].shape)[axis])

    def select(x: Tensor) -> Tensor:
        return x.index_select(axis, places)

    def select_beside_numbers(x: Tensor) -> Tensor:
        for k in reversed(range(len(items))):  # from the last: what is left behind is the array's axis or none
            if kinds[k] == "int":
                x = x.select(-1 if k > kinds.index("array") else -2, items[k][1])
        return x.index_select(-1, places)

    return select_beside_numbers if "int" in kinds else select


def _advance(held: dict[Node, Tensor], steps: list[_Step], batched: bool) -> None:
    for step in steps:
        arrays = [held[arg] for arg in step.args]
        if batched:
            for place, more in step.lifts:
                x = arrays[place]
                arrays[place] = x.reshape(x.shape[:1] + (1,) * more + x.shape[1:])
        held[step.node] = step.function(*arrays, **step.attributes)
