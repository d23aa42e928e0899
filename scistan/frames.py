"""Which frames of a call stack are the user's, and tracebacks that show those alone."""

from __future__ import annotations

import contextlib
import functools
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

__all__ = ["is_own", "is_users", "render_for_notebook", "render_whole", "users_alone"]

_HOME = str(Path(__file__).resolve().parent)
# Libraries that call back into expressions: their lines are nobody's mistake.
_LIBRARIES = (
    *(f"/site-packages/{name}/" for name in ("numpy", "scipy", "pandas", "xarray", "xarray_einstats", "torch")),
    "/site-packages/arviz",  # and its parts, arviz_stats for one
    contextlib.__file__,  # between a `with` of ours and what it ends with
    functools.__file__,  # between a property of ours and who asks for it
)


def is_own(file: str) -> bool:
    """Tell whether a file of code is SciStan's."""
    return file.startswith(_HOME)


def is_users(file: str) -> bool:
    """Tell whether a file of code is neither SciStan's nor of a library that computes."""
    return not is_own(file) and not any(library in file for library in _LIBRARIES)


def users_alone(trace: TracebackType | None, *, libraries: bool = False) -> TracebackType | None:
    """Give a traceback without SciStan's frames, with those of `libraries` or without; whole where none would be left.

    >>> users_alone(None) is None
    True
    """
    entries = []
    at = trace
    while at is not None:
        entries.append(at)
        at = at.tb_next
    files = [entry.tb_frame.f_code.co_filename for entry in entries]
    kept = [e for e, file in zip(entries, files, strict=True) if not is_own(file) and (libraries or is_users(file))]
    shown: TracebackType | None = None
    for entry in reversed(kept):
        shown = TracebackType(shown, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return shown or trace


def render_for_notebook(error: BaseException, own: type[BaseException]) -> list[str]:
    """Write an error as IPython would, with the user's frames alone; `%xmode Verbose` asks for all of them.

    Errors of the class `own` that it follows from lose the libraries' frames too, others SciStan's only.
    """
    if getattr(_writer(), "mode", "") == "Verbose":
        return render_whole(error)
    with _shortened(error, own):
        return render_whole(error)


def render_whole(error: BaseException) -> list[str]:
    """Write an error as IPython would, with every frame; as Python would, where there is no IPython."""
    writer = _writer()
    if writer is None:
        return traceback.format_exception(error)
    lines: list[str] = writer.structured_traceback(type(error), error, error.__traceback__)
    return lines


def _writer() -> Any:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "InteractiveTB", None)


@contextmanager
def _shortened(error: BaseException, own: type[BaseException]) -> Iterator[None]:
    """Hide frames of an error and of all that it follows from, for as long as it is written."""
    whole = [(one, one.__traceback__) for one in _chain(error)]
    try:
        for one, trace in whole:
            one.__traceback__ = users_alone(trace, libraries=not isinstance(one, own))
        yield
    finally:
        for one, trace in whole:
            one.__traceback__ = trace


def _chain(error: BaseException) -> list[BaseException]:
    """List an error, its cause or context, theirs, and so on."""
    found: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in found:
        found.append(at)
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
    return found
