"""Run chains as processes, some at a time; none outlives its caller, and one that dies takes no other along."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scistan.toolchain.run import GUARD, kill_group

__all__ = ["Process", "run_processes"]

TICK = 0.02
_TAIL = 3
_TELLING = re.compile(r"^\s*(Exception:|Error:|Log probability evaluates|Gradient evaluated)")


@dataclass(slots=True, eq=False)
class Process:
    """One chain: its command, where its words go, and how it ended."""

    command: Sequence[str]
    console: Path
    environment: dict[str, str] = field(default_factory=dict)
    code: int | None = None
    popen: subprocess.Popen[str] | None = None

    def start(self) -> None:
        posix = os.name == "posix"
        with self.console.open("w") as words:
            self.popen = subprocess.Popen(
                ["/bin/sh", "-c", GUARD, "sh", *self.command] if posix else list(self.command),
                stdin=subprocess.PIPE,
                stdout=words,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=posix,
                env={**os.environ, **self.environment},
            )

    def ended(self) -> bool:
        if self.popen is None or self.popen.poll() is None:
            return False
        self.close()
        return True

    def kill(self) -> None:
        if self.popen is not None and self.popen.poll() is None:
            kill_group(self.popen)
            self.popen.wait()
        self.close()

    def close(self) -> None:
        if self.popen is not None:
            self.code = self.popen.returncode
            if self.popen.stdin is not None:
                self.popen.stdin.close()

    def fate(self) -> str:
        """Say why this chain ended badly; an empty text when it ended well."""
        if self.code == 0:
            return ""
        words = self.console.read_text(errors="replace").strip().splitlines() if self.console.exists() else []
        told = [line.strip() for line in words if _TELLING.search(line)][-1:]  # what a chain says of each failed start
        said = " ".join(dict.fromkeys([*told, *(line.strip() for line in words[-_TAIL:])]))
        if self.code is None:
            return "it never started"
        number = -self.code if self.code < 0 else self.code - 128 if self.code > 128 else 0
        if number in signal.valid_signals():
            return f"its process was ended by {signal.Signals(number).name}"
        return f"its process ended with code {self.code}: {said}"


def run_processes(processes: Sequence[Process], at_once: int, watch: Callable[[], bool]) -> bool:
    """Run all, `at_once` at a time; `watch()` is called now and then and says whether to stop: tell if it did."""
    waiting, running = deque(processes), list[Process]()
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                waiting[0].start()
                running.append(waiting.popleft())
            running = [process for process in running if not process.ended()]
            if watch():
                return bool(waiting or running)
            if running:
                time.sleep(TICK)
        return False
    finally:
        for process in running:
            process.kill()
