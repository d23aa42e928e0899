"""The errors a user can meet; every one says what, where and what to do."""

from __future__ import annotations

import linecache
from dataclasses import dataclass

from scistan.frames import render_for_notebook, render_whole

__all__ = [
    "ArgumentError",
    "DataError",
    "InternalError",
    "ModelError",
    "Place",
    "SamplingError",
    "ScistanError",
    "ToolchainError",
    "UnsupportedError",
]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the user's own code: a file, or a notebook cell."""

    file: str
    line: int

    @property
    def text(self) -> str:
        """The source of that line, where Python still has it."""
        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        name = "notebook cell" if "ipykernel" in self.file or self.file.startswith("<ipython") else self.file
        return f"{name}, line {self.line}" + (f": {self.text}" if self.text else "")


class ScistanError(Exception):
    """What went wrong, where in the user's code, and what to do about it."""

    def __init__(self, what: str, *, remedy: str = "", place: Place | None = None) -> None:
        self.what = what
        self.remedy = remedy
        self.place = place
        super().__init__(self._render())

    def _render(self) -> str:
        parts = [self.what]
        if self.place is not None:
            parts.append(f"  at {self.place}")
        if self.remedy:
            parts.append(f"  try: {self.remedy}")
        return "\n".join(parts)

    def _render_traceback_(self) -> list[str]:
        """Show IPython the user's lines and the message; `%xmode Verbose` shows every frame."""
        return render_for_notebook(self, ScistanError)


class ModelError(ScistanError, ValueError):
    """The model as written cannot mean anything; the user can mend it."""


class ArgumentError(ModelError, TypeError):
    """A call with arguments that the function does not have, or lacks some that it needs."""


class DataError(ScistanError, ValueError):
    """The data do not fit the model."""


class UnsupportedError(ScistanError, NotImplementedError):
    """What a target or engine cannot express; every gap is collected before this is raised."""


class ToolchainError(ScistanError, RuntimeError):
    """A compiler or another outside program failed or is missing."""

    def __init__(
        self,
        what: str,
        *,
        remedy: str = "",
        place: Place | None = None,
        command: str = "",
        exit_code: int | None = None,
        tail: str = "",
    ) -> None:
        self.command = command
        self.exit_code = exit_code
        self.tail = tail
        super().__init__(what, remedy=remedy, place=place)

    def _render(self) -> str:
        parts = [super()._render()]
        if self.command:
            parts.append(f"  command: {self.command}")
        if self.exit_code is not None:
            parts.append(f"  exit code: {self.exit_code}")
        if self.tail:
            parts.append("  last lines:\n" + "\n".join(f"    {line}" for line in self.tail.splitlines()))
        return "\n".join(parts)


class SamplingError(ScistanError, RuntimeError):
    """An engine could not draw from the posterior."""


class InternalError(ScistanError, RuntimeError):
    """A fault of SciStan's own; carries what is needed to report it."""

    def __init__(self, what: str, *, attachment: str = "", place: Place | None = None) -> None:
        self.attachment = attachment
        super().__init__(
            what,
            remedy="this is a fault in SciStan; please report it with the text below",
            place=place,
        )

    def _render(self) -> str:
        text = super()._render()
        return f"{text}\n{self.attachment}" if self.attachment else text

    def _render_traceback_(self) -> list[str]:
        return render_whole(self)  # its frames are what a report needs
