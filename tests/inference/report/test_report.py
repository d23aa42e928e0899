"""A report is one page that needs nothing else, tells what is known of a fit, and takes no name for markup."""

import base64
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import h5netcdf
import numpy as np
import pytest

import scistan as ss
from scistan.inference.report.page import report_page
from scistan.messages.sampling import ChainWarning

OPTIONS = {"draws": 200, "warmup": 200, "seed": 1, "engine": "stanli", "progress": False}
EVIL = "<script>alert('x')</script>"
DIM = "dim <img src=x onerror=alert(1)>"  # a file would not take a slash in it
SECTIONS = ["model", "data", "posterior", "prior", "effects", "predictions", "diagnosis", "methods", "provenance"]
VOID = {"meta", "img", "br", "hr", "link", "input", "mspace", "path", "rect"}


class Page(HTMLParser):
    """Reads a page: tags with attributes, ids, text by section, and whether tags are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids, self.text, self.by_section, self.at = [], [], [], "", {}, ""
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        self.tags.append((tag, known))
        self.ids += [known["id"]] if "id" in known else []
        self.by_section[self.at] = self.by_section.get(self.at, "") + " "
        if tag == "section":
            self.at = known.get("id", "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] not in ("style", "title"):
            self.by_section[self.at] = self.by_section.get(self.at, "") + data


def evil():
    m = ss.Model(f"evil {EVIL}", coords={DIM: [EVIL, "größe & \"x\"", "$\\frac{"]})
    m.size = ss.data([1.0, 2.0, 4.0], dims=DIM)
    m.a, m.beta = ss.Normal(0, 1), ss.Normal(0, 1)
    m.effect = ss.Normal(0, 1, dims=DIM)
    m.twice = 2 * m.beta
    m.y = ss.Normal(m.a + m.beta * m.size + m.effect, 1).observe([0.5, 1.0, 2.5], dims=DIM)
    return m


@pytest.fixture(scope="module")
def fit():
    found = evil().mcmc(**OPTIONS)
    found._note(f"a note with {EVIL} and `code`")
    return found


@pytest.fixture(scope="module")
def page(fit):
    return report_page(fit, title=f"Title {EVIL}", question="Is 1 < 2 & so on?")


def test_every_section_is_there(page):
    read = Page(page)
    assert [i for i in read.ids if i in SECTIONS] == SECTIONS
    links = [attrs["href"] for tag, attrs in read.tags if tag == "a"]
    assert links == [f"#{name}" for name in SECTIONS]


def test_nothing_leaves_the_page(page):
    read = Page(page)
    assert not {tag for tag, _ in read.tags} & {"script", "link", "iframe", "object", "embed", "base", "form"}
    for _, attrs in read.tags:
        for name, value in attrs.items():
            assert not name.startswith("on")
            if name in ("src", "href", "data", "action", "xlink:href"):
                assert value.startswith(("#", "data:image/svg+xml;base64,"))
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    assert "url(" not in style
    assert "@import" not in style
    # What is left of addresses are names of namespaces.
    assert set(re.findall(r"https?://[^'\" <>)]+", page)) <= {"http://www.w3.org/2000/svg"}
    policy = next(attrs["content"] for tag, attrs in read.tags if attrs.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'")


def test_what_users_named_is_text(page):
    read = Page(page)
    assert "<script" not in page
    assert f"Title {EVIL}" in read.text
    assert f"evil {EVIL}" in read.text
    assert f"effect[{EVIL}]" in read.text
    assert f"{DIM}: 3" in read.text
    assert not any(attrs.get("src") == "x" for _, attrs in read.tags)
    assert f"a note with {EVIL} and code" in read.text
    assert "größe & \"x\"" in read.text
    assert "Is 1 < 2 & so on?" in read.text


def test_pictures_are_whole_and_tell_what_they_are(page):
    images = [attrs for tag, attrs in Page(page).tags if tag == "img"]
    assert len(images) >= 8
    for attrs in images:
        assert attrs["alt"]
        drawing = base64.b64decode(attrs["src"].partition(",")[2])
        assert ElementTree.fromstring(drawing).tag == "{http://www.w3.org/2000/svg}svg"
    assert len(page) < 1_500_000


def test_mathematics_and_program(fit, page):
    read = Page(page)
    assert any(tag == "math" for tag, _ in read.tags)
    assert "∼" in read.by_section["model"]
    assert "β" in read.by_section["model"]
    assert fit.subject.program.text.strip() in read.text


def test_effects_are_the_coefficients_of_the_model(fit, page):
    told = " ".join(Page(page).by_section["effects"].split())
    assert re.search(r"beta size mu of y 0\.\d+", told)
    assert "twice" in told
    assert "effect[" not in told  # it multiplies nothing


def test_methods_say_what_is_known(fit, page):
    told = Page(page).by_section["methods"]
    for words in (
        "was fitted to 3 values of y.", "beta ~ Normal(0, 1);", "(3 values)", "4 chains of 200 warm-up iterations and 200 kept "
        "iterations each (seed 1).", "No transition diverged." if not fit.draws.statistics["diverging"].any() else "diverged.",
        "stanli 0.24.0", "SciStan",
    ):  # fmt: skip
        assert words in told


def test_provenance(fit, page):
    told = Page(page).by_section["provenance"]
    assert fit.model_hash in told
    assert "seed" in told
    assert "stanli computes the model's density" in told


def test_the_numbers_are_those_of_the_fit(fit, page):
    told = " ".join(Page(page).by_section["posterior"].split())
    cells = fit.table("markdown").splitlines()[2].strip("|").split("|")
    assert " ".join(cell.strip() for cell in cells) in told


def test_a_file(fit, tmp_path):
    path = fit.report(tmp_path / "report.html")
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    for wrong, said in {"report.pdf": "ends in .html", "no/such/report.html": "cannot be written"}.items():
        with pytest.raises(ss.ScistanError, match=said):
            fit.report(tmp_path / wrong)
    with pytest.raises(ss.ModelError, match="`title` must be a text"):
        fit.report(tmp_path / "report.html", title=3)
    with pytest.raises(ss.ModelError, match="`limit` must be a whole number"):
        fit.report(tmp_path / "report.html", limit=0)


def test_loaded_fits_with_and_without_their_model(fit, tmp_path):
    path = fit.save(tmp_path / "fit.nc")
    back = Page(report_page(ss.load(path)))
    assert "∼" in back.by_section["model"]
    assert "3 values of y" in back.by_section["methods"]
    with h5netcdf.File(path, "a") as file:
        del file._h5group["scistan_model"]
    alone = ss.load(path)
    assert alone.subject is None
    read = Page(report_page(alone))
    assert "loaded without its model" in read.by_section["model"]
    assert "its definition was not saved" in read.by_section["methods"]
    assert f"effect[{EVIL}]" in read.by_section["posterior"]
    assert "The prior is not drawn." in read.by_section["prior"]


def test_nothing_observed_and_an_improper_prior():
    m = ss.Model("bare")
    m.mu = ss.Normal(0, 1)
    with pytest.warns(ChainWarning):
        fit = m.mcmc(**OPTIONS)
    read = Page(report_page(fit))
    assert "observes nothing" in read.by_section["predictions"]
    assert "its draws are from the prior" in read.by_section["methods"]
    assert "No latent multiplies data" in read.by_section["effects"]
    m = ss.Model("flat")
    m.mu = ss.Flat()
    m.y = ss.Normal(m.mu, 1).observe([1.0, 2.0, 0.3])
    read = Page(report_page(m.mcmc(**{**OPTIONS, "draws": 500})))
    assert "The prior is not drawn." in read.by_section["prior"]
    assert "The prior was mu ~ Flat()." in read.by_section["methods"]


def test_thousands_of_numbers_are_cut():
    m = ss.Model("wide")
    m.s = ss.HalfNormal(1)
    m.z = ss.Normal(0, 1, shape=2000)
    m.y = ss.Normal(m.z, m.s).observe(np.linspace(-1, 1, 2000))
    with pytest.warns(ChainWarning):
        fit = m.mcmc(**{**OPTIONS, "draws": 20, "warmup": 20})
    text = report_page(fit, limit=15)
    assert "15 of 2001 rows are shown" in Page(text).by_section["posterior"]
    assert len(text) < 2_500_000


def test_data_are_summarized_with_levels_and_what_is_missing():
    m = ss.Model("levels")
    m.site = ss.factor(["b", "a", "b", "b"], dims="row")
    m.site_size = ss.data([10, 20, 30, 40], dims="row")
    m.a = ss.Normal(0, 1, dims="site")
    m.y = ss.Normal(m.a[m.site], m.site_size).observe([1.0, 2.0, 3.0, 4.0], dims="row")
    told = " ".join(Page(report_page(m.mcmc(**OPTIONS))).by_section["data"].split())
    assert "site_code data row: 4 4 0 levels: a: 1, b: 3" in told
    assert "site_size data row: 4 4 0 25 13 10 25 40" in told
    assert "y observed row: 4 4 0 2.5 1.3 1.0 2.5 4.0" in told


@pytest.mark.parametrize("method", ["pathfinder", "laplace", "variational"])
def test_approximations(method):
    m = ss.Model("approximate")
    m.x = ss.data(np.linspace(-1, 1, 20))
    m.a, m.b = ss.Normal(0, 1), ss.Normal(0, 1)
    m.y = ss.Normal(m.a + m.b * m.x, 1).observe(np.linspace(0, 1, 20))
    fit = getattr(m, method)(draws=100, seed=1, progress=False)
    read = Page(report_page(fit))
    assert "The posterior was approximated by" in read.by_section["methods"]
    assert "R-hat" not in read.by_section["posterior"]
    with pytest.raises(ss.ModelError, match=f"{method} draws from an approximation"):
        fit.plot_energy()
