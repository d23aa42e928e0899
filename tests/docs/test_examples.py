"""Every Python example of README.md and the docs runs; one namespace per page, printed output where it is claimed.

Blocks fenced with ```python are run; those fenced with ```python no-run, or below a line `<!-- no-run -->`, are not.
A ```text block below a line `<!-- output -->` is what the Python block before it prints.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SLOW = re.compile(r"\.(mcmc|compile|pathfinder|laplace|variational)\(|compile_models")
_FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```\s*$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    line: int
    language: str
    remark: str
    body: str


def blocks(page: Path) -> list[Block]:
    text = page.read_text()
    found = []
    for fence in _FENCE.finditer(text):
        language, _, rest = fence["info"].strip().partition(" ")
        above = text[: fence.start()].rstrip().rsplit("\n", 1)[-1].strip()
        remark = "no-run" if "no-run" in rest or above == "<!-- no-run -->" else ""
        remark = "output" if above == "<!-- output -->" else remark
        line = text[: fence.start("body")].count("\n") + 1
        found.append(Block(line, language, remark, fence["body"]))
    return found


def run(page: Path) -> None:
    namespace: dict[str, object] = {"__name__": "__docs__"}
    printed = ""
    for block in blocks(page):
        if block.language == "python" and block.remark != "no-run":
            file = f"<{page.name}, block at line {block.line}>"
            linecache.cache[file] = (len(block.body), None, block.body.splitlines(keepends=True), file)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(block.body, file, "exec"), namespace)
            printed = out.getvalue()
        elif block.remark == "output":
            assert printed.strip() == block.body.strip(), f"{page.name}, line {block.line}: prints something else"


def marked(page: Path) -> object:
    slow = any(SLOW.search(b.body) for b in blocks(page) if b.language == "python" and b.remark != "no-run")
    return pytest.param(page, id=page.name, marks=[pytest.mark.slow] if slow else [])


@pytest.mark.parametrize("page", [marked(page) for page in PAGES])
def test_examples_of_a_page_run(page, tmp_path, monkeypatch):
    if any("to_jax(" in block.body for block in blocks(page)):
        pytest.importorskip("jax", reason="JAX is not installed")
    monkeypatch.chdir(tmp_path)
    run(page)


@pytest.mark.parametrize("page", ["capabilities", "distributions", "functions", "messages"])
def test_printed_pages_say_what_is_declared(page):
    command = f"import generate; print(generate.{page}(), end='')"  # a process of its own: examples declare things too
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "docs")]), "PYTHONIOENCODING": "utf-8"}
    printed = subprocess.run([sys.executable, "-c", command], env=environment, capture_output=True, check=True)
    assert printed.stdout.decode() == (ROOT / "docs" / f"{page}.md").read_text(), "run `python docs/generate.py`"


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.slow
def test_the_example_of_a_new_site(tmp_path):
    script = ROOT / "examples" / "new_site.py"
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    assert "A patient of 60 in Gent" in done.stdout


@pytest.mark.slow
def test_the_example_of_a_report(tmp_path):
    script = ROOT / "examples" / "report.py"
    done = subprocess.run([sys.executable, "-W", "ignore", str(script)], cwd=tmp_path, capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("\\begin{tabular}")
    assert "Do coaching programmes help?" in (tmp_path / "eight_schools.html").read_text(encoding="utf-8")
    assert (tmp_path / "eight_schools.pdf").read_bytes().startswith(b"%PDF")
