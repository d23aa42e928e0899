"""The file in which runs are remembered, SQLite in the cache folder: what goes wrong with it is forgotten."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from scistan.errors import ScistanError
from scistan.history.run import COLUMNS, Run
from scistan.settings import setting
from scistan.toolchain.place import cache_root, prepare_root

if TYPE_CHECKING:
    import sqlite3

__all__ = ["FILE", "erase", "generation", "history_path", "record", "runs"]

FILE = "history.sqlite3"
_TABLE = "runs_2"  # another meaning of a column is another table
_MOST = 20_000  # rows that are kept
_EVERY = 512  # rows after which older ones are let go
_PATIENCE = 5.0  # seconds that a writer waits for others
_BESIDE = ("", "-wal", "-shm", "-journal")

_INSERT = f"INSERT INTO {_TABLE} ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
_CREATE = (
    f"CREATE TABLE IF NOT EXISTS {_TABLE} "
    f"(id INTEGER PRIMARY KEY, {', '.join(f'{name} {kind}' for name, kind in COLUMNS.items())})"
)
_INDEX = f"CREATE INDEX IF NOT EXISTS of_structure_2 ON {_TABLE} (machine, structure, task)"
_PRUNE = f"DELETE FROM {_TABLE} WHERE id <= (SELECT max(id) FROM {_TABLE}) - {_MOST}"

T = TypeVar("T")
_generation = 0


def generation() -> int:
    """Count what this process has written: what was read before is then out of date."""
    return _generation


def history_path() -> Path:
    """Say where the history lives."""
    return cache_root() / FILE


def record(run: Run) -> bool:
    """Remember a run; tell whether that could be done."""
    global _generation
    if not setting("history"):
        return False
    _generation += 1

    def insert(file: sqlite3.Connection) -> bool:
        number = file.execute(_INSERT, run.values()).lastrowid or 0
        if number % _EVERY == 0:
            file.execute(_PRUNE)
        return True

    return _with_file(insert, False, make=True)


def runs(condition: str = "", given: Sequence[Any] = (), last: int = _MOST) -> list[Run]:
    """Give the runs that are remembered and meet a condition on the columns, the last first."""
    if not setting("history"):
        return []
    where = f" WHERE {condition}" if condition else ""
    asked = f"SELECT {', '.join(COLUMNS)} FROM {_TABLE}{where} ORDER BY id DESC LIMIT {last}"
    return _with_file(lambda file: [Run(*row) for row in file.execute(asked, given)], [], make=False)


def erase() -> None:
    """Forget everything."""
    global _generation
    _generation += 1
    try:
        _remove(history_path())
    except ScistanError:  # there is no folder to keep anything in
        return


def _with_file(work: Callable[[sqlite3.Connection], T], otherwise: T, *, make: bool) -> T:
    """Do something with the file; where it is damaged, once more with a new one; where nothing helps, give up."""
    try:
        import sqlite3
    except ImportError:  # a Python built without it
        return otherwise
    try:
        path = history_path()
        if not path.exists():
            if not make:
                return otherwise
            if not path.parent.is_dir():
                prepare_root(path.parent)
        for _ in range(2):
            try:
                return _patiently(lambda: _once(path, work))
            except sqlite3.OperationalError:  # a full disk, a folder that cannot be written to, others' long lock
                return otherwise
            except (sqlite3.DatabaseError, ValueError, OverflowError):  # no database, or one with other columns
                _remove(path)
    except (OSError, ScistanError):
        return otherwise
    return otherwise


def _patiently(attempt: Callable[[], T]) -> T:
    """Try again while others hold the file: SQLite itself waits for a lock, but not while the file is being made."""
    import sqlite3

    last = time.monotonic() + _PATIENCE
    while True:
        try:
            return attempt()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > last:
                raise
            time.sleep(random.uniform(0.001, 0.02))


def _once(path: Path, work: Callable[[sqlite3.Connection], T]) -> T:
    """Open the file for one piece of work: nothing is held that a fork or a deleted cache could spoil."""
    import sqlite3

    new = not path.exists() or os.path.getsize(path) == 0
    with closing(sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)) as file:
        file.execute("PRAGMA synchronous=OFF")  # a row that a power cut takes is no loss
        if new:
            file.execute("PRAGMA journal_mode=WAL")
        try:
            return work(file)
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            file.execute(_CREATE)
            file.execute(_INDEX)
            return work(file)


def _remove(path: Path) -> None:
    for end in _BESIDE:
        path.with_name(path.name + end).unlink(missing_ok=True)
