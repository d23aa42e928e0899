"""The page of a model's priors in a real browser: sliders that are dragged, histograms that follow, what is seen of them."""

from __future__ import annotations

import json
import re
import threading

import numpy as np
import pytest

import scistan as ss
from scistan.inference.prior_check.serve import PageServer
from tests.browser import CHROMIUM, Browser
from tests.inference.prior_models import eight_schools, mixed_scales

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here to look with")
READY = "document.querySelector('[data-ready]') !== null"
IDLE = "document.querySelector('[data-ready]').dataset.asking !== 'yes'"
HEIGHT, MARGIN = 100, 1.08  # of the front end's drawings


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("chromium")) as browser:
        yield browser


@pytest.fixture
def served(browser):
    """Serve models to the browser; give the function that does."""
    servers = []

    def serve(**checks):
        server = PageServer(checks)
        servers.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        browser.noise.clear()
        browser.open(server.url)
        browser.wait(READY)
        return server

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


def heights(browser, name, layer="now"):
    """Read a histogram back from its drawing, relative to its highest bin of the two that are drawn."""
    path = browser.value(f"document.querySelector('[data-panel={name}] .{layer}').getAttribute('d')")
    return np.array([HEIGHT - float(y) for y in re.findall(r"[LM][\d.]+ ([\d.]+)H", path)]) * MARGIN / HEIGHT


def axis(browser, name):
    """Read where an axis begins and ends off two of its labels."""
    labels = browser.value(f"[...document.querySelectorAll('[data-panel={name}] .labels span')].map(e => [Number(e.textContent.replace('−', '-')), parseFloat(e.style.left) / 100])")
    (a, at_a), (b, at_b) = labels[0], labels[-1]
    unit = (b - a) / (at_b - at_a)
    return a - at_a * unit, a + (1 - at_a) * unit


def expected(now, then, low, high, bins):
    """Count draws as NumPy does; both histograms relative to the highest bin of either."""
    counts = [np.histogram(draws, bins, (low, high))[0] for draws in (now, then)]
    return [c / max(map(np.max, counts)) for c in counts]


def test_a_slider_is_dragged_and_the_histograms_are_those_of_the_model_with_that_constant(browser, served):
    m = eight_schools()
    served(m=m.prior_check(seed=4))
    as_written = heights(browser, "y")
    quiet = heights(browser, "mu")
    browser.drag("[data-constant='tau.sigma']", 0.5, 0.8)
    browser.wait(IDLE)
    chosen = float(browser.value("document.querySelector('[data-box=\"tau.sigma\"]').value"))
    assert chosen > 10  # from 5, on a log scale
    other = ss.Model("eight_schools", coords=m.coords)
    other.sigma = ss.data([15, 10, 16, 11, 9, 11, 10, 18.0], dims="school")
    other.mu = ss.Normal(0, 5)
    other.tau = ss.HalfCauchy(chosen)
    other.theta = ss.Normal(other.mu, other.tau, dims="school")
    other.y = ss.Normal(other.theta, other.sigma).observe([28, 8, -3, 7, -1, 1, 18, 12.0])
    now, then = other.prior(seed=4), m.prior(seed=4)
    for name in ("y", "tau", "theta"):
        kind = "prior_predictive" if name == "y" else "prior"
        drawn = heights(browser, name)
        draws = [np.asarray(idata[kind][name]).reshape(-1) for idata in (now, then)]
        shown, before = expected(*draws, *axis(browser, name), len(drawn))
        # Drawings have two decimals of a hundred; a draw on an edge may be counted on its other side.
        step = 0.005 * MARGIN / HEIGHT + 1.5 / np.max(np.histogram(draws[0], len(drawn), axis(browser, name))[0])
        assert drawn == pytest.approx(shown, abs=step)
        assert heights(browser, name, "start") == pytest.approx(before, abs=step)
        middle = browser.value(f"document.querySelector('[data-panel={name}] .drawn').textContent")
        assert float(re.search(r"median ([−\d.]+)", middle)[1].replace("−", "-")) == pytest.approx(np.median(draws[0]), rel=6e-3)
    assert np.array_equal(heights(browser, "mu"), quiet)
    assert len(as_written) != len(heights(browser, "y")) or np.abs(as_written - heights(browser, "y")).max() > 0.1
    assert browser.value("document.querySelector('pre').textContent") == f"m.tau = ss.HalfCauchy({chosen:g})"
    assert not browser.noise


def test_a_number_is_typed_and_what_makes_no_sense_is_told(browser, served):
    served(m=eight_schools().prior_check(seed=4))
    set_box = "(() => {{ const b = document.querySelector('[data-box=\"mu.sigma\"]'); b.value = '{}'; b.dispatchEvent(new Event('input')); b.dispatchEvent(new Event('change')); }})()"
    browser.value(set_box.format("-1"))
    browser.wait("!document.querySelector('.error').hidden")
    assert "mu.sigma must be positive" in browser.value("document.querySelector('.error').textContent")
    browser.value(set_box.format("2000"))
    browser.wait("document.querySelector('.error').hidden && " + IDLE)
    assert browser.value("document.querySelector('.findings').textContent").startswith("1 finding")
    low, high = axis(browser, "mu")
    assert high - low > 2000  # the axis was fitted once the number was set
    browser.value("document.querySelector('[data-act=reset]').click()")
    browser.wait(IDLE)
    assert browser.value("document.querySelector('.findings').textContent") == "The checks find nothing"
    assert browser.value("document.querySelector('pre').hidden")
    assert not browser.noise


