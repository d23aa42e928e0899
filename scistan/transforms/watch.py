"""Purity while a function runs: the precision and the device of every value on the way, and what leaves the library.

On torch every operation is seen as it is dispatched; on JAX the function is traced, and its trace is read. Neither
needs the lines of the function, so that what it calls is seen as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from scistan.errors import Place
from scistan.targets.jax.backend import double_precision, import_jax
from scistan.targets.torch.devices import import_torch

__all__ = ["Seen", "place_in", "watch_jax", "watch_torch", "watched_places"]

Array = Any
Seen = tuple[str, str, Place]  # the kind of fault, what did it, and where
_OUT_OF_TORCH = ("numpy", "__array__", "tolist", "item", "cpu", "cuda", "__float__", "__int__", "__bool__")
_SCALARS = ("tolist", "item", "__float__", "__int__", "__bool__")
_CALLBACKS = ("pure_callback", "io_callback", "debug_callback")


def watched_places(function: Callable[..., Any]) -> Callable[[], Place]:
    """Give what finds the line of a function that is running, or where it begins."""
    code = function.__code__
    begin = Place(code.co_filename, code.co_firstlineno)

    def place() -> Place:
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code is code:
                return Place(code.co_filename, frame.f_lineno)
            frame = frame.f_back  # type: ignore[assignment]
        return begin

    return place


def watch_torch(run: Callable[[], Any], dtype: Any, device: str, place: Callable[[], Place]) -> list[Seen]:
    """Run a computation on tensors of one precision and device; list what is of another, and what goes out."""
    torch = import_torch()
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode

    seen: list[Seen] = []

    class Calls(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name = getattr(func, "__name__", "")
            if name in _OUT_OF_TORCH and any(_floats(value) for value in _tensors(torch, args[:1])):
                seen.append(("scalar" if name in _SCALARS else "round trip", f"torch.Tensor.{name}", place()))
            return func(*args, **(kwargs or {}))

    class Values(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            found = func(*args, **(kwargs or {}))
            for value in _tensors(torch, found):
                if not _floats(value):
                    continue
                if value.dtype != dtype:
                    seen.append(("precision", str(func), place()))
                if value.device.type != device:
                    seen.append(("round trip", str(func), place()))
            return found

    with Calls(), Values():
        run()
    return seen


def _floats(value: Any) -> bool:
    return bool(value.dtype.is_floating_point)


def _tensors(torch: Any, found: Any) -> Iterator[Any]:
    if isinstance(found, torch.Tensor):
        yield found
    elif isinstance(found, tuple | list):
        for part in found:
            yield from _tensors(torch, part)


def watch_jax(
    function: Callable[..., Any], arrays: Sequence[np.ndarray], begin: Place, precision: str
) -> list[Seen]:
    """Trace a function of JAX's arrays; list what is of another precision, and what leaves the trace."""
    jax, dtype = import_jax(), np.dtype(precision)
    with double_precision():
        try:
            trace = jax.make_jaxpr(function)(*arrays)
        except jax.errors.ConcretizationTypeError as error:  # bool(), float(), .item(): all ask for a number
            return [("scalar", type(error).__name__, place_in(error.__traceback__, begin))]
        except jax.errors.TracerArrayConversionError as error:
            return [("round trip", type(error).__name__, place_in(error.__traceback__, begin))]
    seen: list[Seen] = []
    for equation in _equations(trace.jaxpr):
        at = _place_of(equation, begin)
        if equation.primitive.name in _CALLBACKS:
            seen.append(("round trip", equation.primitive.name, at))
        for value in equation.outvars:
            kind = getattr(value.aval, "dtype", None)
            weak = getattr(value.aval, "weak_type", False)  # a number that was written down follows what it meets
            if kind is not None and np.issubdtype(kind, np.floating) and kind != dtype and not weak:
                seen.append(("precision", equation.primitive.name, at))
    return seen


def _equations(jaxpr: Any) -> Iterable[Any]:
    """List the equations of a trace, those of functions inside of it too."""
    for equation in jaxpr.eqns:
        held = [value if isinstance(value, tuple) else (value,) for value in equation.params.values()]
        inner = [part for parts in held for part in parts]
        bodies = [body for body in (getattr(part, "jaxpr", part) for part in inner) if hasattr(body, "eqns")]
        if equation.primitive.name in ("jit", "pjit", "closed_call", "custom_jvp_call", "custom_vjp_call") and bodies:
            for body in bodies:
                yield from _equations(body)
            continue
        yield equation
        for body in bodies:
            yield from _equations(body)


def _place_of(equation: Any, begin: Place) -> Place:
    for frame in getattr(getattr(equation.source_info, "traceback", None), "frames", ()):
        if frame.file_name == begin.file:
            return Place(frame.file_name, frame.line_num)
    return begin


def place_in(traceback: Any, begin: Place) -> Place:
    """Give the innermost line of a function's file that an error went through."""
    found = begin
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == begin.file:
            found = Place(begin.file, traceback.tb_lineno)
        traceback = traceback.tb_next
    return found
