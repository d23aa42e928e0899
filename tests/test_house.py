"""The house is as docs/architecture.md says: files are short, say what they are for, and stand where the page has them."""

from __future__ import annotations

import ast
import re
from statistics import median

from tests.conftest import ROOT

FILES = sorted((ROOT / "scistan").rglob("*.py"))
PAGE = (ROOT / "docs" / "architecture.md").read_text()


def test_files_are_short():
    lengths = {path.relative_to(ROOT): len(path.read_text().splitlines()) for path in FILES}
    assert {path: n for path, n in lengths.items() if n > 400} == {}
    assert median(lengths.values()) <= 110


def test_files_open_with_their_duty():
    opened = {path.relative_to(ROOT): ast.get_docstring(ast.parse(path.read_text())) for path in FILES if path.stat().st_size}
    first = {path: (text or "").partition("\n")[0] for path, text in opened.items()}
    assert [path for path, line in first.items() if not line.endswith((".", "?", ":", ","))] == []


def test_every_path_that_the_page_names_is_there():
    named = set(re.findall(r"`([\w./-]+/|[\w./-]+\.(?:py|md|j2|toml))`", PAGE)) - {"tests/", "docs/", "templates/"}
    beside = {path.name for path in FILES}
    lost = [
        name for name in named
        if not any((ROOT / place / name).exists() for place in ("scistan", "", "docs")) and name not in beside
    ]  # fmt: skip
    assert lost == []


def test_every_folder_has_a_line_on_the_page():
    rooms = {path.parent.name for path in (ROOT / "scistan").glob("*/__init__.py")}
    assert [room for room in rooms if not re.search(rf"^{room}/ ", PAGE, re.MULTILINE)] == []


def test_what_others_import_from_is_not_skipped_as_a_whole():
    """A module that is skipped while it is imported has half of its names: whoever wants the others fails."""
    texts = {".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text() for path in (ROOT / "tests").rglob("*.py")}
    skips = {name for name, text in texts.items() if re.search(r"^(?:\w+ = )?pytest\.importorskip\(", text, re.MULTILINE)}
    imports = {name: set(re.findall(r"^from (tests[\w.]+) import", text, re.MULTILINE)) for name, text in texts.items()}
    assert {name: found for name, wanted in imports.items() if name not in skips and (found := wanted & skips)} == {}
