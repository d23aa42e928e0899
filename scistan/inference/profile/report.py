"""`p.report()`: a profile as a table, a picture, JSON, and what would make it faster."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from scistan.inference.files import write_text
from scistan.inference.paths import as_path
from scistan.inference.profile.flame import draw_flame
from scistan.inference.profile.recommend import Recommendation, recommendations
from scistan.inference.profile.statements import StatementCosts
from scistan.inference.profile.tables import as_html_table, as_table, duration, size
from scistan.messages import profile as messages
from scistan.profiling import CONVERTED, HITS, MISSES, Stage
from scistan.version import __version__

if TYPE_CHECKING:
    from scistan.inference.profile.profile import Profile

__all__ = ["Report", "make_report"]

_HEAD = ("stage", "time", "share", "processor", "memory", "calls", "")
_LEFT = (0, 6)


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """What was recorded, ready to be read: `print(report)`, `.svg`, `.to_json()`, `.recommendations`, `.save(path)`."""

    stages: Stage
    statements: tuple[StatementCosts, ...]
    recommendations: tuple[Recommendation, ...]

    @property
    def svg(self) -> str:
        """The picture: each stage as wide as its time."""
        return draw_flame(self.stages)

    def __repr__(self) -> str:
        parts = [as_table(_HEAD, self._cells(), _LEFT), *map(repr, self.statements)]
        advice = [f"{number}. {one}" for number, one in enumerate(self.recommendations, 1)]
        parts.append("\n".join(advice or [messages.nothing_to_do()]))
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        advice = "".join(f"<li>{_as_html(one)}</li>" for one in self.recommendations)
        told = f"<ol>{advice}</ol>" if advice else f"<p>{escape(messages.nothing_to_do())}</p>"
        costs = "".join(one._repr_html_() for one in self.statements)
        return f"<div>{self.svg}{as_html_table(_HEAD, self._cells(), _LEFT)}{costs}{told}</div>"

    def _cells(self) -> list[tuple[str, ...]]:
        return list(_rows(self.stages, 0, self.stages.seconds or 1.0))

    def to_json(self) -> str:
        """Write all of it as JSON."""
        found = {
            "scistan_version": __version__,
            "cores": os.cpu_count(),
            "stages": _as_dict(self.stages),
            "statements": [costs.as_dict() for costs in self.statements],
            "recommendations": [one.as_dict() for one in self.recommendations],
        }
        return json.dumps(found, indent=1, ensure_ascii=False)

    def save(self, path: str | Path) -> Path:
        """Write it to a file: `.html`, `.svg`, `.json` or `.txt`."""
        place = as_path("report.save", path)
        writers: dict[str, Callable[[], str]] = {
            ".html": lambda: f"<!doctype html><meta charset='utf-8'><title>profile</title>{self._repr_html_()}",
            ".svg": lambda: self.svg,
            ".json": self.to_json,
            ".txt": lambda: repr(self),
        }
        if place.suffix not in writers:
            raise messages.unknown_kind(place.suffix, list(writers))
        return write_text(place, writers[place.suffix]())


def make_report(profile: Profile, fitted_before: int) -> Report:
    """Put together what a profile has."""
    runs = profile.runs
    known = dict.fromkeys(c for ran in runs for c in (profile.cost_of(ran), profile.compiled_cost_of(ran)))
    costs = tuple(found for found in known if found is not None)
    return Report(profile.stages, costs, tuple(recommendations(profile, fitted_before)))


def _as_html(one: Recommendation) -> str:
    first, *rest = str(one).splitlines()
    return f"<b>{escape(first)}</b>" + "".join(f"<br>{escape(line.strip())}" for line in rest)


def _rows(one: Stage, depth: int, whole: float) -> list[tuple[str, ...]]:
    name = "  " * depth + one.name + (" (failed)" if one.failed else "")
    asked = one.cpu > 0  # of a stage further below a fit, the clock alone was read
    memory = size(one.memory) + (f", GPU {size(one.gpu_memory)}" if one.gpu_memory else "")
    row = (
        name, duration(one.seconds), f"{one.seconds / whole:.0%}", duration(one.cpu) if asked else "",
        memory if asked else "", str(one.calls), _counted(one),
    )
    return [row, *(line for child in one.children.values() for line in _rows(child, depth + 1, whole))]


def _counted(one: Stage) -> str:
    told = []
    for (kind, what), (times, amount) in one.counts.items():
        if kind == CONVERTED:
            told.append(f"{what}: {size(amount)}")
        elif kind in (HITS, MISSES):
            told.append(f"{what}: {times} {'found' if kind == HITS else 'not found'}")
    return "; ".join(told)


def _as_dict(one: Stage) -> dict[str, object]:
    found: dict[str, object] = {
        "name": one.name, "seconds": one.seconds, "cpu_seconds": one.cpu or None,
        "memory_bytes": one.memory if one.cpu > 0 else None, "gpu_memory_bytes": one.gpu_memory,
        "calls": one.calls, "failed": one.failed,
        "counts": [{"kind": k, "what": w, "times": n, "amount": a} for (k, w), (n, a) in one.counts.items()],
    }
    return {**found, "stages": [_as_dict(child) for child in one.children.values()]}
