"""A program as stanli takes it: what stanli's compiler makes of its text, here or where that can start.

The compiler inside stanli starts once in a process, and asks for a signal stack of the size that was always enough.
Once torch has multiplied matrices on a processor with AMX (Intel's since 2023), Linux refuses stacks of that size in
this process, and the compiler ends Python: `m.map()`, then `m.mcmc()`. Then a process of its own compiles the program;
what runs it here needs no such stack. A compiler that started before torch goes on working.
"""

from __future__ import annotations

import ctypes
import json
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import orjson

from scistan.engines.data_file import DataText, give_back
from scistan.engines.loading import load_stanli
from scistan.messages import packages as messages

__all__ = ["intermediate", "program_for_stanli", "with_program"]

_STACK = {"x86_64": 8192}  # bytes; other processors' standard is 16384
_DISABLED = 2  # SS_DISABLE
_started = False
_CHILD = """
import json, sys
sys.path.append(sys.argv[1])
import stanli
try:
    made = {"mir": stanli.stan_to_mir(sys.stdin.buffer.read().decode())}
except (RuntimeError, ValueError) as error:
    made = {"error": str(error)}
sys.stdout.buffer.write(json.dumps(made).encode())
"""


class _Stack(ctypes.Structure):
    """A signal stack, as the C library lays it out."""

    _fields_ = (("place", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t))


def program_for_stanli(text: str) -> dict[str, str]:
    """Give a program as the keyword that stanli takes it by."""
    global _started
    if _started or can_start():
        _started = True
        return {"mir": _made_here(text)}
    return {"mir": _made_elsewhere(text)}


def intermediate(text: str) -> str:
    """Give a program's intermediate form; a RuntimeError where stanli refuses the program."""
    return program_for_stanli(text)["mir"]


@contextmanager
def with_program(text: str, data: DataText) -> Iterator[str]:
    """Give data with the program inside, under stanli's reserved key: as text, or as the path of a file that has it."""
    manifest = {"build_id": load_stanli().build_id(), "mir": intermediate(text), "name": "model"}
    start = orjson.dumps({"__stanli": manifest}).decode()[:-1]
    if isinstance(data, str):
        rest = data.lstrip()[1:]
        yield start + ("," if rest.strip() != "}" else "") + rest
        return
    try:
        with data.beginning_with(start) as path:
            yield str(path)
    finally:
        give_back()


def can_start() -> bool:
    """Ask for a signal stack as stanli's compiler will, and give it back."""
    if sys.platform != "linux":
        return True
    library = ctypes.CDLL(None)
    size = _STACK.get(platform.machine(), 16384)
    memory = ctypes.create_string_buffer(size)
    before = _Stack()
    if library.sigaltstack(ctypes.byref(_Stack(ctypes.addressof(memory), 0, size)), ctypes.byref(before)) != 0:
        return False
    if library.sigaltstack(ctypes.byref(before), None) != 0:
        library.sigaltstack(ctypes.byref(_Stack(None, _DISABLED, 0)), None)  # our memory goes when this function ends
    return True


# A model is lowered to the same text at every call, and compiling it takes most of the time that loading it takes.
@lru_cache(maxsize=64)
def _made_here(text: str) -> str:
    return str(load_stanli().stan_to_mir(text))


@lru_cache(maxsize=64)
def _made_elsewhere(text: str) -> str:
    """Compile in a process of its own: a tenth of a second or two."""
    place = Path(load_stanli().__file__).parent.parent
    command = [sys.executable or "python3", "-P", "-c", _CHILD, str(place)]
    try:
        done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
        made = json.loads(done.stdout)
    except (OSError, ValueError) as error:
        raise messages.compiler_cannot_start("stanli", str(error)) from None
    if "error" in made:
        raise RuntimeError(made["error"])
    return str(made["mir"])
