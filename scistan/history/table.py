"""The history as users see it: a table, a file of it, and the way to forget it."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from scistan.history.run import COLUMNS
from scistan.history.store import erase, runs
from scistan.messages import history as messages
from scistan.whole_files import replacing

__all__ = ["Rows", "export", "reset", "table"]

_SHOWN = ("task", "engine", "metric", "parameters", "rows", "evaluations", "seconds", "effective", "failure")


class Rows(list[Mapping[str, Any]]):
    """Runs as a list of dicts, for those without pandas."""

    def __repr__(self) -> str:
        cells = [list(_SHOWN), *([_text(row[name]) for name in _SHOWN] for row in self)]
        wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return "\n".join("  ".join(f"{cell:>{w}}" for cell, w in zip(row, wide, strict=True)) for row in cells)


def _text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def table() -> Any:
    """Give every run that is remembered, the first first: a pandas DataFrame, or a list of dicts without pandas."""
    rows = _rows()
    try:
        import pandas as pd
    except ImportError:
        return Rows(rows)
    found = pd.DataFrame(rows, columns=list(COLUMNS))
    found["at"] = pd.to_datetime(found["at"], unit="s")
    return found


def _rows() -> list[dict[str, Any]]:
    return [dict(zip(COLUMNS, run.values(), strict=True)) for run in reversed(runs())]


def export(path: str | PathLike[str]) -> Path:
    """Write every run that is remembered to a file: `.csv`, or `.json`."""
    if not isinstance(path, str | PathLike) or Path(path).suffix not in (".csv", ".json"):
        raise messages.no_export(path)
    where, rows = Path(path), _rows()
    try:
        with replacing(where) as beside, beside.open("w", newline="", encoding="utf-8") as file:
            if where.suffix == ".json":
                json.dump(rows, file, indent=1)
            else:
                writer = csv.DictWriter(file, list(COLUMNS))
                writer.writeheader()
                writer.writerows(rows)
    except (OSError, ValueError) as error:
        raise messages.cannot_export(where, getattr(error, "strerror", None) or str(error)) from None
    return where


def reset() -> None:
    """Forget every run."""
    erase()

