"""Which device and precision a computation runs in, checked before anything is moved there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from scistan.disabled import why_disabled
from scistan.messages import inference as inference_messages
from scistan.messages import point as messages
from scistan.surface import checked

__all__ = ["DTYPES", "Target", "choose_target", "import_torch"]

DTYPES = ("float64", "float32")


def import_torch() -> Any:
    """Import torch when it is first needed, or say how to get it."""
    if forbidden := why_disabled("torch"):
        raise inference_messages.torch_disabled(forbidden)
    try:
        torch = import_module("torch")
    except ImportError:
        raise inference_messages.no_torch() from None
    return _checked(torch)


@cache
def _checked(torch: Any) -> Any:
    return checked("torch", torch)


@dataclass(frozen=True, slots=True)
class Target:
    """A device and a precision that can be used here, and what there is to say about the choice."""

    device: str
    dtype: str
    note: str = ""


def choose_target(device: object, dtype: object = "float64") -> Target:
    """Check a device and a precision; `"auto"` takes a GPU if there is one that serves, else the CPU."""
    torch = import_torch()
    precision = getattr(dtype, "__name__", str(dtype)).removeprefix("torch.")
    if precision not in DTYPES:
        raise messages.unknown_dtype(dtype)
    if isinstance(device, str) and device == "auto":
        return _best(torch, precision)
    try:
        parsed = torch.device(device)
    except (RuntimeError, TypeError, ValueError, OverflowError):
        raise messages.unknown_device(device) from None
    if parsed.type not in ("cpu", "cuda", "mps", "meta"):
        raise messages.unknown_device(device)
    missing = _missing(torch, parsed)
    if missing:
        raise messages.no_device(str(device), missing)
    if parsed.type == "mps" and precision == "float64":
        raise messages.no_double_on_mps()
    return Target(str(parsed), precision)


def _missing(torch: Any, device: Any) -> str:
    """Say why a device cannot be used; empty if it can."""
    if forbidden := why_disabled(device.type):
        return forbidden
    if device.type == "cuda":
        if torch.version.cuda is None and torch.version.hip is None:
            return "this build of torch has no CUDA"
        if not torch.cuda.is_available():
            return "torch finds no CUDA device"
        if device.index is not None and device.index >= torch.cuda.device_count():
            return f"there are only {torch.cuda.device_count()} CUDA devices"
    if device.type == "mps" and not torch.backends.mps.is_available():
        return "torch finds no Apple GPU"
    return ""


def _best(torch: Any, dtype: str) -> Target:
    if torch.cuda.is_available() and not why_disabled("cuda"):
        return Target("cuda", dtype)
    if torch.backends.mps.is_available() and not why_disabled("mps"):
        if dtype == "float32":
            return Target("mps", dtype)
        why = "the Apple GPU has no double precision (dtype='float32' takes it)"
        return Target("cpu", dtype, messages.fell_back(why))
    return Target("cpu", dtype, messages.fell_back("torch finds no GPU"))
