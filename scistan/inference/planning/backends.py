"""Array packages for work that is not a model: what each can do, and a first guess of what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scistan.inference.planning.machine import Machine
from scistan.inference.planning.workload import Workload
from scistan.messages import planning as messages

__all__ = ["BACKENDS", "Backend", "cannot", "guessed"]

_COPIES = 3  # of the data: the input, what is computed, and what lies between
_ROOM = 0.7  # of the free memory


@dataclass(frozen=True, slots=True)
class Backend:
    """A package and the module that a function is given; seconds of a call and of each number in it."""

    package: str
    module: str
    gradients: bool
    call: float
    number: float


BACKENDS: Mapping[str, Backend] = {
    "numpy": Backend("numpy", "numpy", False, 1e-5, 2e-9),
    "torch": Backend("torch", "torch", True, 5e-5, 1e-9),
    "jax": Backend("jax", "jax.numpy", True, 1e-4, 1e-9),
}


def cannot(name: str, work: Workload, machine: Machine) -> str:
    """Say why a backend cannot do some work; an empty text where it can."""
    if work.requires_gradient and not BACKENDS[name].gradients:
        return messages.no_gradients()
    needed = _COPIES * work.bytes
    return messages.no_memory(needed, machine.free_memory) if needed > _ROOM * machine.free_memory else ""


def guessed(name: str, work: Workload) -> float:
    """Guess seconds where nothing was measured: calls cost more on some, numbers on others."""
    backend = BACKENDS[name]
    return backend.call + backend.number * work.data_size
