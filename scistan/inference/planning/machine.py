"""What this machine has now: facts that hold for a few seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from scistan.disabled import why_disabled
from scistan.memory import free_memory
from scistan.toolchain.host import usable_cores

__all__ = ["LIFE", "Machine", "machine_now"]

LIFE = 5.0  # seconds that the facts are used again


@dataclass(frozen=True, slots=True)
class Machine:
    """Cores that this process may use, bytes of memory that it may still take, and those of each GPU."""

    cores: int
    free_memory: float
    gpu_memory: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Give everything by name; memory that is unknown is None."""
        free = None if self.free_memory == inf else self.free_memory
        return {"cores": self.cores, "free_memory": free, "gpu_memory": dict(self.gpu_memory)}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Machine:
        """Read what `to_dict` gave."""
        return cls(found["cores"], inf if found["free_memory"] is None else found["free_memory"], found["gpu_memory"])

    def __str__(self) -> str:
        parts = [f"{self.cores} {'core' if self.cores == 1 else 'cores'}"]
        parts += [] if self.free_memory == inf else [f"{self.free_memory / 1e9:.1f} GB of memory free"]
        parts += [f"{name}: {free / 1e9:.1f} GB free" for name, free in self.gpu_memory.items()]
        return ", ".join(parts)


_last: tuple[float, Machine] | None = None


def machine_now() -> Machine:
    """Give what the machine has, looked up anew after some seconds."""
    global _last
    now = time.monotonic()
    if _last is None or now - _last[0] > LIFE:
        _last = (now, Machine(usable_cores(), free_memory(), _gpus()))
    return _last[1]


def _gpus() -> dict[str, float]:
    """Ask torch, where this process has it already: to import it only to ask would take a second."""
    torch = sys.modules.get("torch")
    if torch is None or why_disabled("torch") or why_disabled("cuda"):
        return {}
    try:
        if not torch.cuda.is_available():
            return {}
        return {f"cuda:{k}": float(torch.cuda.mem_get_info(k)[0]) for k in range(torch.cuda.device_count())}
    except (RuntimeError, AttributeError):  # a driver that does not answer, or a torch half imported
        return {}
