"""What each statement of a Stan program costs, and whose line it is."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from scistan.errors import Place
from scistan.inference.profile.tables import as_html_table, as_table, duration, short_place

__all__ = ["StatementCost", "StatementCosts"]

_HEAD = ("a gradient", "share", "", "your line", "Stan")
_LONGEST = 60
_NOISE = 0.005  # of a gradient


@dataclass(frozen=True, slots=True)
class StatementCost:
    """A statement, or several that belong together: seconds of one gradient, and the variables it is there for.

    `observed` tells whether it is the density of observations; `variables` counts what Stan's automatic
    differentiation put on its stack for one gradient, where CmdStan tells.
    """

    text: str
    names: tuple[str, ...]
    place: Place | None
    seconds: float
    share: float
    observed: bool
    variables: float | None = None

    @property
    def called(self) -> str:
        """The user's variables, or what it does for all of them."""
        return ", ".join(self.names[:3]) + (", …" if len(self.names) > 3 else "")


@dataclass(frozen=True, slots=True)
class StatementCosts:
    """The costs of a program's statements, in its order; they add up to `gradient`, the seconds of a whole one."""

    model: str
    compiled: bool
    rows: tuple[StatementCost, ...]
    gradient: float

    @property
    def how(self) -> str:
        """How the seconds were measured."""
        if self.compiled:
            return "timed by CmdStan's `profile` blocks, in a short run"
        return "timed on stanli's kernels: what a gradient takes with each statement, less what it took before it"

    @property
    def _cells(self) -> list[tuple[str, ...]]:
        return [
            (duration(row.seconds) if row.share >= _NOISE else "≈ 0",
             f"{row.share:.0%}", row.called, short_place(row.place),
             row.text if len(row.text) <= _LONGEST else f"{row.text[: _LONGEST - 1]}…")
            for row in self.rows
        ]

    def __repr__(self) -> str:
        title = f"{self.model}: a gradient takes {duration(self.gradient)} ({self.how})"
        return "\n".join([title, as_table(_HEAD, self._cells, left=(2, 3, 4))])

    def _repr_html_(self) -> str:
        title = f"<p>{escape(repr(self).splitlines()[0])}</p>"
        return title + as_html_table(_HEAD, self._cells, left=(2, 3, 4))

    def as_dict(self) -> dict[str, object]:
        """Give them as plain values, for JSON."""
        rows = [
            {"statement": row.text, "variables": list(row.names), "line": None if row.place is None else str(row.place),
             "seconds": row.seconds, "share": row.share, "autodiff_variables": row.variables}
            for row in self.rows
        ]
        return {"model": self.model, "measured": self.how, "gradient_seconds": self.gradient, "statements": rows}
