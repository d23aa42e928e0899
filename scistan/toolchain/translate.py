"""Stan to C++: call stanc and turn its complaints into errors with a line."""

from __future__ import annotations

from scistan.messages import toolchain as messages
from scistan.profiling import staged
from scistan.toolchain.cache import disk_error
from scistan.toolchain.source import INCLUDES, PROGRAM, Source
from scistan.toolchain.work import Work, command
from scistan.toolchain.workspace import Workspace, workspace

__all__ = ["stanc_words", "translate"]


def stanc_words(work: Work, source: Source) -> list[str]:
    """Give stanc's options for a program."""
    paths = [f"--include-paths={INCLUDES}"] if source.includes else []
    return [*work.options.for_stanc(source.text), *paths]


@staged("stanc")
def translate(work: Work, source: Source) -> str:
    """Give the C++ of a program, or raise StancError."""
    try:
        with workspace(work.store.root) as place:
            return translate_in(work, source, place)
    except OSError as error:
        raise disk_error(error, work.store.root) from error


def translate_in(work: Work, source: Source, place: Workspace) -> str:
    """Translate in a given folder; names in messages are the program's own, never a temporary file's."""
    source.write(place.scratch)
    words = [str(work.toolchain.files.stanc), *stanc_words(work, source), "--o=model.hpp", PROGRAM]
    finished = command(work, place, words)
    code = place.scratch / "model.hpp"
    if finished.code != 0 or not code.is_file():
        shown = " ".join(["stanc", *words[1:]])
        raise messages.stanc_failed(finished.output, shown, finished.code)
    return code.read_text()
