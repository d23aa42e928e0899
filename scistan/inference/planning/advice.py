"""What would pay, from measured numbers: an executable for a model that is run again and again."""

from __future__ import annotations

from collections.abc import Mapping

from scistan.engines.registry import ENGINES
from scistan.history.learnt import of_engine, of_structure
from scistan.inference.planning.executable import Executable
from scistan.inference.planning.seconds import BUILT_IN, Expected
from scistan.inference.planning.workload import Workload
from scistan.messages import planning as messages

__all__ = ["advice_on_compiling"]


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
