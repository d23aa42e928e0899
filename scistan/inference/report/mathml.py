r"""Write the LaTeX that models show themselves in as MathML, which browsers draw by themselves.

What is read is the part of LaTeX that `m.latex()` writes, and what people commonly give to `declare_op(latex=…)`. A
command that is not known is shown by its name: nothing fails, and nothing of a user's becomes markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

__all__ = ["Row", "rows_of", "to_mathml"]

Row = tuple[str, str, str, str]  # what is defined, ∼ or =, as what, and along which axes

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
_LETTERS = """alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π
rho ρ sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ
Phi Φ Psi Ψ Omega Ω"""
_OPERATORS = """sim ∼ le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ cdot ⋅ times × cdots ⋯ ldots … dots … infty ∞ pm ± to → mid ∣
in ∈ sum ∑ prod ∏ int ∫ partial ∂ nabla ∇ propto ∝ approx ≈ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ langle ⟨ rangle ⟩ circ ∘
otimes ⊗ odot ⊙ top ⊤"""


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_GREEK, _SIGNS = _pairs(_LETTERS), _pairs(_OPERATORS)
_ACCENTS = {"hat": "^", "bar": "¯", "tilde": "~", "vec": "→", "dot": "˙", "overline": "‾"}
_WORDS = {"log", "exp", "sin", "cos", "tan", "min", "max", "det", "lim", "ln", "Pr", "arg", "sinh", "cosh", "tanh"}
_UPRIGHT = {"mathrm", "operatorname", "mathbf", "mathbb", "mathcal", "mathit", "mathsf", "mathtt"}
_TEXT = {"text", "textrm", "textit", "textbf", "mbox"}
_SPACES = {",": 0.17, ";": 0.28, ":": 0.22, " ": 0.33, "!": 0.0, "quad": 1.0, "qquad": 2.0}
_WRITTEN = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^"}
_APPLIED = "<mo>&#x2061;</mo>"
_DEEPEST = 60


def rows_of(aligned: str) -> list[Row]:
    """Give the lines of a model's mathematics, both sides of each as MathML."""
    inner = aligned.removeprefix("\\begin{aligned}\n").removesuffix("\n\\end{aligned}")
    found = []
    for line in inner.split(" \\\\\n") if inner else []:
        left, _, rest = line.partition(" &")
        relation, _, rest = rest.partition(" ")
        right, _, note = rest.partition(" && ")
        axes = _plain(note.removeprefix("\\text{").removesuffix("}"))
        found.append((to_mathml(left), _SIGNS.get(relation[1:], relation), to_mathml(right), axes))
    return found


def to_mathml(source: str) -> str:
    r"""Write one formula.

    >>> to_mathml(r"\frac{\mu}{2}")
    '<math><mfrac><mi>μ</mi><mn>2</mn></mfrac></math>'
    """
    return f"<math>{_Reader(source).all()}</math>"


def _plain(text: str) -> str:
    """Read words as LaTeX would show them."""
    return "".join(_shown(token) for token in _TOKEN.findall(text))


def _shown(token: str) -> str:
    if token in ("{", "}"):
        return ""
    return _WRITTEN.get(token[1:], token[1:]) if token.startswith("\\") and len(token) > 1 else token


