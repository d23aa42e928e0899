"""The report in a real browser: no error in its console, nothing asked of the network, and words that can be read."""

import json
import re
import shutil
import subprocess
from html import unescape

import pytest

import scistan as ss
from scistan.inference.report.page import report_page
from tests.test_in_a_browser import CHROMIUM, FLAGS, contrast

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here to look with")
# The page allows no script: to look at it, the policy goes, and with it nothing that is seen.
LOOK = """<script>
const number = text => (text.match(/[\\d.]+/g) || [0, 0, 0]).slice(0, 3).map(Number);
addEventListener("load", () => {
const seen = [...document.querySelectorAll("h1, h2, h3, p, td, th, dt, dd, figcaption, pre, li, a")].filter(e => e.innerText.trim());
document.title = JSON.stringify({
  paper: number(getComputedStyle(document.body).backgroundColor),
  words: seen.map(e => ({text: e.innerText.slice(0, 60), color: number(getComputedStyle(e).color),
                         right: e.closest(".wide, pre") ? 0 : e.getBoundingClientRect().right})),
  images: [...document.images].map(e => e.complete && e.naturalWidth > 0),
  maths: [...document.querySelectorAll("math")].map(e => e.getBoundingClientRect().height),
  width: document.documentElement.scrollWidth})});
</script></body>"""
SCHEMES = {"light": "1", "dark": "0"}


@pytest.fixture(scope="module")
def page():
    m = ss.Model("two <groups>", coords={"group": ["a", "b"]})
    m.x = ss.data([0, 1, 1, 0], dims="row")
    m.dose = ss.data([0.5, 1.0, 1.5, 2.0], dims="row")
    m.mu, m.slope = ss.Normal(0, 1), ss.Normal(0, 1)
    m.effect = ss.Normal(m.mu, 1, dims="group")
    m.gap = ss.exp(m.effect[1] - m.effect[0]) / 2
    m.y = ss.Normal(m.effect[m.x] + m.slope * m.dose, 1).observe([0.5, 1.0, 2.0, 1.2], dims="row")
    fit = m.mcmc(draws=200, warmup=200, seed=1, engine="stanli", progress=False)
    return report_page(fit, question="Does the dose matter?")


def looked_at(folder, scheme, text):
    (folder / "page.html").write_text(text, encoding="utf-8")
    command = [
        CHROMIUM, *FLAGS, f"--user-data-dir={folder / 'profile'}", f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}",
        "--enable-logging=stderr", "--v=0", "--dump-dom", (folder / "page.html").as_uri(),
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=180)


def complaints(done):
    return [line for line in done.stderr.splitlines() if "CONSOLE" in line]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_word_can_be_read_and_every_picture_is_there(scheme, page, tmp_path):
    open_page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page).replace("</body>", LOOK)
    done = looked_at(tmp_path, scheme, open_page)
    title = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert title is not None, done.stderr[-500:]
    seen = json.loads(unescape(title[1]))
    assert (sum(seen["paper"]) > 600) == (scheme == "light")
    assert len(seen["words"]) > 100
    faint = {w["text"]: contrast(w["color"], seen["paper"]) for w in seen["words"]}
    assert min(faint.values()) >= 4.5, min(faint, key=faint.get)
    assert all(seen["images"])
    assert len(seen["images"]) >= 8
    assert min(seen["maths"]) > 5
    assert seen["width"] <= 1100
    assert max(w["right"] for w in seen["words"]) <= 1100
    assert not complaints(done)


def test_the_console_is_silent_and_a_script_would_not_run(page, tmp_path):
    assert not complaints(looked_at(tmp_path, "light", page))
    planted = page.replace("</body>", "<script>document.title = 'ran'</script></body>")
    done = looked_at(tmp_path, "light", planted)
    assert "<title>ran</title>" not in done.stdout
    assert complaints(done)  # so that silence means something


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="there is no pdftotext here")
def test_it_prints_in_full(page, tmp_path):
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", f"--print-to-pdf={tmp_path / 'page.pdf'}",
               (tmp_path / "page.html").as_uri()]  # fmt: skip
    subprocess.run(command, capture_output=True, check=False, timeout=180)
    text = subprocess.run(["pdftotext", tmp_path / "page.pdf", "-"], capture_output=True, text=True, check=True).stdout
    for words in ("Does the dose matter?", "generated quantities", "Methods", "Certificate"):
        assert words in text
