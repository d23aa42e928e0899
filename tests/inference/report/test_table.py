"""The posterior as a table for papers: the numbers of the draws, in three formats that nothing in a label breaks."""

from html.parser import HTMLParser

import numpy as np
import pytest

import scistan as ss
from scistan.inference.report.table import number, row_decimals

LABELS = ["a&b_%", "<script>x</script>", "é|*", r"\frac{$"]


@pytest.fixture(scope="module")
def fit():
    m = ss.Model("table", coords={"k": LABELS})
    m.mu = ss.Normal(0, 1)
    m.b = ss.Normal(m.mu, 1, dims="k")
    m.y = ss.Normal(m.b, 1).observe([0.1, -0.2, 250.0, 0.0])
    return m.mcmc(draws=300, warmup=300, seed=2, engine="stanli", progress=False)


def test_markdown(fit):
    lines = fit.table().splitlines()
    assert [cell.strip() for cell in lines[0].strip("|").split("|")] == [
        "", "mean", "sd", "5 %", "median", "95 %", "R-hat", "bulk ESS", "tail ESS",
    ]
    assert len({len(line) for line in lines}) == 1
    mean = fit.posterior["mu"].mean()
    decimals = row_decimals(fit.posterior["mu"].std(ddof=1))
    assert lines[2].split("|")[2].strip() == f"{mean:.{decimals}f}"
    assert r"b\[a&b\_%\]" in lines[3]
    assert r"\<script\>" in lines[4]
    assert r"é\|\*" in lines[5]


def test_latex(fit):
    text = fit.table("latex", var_names=["b"], probability=0.5)
    assert text.startswith("\\begin{tabular}{lrrrrrrrr}\n\\hline\n & mean & sd & 25 \\% & median & 75 \\% & $\\widehat{R}$")
    assert r"b[a\&b\_\%] &" in text
    assert r"b[\textbackslash{}frac\{\$] &" in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    unescaped = [row.replace(r"\&", "").count("&") for row in rows]
    assert unescaped == [8] * 5


class Cells(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.texts = [], []

    def handle_starttag(self, tag, attrs):
        self.tags += [tag] if dict(attrs).keys() <= {"style"} else ["with more than style"]

    def handle_data(self, data):
        self.texts.append(data)


def test_html(fit):
    read = Cells()
    read.feed(fit.table("html"))
    assert set(read.tags) <= {"table", "thead", "tbody", "tr", "th", "td"}
    assert "b[<script>x</script>]" in "".join(read.texts)


def test_limits_and_mistakes(fit):
    cut = fit.table(limit=2)
    assert "2 of 5 rows are shown" in cut
    assert "2 of 5 rows" in fit.table("latex", limit=2)
    with pytest.raises(ValueError, match="'latex', 'markdown', 'html'"):
        fit.table("word")
    with pytest.raises(KeyError, match="known: b, mu"):
        fit.table(var_names="mo")
    with pytest.raises(ss.ModelError, match="between 0 and 1"):
        fit.table(probability=1)


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(1.25, 1, "1.2"), (-0.001, 1, "0.0"), (3e9, 0, "3e+09"), (np.nan, 2, "–"), (1e-9, 9, "1e-09"), (12.0, 0, "12")],
)
def test_numbers(value, decimals, text):
    assert number(value, decimals) == text


def test_single_chains_and_constants():
    m = ss.Model()
    m.L = ss.LKJCholesky(2, 1.0)
    m.y = ss.MultivariateNormal(np.zeros(2), chol=m.L).observe([[0.5, -0.2], [0.1, 0.3]])
    fit = m.mcmc(draws=100, warmup=100, chains=1, seed=1, engine="stanli", progress=False)
    lines = fit.table().splitlines()
    assert lines[2].split("|")[1].strip() == r"L\[0, 0\]"
    assert lines[2].split("|")[7].strip() == "–"