def test_statistics_of_data_sets_are_shown_instead_of_values(browser, served):
    m = mixed_scales()
    served(m=m.prior_check(seed=4))
    browser.value("(() => { const s = document.querySelector('[data-panel=y] select'); s.value = 'sd'; s.dispatchEvent(new Event('change')); })()")
    browser.wait(IDLE + " && document.querySelector('[data-panel=y] .ticks').getAttribute('d') !== ''")
    words = browser.value("document.querySelector('[data-panel=y] .drawn').textContent")
    sds = np.asarray(m.prior(seed=4).prior_predictive["y"])[0].std(axis=1)
    assert float(re.search(r"median ([\d.]+)", words)[1]) == pytest.approx(np.median(sds), rel=6e-3)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_word_can_be_read_and_nothing_leaves_the_page(browser, served, theme):
    browser.theme(theme)
    served(m=mixed_scales().prior_check(seed=4))
    browser.drag("[data-constant='b.sigma']", 0.5, 0.3)
    browser.wait(IDLE)
    seen = browser.value("""[...document.querySelectorAll('.scistan-prior *')].filter(e => e.offsetParent && [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())).map(e => {
        let paper = e; while (getComputedStyle(paper).backgroundColor === 'rgba(0, 0, 0, 0)') paper = paper.parentElement;
        const number = text => text.match(/\\d+/g).slice(0, 3).map(Number);
        return { text: e.textContent, ink: number(getComputedStyle(e).color), paper: number(getComputedStyle(paper).backgroundColor), right: e.getBoundingClientRect().right };
    })""")
    assert len(seen) > 30
    faint = {cell["text"]: contrast(cell["ink"], cell["paper"]) for cell in seen if contrast(cell["ink"], cell["paper"]) < 4.5}
    assert not faint
    for width in (1280, 420):
        browser.size(width, 900)
        assert browser.value("document.documentElement.scrollWidth") <= width
    browser.size(1280, 1000)
    assert sum(seen[0]["paper"]) > 600 if theme == "light" else sum(seen[0]["paper"]) < 200


def luminance(color):
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in color)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_names_are_no_markup_and_several_models_share_a_page(browser, served):
    first, second = eight_schools(), ss.Model("</script><b id='bad'>")
    second.a = ss.Normal(0, 1)
    served(**{"<img src=x>": second.prior_check(seed=1), "m": first.prior_check(seed=1)})
    assert browser.value("document.querySelector('#bad, img')") is None
    browser.value("(() => { const s = document.querySelector('h1 select'); s.value = 'm'; s.dispatchEvent(new Event('change')); })()")
    browser.wait("document.querySelector('[data-panel=theta]') !== null")
    assert not browser.noise


def test_the_end_of_the_server_is_told(browser, served):
    server = served(m=eight_schools().prior_check(seed=4))
    server.shutdown()
    server.server_close()
    server.pages.clear()
    browser.value("fetch('ask', {method: 'POST'}).catch(() => 0).then(() => 0)")
    browser.drag("[data-constant='tau.sigma']", 0.5, 0.6)
    browser.wait("!document.querySelector('.error').hidden")
    assert "no longer answers" in browser.value("document.querySelector('.error').textContent")


def test_the_widget_of_a_notebook_is_the_same_page(browser, served, tmp_path):
    pytest.importorskip("anywidget", reason="the widget needs anywidget")
    m = eight_schools()
    widget = m.prior_check(seed=4, interactive=True)
    said = []
    widget.send = lambda message, *_: said.append(message)  # what would go to the browser through the kernel
    page = tmp_path / "notebook.html"
    page.write_text(f"""<!doctype html><html data-jp-theme-light="false"><meta charset="utf-8"><style>{widget._css}</style><div id="cell"></div><script type="module">
{widget._esm.replace("export default", "const widget =")}
window.outbox = []; window.heard = [];
const model = {{ on: (_, f) => window.heard.push(f), off: () => 0, send: message => window.outbox.push(message) }};
widget.render({{ model, el: document.getElementById("cell") }});
</script></html>""")
    browser.theme("light")
    browser.noise.clear()
    browser.open(page.as_uri())
    browser.wait("window.outbox !== undefined && window.outbox.length > 0")

    def kernel():
        """Carry messages to and fro until none is left, as a kernel does."""
        while questions := browser.value("window.outbox.splice(0)"):
            for question in questions:
                widget._handle_custom_msg(question, [])
            for message in said:
                browser.value(f"window.heard.forEach(f => f({json.dumps(message)}))")
            said.clear()

    kernel()
    browser.wait(READY)
    browser.drag("[data-constant='tau.sigma']", 0.5, 0.3)
    kernel()
    browser.wait(IDLE)
    (chosen,) = widget.values.values()
    assert chosen < 5
    assert widget.lines == [f"    m.tau = ss.HalfCauchy({chosen:g})".strip()]
    assert browser.value("document.querySelector('pre').textContent") == widget.lines[0]
    drawn = heights(browser, "tau")
    now, then = widget.check.idata.prior["tau"], m.prior(seed=4).prior["tau"]
    shown, _ = expected(np.asarray(now), np.asarray(then), *axis(browser, "tau"), len(drawn))
    assert drawn == pytest.approx(shown, abs=0.02)
    assert browser.value("getComputedStyle(document.querySelector('.scistan-prior')).colorScheme") == "dark"
    assert not browser.noise
