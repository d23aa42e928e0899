"""What is found, what is preferred, and what is said when there is nothing."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from scistan.toolchain import compiler, find
from scistan.toolchain.build import compile_stan
from scistan.toolchain.cmdstan import CmdStan, find_cmdstan
from scistan.toolchain.compiler import find_compiler
from scistan.toolchain.errors import NoToolchainError, StancError
from scistan.toolchain.find import find_toolchain
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.pool import compile_many
from scistan.toolchain.wheel import Wheel, find_wheel

posix_only = pytest.mark.skipif(os.name != "posix", reason="shell scripts stand in for programs")

# The parts of CmdStan's makefile that matter here, under their own names.
MAKEFILE = r"""
CMDSTAN_VERSION := 2.99.0
STANCFLAGS ?=
-include make/local
O ?= 3
TBB_LIB ?= $(abspath stan/lib/stan_math/lib/tbb)
LDFLAGS_TBB ?= -Wl,-L,"$(TBB_LIB)" -Wl,-rpath,"$(TBB_LIB)"
ifdef STAN_THREADS
CXXFLAGS += -DSTAN_THREADS
endif
CXXFLAGS += -std=c++17 -O$(O) -I include -I runner
main.o : runner/main.cpp
	echo main >> made.log; sleep 0.2
	$(CXX) $(CXXFLAGS) -c $< -o $@
core.o : runner/core.cpp
	$(CXX) $(CXXFLAGS) -c $< -o $@
%.hpp : %.stan
	echo "$(STANCFLAGS)" >> stanc.log
	cd $(dir $<) && $(CURDIR)/bin/stanc $(STANCFLAGS) --o=model.hpp model.stan
% : %.hpp main.o core.o
	echo "$(CXXFLAGS)" >> flags.log
	$(CXX) $(CXXFLAGS) -x c++ -c $< -o $*.o
	$(CXX) $*.o main.o core.o $(LDFLAGS_TBB) -ltbb -o $@
