"""The history remembers runs whoever writes beside, and where it cannot, it forgets: nothing ever fails for it."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import scistan as ss
from scistan.history import Run, counts, record, remembered_winner
from scistan.history.store import FILE, runs


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SCISTAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SCISTAN_HISTORY", raising=False)
    return tmp_path / "cache"


def test_a_run_comes_back_as_it_was(cache):
    run = Run("mcmc", "stan", "stanli", "diag", structure="ab", work=12.5, iterations=2000, seconds=1.25)
    assert record(run)
    assert runs() == [run]
    table = ss.history()
    assert list(table["engine"]) == ["stanli"]
    assert table["seconds"][0] == 1.25
    assert (cache / FILE).exists()
    ss.history.reset()
    assert len(ss.history()) == 0


def test_without_pandas_it_is_a_list(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    record(Run("map", "torch", seconds=0.5))
    assert ss.history()[0]["backend"] == "torch"
    assert "torch" in str(ss.history()[0])
    assert "0.5" in repr(ss.history())


def test_it_can_be_switched_off(cache, monkeypatch):
    monkeypatch.setenv("SCISTAN_HISTORY", "off")
    assert not record(Run("map", "torch"))
    assert not cache.exists()
    monkeypatch.delenv("SCISTAN_HISTORY")
    with ss.using(history=False):
        assert not record(Run("map", "torch"))
    assert record(Run("map", "torch"))


@pytest.mark.parametrize("name", ["history.csv", "history.json"])
def test_it_is_exported(tmp_path, name):
    record(Run("map", "torch", seconds=0.5))
    text = ss.history.export(tmp_path / name).read_text()
    assert "torch" in text
    assert "0.5" in text
    with pytest.raises(ss.ModelError, match="ends in .csv or .json"):
        ss.history.export("history.parquet")
    with pytest.raises(ss.DataError, match="cannot be written"):
        ss.history.export(tmp_path / "nowhere" / name)


WRITE = (
    "from concurrent.futures import ThreadPoolExecutor as P; from scistan.history import Run, record;"
    "print(sum(P(25).map(lambda k: record(Run('mcmc', 'stan', 'stanli', iterations=k)), range(25))))"
)


def test_two_hundred_writers_at_once_lose_nothing():
    others = [subprocess.Popen([sys.executable, "-c", WRITE], stdout=subprocess.PIPE, text=True) for _ in range(4)]
    with ThreadPoolExecutor(100) as threads:
        here = sum(threads.map(lambda k: record(Run("map", "torch", iterations=k)), range(100)))
    there = [int(process.communicate()[0]) for process in others]
    assert (here, there) == (100, [25] * 4)
    assert len(runs()) == 200
    assert sorted(run.iterations for run in runs() if run.backend == "torch") == list(range(100))


@pytest.mark.parametrize("content", [b"", b"no database at all, but a text", b"SQLite format 3\0" + bytes(range(256)) * 40])
def test_a_corrupt_file_is_forgotten_and_begun_anew(cache, content):
    cache.mkdir(mode=0o700)
    (cache / FILE).write_bytes(content)
    assert runs() == []
    assert record(Run("map", "torch"))
    assert len(runs()) == 1


def test_a_file_cut_in_the_middle_is_forgotten_and_begun_anew(cache):
    for k in range(300):
        record(Run("map", "torch", iterations=k))
    whole = (cache / FILE).read_bytes()
    (cache / FILE).write_bytes(whole[: len(whole) // 2])
    record(Run("map", "torch"))
    record(Run("map", "torch"))
    assert 1 <= len(runs()) <= 302


def test_a_file_with_other_columns_is_no_error(cache):
    import sqlite3

    cache.mkdir(mode=0o700)
    with sqlite3.connect(cache / FILE) as file:
        file.execute("CREATE TABLE runs_2 (id INTEGER PRIMARY KEY, task TEXT)")
    assert not record(Run("map", "torch"))
    assert runs() == []
    assert counts() == {}


FULL = (
    "import resource; from scistan.history import Run, record; from scistan.history.store import runs;"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (MOST, MOST));"
    "print(record(Run('map', 'torch')), [record(Run('map', 'torch')) for _ in range(500)][-1], len(runs()) < 501)"
)


@pytest.mark.skipif(sys.platform == "win32", reason="limits are POSIX's")
@pytest.mark.parametrize(("limit", "told"), [(0, "False False True"), (45_000, "True False True")])
def test_on_a_full_disk_it_forgets(limit, told):
    code = FULL.replace("MOST", str(limit))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == told


def test_in_a_folder_that_cannot_be_written_to_it_forgets(cache, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SCISTAN_CACHE", str(tmp_path / "file"))
    assert not record(Run("map", "torch"))
    assert runs() == []
    monkeypatch.setenv("SCISTAN_CACHE", "/proc/nowhere")
    assert not record(Run("map", "torch"))
    if os.geteuid():  # root may write anywhere
        cache.mkdir(mode=0o500)
        monkeypatch.setenv("SCISTAN_CACHE", str(cache))
        assert not record(Run("map", "torch"))


def test_a_python_without_sqlite_forgets(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    assert not record(Run("map", "torch"))
    assert runs() == []


def test_old_rows_are_let_go(monkeypatch):
    monkeypatch.setattr("scistan.history.store._EVERY", 8)
    monkeypatch.setattr("scistan.history.store._PRUNE", "DELETE FROM runs_2 WHERE id <= (SELECT max(id) FROM runs_2) - 4")
    for k in range(16):
        record(Run("map", "torch", iterations=k))
    assert [run.iterations for run in runs()] == [15, 14, 13, 12]


def test_the_winner_is_the_one_with_the_most_effective_draws_a_second():
    assert remembered_winner("ab", (10, 100)) is None
    for engine, metric, effective in [("stanli", "", 100.0), ("nutpie", "low_rank", 300.0), ("nutpie", "diag", 200.0)]:
        record(Run("mcmc", "stan", engine, metric, structure="ab", parameters=10, rows=100, seconds=1.0, effective=effective))
    record(Run("mcmc", "stan", "cmdstan", structure="ab", parameters=10, rows=1000, seconds=0.1, effective=900.0))
    record(Run("mcmc", "stan", "cmdstan", structure="ba", parameters=10, rows=100, seconds=0.1, effective=900.0))
    record(Run("mcmc", "stan", "cmdstan", structure="ab", parameters=10, rows=100, failure="SamplingError"))
    found = remembered_winner("ab", (12, 90))
    assert (found.engine, found.metric, found.runs) == ("nutpie", "low_rank", 1)


def test_successes_and_failures_are_counted():
    record(Run("mcmc", "stan", "stanli"))
    record(Run("mcmc", "stan", "stanli", failure="SamplingError"))
    record(Run("map", "torch"))
    found = counts()
    assert (found["stanli"].succeeded, found["stanli"].failed) == (1, 1)
    assert (found["torch"].succeeded, found["torch"].failed) == (1, 0)
