"""Evaluate the formulas of a declaration with NumPy or torch, without a model around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from scistan import domains
from scistan.distributions.declaration import Distribution
from scistan.graph.node import Data, Node, extent
from scistan.ops.coerce import data_leaf
from scistan.ops.expression import Expression
from scistan.shapes import Size
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy.evaluate import NUMPY
from scistan.targets.values import Value


class Bare:
    """As much of an instance as an evaluator asks for: lengths as they are today."""

    values: ClassVar[dict[Data, np.ndarray]] = {}

    def length(self, size: Size) -> int:
        return size.today


class Torch:
    """The torch column in double precision."""

    column = "torch"

    def __init__(self) -> None:
        import torch

        torch.set_num_threads(1)  # tiny tensors, and a process per core already
        self.module = torch

    def constant(self, number: Any) -> Any:
        return self.module.as_tensor(np.array(number), dtype=self.module.float64)


def leaf(value: Any) -> Node:
    """Make a leaf of its own for a number or an array."""
    return data_leaf(np.array(value))


def leaves(d: Distribution, value: Any, args: tuple[Any, ...]) -> list[Node]:
    """Make a leaf for the value and for every argument; a length is a size."""
    nodes = [leaf(value)]
    for p, arg in zip(d.parameters, args, strict=True):
        nodes.append(extent(Size(int(arg))) if p.domain is domains.SIZE else leaf(arg))
    return nodes


def with_numpy(d: Distribution, formula: Callable[..., Expression], value: Any, args: tuple[Any, ...]) -> np.ndarray:
    """Evaluate `formula(value, *args)` as the SciPy target does."""
    nodes = leaves(d, value, args)
    known = {n: Value(n.default) for n in nodes if isinstance(n, Data)}
    root = formula(*map(Expression, nodes))._scistan_node_
    with np.errstate(all="ignore"):
        return np.asarray(Evaluator(Bare(), NUMPY, known)[root].array)


def with_torch(
    d: Distribution, formula: Callable[..., Expression], value: Any, args: tuple[Any, ...]
) -> tuple[np.ndarray, list[np.ndarray | None]]:
    """Evaluate with torch; also give the gradient in the value and every argument (None for whole numbers)."""
    backend = Torch()
    torch = backend.module
    nodes = leaves(d, value, args)
    tensors: list[Any] = []
    known: dict[Node, Value] = {}
    for node in nodes:
        if not isinstance(node, Data):
            tensors.append(None)
            continue
        tensor = backend.constant(node.default)
        smooth = not node.integer
        tensor.requires_grad_(smooth)
        tensors.append(tensor if smooth else None)
        known[node] = Value(tensor)
    result = torch.as_tensor(Evaluator(Bare(), backend, known)[formula(*map(Expression, nodes))._scistan_node_].array)
    if result.requires_grad:
        result.sum().backward()
    gradients = [None if t is None else np.zeros(t.shape) if t.grad is None else t.grad.numpy() for t in tensors]
    return result.detach().numpy(), gradients