class _Reader:
    def __init__(self, source: str) -> None:
        self.tokens = _TOKEN.findall(source)
        self.at = 0
        self.depth = 0

    def all(self) -> str:
        parts = []
        while self.at < len(self.tokens):
            parts.append(self.sequence(frozenset()))
            self.at += 1  # a bracket that closes nothing
        return "".join(parts)

    def sequence(self, ends: frozenset[str]) -> str:
        """Read pieces until one of `ends`, or a bracket that closes what the caller opened."""
        found: list[str] = []
        while self.at < len(self.tokens) and self.tokens[self.at] not in ends | {"}"}:
            token = self.tokens[self.at]
            if token in ("^", "_"):
                self.at += 1
                base = found.pop() if found else "<mrow></mrow>"
                tag = "msup" if token == "^" else "msub"
                found.append(f"<{tag}>{base}{self.argument()}</{tag}>")
            elif token.isspace():
                self.at += 1
            else:
                found.append(self.piece())
        return "".join(found)

    def argument(self) -> str:
        """Read a group, or one piece."""
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1
        return self.piece() if self.at < len(self.tokens) and self.tokens[self.at] != "}" else "<mrow></mrow>"

    def piece(self) -> str:
        token = self.tokens[self.at]
        self.at += 1
        if token == "{":
            return self.group()
        if token.startswith("\\") and len(token) > 1:
            return self.command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{escape(token)}</mi>"
        return f"<mo>{escape('−' if token == '-' else token)}</mo>"

    def group(self) -> str:
        self.depth += 1
        inner = self.sequence(frozenset()) if self.depth < _DEEPEST else self.skip()
        self.depth -= 1
        self.at += 1
        return inner if _is_one(inner) else f"<mrow>{inner}</mrow>"

    def skip(self) -> str:
        """Pass over what is nested too deep to be read by anyone."""
        return f"<mtext>{escape(self.raw(self.at))}</mtext>"

    def raw(self, start: int) -> str:
        """Give a group as it is written, from behind its bracket; the reader stands at its end."""
        level, self.at = 1, start
        while self.at < len(self.tokens):
            level += {"{": 1, "}": -1}.get(self.tokens[self.at], 0)
            if not level:
                break
            self.at += 1
        return "".join(self.tokens[start : self.at])

    def words(self) -> str:
        if self.at >= len(self.tokens) or self.tokens[self.at] != "{":
            return ""
        text = _plain(self.raw(self.at + 1))
        self.at += 1
        return escape(text)

    def command(self, name: str) -> str:
        if name in _TEXT:
            return f"<mtext>{self.words().replace(' ', '&#xA0;')}</mtext>"
        if name in _UPRIGHT:
            found = f'<mi mathvariant="normal">{self.words()}</mi>'
            return found + _APPLIED if name == "operatorname" else found
        if name in _SPACES:
            return f'<mspace width="{_SPACES[name]}em"/>'
        if name in ("left", "right"):
            return self.fence()
        if name in ("frac", "binom"):
            top, below = self.argument(), self.argument()
            line = ' linethickness="0"' if name == "binom" else ""
            found = f"<mfrac{line}>{top}{below}</mfrac>"
            return f"<mrow><mo>(</mo>{found}<mo>)</mo></mrow>" if name == "binom" else found
        if name == "sqrt":
            return f"<msqrt>{self.argument()}</msqrt>"
        if name in _ACCENTS:
            return f"<mover>{self.argument()}<mo>{_ACCENTS[name]}</mo></mover>"
        if name == "begin":
            return self.environment()
        return self.symbol(name)

    def symbol(self, name: str) -> str:
        if name in _GREEK:
            return f"<mi>{_GREEK[name]}</mi>"
        if name in _WORDS:
            return f"<mi>{name}</mi>{_APPLIED}"
        if name in _SIGNS:
            return f"<mo>{_SIGNS[name]}</mo>"
        return f"<mi>{escape(_WRITTEN.get(name, name))}</mi>"

    def fence(self) -> str:
        if self.at >= len(self.tokens):
            return ""
        sign = _shown(self.tokens[self.at])
        self.at += 1
        return "" if sign == "." else f'<mo stretchy="true">{escape(sign)}</mo>'

    def environment(self) -> str:
        kind = self.words()
        rows = [self.cells()]
        while self.at < len(self.tokens) and self.tokens[self.at] == "\\\\":
            self.at += 1
            rows.append(self.cells())
        if self.at < len(self.tokens) and self.tokens[self.at] == "\\end":
            self.at += 1
            self.words()
        body = "".join(f"<mtr>{''.join(f'<mtd>{cell}</mtd>' for cell in row)}</mtr>" for row in rows)
        table = f"<mtable>{body}</mtable>"
        return f'<mrow><mo stretchy="true">{{</mo>{table}</mrow>' if kind == "cases" else table

    def cells(self) -> list[str]:
        ends = frozenset({"&", "\\\\", "\\end"})
        found = [self.sequence(ends)]
        while self.at < len(self.tokens) and self.tokens[self.at] == "&":
            self.at += 1
            found.append(self.sequence(ends))
        return found


def _is_one(inner: str) -> bool:
    """Tell whether MathML is one element, which needs no row around it."""
    return sum(1 for _ in _elements(inner)) == 1


def _elements(inner: str) -> Iterator[str]:
    """Give the opening tags of the outermost elements."""
    level = 0
    for tag in re.findall(r"<[^>]+>", inner):
        if tag.startswith("</"):
            level -= 1
        else:
            if not level:
                yield tag
            level += not tag.endswith("/>")
