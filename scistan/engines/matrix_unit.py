"""Whether this process may use the CPU's matrix unit (Intel's AMX), which stanli's Stan compiler does not survive.

Linux lends that unit to a process on request, for good, and from then on refuses small stacks for signals. torch asks
with its first call of oneDNN, a product of matrices or a sum. The OCaml runtime of stanli's embedded stanc sets a small
stack up as it starts (stanli 0.24), and where that is refused it ends the whole process, without an exception.
"""

from __future__ import annotations

import ctypes
import platform
import sys

__all__ = ["is_granted", "is_there"]

_ARCH_PRCTL = 158  # the system call on x86-64
_SUPPORTED, _PERMITTED = 0x1021, 0x1022  # ARCH_GET_XCOMP_SUPP and ARCH_GET_XCOMP_PERM
_TILES = 18  # the bit of AMX's tiles


def is_there() -> bool:
    """Tell whether this machine has such a unit to lend."""
    return _asked(_SUPPORTED)


def is_granted() -> bool:
    """Tell whether somebody in this process has asked for it."""
    return _asked(_PERMITTED)


def _asked(code: int) -> bool:
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    bits = ctypes.c_uint64(0)
    failed = ctypes.CDLL(None).syscall(_ARCH_PRCTL, code, ctypes.byref(bits))
    return not failed and bool(bits.value >> _TILES & 1)
