"""Transforms by torch's autograd."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from scistan.graph.node import Node
from scistan.messages import transforms as messages
from scistan.ops.coerce import library_of
from scistan.targets.evaluate import Evaluator
from scistan.targets.torch.backend import TorchBackend
from scistan.targets.torch.devices import choose_target
from scistan.transforms.computation import Computation
from scistan.transforms.on_numpy import Numpy

__all__ = ["Torch", "torch_for"]

Tensor = Any


def torch_for(leaves: Sequence[object], device: str | None = None, dtype: str | None = None) -> Torch:
    """Give torch on the device of the tensors among some values, in their precision.

    Without any, on the device and in the precision that are wanted, on the CPU and in double precision by default.
    """
    tensors: list[Tensor] = [leaf for leaf in leaves if library_of(leaf) == "torch"]
    devices = list(dict.fromkeys(str(tensor.device) for tensor in tensors))
    if len(devices) > 1:
        raise messages.several_devices(devices)
    kinds = [tensor.dtype for tensor in tensors if tensor.dtype.is_floating_point]
    widest = max(kinds, key=lambda kind: kind.itemsize, default=None)
    precision = (dtype or "float64") if widest is None else str(widest).removeprefix("torch.")
    return Torch(devices[0] if devices else choose_target(device or "cpu", precision).device, precision)


class Torch:
    """Torch on one device, in one precision."""

    def __init__(self, device: str = "cpu", dtype: str = "float64") -> None:
        self._backend = TorchBackend(device, dtype)
        self._torch = self._backend.module

    def array(self, value: object) -> Tensor:
        """Read a leaf as a tensor."""
        if library_of(value) == "torch":
            return value.detach().to(device=self._backend.device, dtype=self._backend.dtype)  # type: ignore[attr-defined]
        return self._torch.tensor(Numpy().array(value), dtype=self._backend.dtype, device=self._backend.device)

    def filled(self, shape: tuple[int, ...], number: float) -> Tensor:
        """Give a tensor of one number."""
        return self._torch.full(shape, number, dtype=self._backend.dtype, device=self._backend.device)

    def values(self, c: Computation, given: Sequence[Tensor], rows: Collection[int] = ()) -> list[Tensor]:
        """Evaluate the outputs."""
        return self._computed(c, c.outputs, given, rows)

    def _computed(
        self, c: Computation, roots: Sequence[Node], given: Sequence[Tensor], rows: Collection[int] = ()
    ) -> list[Tensor]:
        evaluator = Evaluator(c.instance, self._backend)
        for k, (leaf, tensor) in enumerate(zip(c.inputs, given, strict=True)):
            evaluator.set(leaf, tensor, batched=k in rows)
        try:
            evaluator.compute(roots)
        except self._torch.linalg.LinAlgError:
            raise messages.no_factor(None) from None
        count = next((len(given[k]) for k in rows), 0)
        found = [evaluator[root] for root in roots]
        return [v.array if v.batched or not rows else v.array.expand(count, *v.array.shape) for v in found]

    def _open(self, wrt: tuple[int, ...], given: Sequence[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        """Let derivatives be taken in some of the inputs."""
        leaves = [x.clone().requires_grad_(True) if k in wrt else x for k, x in enumerate(given)]
        return leaves, [leaves[k] for k in wrt]

    def _slopes(self, output: Tensor, leaves: list[Tensor], seed: Tensor | None = None, *, again: bool = False,
                many: bool = False) -> list[Tensor]:
        """Send a seed back, or many along its first axis; what an output does not depend on has slope 0."""
        seed = self._torch.ones_like(output) if seed is None else seed
        lead = tuple(seed.shape[:1]) if many else ()
        found = [None] * len(leaves)
        if output.requires_grad:
            found = self._torch.autograd.grad(
                output, leaves, seed, create_graph=again, retain_graph=True, allow_unused=True, is_grads_batched=many
            )
        return [
            self.filled((*lead, *leaf.shape), 0.0) if slope is None else slope
            for slope, leaf in zip(found, leaves, strict=True)
        ]

    def gradient(self, c: Computation, wrt: tuple[int, ...], given: Sequence[Tensor]) -> tuple[Tensor, list[Tensor]]:
        """Evaluate, and go back."""
        leaves, chosen = self._open(wrt, given)
        (value,) = self._computed(c, c.held[:1], leaves)
        return value.detach(), self._slopes(value, chosen)

    def jacobian(self, c: Computation, wrt: tuple[int, ...], given: Sequence[Tensor]) -> list[list[Tensor]]:
        """Send every unit vector back at once."""
        leaves, chosen = self._open(wrt, given)
        return [self._rows(output, chosen) for output in self._computed(c, c.held, leaves)]

    def hessian(self, c: Computation, wrt: tuple[int, ...], given: Sequence[Tensor]) -> list[list[Tensor]]:
        """Differentiate the gradient."""
        leaves, chosen = self._open(wrt, given)
        (value,) = self._computed(c, c.held[:1], leaves)
        return [self._rows(slope, chosen) for slope in self._slopes(value, chosen, again=True)]

    def _rows(self, output: Tensor, leaves: list[Tensor]) -> list[Tensor]:
        shape, count = tuple(output.shape), int(np.prod(output.shape, dtype=np.int64))
        if not count:
            return [self.filled((*shape, *leaf.shape), 0.0) for leaf in leaves]
        units = self._torch.eye(count, dtype=self._backend.dtype, device=self._backend.device)
        found = self._slopes(output, leaves, units.reshape(count, *shape), many=True)
        return [rows.detach().reshape((*shape, *rows.shape[1:])) for rows in found]

    def hessian_times(
        self, c: Computation, wrt: tuple[int, ...], given: Sequence[Tensor], along: Sequence[Tensor]
    ) -> list[Tensor]:
        """Differentiate the gradient along a vector."""
        leaves, chosen = self._open(wrt, given)
        (value,) = self._computed(c, c.held[:1], leaves)
        slopes = self._slopes(value, chosen, again=True)
        dot = sum((slope * v).sum() for slope, v in zip(slopes, along, strict=True))
        return self._slopes(dot, chosen)
