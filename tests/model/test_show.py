"""How a model shows itself: text, table, mathematics and picture."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import scistan as ss
from scistan.model.formula import LATEX, TEXT, latex_name, write
from tests.zoo import ZOO

SVG = "{http://www.w3.org/2000/svg}"


def model() -> ss.Model:
    m = ss.Model()
    m.x = ss.data(np.ones((4, 3)))
    m.g = ss.data([0, 1, 1, 0])
    m.alpha = ss.Normal(0, 1, shape=2)
    m.beta_1 = ss.Normal(0, 1, shape=3)
    m.sigma = ss.HalfNormal(1)
    return m


# what is written -> as text -> as LaTeX
FORMULAS = [
    (lambda m: m.alpha[m.g] + m.x @ m.beta_1, "alpha[g] + x @ beta_1", r"{\alpha}_{[g]} + x \, \beta_{1}"),
    (lambda m: 1 - (2 - m.sigma), "1 - (2 - sigma)", r"1 - \left(2 - \sigma\right)"),
    (lambda m: (1 - m.sigma) - 2, "1 - sigma - 2", r"1 - \sigma - 2"),
    (lambda m: (m.sigma - 1) * m.sigma, "(sigma - 1) * sigma", r"\left(\sigma - 1\right) \, \sigma"),
    (lambda m: m.sigma / (m.sigma * 2), "sigma / (sigma * 2)", r"\frac{\sigma}{\sigma \cdot 2}"),
    (lambda m: (m.sigma + 1) ** 2, "(sigma + 1)**2", r"{\left(\sigma + 1\right)}^{2}"),
    (lambda m: m.sigma * -3.0, "sigma * (-3.0)", r"\sigma \, \left(-3.0\right)"),
    (lambda m: -m.sigma + 1, "-sigma + 1", r"-\sigma + 1"),
    (lambda m: ss.exp(-m.sigma), "exp(-sigma)", r"e^{-\sigma}"),
    (lambda m: ss.log(m.sigma + 1), "log(sigma + 1)", r"\log \left(\sigma + 1\right)"),
    (lambda m: ss.log(m.sigma), "log(sigma)", r"\log \sigma"),
    (lambda m: ss.sqrt(m.sigma + 1), "sqrt(sigma + 1)", r"\sqrt{\sigma + 1}"),
    (lambda m: abs(m.sigma - 1), "abs(sigma - 1)", r"|\sigma - 1|"),
    (lambda m: ss.log1p(m.sigma), "log1p(sigma)", r"\operatorname{log1p}\left(\sigma\right)"),
    (lambda m: m.x[1:, 0], "x[1:, 0]", r"{x}_{[1:, 0]}"),
    (lambda m: m.x.T @ m.x, "x.T @ x", r"x^T \, x"),
    (lambda m: ss.sum(m.x, axis=0), "sum(x, axis=0)", r"\operatorname{sum}\left(x, axis=0\right)"),
    (lambda m: ss.sum(m.x), "sum(x)", r"\operatorname{sum}\left(x\right)"),
    (lambda m: m.sigma * 1e-10, "sigma * 1e-10", r"\sigma \cdot 1 \times 10^{-10}"),
    (lambda m: m.sigma > 1, "sigma > 1", r"\left[\sigma > 1\right]"),
    (
        lambda m: ss.where(m.sigma > 1, m.sigma, 0),
        "where(sigma > 1, sigma, 0)",
        r"\begin{cases} \sigma & \text{if } \left[\sigma > 1\right] \\ 0 & \text{else} \end{cases}",
    ),
    (lambda m: m.sigma * np.array([1.0, 2.0]), "sigma * data", r"\sigma \, \mathrm{data}"),
]


@pytest.mark.parametrize(("formula", "text", "latex"), FORMULAS, ids=[text for _, text, _ in FORMULAS])
def test_formulas(formula, text, latex):
    m = model()
    node = formula(m)._scistan_node_
    assert write(node, m._variables.named, TEXT) == text
    assert write(node, m._variables.named, LATEX) == latex


NAMES = {
    "theta": r"\theta",
    "Sigma": r"\Sigma",
    "alpha_1": r"\alpha_{1}",
    "beta2": r"\beta_{2}",
    "lambda_": r"\lambda",
    "x": "x",
    "mu_x_1": r"\mu_{x, 1}",
    "tau_school": r"\tau_{\mathrm{school}}",
    "log_p": r"\mathrm{log\_p}",
    "height": r"\mathrm{height}",
}


@pytest.mark.parametrize(("name", "latex"), NAMES.items(), ids=NAMES)
def test_names(name, latex):
    assert latex_name(name) == latex


@pytest.mark.parametrize("name", ZOO)
def test_text_table_mathematics_and_picture_are_kept(name, golden):
    m = ZOO[name]()
    parts = [repr(m), str(m.latex()), m._repr_html_(), m.graph().svg]
    golden(f"show/{name}.txt", "\n\n".join(parts).replace("><", ">\n<") + "\n")


def test_bounds_forms_and_constraints_are_shown():
    m = ss.Model(coords={"k": [1, 2]})
    m.a = ss.Normal(0, 1, lower=0, upper=3)
    m.b = ss.Normal(0, 1, dims="k", constraint="ordered")
    m.c = ss.Normal(m.a, 1, centred=True)
    m.v = ss.MultivariateNormal(np.zeros(2), chol=np.eye(2))
    assert repr(m).splitlines()[1:] == [
        "  a ~ Normal(0, 1, lower=0, upper=3)",
        "  b ~ Normal(0, 1, constraint='ordered')  [k: 2]",
        "  c ~ Normal(a, 1, centred=True)",
        "  v ~ MultivariateNormal(data, chol=data)  [2]",
    ]
    assert r"\text{ on } [0,\, 3]" in str(m.latex())


def test_latex_object():
    shown = model().latex()
    assert shown._repr_latex_() == f"$${shown}$$"
    assert str(shown).startswith("\\begin{aligned}\n")


def crossed() -> ss.Model:
    m = ss.Model(coords={"school": list("abc"), "<year>": [1, 2]})
    m.mu, m.tau = ss.Normal(0, 1), ss.HalfNormal(1)
    m.theta = ss.Normal(m.mu, m.tau, dims="school")
    m.phi = ss.Normal(0, 1, dims="<year>")
    m.z = ss.Normal(m.theta[:, None] + m.phi, 1, dims=("school", "<year>"))
    m.x = ss.data(np.zeros(5), dims="pupil")
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(ss.sum(m.z) + m.x, m.sigma).observe(np.zeros(5), dims="pupil")
    return m


PLATED = {"crossed": crossed, **ZOO}


@pytest.mark.parametrize("build", PLATED.values(), ids=PLATED)
def test_a_plate_holds_the_variables_along_its_dim_and_no_others(build):
    m = build()
    tree = ElementTree.fromstring(m.graph().svg)
    signs = [text.text for text in tree.findall(f"{SVG}text")]
    plates = [tuple(float(p.get(key)) for key in ("x", "y", "width", "height")) for p in tree.findall(f"{SVG}rect")]
    assert len(signs) == len(plates)
    within = {name: [] for name in m.variables}
    for sign, (x, y, w, h) in zip(signs, plates, strict=True):
        assert x >= 0
        assert y >= 0
        assert y + h <= float(tree.get("height"))
        assert x + w <= float(tree.get("width"))
        for name, (bx, by, bw, bh) in boxes(m.graph()).items():
            inside = x <= bx and bx + bw <= x + w and y <= by and by + bh <= y + h
            outside = bx + bw <= x or x + w <= bx or by + bh <= y or y + h <= by
            assert inside or outside
            within[name] += [sign.rpartition(":")[0]] * inside
    dims = {name: sorted(dim for dim in entry.dims if dim) for name, entry in m._variables.entries.items()}
    assert {name: sorted(own) for name, own in within.items()} == dims


def boxes(picture) -> dict[str, tuple[float, float, float, float]]:
    tree = ElementTree.fromstring(picture.svg)
    found = {}
    for group in tree.iter(f"{SVG}g"):
        shape = group.find(f"{SVG}rect")
        name = group.find(f"{SVG}title").text.split(":")[0]
        found[name] = tuple(float(shape.get(key)) for key in ("x", "y", "width", "height"))
    return found


@pytest.mark.parametrize("build", PLATED.values(), ids=PLATED)
def test_pictures_put_causes_above_effects_and_nothing_on_top_of_another(build):
    m = build()
    picture = m.graph()
    places = boxes(picture)
    assert set(places) == set(m.variables)
    for name in m.variables:
        assert f"class='{m.variables[name]}'" in picture.svg
    items = list(places.values())
    for k, (x, y, w, h) in enumerate(items):
        for ox, oy, ow, oh in items[:k]:
            assert x >= ox + ow or ox >= x + w or y >= oy + oh or oy >= y + h
    for term in m.to_graph().terms:
        for arg in term.law.args:
            cause = m._variables.named.get(arg)
            if cause:
                assert places[cause][1] < places[term.name][1]


def test_picture_is_saved(tmp_path):
    picture = model().graph()
    saved = picture.save(tmp_path / "model.svg")
    ElementTree.parse(saved)
    assert "<svg" in picture.save(tmp_path / "model.html").read_text()
    assert picture._repr_svg_() in picture._repr_html_()


def test_arrows_are_the_dependences():
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.b = m.a * 2 + m.a
    m.c = ss.Normal(m.b, ss.exp(m.a))
    assert m.graph().svg.count("marker-end") == 3  # a → b, a → c, b → c


def test_markup_in_names_is_escaped():
    m = ss.Model("a <b> & c")
    m.x = ss.Normal(0, 1)
    m.y = m.x < 1
    ElementTree.fromstring(m.graph().svg)
    assert "<b> &" not in m._repr_html_()


def test_what_is_deep_is_cut():
    m = ss.Model()
    m.x = ss.Normal(0, 1)
    deep = m.x
    for _ in range(1000):
        deep = deep * deep + deep
    m.deep = deep
    assert len(repr(m)) < 300
    assert len(str(m.latex())) < 3000
    assert "…" in repr(m)


@pytest.mark.parametrize("dim", ["site_id", "100%", "a&b", "$x$", "#1", "{", "}", "a^b", "a~b", "back\\slash", "a\nb"])
def test_dims_are_words_in_latex_whatever_they_are_called(dim):
    """A sign that LaTeX reads as its own would break the formula, or set the rest of it aside as a comment."""
    m = ss.Model("m")
    m.b = ss.Normal(0, 1, shape=2, dims=dim)
    text = re.search(r"\\text\{(.*): 2\}", str(m.latex()))[1]
    plain = re.sub(r"\\(?:[&%$#_{}]|text\w+\{\})", "", text)
    assert not set(plain) & set("\\&%$#_{}^~\n")


def test_titles_of_declared_distributions_are_words_in_latex():
    made = ss.declare_distribution(
        "My_own",
        "Mine.",
        parameters={"mu": "real"},
        support="real",
        log_density=lambda x, mu: -((x - mu) ** 2) / 2,
        draw=lambda rng, size, mu: rng.normal(mu, 1, size),
    )
    m = ss.Model("m")
    m.b = made(0)
    assert r"\operatorname{My\_own}" in str(m.latex())
