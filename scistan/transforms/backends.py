"""Who computes transforms: a row for each backend, with one meaning for all of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from scistan.messages import transforms as messages
from scistan.transforms.computation import Computation
from scistan.transforms.on_numpy import Numpy

__all__ = ["BACKENDS", "Runner", "Wanted", "open_backend"]

Array = Any


class Runner(Protocol):
    """An array library that evaluates computations and differentiates them."""

    def array(self, value: object) -> Array: ...

    def filled(self, shape: tuple[int, ...], number: float) -> Array: ...

    def values(self, c: Computation, given: Sequence[Array], rows: Collection[int] = (), /) -> list[Array]:
        """Give the outputs; inputs among `rows` have an axis in front, and all outputs then have it."""
        ...

    def gradient(self, c: Computation, wrt: tuple[int, ...], given: Sequence[Array]) -> tuple[Array, list[Array]]:
        """Give the first output, one number, and its derivatives."""
        ...

    def jacobian(self, c: Computation, wrt: tuple[int, ...], given: Sequence[Array]) -> list[list[Array]]:
        """Give for each output its derivatives, the axes of the output in front."""
        ...

    def hessian(self, c: Computation, wrt: tuple[int, ...], given: Sequence[Array]) -> list[list[Array]]:
        """Give the second derivatives of the first output."""
        ...

    def hessian_times(
        self, c: Computation, wrt: tuple[int, ...], given: Sequence[Array], along: Sequence[Array]
    ) -> list[Array]:
        """Give the Hessian of the first output times a vector."""
        ...


@dataclass(frozen=True, slots=True)
class Wanted:
    """Who is to compute, in which precision and on which device; None leaves it to the arrays."""

    backend: object = None
    dtype: str | None = None
    device: str | None = None


def _numpy(_: Sequence[object], wanted: Wanted) -> Runner:
    if wanted.dtype not in (None, "float64"):
        raise messages.numpy_cannot("dtype", wanted.dtype)
    if wanted.device not in (None, "cpu", "auto"):
        raise messages.numpy_cannot("device", wanted.device)
    return Numpy()


def _torch(leaves: Sequence[object], wanted: Wanted) -> Runner:
    from scistan.transforms.on_torch import torch_for

    return torch_for(leaves, wanted.device, wanted.dtype)


def _jax(_: Sequence[object], wanted: Wanted) -> Runner:
    from scistan.transforms.on_jax import Jax

    return Jax(wanted.device, wanted.dtype)


BACKENDS: dict[str, Callable[[Sequence[object], Wanted], Runner]] = {"numpy": _numpy, "torch": _torch, "jax": _jax}
"""Each backend by its name, opened where it is used for the values that it is to compute with."""


def open_backend(wanted: Wanted, leaves: Sequence[object] = ()) -> Runner:
    """Give the backend that is wanted, NumPy where none is; SciPy's arrays are NumPy's."""
    name = "numpy" if wanted.backend in (None, "scipy") else wanted.backend
    if not isinstance(name, str) or name not in BACKENDS:
        raise messages.unknown_backend(wanted.backend, list(BACKENDS))
    return BACKENDS[name](leaves, wanted)
