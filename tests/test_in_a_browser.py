"""How models and fits look in a real browser, on light and on dark: read from what it has laid out."""

import json
import re
import shutil
import subprocess
from html import escape, unescape

import pytest

import scistan as ss

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here to look with")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1100,900", "--virtual-time-budget=2000"]
# JupyterLab's own rules for tables, as far as they decide what is seen.
PAGE = """<html><head><meta charset="utf-8"><style>
body {{ background: {paper}; color: {ink}; font: 13px sans-serif; margin: 0 }}
table {{ border-collapse: collapse; font-size: 12px; table-layout: fixed }}
td, th {{ text-align: right; padding: 0.5em }}
</style></head><body>{body}<script>
const number = text => text.match(/\\d+/g).slice(0, 3).map(Number);
const cells = [...document.querySelectorAll("caption, td, th, pre")].map(e => ({{
  text: e.innerText, color: number(getComputedStyle(e).color), align: getComputedStyle(e).textAlign,
  right: e.getBoundingClientRect().right, height: e.getBoundingClientRect().height, tag: e.tagName}}));
document.title = JSON.stringify(cells);
</script></body></html>"""
PAPERS = {"light": ("#ffffff", "#000000"), "dark": ("#111111", "#ffffff")}


@pytest.fixture(scope="module")
def body():
    m = ss.Model("two <groups>", coords={"group": ["a", "b"]})
    m.x = ss.data([0, 1, 1], dims="row")
    m.mu = ss.Normal(0, 1)
    m.effect = ss.Normal(m.mu, 1, dims="group")
    m.gap = m.effect[1] - m.effect[0]
    m.y = ss.Normal(m.effect[m.x], 1).observe([0.5, 1.0, 2.0], dims="row")
    fit = m.mcmc(draws=200, warmup=200, seed=1, engine="stanli", progress=False)
    with pytest.raises(ss.ScistanError) as caught:
        m.fit()
    return m._repr_html_() + fit._repr_html_() + f"<pre>{escape(str(caught.value))}</pre>"


@pytest.fixture(scope="module", params=PAPERS)
def seen(request, body, tmp_path_factory):
    """What the browser has laid out: text, color, alignment and place of every cell, and the paper's color."""
    folder = tmp_path_factory.mktemp(request.param)
    paper, ink = PAPERS[request.param]
    (folder / "page.html").write_text(PAGE.format(paper=paper, ink=ink, body=body))
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={folder / 'profile'}", "--dump-dom", (folder / "page.html").as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    title = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert title is not None, done.stderr[-500:]
    return json.loads(unescape(title[1])), [int(paper[k : k + 2], 16) for k in (1, 3, 5)]


def luminance(color) -> float:
    parts = [c / 255 for c in color]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other) -> float:
    """WCAG 2's ratio: 4.5 is its wish for text, which no color has on white and on near-black at once."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_every_word_can_be_read(seen):
    cells, paper = seen
    assert len(cells) > 40
    faint = {cell["text"]: contrast(cell["color"], paper) for cell in cells if contrast(cell["color"], paper) < 4.2}
    assert not faint


def test_names_stand_left_and_numbers_right(seen):
    cells, _ = seen
    assert {cell["align"] for cell in cells if cell["tag"] == "CAPTION"} == {"left"}
    assert {cell["align"] for cell in cells if cell["text"] in ("mu", "effect[a]", "variable", "role", "health")} == {
        "left"
    }
    assert {cell["align"] for cell in cells if re.fullmatch(r"-?\d+\.\d+", cell["text"])} == {"right"}


def test_nothing_leaves_the_page_and_names_are_no_markup(seen):
    cells, _ = seen
    assert max(cell["right"] for cell in cells if cell["tag"] != "PRE") <= 1100
    assert any(cell["text"] == "two <groups>" for cell in cells)
    assert any("the model has no variable or method `fit`." in cell["text"] for cell in cells)
