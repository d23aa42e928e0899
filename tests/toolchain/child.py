"""A process of its own that builds programs with the tiny toolchain and prints what it got."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

from scistan.errors import ToolchainError
from scistan.toolchain.find import find_toolchain
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.pool import compile_many


def main() -> None:
    """Build the programs given as arguments."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would ignore it
    wheel, runner, *texts = sys.argv[1:]
    toolchain = find_toolchain(runner_dir=Path(runner), wheel_dir=Path(wheel))
    options = BuildOptions(precompiled_header=False)
    if gate := os.environ.get("TINY_GATE"):  # wait at the gate until the test opens it for all
        Path(gate, str(os.getpid())).touch()
        while not Path(gate, "open").exists():
            time.sleep(0.005)
    answers = os.fdopen(os.dup(1), "w")
    for number in os.environ.get("TINY_CLOSED", ""):  # as in a service, whose streams somebody closed
        os.close(int(number))
    results = compile_many(
        texts, toolchain=toolchain, options=options, progress="TINY_PROGRESS" in os.environ
    )
    shown = [str(r) if not isinstance(r, ToolchainError) else {"error": r.what} for r in results]
    print(json.dumps(shown), file=answers, flush=True)


if __name__ == "__main__":
    main()
