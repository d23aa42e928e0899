"""Evaluate an expression of free inputs with NumPy or torch, for one point or for many draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.graph.graph import Graph
from scistan.graph.instance import Instance
from scistan.graph.node import Node, Variable
from scistan.ops import Expression
from scistan.shapes import Size
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy.evaluate import NUMPY


@dataclass(frozen=True)
class Torch:
    """Torch in double precision on a device."""

    device: str = "cpu"
    column: str = "torch"

    @property
    def module(self) -> Any:
        import torch

        return torch

    def constant(self, number: float | np.ndarray) -> Any:
        return self.module.tensor(np.array(number), dtype=self.module.float64, device=self.device)


@dataclass(frozen=True)
class Jax:
    """JAX; whoever evaluates with it turns double precision on."""

    column: str = "jax"

    @property
    def module(self) -> Any:
        import jax.numpy

        return jax.numpy

    def constant(self, number: float | np.ndarray) -> Any:
        return self.module.asarray(number)


def free(shape: Sequence[int], name: str = "x") -> Expression:
    """Make an input without a value, each axis with a size of its own."""
    return Expression(Variable(name, tuple(Size.new(n, axis=k) for k, n in enumerate(shape)), None, None))


def node_of(expression: Expression) -> Node:
    return expression._scistan_node_


def instance_of(*expressions: Expression) -> Instance:
    """Wrap expressions, with the data at hand, in what a target evaluates."""
    graph = Graph(derived={f"out{k}": node_of(e) for k, e in enumerate(expressions)})
    return Instance(graph, {leaf: leaf.default for leaf in graph.data if leaf.default is not None})


def value_of(
    expression: Expression,
    inputs: Sequence[Expression] = (),
    values: Sequence[Any] = (),
    batched: Sequence[bool] | None = None,
    backend: Any = NUMPY,
) -> Any:
    """Give an expression's value where `inputs` have `values`; `batched` tells which run over draws."""
    evaluator = Evaluator(instance_of(expression), backend)
    for leaf, value, many in zip(inputs, values, batched or [False] * len(inputs), strict=True):
        evaluator.set(node_of(leaf), value, batched=many)
    with np.errstate(all="ignore"):
        return evaluator[node_of(expression)].array
