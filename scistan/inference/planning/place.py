"""Where a point estimate is made: the device, and how many observations at a time fit into its memory."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from scistan.inference.planning.machine import Machine
from scistan.inference.planning.workload import Workload
from scistan.inference.point.options import Options
from scistan.messages import planning as messages

__all__ = ["FittingBatches", "batches_that_fit", "device_for"]

# A density keeps about this many arrays of the data's size for its gradient, for each start.
COPIES = 6
ROOM = 0.7  # of the free memory
# Numbers that a gradient touches from which on a GPU has something to do: starting its kernels takes as long on less.
WORTH_A_GPU = 1e6


@dataclass(frozen=True, slots=True)
class FittingBatches:
    """Observations at a time that fit, and why not all."""

    size: int
    why: str


def device_for(asked: str | None, workload: Workload, machine: Machine) -> tuple[str, str]:
    """Choose the device and say why: the one asked for, else a GPU at hand for work that is worth it."""
    if asked is not None:
        return asked, messages.device_given(asked)
    roomiest = max(machine.gpu_memory, key=lambda name: machine.gpu_memory[name], default=None)
    if roomiest is None:
        return "cpu", messages.no_gpu()
    if workload.work < WORTH_A_GPU or _needed(workload, 1) > ROOM * machine.gpu_memory[roomiest]:
        return "cpu", messages.gpu_not_worth_it(roomiest)
    return roomiest, messages.gpu_taken(roomiest, workload.work)


def batches_that_fit(workload: Workload, options: Options, device: str, machine: Machine) -> FittingBatches | None:
    """Choose a batch size where all observations at once may not fit; None where they do, or one was asked for."""
    free = machine.free_memory if device == "cpu" else machine.gpu_memory.get(device, inf)
    needed = _needed(workload, options.starts)
    if options.batch_size is not None or not workload.rows or needed <= ROOM * free:
        return None
    size = max(1, int(workload.rows * ROOM * free / needed))
    return FittingBatches(size, messages.batches_fit(needed, free, size))


def _needed(workload: Workload, starts: int) -> float:
    return float(COPIES * starts * workload.bytes)
