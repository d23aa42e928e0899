"""Models' mathematics as MathML: well-formed for every model, and nothing of a user's in it is markup."""

import re
from xml.etree import ElementTree

import pytest

import scistan as ss
from scistan.inference.report.mathml import rows_of, to_mathml
from tests.zoo import ZOO

FORMULAS = {
    r"\mu": "<mi>μ</mi>",
    r"\alpha_{1}": "<msub><mi>α</mi><mn>1</mn></msub>",
    r"{x}^2": "<msup><mi>x</mi><mn>2</mn></msup>",
    r"-1.5": "<mo>−</mo><mn>1.5</mn>",
    r"\sqrt{x + 1}": "<msqrt><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow></msqrt>",
    r"\mathrm{log\_p}": '<mi mathvariant="normal">log_p</mi>',
    r"\text{ on } [0": "<mtext>&#xA0;on&#xA0;</mtext><mo>[</mo><mn>0</mn>",
    r"\operatorname{Normal}\left(0\right)": '<mi mathvariant="normal">Normal</mi><mo>&#x2061;</mo><mo stretchy="true">(</mo>'
    '<mn>0</mn><mo stretchy="true">)</mo>',
    r"\binom{n}{k}": '<mrow><mo>(</mo><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo></mrow>',
    r"\hat{y}": "<mover><mi>y</mi><mo>^</mo></mover>",
    r"\unknown": "<mi>unknown</mi>",
    r"a < b & c": "<mi>a</mi><mo>&lt;</mo><mi>b</mi><mo>&amp;</mo><mi>c</mi>",
}  # fmt: skip


@pytest.mark.parametrize(("source", "written"), FORMULAS.items(), ids=FORMULAS)
def test_formulas(source, written):
    assert to_mathml(source) == f"<math>{written}</math>"


def test_cases():
    found = to_mathml(r"\begin{cases} x & \text{if } y \\ 0 & \text{else} \end{cases}")
    assert found.count("<mtr>") == 2
    assert found.count("<mtd>") == 4
    ElementTree.fromstring(found)


@pytest.mark.parametrize("name", ZOO)
def test_every_model_is_well_formed_and_complete(name):
    m = ZOO[name]()
    rows = rows_of(str(m.latex()))
    assert len(rows) == sum(role != "data" for role in m.variables.values())
    for left, relation, right, _ in rows:
        assert relation in ("∼", "=")
        for part in (left, right):
            ElementTree.fromstring(part)
            assert "\\" not in re.sub(r"<[^>]+>", "", part)


@pytest.mark.parametrize("source", ["{", "}", "}}x", "^", "_", "x^", r"\frac", r"\frac{a}", r"\left", r"\begin{cases}", r"\text",
                                    "{" * 500, r"\end{aligned}", "x_{y", "\\", r"\text{<script>}", "<script>"])  # fmt: skip
def test_no_text_breaks_it(source):
    found = to_mathml(source)
    assert "<script" not in found
    ElementTree.fromstring(found)


def test_an_op_of_the_users_may_write_what_it_likes():
    blur = ss.declare_op(
        "blur_for_mathml", "Nothing much.", numpy="tanh", torch="tanh", stan="tanh", latex=r"\mathbb{{E}}\left[{0}\right]<b>"
    )
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(blur(m.a), 1).observe([1.0])
    (_, _, right, _) = rows_of(str(m.latex()))[1]
    ElementTree.fromstring(right)
    assert "<b>" not in right
