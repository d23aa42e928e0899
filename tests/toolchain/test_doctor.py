"""The doctor's report and the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scistan import cli
from scistan.errors import ToolchainError
from scistan.toolchain import compiler, doctor
from scistan.toolchain.build import compile_stan
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.report import Report, Row


def build(tiny, text="model { }"):
    """Build with the tiny toolchain."""
    options = BuildOptions(precompiled_header=False)
    return compile_stan(text, toolchain=tiny.toolchain(), options=options, progress=False)


def test_the_report_has_a_row_for_everything(own_cache):
    report = doctor.doctor()
    names = {row.what for row in report}
    assert {
        "compiler",
        "make",
        "CmdStan",
        "machine",
        "cache",
        "free disk",
        "stanli",
        "nutpie",
        "torch",
    } <= names
    assert report["compiler"].verdict == "ok"
    assert not own_cache.exists()  # looking changes nothing


def test_the_report_prints_as_a_table(own_cache):
    report = Report((Row("compiler", "none", "problem", "install <one>"), Row("make", "yes", "ok")))
    assert str(report).splitlines()[1].split("  ")[0] == "compiler"
    assert "install &lt;one&gt;" in report._repr_html_()
    assert not report.ok


def test_a_missing_compiler_is_a_problem_with_a_fix(own_cache, monkeypatch):
    monkeypatch.setattr(compiler, "NAMES", ("no-such-compiler",))
    report = doctor.doctor()
    assert report["compiler"].verdict == "problem"
    assert "apt install g++" in report["compiler"].fix
    assert not report.ok


def test_a_public_cache_is_a_problem(tiny, own_cache):
    build(tiny)
    own_cache.chmod(0o777)
    row = doctor.doctor()["cache"]
    assert row.verdict == "problem"
    assert "chmod go-w" in row.fix


@pytest.mark.parametrize("place", [Path(os.devnull), Path(__file__)], ids=["device", "file"])
def test_a_cache_that_is_no_folder_is_a_problem(place, own_cache, monkeypatch):
    """It was said to be fine, and not made yet."""
    monkeypatch.setenv("SCISTAN_CACHE", str(place))
    row = doctor.doctor()["cache"]
    assert row.verdict == "problem"
    assert "it is no folder" in row.found
    assert "set SCISTAN_CACHE to a folder" in row.fix


def test_what_breaks_in_a_check_is_a_finding(monkeypatch):
    def odd():
        raise RuntimeError("boom")

    monkeypatch.setattr(doctor, "CHECKS", (odd,))
    assert doctor.doctor()["odd"].found == "RuntimeError: boom"


def test_torch_is_not_imported_where_it_is_missing(monkeypatch):
    monkeypatch.setattr(doctor, "version_of", lambda package: None)
    monkeypatch.setattr(doctor.importlib, "import_module", lambda name: pytest.fail("imported"))
    assert doctor.torch()[0].verdict == "note"


def test_cache_commands(tiny, own_cache, tmp_path, capsys):
    build(tiny)
    build(tiny, "model { } // two")
    assert cli.main(["cache", "list"]) == 0
    assert "model (core), 1 lines: model { } // two" in capsys.readouterr().out
    assert cli.main(["cache", "verify"]) == 0
    archive = tmp_path / "a.tar.gz"
    assert cli.main(["cache", "export", str(archive)]) == 0
    assert "exported 2 entries" in capsys.readouterr().out
    assert cli.main(["cache", "clear"]) == 0
    assert cli.main(["cache", "import", str(archive)]) == 0
    assert "imported 2 entries" in capsys.readouterr().out
    next((own_cache / "models").rglob("model")).write_bytes(b"bad")
    assert cli.main(["cache", "verify"]) == 1
    assert "another size" in capsys.readouterr().out
    assert cli.main(["cache", "verify", "--remove"]) == 0
    assert cli.main(["cache", "prune", "--size", "0"]) == 0
    assert "removed 1 entries" in capsys.readouterr().out


def test_an_error_is_told_without_a_trace(own_cache, tmp_path, capsys):
    assert cli.main(["cache", "import", str(tmp_path / "none.tar")]) == 1
    assert "not a sound cache export" in capsys.readouterr().err
    assert cli.main(["cache", "prune", "--size", "much"]) == 1


def test_the_module_runs_as_a_command(own_cache):
    done = subprocess.run([sys.executable, "-m", "scistan", "cache", "list"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "0 entries" in done.stdout


def test_install_cmdstan_calls_cmdstanpy(monkeypatch):
    cmdstanpy = pytest.importorskip("cmdstanpy")
    seen = {}
    monkeypatch.setattr(cmdstanpy, "install_cmdstan", lambda **options: seen.update(options) or True)
    assert cli.main(["install-cmdstan", "--version", "2.35.0", "--cores", "2"]) == 0
    assert (seen["version"], seen["cores"], seen["overwrite"]) == ("2.35.0", 2, False)


def test_a_failed_install_says_that_cmdstan_is_not_needed(monkeypatch, capsys):
    cmdstanpy = pytest.importorskip("cmdstanpy")
    monkeypatch.setattr(cmdstanpy, "install_cmdstan", lambda **options: False)
    assert cli.main(["install-cmdstan"]) == 1
    assert "pip install httpstan" in capsys.readouterr().err


def test_nobody_reads_the_list(own_cache):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "scistan", "cache", "list"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_nothing_else_touches_the_network(tiny, monkeypatch):
    import socket

    def refuse(*_, **__):
        raise ToolchainError("the network was touched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    build(tiny)
    doctor.doctor()