"""


@pytest.fixture
def installed(tiny, tmp_path, monkeypatch):
    """Lay out something like an installed CmdStan."""
    folder = tmp_path / "cmdstan-2.99.0"
    (folder / "bin").mkdir(parents=True)
    (folder / "make").mkdir()
    (folder / "makefile").write_text(MAKEFILE)
    shutil.copy2(tiny.wheel / "stanc", folder / "bin" / "stanc")
    shutil.copytree(tiny.wheel / "include", folder / "include")
    shutil.copytree(tiny.runner, folder / "runner")
    tbb = folder / "stan/lib/stan_math/lib/tbb"
    shutil.copytree(tiny.wheel / "lib", tbb, symlinks=True)
    monkeypatch.setenv("CMDSTAN", str(folder))
    monkeypatch.setenv("CXX", "g++")
    return folder


def runs(path):
    """Tell whether an executable answers."""
    return subprocess.run([path, "info"], capture_output=True).returncode == 0


@posix_only
def test_cmdstan_builds_through_its_makefile(installed):
    toolchain = find_toolchain()
    assert isinstance(toolchain, CmdStan)
    assert toolchain.name == "CmdStan 2.99.0"
    path = compile_stan("model { }", progress=False)
    assert runs(path)
    assert compile_stan("model { }", progress=False) == path
    assert compile_stan("model { }", progress=False, options=BuildOptions(methods="full")) == path
    assert "-DSTAN_THREADS -std=c++17 -O3" in (installed / "flags.log").read_text()


@posix_only
def test_options_reach_the_makefile(installed):
    options = BuildOptions(optimize=1, threads=False, cpp_options=("-DMINE",))
    assert runs(compile_stan("model { }", options=options, progress=False))
    assert (installed / "flags.log").read_text().split()[:3] == ["-DMINE", "-std=c++17", "-O1"]


@posix_only
def test_a_moved_cmdstan_does_no_harm(installed, tmp_path, monkeypatch):
    path = compile_stan("model { }", progress=False)
    moved = tmp_path / "moved"
    installed.rename(moved)
    assert runs(path)  # TBB travels with the executable
    monkeypatch.setenv("CMDSTAN", str(moved))
    assert compile_stan("model { }", progress=False) == path


@posix_only
def test_make_local_is_in_the_key(installed):
    path = compile_stan("model { }", progress=False)
    (installed / "make" / "local").write_text("CXXFLAGS += -DLOCAL\nSTANCFLAGS += --mine\n")
    other = compile_stan("model { }", progress=False)
    assert other != path
    assert "-DLOCAL" in (installed / "flags.log").read_text()
    assert (installed / "stanc.log").read_text().splitlines() == ["--O1 -fno-soa", "--O1 -fno-soa --mine"]


@posix_only
def test_parallel_makes_do_not_collide(installed):
    texts = [f"model {{ }} // {n}" for n in range(4)]
    assert all(runs(path) for path in compile_many(texts, progress=False, workers=2))
    assert (installed / "made.log").read_text().split() == ["main"]


@posix_only
@pytest.mark.parametrize("name", ["my cache", "a=b", "100%", "~mine", "it's", "(x)"])
def test_a_cache_whose_name_means_something_to_make(installed, tmp_path, monkeypatch, name):
    monkeypatch.setenv("SCISTAN_CACHE", str(tmp_path / name))
    assert runs(compile_stan("model { }", progress=False))


@posix_only
def test_stanc_errors_with_cmdstan(installed):
    with pytest.raises(StancError) as caught:
        compile_stan("model {\n BAD }", progress=False)
    assert caught.value.line == 2


def test_a_wrong_cmdstan_variable_is_told(own_cache, tmp_path, monkeypatch):
    monkeypatch.setenv("CMDSTAN", str(tmp_path))
    with pytest.raises(NoToolchainError, match="is not a built CmdStan"):
        find_toolchain()


@posix_only
def test_the_newest_cmdstan_of_the_home_folder(installed, tmp_path, monkeypatch):
    monkeypatch.delenv("CMDSTAN")
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    for version in ("2.9.0", "2.36.0", "2.36.0-rc1", "2.100.0-broken"):
        folder = home / ".cmdstan" / f"cmdstan-{version}"
        shutil.copytree(installed, folder, symlinks=True)
        (folder / "makefile").write_text(MAKEFILE.replace("2.99.0", version))
    (home / ".cmdstan/cmdstan-2.100.0-broken/bin/stanc").unlink()
    assert find_cmdstan().version == "2.36.0"


@posix_only
def test_without_make_the_wheel_serves(installed, tiny, monkeypatch):
    monkeypatch.setattr(find, "find_program", lambda *names: None)
    monkeypatch.setattr(find, "find_wheel", lambda folder: find_wheel(tiny.wheel))
    assert isinstance(find_toolchain(), Wheel)


def test_no_compiler_names_the_package_and_the_engine_that_needs_none(own_cache, monkeypatch):
    monkeypatch.setattr(compiler, "NAMES", ("no-such-compiler",))
    with pytest.raises(NoToolchainError, match=r"no C\+\+ compiler") as caught:
        compile_stan("model { }")
    assert "apt install g++" in caught.value.remedy
    assert 'engine="stanli"' in caught.value.remedy


def test_a_wrong_cxx_is_told(own_cache, monkeypatch):
    monkeypatch.setenv("CXX", "/bin/true")
    with pytest.raises(NoToolchainError, match="CXX=/bin/true"):
        find_toolchain()


def test_no_stan_names_the_package(own_cache, monkeypatch):
    monkeypatch.setattr(find, "find_wheel", lambda folder: None)
    with pytest.raises(NoToolchainError, match="no Stan") as caught:
        find_toolchain()
    assert "pip install httpstan" in caught.value.remedy


def script(path, text):
    """Write a program."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@posix_only
def test_clang_is_preferred_if_it_works(own_cache, tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    script(folder / "clang++", 'case "$1" in --version) echo "clang version 16";; *) exit 1;; esac')
    monkeypatch.setattr(compiler, "NAMES", ("clang++", "g++"))
    assert find_compiler().family == "gcc"
    says = 'case "$1" in --version) echo "clang version 16";; -print*) echo cc1plus;; *) exec g++ "$@";; esac'
    script(folder / "clang++", says)
    found = find_compiler()
    assert (found.family, found.version) == ("clang", "clang version 16")


@posix_only
def test_what_is_known_of_compilers_is_kept_until_they_change(own_cache, tmp_path, monkeypatch):
    own_cache.mkdir(mode=0o700)
    log = tmp_path / "log"
    path = tmp_path / "cxx"
    script(path, f'echo x >> {log}; exec g++ "$@"')
    first = find_compiler(own_cache, str(path))
    calls = len(log.read_text())
    monkeypatch.setattr(compiler, "KNOWN", {})  # as a new process would start
    assert find_compiler(own_cache, str(path)) == first
    assert len(log.read_text()) == calls
    monkeypatch.setattr(compiler, "KNOWN", {})
    (own_cache / compiler.MEMO).write_text("{nonsense")
    assert find_compiler(own_cache, str(path)) == first
    assert len(log.read_text()) > calls
    script(path, f'echo x >> {log}; exec g++ "$@" # updated')
    assert find_compiler(own_cache, str(path)).identity != first.identity
