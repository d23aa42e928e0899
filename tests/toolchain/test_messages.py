"""The words of errors: what, what to do, and where to look."""

from __future__ import annotations

from pathlib import Path

from scistan.messages import toolchain as messages

SEMANTIC = """Semantic error in 'includes/f.stan', line 2, column 8, included from
'model.stan', line 5, column 0:
   -------------------------------------------------
     1:  real f(real x) {
     2:   return xx;
                 ^
   -------------------------------------------------

Identifier 'xx' not in scope. Did you mean 'x'?
"""


def test_a_missing_compiler():
    assert str(messages.no_compiler(None, "darwin")) == (
        "no C++ compiler was found (looked for clang++ and g++ on PATH)\n"
        '  try: xcode-select --install; or engine="stanli" runs the model without a compiler'
    )


def test_a_public_cache():
    assert str(messages.public_cache(Path("/c"), 0o777)) == (
        "others can write to the cache folder /c (mode 0777), so nothing in it is run\n"
        "  try: chmod go-w /c, or set SCISTAN_CACHE to a folder of your own"
    )


def test_stanc_s_complaint_about_an_include():
    error = messages.stanc_failed(SEMANTIC, "stanc model.stan", 1)
    assert isinstance(error, messages.StancError)
    assert str(error).splitlines()[:3] == [
        "stanc refused the program at line 2 of f.stan: Identifier 'xx' not in scope. Did you mean 'x'?",
        "  command: stanc model.stan",
        "  exit code: 1",
    ]
    assert (error.file, error.line, error.column, error.included_at) == ("f.stan", 2, 8, 5)


def test_a_compiler_that_was_killed():
    tail = "g++: fatal error: Killed signal terminated program cc1plus"
    error = messages.compile_failed("compiling the model", "g++ -c", 1, tail)
    assert "for want of memory" in error.what
    assert "workers=1" in error.remedy
    assert error.tail == tail


def test_a_full_disk_under_the_compiler():
    error = messages.compile_failed("compiling the model", "g++", 1, "x.s: No space left on device")
    assert error.what == "compiling the model failed: the disk is full"
