"""Build with the wheel toolchain: precompiled header, runner units, model object, executable."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from scistan.errors import ToolchainError
from scistan.messages import toolchain as messages
from scistan.profiling import count
from scistan.toolchain.compiler import find_program
from scistan.toolchain.host import free_disk
from scistan.toolchain.keys import Json, digest, file_digest, text_digest
from scistan.toolchain.place import MODELS, PRODUCTS
from scistan.toolchain.request import EXECUTABLE, BuildRequest, loose_key, machine_part
from scistan.toolchain.runner_source import Unit
from scistan.toolchain.trial import check_runs, outside_libraries
from scistan.toolchain.wheel import HEADER, LIBRARIES, Wheel
from scistan.toolchain.work import Work, command, compiling, failed, find_held, get_or_build, note
from scistan.toolchain.workspace import Workspace

__all__ = ["build_executable", "build_unit", "find_header", "make_header", "missing_products"]

HEADER_DISK = 3_000_000_000  # room must remain beside the header
HEADER_LABEL = "precompiled header (once per compiler and flags; about {seconds:.0f} s, {disk} on disk)"
HEADER_SIZE = {"gcc": "0.8 GB", "clang": "0.2 GB"}
# Beside the precompiled form, for a second inclusion and for a compiler that rejects that form.
STUB = f"#include_next <{HEADER}>\n"
# Rough figures for g++ 12, for what the user is told beforehand.
SECONDS = {"header": 35.0, "model unit": 27.0, "unit": 5.0}
TRIES = 20  # how often objects may be taken from the linker before it is told
COMPILED = {"gcc": f"{HEADER}.gch", "clang": f"{HEADER}.pch"}


class ObjectsGoneError(Exception):
    """Something that was to be linked was removed or replaced meanwhile, with what the linker said of it."""

    def __init__(self, error: ToolchainError) -> None:
        super().__init__(error.what)
        self.error = error


def common_parts(work: Work, wheel: Wheel) -> dict[str, Json]:
    """Say what decides every compiled product."""
    return {
        "toolchain": f"httpstan {wheel.files.version}",
        "stan": wheel.stan_version,
        "compiler": wheel.compiler.identity,
        "flags": list(wheel.flags(work.options)),
        **machine_part(work.options),
    }


def header_parts(work: Work, wheel: Wheel) -> dict[str, Json]:
    """Say what decides the precompiled header; it remembers the folders of the headers it was made from."""
    return {
        "kind": "header",
        "include": str(wheel.files.include),
        "lean": [wheel.runner.lean, str(wheel.runner.lean_headers)],
        **common_parts(work, wheel),
    }


def include_words(wheel: Wheel) -> list[str]:
    """Give the places of headers: the lean stand-ins before Stan's own."""
    return ["-I", str(wheel.runner.lean_headers), "-I", str(wheel.files.include)]


def make_header(work: Work, wheel: Wheel, holds: ExitStack | None = None) -> Path | None:
    """Give the folder of the precompiled header, making it unless refused; None to go without."""
    wanted = work.options.header
    if wanted is False:
        return None
    if (ready := find_header(work, wheel, holds)) is not None:
        return ready
    if wanted is None and work.store.temporary:
        return None
    if wanted is None and (free := free_disk(work.store.root)) < HEADER_DISK:
        note(work, messages.header_skipped(f"only {free / 1e9:.1f} GB of disk are free"))
        return None

    def recipe(place: Workspace) -> tuple[str, ...]:
        out = place.out / COMPILED[wheel.compiler.family]
        out.parent.mkdir(parents=True)
        extra = ["-fpch-instantiate-templates"] if wheel.compiler.family == "clang" else []
        words = [*wheel.compiler.command, *wheel.flags(work.options), *extra, *include_words(wheel)]
        (place.scratch / "header.hpp").write_text(f"#include <{HEADER}>\n")
        words += ["-x", "c++-header", "header.hpp", "-o", str(out)]
        with compiling(work):
            finished = command(work, place, words)
        if finished.code != 0:
            raise failed("making the precompiled header", finished)
        (place.out / HEADER).write_text(STUB)
        return ()

    label = HEADER_LABEL.format(seconds=SECONDS["header"], disk=HEADER_SIZE[wheel.compiler.family])
    try:
        return get_or_build(work, PRODUCTS, header_parts(work, wheel), recipe, label=label, holds=holds).folder
    except ToolchainError as error:
        if wanted:
            raise
        note(work, messages.header_skipped(error.what))
        return None


def find_header(work: Work, wheel: Wheel, holds: ExitStack | None = None) -> Path | None:
    """Give the folder of a precompiled header that is there already."""
    if work.options.header is False:
        return None
    entry = find_held(work, PRODUCTS, digest(header_parts(work, wheel)), holds)
    return entry.folder if entry else None


def header_words(wheel: Wheel, header: Path | None, *, include: bool) -> list[str]:
    """Give the options that make the compiler use the header; `include` forces it before the first line."""
    if header is None:
        return []
    if wheel.compiler.family == "clang":
        return ["-include-pch", str(header / COMPILED["clang"])]
    # g++ looks for HEADER.gch beside every place where HEADER could be, and skips one that does not fit.
    return ["-I", str(header), *(["-include", HEADER] if include else [])]


def compile_object(
    work: Work,
    wheel: Wheel,
    place: Workspace,
    what: str,
    words: list[str],
    header: Path | None,
    include: bool,
) -> None:
    """Compile one object into the entry, once more without the header if that is what fails."""
    for chosen in (header, None):
        command_words = [
            *wheel.compiler.command,
            *wheel.flags(work.options),
            *header_words(wheel, chosen, include=include),
            *include_words(wheel),
            *words,
            "-o",
            str(place.out / "object.o"),
        ]
        with compiling(work):
            finished = command(work, place, command_words)
        if finished.code == 0:
            return
        about_header = any(word in finished.output.lower() for word in ("pch", "precompiled", ".gch"))
        if chosen is None or not about_header:
            raise failed(what, finished)


