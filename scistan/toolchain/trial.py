"""Try a new executable before it is kept, and note what it needs from outside."""

from __future__ import annotations

import re
import sys

from scistan.messages import toolchain as messages
from scistan.toolchain.compiler import find_program
from scistan.toolchain.request import EXECUTABLE
from scistan.toolchain.run import run
from scistan.toolchain.work import Work, command
from scistan.toolchain.workspace import Workspace

__all__ = ["check_runs", "outside_libraries"]

SYSTEM = ("/lib", "/usr/lib", "/usr/local/lib")


def check_runs(work: Work, place: Workspace) -> None:
    """Run `info`; an executable that does not answer is not kept."""
    finished = run(
        [str(place.out / EXECUTABLE), "info"],
        folder=place.scratch,
        cancellation=work.cancellation,
        inherit=(place.owner,),
        timeout=120,
    )
    if finished.code != 0 or "stan_version_major" not in finished.output:
        raise messages.bad_executable(f"{EXECUTABLE} info", finished.code, finished.tail())


def outside_libraries(work: Work, place: Workspace) -> tuple[str, ...]:
    """List the libraries an executable takes from neither its own folder nor the system."""
    ldd = find_program("ldd") if sys.platform == "linux" else None
    if ldd is None:
        return ()
    finished = command(work, place, [ldd, str(place.out / EXECUTABLE)])
    paths = re.findall(r"=> (/\S+) \(0x", finished.output)
    own = str(place.folder.resolve())
    return tuple(path for path in paths if not path.startswith((*SYSTEM, own)))
