"""Same model, same key; anything that could change the executable, another key."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scistan.errors import ArgumentError
from scistan.toolchain import host, request
from scistan.toolchain.keys import canonical, digest
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.request import BuildRequest, loose_key
from scistan.toolchain.source import Source, canonical_text

PROGRAM = "parameters {\n  real x;\n}\nmodel {\n  x ~ normal(0, 1);\n}\n"


@given(st.text())
def test_canonical_text_is_idempotent_and_keeps_lines(text):
    once = canonical_text(text)
    assert canonical_text(once) == once
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").rstrip("\n \t").count("\n")
    assert once.rstrip("\n").count("\n") <= lines


@pytest.mark.parametrize(
    "same", [PROGRAM.replace("\n", "\r\n"), PROGRAM.rstrip(), PROGRAM.replace(";", ";  ")]
)
def test_invisible_differences_do_not_matter(same):
    assert Source.of(same) == Source.of(PROGRAM)


def test_lines_matter():
    assert Source.of("\n" + PROGRAM) != Source.of(PROGRAM)


@pytest.mark.parametrize("name", ["../f.stan", "/f.stan", "", "a/../../f.stan", "a\\b.stan", "./f.stan"])
def test_an_include_cannot_leave_its_folder(name):
    with pytest.raises(ArgumentError, match="include cannot be named"):
        Source.of(PROGRAM, {name: ""})


def test_a_bad_option_is_refused():
    with pytest.raises(ArgumentError, match="optimize"):
        BuildOptions(optimize=7)
    with pytest.raises(ArgumentError, match="methods"):
        BuildOptions(methods="some")


CHANGES = {
    "stanc": BuildOptions(stanc_options=()),
    "flag": BuildOptions(cpp_options=("-DX",)),
    "variable": BuildOptions(cpp_options=("STAN_NO_RANGE_CHECKS=true",)),
    "optimize": BuildOptions(optimize=1),
    "native": BuildOptions(march_native=True),
    "threads": BuildOptions(threads=False),
    "methods": BuildOptions(methods="full"),
}


def test_every_option_as_used_is_in_the_key(tiny):
    toolchain = tiny.toolchain()
    source = Source.of(PROGRAM)
    keys = [BuildRequest(source, options, toolchain).key for options in (BuildOptions(), *CHANGES.values())]
    assert len(set(keys)) == len(keys)
    header = [BuildRequest(source, BuildOptions(precompiled_header=x), toolchain).key for x in (None, True, False)]
    assert set(header) == {keys[0]}


def test_text_includes_compiler_runner_and_wheel_are_in_the_key(tiny):
    toolchain = tiny.toolchain()
    options = BuildOptions()
    first = BuildRequest(Source.of(PROGRAM), options, toolchain)
    assert first.key == BuildRequest(Source.of(PROGRAM), options, tiny.toolchain()).key
    other_compiler = replace(toolchain, compiler=replace(toolchain.compiler, identity="other"))
    other_wheel = replace(toolchain, files=replace(toolchain.files, version="other"))
    other_stan = replace(toolchain, files=replace(toolchain.files, stan_version="other"))
    (tiny.runner / "say.hpp").write_text((tiny.runner / "say.hpp").read_text() + "\n")
    others = [
        BuildRequest(Source.of(PROGRAM + " "), options, toolchain),
        BuildRequest(Source.of("\n" + PROGRAM), options, toolchain),
        BuildRequest(Source.of(PROGRAM, {"f.stan": ""}), options, toolchain),
        BuildRequest(Source.of(PROGRAM, {"f.stan": "// x"}), options, toolchain),
        *(BuildRequest(Source.of(PROGRAM), options, it) for it in (other_compiler, other_wheel, other_stan)),
        BuildRequest(Source.of(PROGRAM), options, tiny.toolchain()),
    ]
    assert others[0].key == first.key
    assert len({first.key, *(other.key for other in others[1:])}) == len(others)


def test_the_processor_counts_only_with_native_code(tiny, monkeypatch):
    toolchain = tiny.toolchain()
    plain = BuildRequest(Source.of(PROGRAM), BuildOptions(), toolchain)
    native = BuildRequest(Source.of(PROGRAM), BuildOptions(march_native=True), toolchain)
    before = plain.key, native.key
    monkeypatch.setattr(request, "cpu_flags", lambda: "another processor")
    assert plain.key == before[0]
    assert native.key != before[1]


def test_the_platform_is_in_the_key(tiny, monkeypatch):
    plain = BuildRequest(Source.of(PROGRAM), BuildOptions(), tiny.toolchain())
    before = plain.key, loose_key(plain.source, plain.options)
    monkeypatch.setattr(request, "platform_part", lambda: {"system": "other"})
    assert plain.key != before[0]
    assert loose_key(plain.source, plain.options) != before[1]


def test_canonical_json_has_one_form():
    assert canonical({"b": 1, "a": [True, None, "é"]}) == b'{"a":[true,null,"\\u00e9"],"b":1}'
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})


@pytest.mark.parametrize(
    ("cores", "memory", "expected"),
    [(8, 64_000_000_000, 8), (8, 5_000_000_000, 2), (4, 500_000_000, 1), (2, float("inf"), 2)],
)
def test_workers_by_cores_and_memory(monkeypatch, cores, memory, expected):
    monkeypatch.setattr(host, "usable_cores", lambda: cores)
    monkeypatch.setattr(host, "free_memory", lambda: memory)
    assert host.worker_count() == expected
    assert host.worker_count(3) == 3
