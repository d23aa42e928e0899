"""Build with an installed CmdStan through its own makefile."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scistan.toolchain.cmdstan import EXE, CmdStan
from scistan.toolchain.keys import digest
from scistan.toolchain.place import MODELS
from scistan.toolchain.request import EXECUTABLE, BuildRequest, loose_key
from scistan.toolchain.run import run
from scistan.toolchain.source import INCLUDES, PROGRAM
from scistan.toolchain.trial import check_runs, outside_libraries
from scistan.toolchain.work import Work, compiling, exclusive, failed, get_or_build
from scistan.toolchain.workspace import Workspace

__all__ = ["build_with_make"]

SPECIAL = " \t:#$%=~'\"&;()|<>*?[]\\"


def build_with_make(work: Work, request: BuildRequest, cmdstan: CmdStan) -> Path:
    """Give the executable of a request, built by CmdStan's makefile."""

    def recipe(place: Workspace) -> tuple[str, ...]:
        with plain_folder(place) as folder:
            request.source.write(folder)
            make(work, cmdstan, place, folder)
            shutil.copyfile(folder / f"model{EXE}", place.out / EXECUTABLE)
        (place.out / EXECUTABLE).chmod(0o700)
        for library in cmdstan.files.tbb:
            shutil.copyfile(library, place.out / library.name)
            (place.out / library.name).chmod(0o700)
        request.source.write(place.out)
        check_runs(work, place)
        return outside_libraries(work, place)

    loose = loose_key(request.source, request.options)
    entry = get_or_build(
        work, MODELS, request.parts, recipe, label="model, by CmdStan's makefile", loose=loose
    )
    return entry.folder / EXECUTABLE


@contextmanager
def plain_folder(place: Workspace) -> Iterator[Path]:
    """Give a folder whose path means nothing to make or the shell: make cannot quote its targets."""
    if not any(sign in str(place.scratch) for sign in SPECIAL):
        yield place.scratch
        return
    with tempfile.TemporaryDirectory(prefix="scistan-make-") as name:
        yield Path(name)


def make_words(work: Work, cmdstan: CmdStan, folder: Path) -> list[str]:
    """Give the call of make for the program in a folder."""
    words = [cmdstan.make, *cmdstan.variables(work.options)]
    if work.options.header is False:
        words.append("PRECOMPILED_HEADERS=false")
    if cmdstan.files.tbb:
        # TBB travels with the executable: the makefile's absolute path would die with a moved CmdStan.
        libraries = cmdstan.files.tbb[0].parent
        words.append(f"LDFLAGS_TBB=-Wl,-L,\"{libraries}\" -Wl,-rpath,'$$ORIGIN'")
    return [*words, str(folder / f"model{EXE}")]


def make_environment(work: Work, cmdstan: CmdStan, place: Workspace, folder: Path) -> dict[str, str]:
    """Give flags by the environment, so that the makefile and make/local can add to them."""
    program = folder / PROGRAM
    stanc = list(work.options.for_stanc(program.read_text() if program.is_file() else ""))
    if (folder / INCLUDES).is_dir():
        stanc.append(f"--include-paths={folder / INCLUDES}")
    environment = {"STANCFLAGS": " ".join(stanc), "TMPDIR": str(place.scratch)}
    if flags := cmdstan.flags(work.options):
        environment["CXXFLAGS"] = " ".join(flags)
    return environment


def make(work: Work, cmdstan: CmdStan, place: Workspace, folder: Path) -> None:
    """Call make; the first call for some flags is alone, since it may build CmdStan's own main and header."""
    words = make_words(work, cmdstan, folder)
    environment = make_environment(work, cmdstan, place, folder)
    shared = digest({"folder": str(cmdstan.files.folder), "parts": cmdstan.key_part(work.options)})
    ready = work.store.root / "locks" / f"{shared}.ready"
    if ready.exists():
        call(work, cmdstan, place, words, environment)
        return
    with exclusive(work, shared, "CmdStan's main program"):
        call(work, cmdstan, place, words, environment)
        ready.touch(mode=0o600)


def call(
    work: Work, cmdstan: CmdStan, place: Workspace, words: list[str], environment: dict[str, str]
) -> None:
    """Run make in CmdStan's folder."""
    with compiling(work):
        finished = run(
            words,
            folder=cmdstan.files.folder,
            cancellation=work.cancellation,
            inherit=(place.owner,),
            environment=environment,
        )
    if finished.code != 0:
        raise failed("building the model with CmdStan's makefile", finished)
