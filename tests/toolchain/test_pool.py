"""Several models at once: order, errors in their places, every text built once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scistan.errors import ToolchainError
from scistan.toolchain.errors import StancError
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.pool import compile_many

QUICK = BuildOptions(precompiled_header=False)


def many(tiny, texts, **more):
    """Compile with the tiny toolchain."""
    return compile_many(texts, toolchain=tiny.toolchain(), options=QUICK, progress=False, **more)


def test_results_keep_the_order(tiny):
    texts = [f"model {{ }} // {n}" for n in range(4)]
    first = many(tiny, texts)
    assert [(path.parent / "model.stan").read_text().strip() for path in first] == texts
    assert many(tiny, texts[::-1]) == first[::-1]
    assert tiny.compilations() == 4


def test_one_failure_does_not_lose_the_others(tiny):
    results = many(tiny, ["model { } // 1", "model {\nBAD }", "BROKEN", "model { } // 2"])
    assert isinstance(results[0], Path)
    assert isinstance(results[1], StancError)
    assert results[1].line == 2
    assert isinstance(results[2], ToolchainError)
    assert "compiling the model failed" in results[2].what
    assert isinstance(results[3], Path)


def test_equal_programs_are_built_once(tiny):
    results = many(tiny, ["model { }", "model { }\r\n", "model { }  "])
    assert len(set(results)) == 1
    assert tiny.compilations() == 1


def test_a_broken_runner_fails_once_for_all(tiny):
    (tiny.runner / "core.cpp").write_text("no C++\n")
    results = many(tiny, ["model { } // 1", "model { } // 2"])
    assert all(isinstance(result, ToolchainError) for result in results)
    assert "core.cpp" in results[0].what
    assert results[0] is results[1]


def test_nothing_to_do(tiny):
    assert many(tiny, []) == []


def test_two_workers_compile_at_once(tiny, monkeypatch):
    many(tiny, ["model { }"])
    monkeypatch.setenv("TINY_MEET", "3")  # each compiler waits until the other has begun, too
    results = many(tiny, ["model { } // 1", "model { } // 2"], workers=2)
    assert all(isinstance(result, Path) for result in results)


def told(capsys):
    """Give the lines about what was compiled; other work of this process may write to the same place."""
    return [line for line in capsys.readouterr().err.splitlines() if "compiled" in line]


def test_progress_says_what_is_built(tiny, capsys):
    compile_many(["model { }"], toolchain=tiny.toolchain(), options=QUICK, progress=True)
    (last,) = told(capsys)
    assert re.fullmatch(r"scistan: compiled 1 model in \d+\.\d s", last)


def test_a_log_holds_no_line_for_each_model(tiny, capsys):
    many(tiny, ["model { }"])
    compile_many([f"model {{ }} // {k}" for k in range(5)], toolchain=tiny.toolchain(), options=QUICK, progress=True)
    (line,) = told(capsys)
    assert "compiled 5 models" in line


def test_a_bar_on_a_screen(tiny, capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TINY_SLEEP", "1.2")
    compile_many(["model { }"], toolchain=tiny.toolchain(), options=QUICK, progress=True)
    said = capsys.readouterr().err
    assert "1/1" in said
    assert "compiling the model 1 s" in said


def test_a_failure_in_the_bar_leaves_the_screen_alone(tiny, capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    (result,) = compile_many(["BROKEN"], toolchain=tiny.toolchain(), options=QUICK, progress=True)
    with pytest.raises(ToolchainError):
        raise result
