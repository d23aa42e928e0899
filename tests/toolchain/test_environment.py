"""Variables of the environment that are set to anything: what is wrong is told by name, the rest goes on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scistan.cli import main
from scistan.errors import ScistanError
from scistan.toolchain.cache import open_store, writable_store
from scistan.toolchain.cmdstan import find_cmdstan
from scistan.toolchain.compiler import MEMO, find_compiler
from scistan.toolchain.doctor import doctor
from scistan.toolchain.evict import size_cap
from scistan.toolchain.inventory import list_cache
from scistan.toolchain.place import cache_root

LONG = f"/{'a' * 300}"
NOT_TEXT = os.fsdecode(b"\xff")

# What each variable is set to, and a word of what is told; nothing where it does no harm.
SETTINGS = [
    ("SCISTAN_CACHE", LONG, "SCISTAN_CACHE"),
    ("SCISTAN_CACHE", "x" * 5000, "SCISTAN_CACHE"),
    ("SCISTAN_CACHE", "/dev/null/x", "/dev/null/x"),
    ("SCISTAN_CACHE", "/proc/nothing", "/proc/nothing"),
    ("SCISTAN_CACHE", "~nosuch/x", "SCISTAN_CACHE"),
    ("SCISTAN_CACHE_READONLY", LONG, "SCISTAN_CACHE_READONLY"),
    ("SCISTAN_CACHE_READONLY", "::~nosuch", "SCISTAN_CACHE_READONLY"),
    ("SCISTAN_CACHE_READONLY", "/dev/null:/nowhere", ""),
    ("SCISTAN_CACHE_SIZE", "9" * 400, "is not a size"),
    ("SCISTAN_CACHE_SIZE", "-5", "is not a size"),
    ("SCISTAN_CACHE_SIZE", "inf", "is not a size"),
    ("SCISTAN_CACHE_SIZE", "...", "is not a size"),
    ("CMDSTAN", "~nosuch/x", "CMDSTAN"),
    ("CMDSTAN", LONG, "CMDSTAN"),
    ("CMDSTAN", "/dev", "CMDSTAN"),
    ("CONDA_PREFIX", LONG, ""),
    ("HOME", LONG, ""),
    ("CXX", LONG, ""),
    ("CXX", NOT_TEXT, ""),
    ("CXX", "g++ '", ""),
    ("CXX", "/dev", ""),
    ("PATH", NOT_TEXT, ""),
    ("MAKE", LONG, ""),
    ("TMPDIR", "/nowhere", ""),
]
CALLS = [open_store, size_cap, find_cmdstan, doctor, lambda: find_compiler(cache_root())]


@pytest.mark.skipif(os.name != "posix", reason="paths of POSIX")
@pytest.mark.parametrize(("variable", "value", "told"), SETTINGS, ids=[f"{k}={v[:12]!r}" for k, v, _ in SETTINGS])
def test_a_variable_set_to_anything(own_cache, tmp_path, monkeypatch, variable, value, told):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(variable, value)
    said = []
    for call in [*CALLS, lambda: writable_store(open_store()), lambda: list_cache(open_store())]:
        try:
            found = call()
            said.append(str(found) if call is doctor else "")
        except ScistanError as error:
            said.append(str(error))
    assert told in "\n".join(said)
    assert bool(told) or not any(said[:3])


def test_a_user_without_a_home_is_told_to_name_a_place(own_cache, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SCISTAN_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as where there is neither HOME nor a user's name
    with pytest.raises(ScistanError, match="no home folder(?s:.*)set SCISTAN_CACHE"):
        open_store()
    assert find_cmdstan() is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["[" * 200_000, "[]", '{"known": [], "seal": 1}', "7", "\x00", '{"known": {"a": 3}}'])
def test_what_was_remembered_of_compilers_may_be_anything(tmp_path, monkeypatch, text):
    monkeypatch.setattr("scistan.toolchain.compiler.KNOWN", {})
    (tmp_path / MEMO).write_text(text)
    assert find_compiler(tmp_path) is not None


@pytest.mark.parametrize("words", [["prune", "--days", "-1"], ["prune", "--days", "nan"], ["prune", "--days", "1e999"]])
def test_days_are_a_number_and_not_less_than_none(own_cache, words):
    with pytest.raises(SystemExit):
        main(["cache", *words])


@pytest.mark.parametrize("words", [["prune", "--size", "-1"], ["prune", "--size", "9" * 400]])
def test_a_size_that_would_mean_everything_is_none(own_cache, capsys, words):
    assert main(["cache", *words]) == 1
    assert "is not a size" in capsys.readouterr().err


@pytest.mark.parametrize("name", [".", "/", "nowhere/x.tar", LONG])
def test_an_export_to_no_file(tiny, own_cache, tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    from tests.toolchain.test_transfer import build

    build(tiny)
    assert main(["cache", "export", name]) == 1
    assert "cannot be written" in capsys.readouterr().err
    assert Path(tmp_path / "nowhere").exists() is False
