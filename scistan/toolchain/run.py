"""Run outside programs in their own process group, so that none outlives its caller."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Cancellation", "CancelledError", "Finished", "run"]

# The shell watches a pipe that only its caller holds open: when the caller dies, even by SIGKILL, the pipe
# ends and the whole process group with the compilers is killed.
GUARD = (
    "exec 3<&0; { read -r _ <&3; kill -9 0; } >/dev/null 2>&1 & watch=$!; "
    '"$@" 3<&- </dev/null; code=$?; kill "$watch" 2>/dev/null; exit "$code"'
)


class CancelledError(Exception):
    """The work was called off (Ctrl-C)."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended and what it said."""

    command: tuple[str, ...]
    code: int
    output: str

    @property
    def shown(self) -> str:
        """The command as a user could type it."""
        return shlex.join(self.command)

    def tail(self, lines: int = 25) -> str:
        """The last lines it wrote."""
        return "\n".join(self.output.rstrip().splitlines()[-lines:])


@dataclass(slots=True)
class Cancellation:
    """Calls off a group of running programs."""

    running: set[subprocess.Popen[str]] = field(default_factory=set)
    guard: threading.Lock = field(default_factory=threading.Lock)
    called: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        """Raise when the work was called off."""
        if self.called.is_set():
            raise CancelledError

    def cancel(self) -> None:
        """Kill every running program with all its children and let no new one start."""
        self.called.set()
        with self.guard:
            for process in self.running:
                kill_group(process)

    def start(self, process: subprocess.Popen[str]) -> None:
        """Take note of a program that has just started."""
        with self.guard:
            self.running.add(process)
        if self.called.is_set():
            kill_group(process)

    def end(self, process: subprocess.Popen[str]) -> None:
        """Forget a program that has ended."""
        with self.guard:
            self.running.discard(process)


def kill_group(process: subprocess.Popen[str]) -> None:
    """Kill a program and all its children."""
    if os.name != "posix":
        process.kill()
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def run(
    command: Sequence[str],
    *,
    folder: Path,
    cancellation: Cancellation | None = None,
    inherit: Sequence[int] = (),
    environment: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> Finished:
    """Run a program to its end in a folder and give what it said; temporary files go to that folder too."""
    cancellation = cancellation or Cancellation()
    cancellation.check()
    posix = os.name == "posix"
    process = subprocess.Popen(
        ["/bin/sh", "-c", GUARD, "sh", *command] if posix else list(command),
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder), "LC_ALL": "C", **(environment or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=posix,
        pass_fds=tuple(inherit) if posix else (),
        umask=0o077 if posix else -1,
    )
    cancellation.start(process)
    try:
        output = collect(process, timeout)
    except BaseException:
        kill_group(process)
        process.wait()
        raise
    finally:
        cancellation.end(process)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
    cancellation.check()
    return Finished(tuple(command), process.returncode, output)


def collect(process: subprocess.Popen[str], timeout: float | None) -> str:
    """Read all that a program says, keeping the pipe it watches open."""
    stream = process.stdout
    if stream is None:
        return ""
    timer = threading.Timer(timeout, kill_group, (process,)) if timeout else None
    if timer:
        timer.daemon = True
        timer.start()
    try:
        output = stream.read()
        process.wait()
    finally:
        if timer:
            timer.cancel()
    return output
