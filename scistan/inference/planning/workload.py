"""What is known of some work before it is done: how large it is, whether it needs gradients, how it is built."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from scistan.given import as_names, as_switch, as_whole
from scistan.graph.graph import Graph
from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Data, Variable
from scistan.graph.walk import topological
from scistan.history import structure_of
from scistan.inference.work import gradient_work
from scistan.messages.options import bad_option

__all__ = ["Workload", "workload_of"]

GRADIENT_TASKS = ("mcmc", "map", "mle", "pathfinder", "laplace", "variational")


@dataclass(frozen=True, slots=True)
class Workload:
    """Some work: `data_size` numbers of `dtype_size` bytes, with gradients or without, done once or again and again.

    Of a model there is more: `parameters` and `rows` (numbers observed), the counted `work` of one gradient in
    units of about a nanosecond, and how it is built: `structure` in words, `key` as a hash.
    """

    operation_type: str = "function"
    data_size: int = 0
    data_shape: tuple[int, ...] = ()
    dtype_size: int = 8
    requires_gradient: bool = False
    is_iterative: bool = False
    parameters: int = 0
    rows: int = 0
    work: float = 0.0
    structure: tuple[str, ...] = ()
    key: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.operation_type, str):
            raise bad_option("operation_type", self.operation_type, "a word", "'matmul'")
        shape = tuple(as_whole("data_shape", n, 0, None) for n in _as_tuple(self.data_shape))
        object.__setattr__(self, "data_shape", shape)
        object.__setattr__(self, "structure", tuple(as_names("structure", self.structure)))
        object.__setattr__(self, "data_size", as_whole("data_size", self.data_size, 0, None) or _product(shape))
        as_whole("dtype_size", self.dtype_size)
        as_switch("requires_gradient", self.requires_gradient)
        as_switch("is_iterative", self.is_iterative)

    @property
    def bytes(self) -> int:
        """How many bytes the data take."""
        return self.data_size * self.dtype_size

    def to_dict(self) -> dict[str, Any]:
        """Give everything by name."""
        return {f.name: _listed(getattr(self, f.name)) for f in fields(self)}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Workload:
        """Read what `to_dict` gave."""
        return cls(**{**found, "data_shape": tuple(found["data_shape"]), "structure": tuple(found["structure"])})

    def __str__(self) -> str:
        parts = [f"{self.parameters:,} parameters, {self.rows:,} rows"] if self.key else [self.operation_type]
        parts += [f"{_size(self.bytes)} of data"]
        parts += ["gradients"] if self.requires_gradient else []
        parts += [f"{self.work:,.0f} units of work for each"] if self.work else []
        return "; ".join([*parts, *self.structure])


def _as_tuple(given: object) -> tuple[object, ...]:
    return tuple(given) if isinstance(given, list | tuple) else (given,)


def _listed(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _product(shape: tuple[int, ...]) -> int:
    return math.prod(shape) if shape else 0


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


def workload_of(instance: Instance, task: str) -> Workload:
    """Count the work of a model on its data."""
    graph = instance.graph
    return Workload(
        operation_type=task,
        data_size=sum(int(array.size) for array in instance.values.values()),
        requires_gradient=task in GRADIENT_TASKS,
        is_iterative=task in GRADIENT_TASKS,
        parameters=sum(math.prod(instance.shape(t.law.shape)) for t in graph.latents),
        rows=sum(math.prod(instance.shape(t.law.shape)) for t in graph.observed),
        work=gradient_work(instance),
        structure=tuple(name for name, holds in _STRUCTURES.items() if holds(graph)),
        key=structure_of(graph),
    )


def _is_hierarchical(graph: Graph) -> bool:
    return any(isinstance(n, Variable) for t in graph.latents for n in topological(list(t.law.inputs)))


def _is_linear(graph: Graph) -> bool:
    """Tell whether an observation depends on data times latents: what fused forms are for."""
    seen = topological([node for term in graph.observed for node in term.law.inputs])
    return any(
        isinstance(node, Apply) and node.op.name == "matmul" and any(isinstance(arg, Data) for arg in node.args)
        for node in seen
    )


_STRUCTURES: Mapping[str, Callable[[Graph], bool]] = {
    "hierarchical": _is_hierarchical,
    "linear predictor": _is_linear,
    "conditionally independent observations": lambda graph: not any(
        t.law.event_rank or t.law.distribution.rule is not None for t in graph.observed
    ),
    "multivariate": lambda graph: any(t.law.event_rank for t in graph.terms),
}
