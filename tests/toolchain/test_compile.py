"""The way from text to executable on the tiny toolchain: hits, rebuilds and errors."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from scistan.errors import ToolchainError
from scistan.toolchain.build import compile_stan
from scistan.toolchain.cache import open_store
from scistan.toolchain.errors import StancError
from scistan.toolchain.inventory import verify_cache
from scistan.toolchain.options import BuildOptions

PROGRAM = "model { }"


def compile_tiny(tiny, text=PROGRAM, **changes):
    """Compile with the tiny toolchain as it is now."""
    return compile_stan(text, toolchain=tiny.toolchain(), options=BuildOptions(**changes), progress=False)


def info(path):
    """Run an executable's `info`."""
    return subprocess.run([path, "info"], capture_output=True, text=True, check=True).stdout


def test_a_second_call_is_a_hit(tiny):
    first = compile_tiny(tiny)
    assert "stan_version_major = 9" in info(first)
    assert compile_tiny(tiny) == first
    assert compile_tiny(tiny, "model { }  \r\n") == first
    assert tiny.compilations() == 1
    assert (first.parent / "model.stan").read_text() == "model { }\n"
    assert not list((first.parents[2] / "tmp").iterdir())


def test_the_folder_of_the_caller_does_not_matter(tiny, tmp_path, monkeypatch):
    first = compile_tiny(tiny)
    monkeypatch.chdir(tmp_path)
    assert compile_tiny(tiny) == first


def test_full_is_another_entry_and_serves_core_too(tiny):
    core = compile_tiny(tiny)
    assert "methods = core" in info(core)
    full = compile_tiny(tiny, methods="full")
    assert full != core
    assert tiny.compilations() == 1  # the model's object is used again
    other = compile_tiny(tiny, "model { } // other", methods="full")
    assert compile_tiny(tiny, "model { } // other") == other


def test_changed_flags_build_again(tiny):
    paths = {compile_tiny(tiny), compile_tiny(tiny, cpp_options=("-DX",)), compile_tiny(tiny, optimize=0)}
    assert len(paths) == 3
    assert tiny.compilations() == 3


def test_an_edited_include_builds_again(tiny):
    toolchain = tiny.toolchain()
    texts = ["// one", "// two", "// one"]
    paths = [
        compile_stan(PROGRAM, includes={"f.stan": t}, toolchain=toolchain, progress=False) for t in texts
    ]
    assert paths[0] == paths[2] != paths[1]
    assert (paths[1].parent / "includes" / "f.stan").read_text() == "// two\n"


def test_a_changed_runner_builds_again(tiny):
    first = compile_tiny(tiny)
    main = tiny.runner / "main.cpp"
    main.write_text(main.read_text().replace("methods = %s", "means = %s"))
    second = compile_tiny(tiny)
    assert second != first
    assert "means = core" in info(second)
    assert tiny.compilations() == 1


def test_an_updated_compiler_builds_again(tiny, monkeypatch):
    own = tiny.folder / "cxx"
    shutil.copy2(os.environ["CXX"], own)
    monkeypatch.setenv("CXX", str(own))
    first = compile_tiny(tiny)
    own.write_text(own.read_text() + "# updated\n")
    assert compile_tiny(tiny) != first
    assert tiny.compilations() == 2


def test_a_moved_toolchain_does_no_harm(tiny):
    path = compile_tiny(tiny)
    moved = tiny.folder / "moved"
    shutil.move(tiny.wheel, moved)
    assert "stan_version_major" in info(path)  # TBB travels with the executable
    tiny.wheel = moved
    assert compile_tiny(tiny) == path
    assert "stan_version_major" in info(compile_tiny(tiny, "model { } // new"))


def test_a_library_that_moved_away_is_noticed(tiny, monkeypatch):
    from scistan.toolchain import wheel_build

    library = tiny.folder / "libother.so"
    library.write_text("")
    monkeypatch.setattr(wheel_build, "outside_libraries", lambda work, place: (str(library),))
    path = compile_tiny(tiny)
    assert compile_tiny(tiny) == path
    before = path.stat().st_ino
    library.unlink()
    monkeypatch.setattr(wheel_build, "outside_libraries", lambda work, place: ())
    assert compile_tiny(tiny).stat().st_ino != before