def unit_parts(work: Work, wheel: Wheel, unit: Unit) -> dict[str, Json]:
    """Say what decides the object of one unit of the runner."""
    return {
        "kind": "unit",
        "name": unit.path.name,
        "source": file_digest(unit.path),
        "headers": wheel.runner.headers,
        **({"lean": wheel.runner.lean} if unit.uses_model else {}),
        **common_parts(work, wheel),
    }


def build_unit(work: Work, wheel: Wheel, unit: Unit, holds: ExitStack | None = None) -> Path:
    """Give the object of one unit of the runner."""

    def recipe(place: Workspace) -> tuple[str, ...]:
        words = ["-I", str(wheel.runner.folder), "-c", str(unit.path)]
        with ExitStack() as until_compiled:
            # A unit without Stan's model loses time with the header; and one that is not ready is not waited for.
            header = find_header(work, wheel, until_compiled) if unit.uses_model else None
            compile_object(work, wheel, place, f"compiling the runner's {unit.path.name}", words, header, True)
        return ()

    label = f"runner, {unit.path.stem} (once per compiler and flags)"
    parts = unit_parts(work, wheel, unit)
    return get_or_build(work, PRODUCTS, parts, recipe, label=label, holds=holds).folder / "object.o"


def missing_products(work: Work, wheel: Wheel) -> tuple[list[Callable[[], object]], float]:
    """List the builds that no model decides and nobody has done, and estimate their seconds in all."""
    tasks: list[Callable[[], object]] = []
    seconds = 0.0
    if work.options.header is not False and find_header(work, wheel) is None:
        tasks.append(partial(make_header, work, wheel))
        seconds += SECONDS["header"]
    for unit in wheel.runner.chosen(work.options.methods):
        if work.store.find(PRODUCTS, digest(unit_parts(work, wheel, unit))) is None:
            tasks.append(partial(build_unit, work, wheel, unit))
            seconds += SECONDS["model unit" if unit.uses_model else "unit"]
    return tasks, seconds


def build_object(work: Work, wheel: Wheel, code: str, holds: ExitStack) -> Path:
    """Give the object of a translated program."""
    parts: dict[str, Json] = {
        "kind": "object",
        "code": text_digest(code),
        "lean": wheel.runner.lean,
        **common_parts(work, wheel),
    }

    def recipe(place: Workspace) -> tuple[str, ...]:
        (place.scratch / "model.hpp").write_text(code)
        words = ["-c", "-x", "c++", "model.hpp"]
        with ExitStack() as until_compiled:
            header = make_header(work, wheel, until_compiled)
            if header is None:
                count("without", "precompiled header")
            compile_object(work, wheel, place, "compiling the model", words, header, False)
        return ()

    label = "compiling the model"
    return get_or_build(work, PRODUCTS, parts, recipe, label=label, holds=holds).folder / "object.o"


def build_executable(work: Work, request: BuildRequest, wheel: Wheel, code: str) -> Path:
    """Give the executable of a request, from objects that are there or are built now.

    A hold is on the entry that was found. Where that is damaged meanwhile, who finds it so builds it again in its
    place, and what stands there then is not held by us: who removes it takes it from our linker, and we begin again.
    """
    for _ in range(TRIES):
        try:
            return gather_and_link(work, request, wheel, code)
        except ObjectsGoneError as gone:
            last = gone.error
    raise last


def gather_and_link(work: Work, request: BuildRequest, wheel: Wheel, code: str) -> Path:
    """Get all objects of a request, and link them while they are held."""
    with ExitStack() as until_linked:
        objects = [build_object(work, wheel, code, until_linked)]
        units = wheel.runner.chosen(request.options.methods)
        objects += [build_unit(work, wheel, unit, until_linked) for unit in units]

        def recipe(place: Workspace) -> tuple[str, ...]:
            link(work, wheel, place, objects)
            request.source.write(place.out)
            check_runs(work, place)
            return outside_libraries(work, place)

        loose = loose_key(request.source, request.options)
        entry = get_or_build(work, MODELS, request.parts, recipe, label="linking", loose=loose)
    return entry.folder / EXECUTABLE


def identity(path: Path) -> tuple[int, int] | None:
    """Tell one file from another that takes its place; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def link(work: Work, wheel: Wheel, place: Workspace, objects: list[Path]) -> None:
    """Link the objects; TBB travels with the executable, so neither minds where the wheel is."""
    mac = sys.platform == "darwin"
    words = [
        *wheel.compiler.command,
        *(str(path) for path in objects),
        "-L",
        str(wheel.files.libraries),
        *LIBRARIES,
        "-Wl,-rpath,@loader_path" if mac else "-Wl,-rpath,$ORIGIN",
        *([] if mac else ["-s"]),
        "-o",
        str(place.out / EXECUTABLE),
    ]
    before = [identity(path) for path in objects]
    finished = command(work, place, words)
    if finished.code != 0:
        error = failed("linking the executable", finished)
        if None in before or before != [identity(path) for path in objects]:
            raise ObjectsGoneError(error)
        raise error
    strip = None if mac else find_program("strip")
    for library in wheel.files.tbb:
        copy = place.out / library.name
        shutil.copyfile(library, copy)
        copy.chmod(0o700)
        if strip:
            command(work, place, [strip, "--strip-unneeded", str(copy)])
