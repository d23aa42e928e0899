"""What could not be solved, for whoever asks to be told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from scistan.errors import ModelError
from scistan.graph.places import warn_at_users_line
from scistan.messages import equations as messages

__all__ = ["Failure", "collecting_failures", "note_failures", "telling_failures"]


@dataclass(frozen=True, slots=True)
class Failure:
    """A draw for which an equation has no solution, the time that was reached, and why it went no further."""

    row: int
    time: float
    reason: str
    values: Mapping[str, float] = field(default_factory=dict)


_told: ContextVar[list[str] | None] = ContextVar("scistan_unsolved", default=None)


def note_failures(failures: Sequence[Failure], rows: int, method: str) -> None:
    """Note draws that an equation failed at; nobody asked where points are only tried."""
    told = _told.get()
    if told is not None:
        first = failures[0]
        text = messages.unsolved(len(failures), rows, first.time, first.reason, first.values, method)
        told.append(text)


@contextmanager
def collecting_failures() -> Iterator[list[str]]:
    """Collect what is to be said of equations that have no solution."""
    told: list[str] = []
    token = _told.set(told)
    try:
        yield told
    finally:
        _told.reset(token)


@contextmanager
def telling_failures() -> Iterator[None]:
    """Warn the user, when the work is done, of equations that had no solution; what fails for that is told so."""
    if _told.get() is not None:  # the verb around this one tells
        yield
        return
    with collecting_failures() as told:
        try:
            yield
        except ModelError as error:
            if told:
                raise messages.unsolved_error(told[0], error.place) from error
            raise
    for text in dict.fromkeys(told):
        warn_at_users_line(text, messages.EquationWarning)