def test_without_a_precompiled_header(tiny, own_cache):
    compile_tiny(tiny, precompiled_header=False)
    assert not list(own_cache.rglob("*.gch"))
    compile_tiny(tiny, "model { } // with", precompiled_header=True)
    assert list(own_cache.rglob("*.gch"))


def test_the_environment_refuses_a_precompiled_header(tiny, own_cache, monkeypatch):
    monkeypatch.setenv("SCISTAN_PRECOMPILED_HEADER", "0")
    compile_tiny(tiny)
    assert not list(own_cache.rglob("*.gch"))


def test_lean_headers_stand_in_for_stans(tiny, own_cache):
    first = compile_tiny(tiny)
    lean = tiny.runner / "lean/stan/model/model_header.hpp"
    lean.parent.mkdir(parents=True)
    lean.write_text("const char* model_text();\n#define LEAN\n")
    (tiny.runner / "core.cpp").write_text(
        "#include <stan/model/model_header.hpp>\n#ifndef LEAN\n#error\n#endif\n"
        'const char* methods() { return "core"; }\n'
    )
    assert compile_tiny(tiny, precompiled_header=False) != first


def test_little_disk_means_no_precompiled_header(tiny, own_cache, monkeypatch):
    from scistan.toolchain import wheel_build

    monkeypatch.setattr(wheel_build, "free_disk", lambda path: 10**9)
    with pytest.warns(UserWarning, match=r"without a precompiled header \(only 1.0 GB"):
        compile_tiny(tiny)
    assert not list(own_cache.rglob("*.gch"))


def test_a_damaged_header_is_made_again(tiny, own_cache):
    compile_tiny(tiny)
    header = next(own_cache.rglob("*.gch"))
    header.write_bytes(header.read_bytes()[: header.stat().st_size // 2])
    compile_tiny(tiny, "model { } // new")
    assert not verify_cache(open_store())


def test_stanc_errors_carry_the_line(tiny, own_cache):
    with pytest.raises(
        StancError, match=r"at line 2 of model\.stan: Identifier 'BAD' not in scope"
    ) as caught:
        compile_tiny(tiny, "model {\n  BAD\n}")
    assert (caught.value.line, caught.value.column, caught.value.exit_code) == (2, 2, 1)
    assert str(own_cache) not in str(caught.value)  # no temporary file in the message
    assert tiny.compilations() == 0
    assert not list((own_cache / "products").iterdir())


def test_a_failing_compiler_says_command_code_and_last_lines(tiny, own_cache):
    with pytest.raises(ToolchainError, match="compiling the model failed") as caught:
        compile_tiny(tiny, "BROKEN", precompiled_header=False)
    error = caught.value
    assert error.exit_code == 1
    assert "-x c++ model.hpp" in error.command
    assert "this is no C++" in error.tail or "‘this’" in error.tail
    assert not list((own_cache / "models").iterdir())
    assert not list((own_cache / "tmp").iterdir())


def test_an_executable_that_does_not_answer_is_not_kept(tiny, own_cache):
    with pytest.raises(ToolchainError, match="does not run `info`"):
        compile_tiny(tiny, "SILENT")
    assert not list((own_cache / "models").iterdir())


def test_an_option_of_cmdstan_alone_is_refused(tiny):
    with pytest.raises(ToolchainError, match="STAN_OPENCL needs an installed CmdStan"):
        compile_tiny(tiny, cpp_options=("STAN_OPENCL=true",))


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777])
def test_any_umask_gives_a_private_cache(tiny, own_cache, umask):
    old = os.umask(umask)
    try:
        path = compile_tiny(tiny)
        assert compile_tiny(tiny) == path
    finally:
        os.umask(old)
    modes = {p: p.stat().st_mode & 0o777 for p in own_cache.rglob("*")}
    assert not any(mode & 0o077 for p, mode in modes.items()), modes
    assert own_cache.stat().st_mode & 0o777 == 0o700
