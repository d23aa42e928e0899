"""What would pay, from measured numbers: an executable for a model that is run again and again, batches that fit."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from scistan.engines.registry import ENGINES
from scistan.history.learnt import of_engine, of_structure
from scistan.inference.planning.executable import Executable
from scistan.inference.planning.machine import Machine
from scistan.inference.planning.seconds import BUILT_IN, Expected
from scistan.inference.planning.workload import Workload
from scistan.inference.point.options import Options
from scistan.messages import planning as messages

__all__ = ["advice_on_batches", "advice_on_compiling"]

# A density keeps about this many arrays of the data's size for its gradient, for each start.
_COPIES = 6
_ROOM = 0.7  # of the free memory


def advice_on_compiling(
    workload: Workload, likely: str, costs: Mapping[str, Expected], executable: Executable
) -> str:
    """Recommend an executable where the runs so far would have paid for it; nothing where that is not known."""
    compiled = next((name for name in costs if ENGINES[name].compiled), "")
    if not compiled or compiled == likely or executable.built or executable.missing:
        return ""
    if not of_engine("mcmc", compiled):  # how fast one runs here was never seen
        return ""
    runs = [run for run in of_structure("mcmc", workload.key) if not ENGINES[run.engine].compiled]
    saved = costs[likely].costs["running"] - costs[compiled].costs["running"]
    built = costs[compiled].costs["compile"] or BUILT_IN[compiled].compile
    return messages.compiling_pays(len(runs), saved, built) if saved > 0 and len(runs) * saved > built else ""


def advice_on_batches(workload: Workload, options: Options, device: str, machine: Machine) -> str:
    """Recommend batches where all observations at once may not fit."""
    free = machine.free_memory if device == "cpu" else min(machine.gpu_memory.values(), default=inf)
    needed = _COPIES * options.starts * workload.bytes
    if options.batch_size is not None or not workload.rows or needed <= _ROOM * free:
        return ""
    return messages.batches_fit(needed, free, max(1, int(workload.rows * _ROOM * free / needed)))
