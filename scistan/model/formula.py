"""Write expressions for people, as text and as LaTeX: names, few brackets, and an end to what is long."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scistan.graph.node import Apply, Data, Extent, Literal, Node
from scistan.ops.declaration import Op

__all__ = ["LATEX", "TEXT", "Style", "latex_name", "latex_text", "write", "write_definition"]

_BUDGET = 40  # nodes of one formula; a shared expression is written at each use, so depth alone is no limit
_DEPTH = 30
_ATOM, _POWER, _PRODUCT, _SUM, _ORDER = 10, 9, 7, 6, 5
_INFIX = {
    "add": ("+", _SUM), "subtract": ("-", _SUM), "multiply": ("*", _PRODUCT), "divide": ("/", _PRODUCT),
    "matmul": ("@", _PRODUCT), "power": ("**", _POWER), "less": ("<", _ORDER), "less_equal": ("<=", _ORDER),
    "greater": (">", _ORDER), "greater_equal": (">=", _ORDER), "equal": ("==", _ORDER), "not_equal": ("!=", _ORDER),
}
_RIGHT_TIGHTER = {"subtract", "divide", "matmul", "multiply"}  # a - (b - c) keeps its brackets

Written = tuple[str, int]
Within = Callable[[Written, int], str]


@dataclass(frozen=True, slots=True)
class Style:
    """How one kind of text writes names, numbers, brackets, calls, indices and operators."""

    name: Callable[[str], str]
    number: Callable[[float], str]
    bracket: Callable[[str], str]
    call: Callable[[str, list[str]], str]
    index: Callable[[str, list[str]], str]
    operator: Callable[[Op, list[Written], Within], Written | None]
    cut: str
    data: str


class AsItStands(str):
    """A name that is written already."""

    __slots__ = ()


def write(node: Node, names: Mapping[Node, str], style: Style) -> str:
    """Write an expression on one line."""
    return _Writer(names, style).write(node, _DEPTH)[0]


def write_definition(node: Node, names: Mapping[Node, str], style: Style) -> str:
    """Write what a named expression consists of."""
    return _Writer(names, style).define(node, _DEPTH)[0]


class _Writer:
    def __init__(self, names: Mapping[Node, str], style: Style) -> None:
        self.names, self.style = names, style
        self.left = _BUDGET

    def write(self, node: Node, depth: int) -> Written:
        if node in self.names:
            name = self.names[node]
            return name if isinstance(name, AsItStands) else self.style.name(name), _ATOM
        return self.define(node, depth)

    def define(self, node: Node, depth: int) -> Written:
        if isinstance(node, Literal):
            return self.style.number(node.value), _ATOM if node.value >= 0 else _PRODUCT
        if isinstance(node, Extent):
            return str(node.size.today), _ATOM
        if not isinstance(node, Apply):
            return (self.style.data if isinstance(node, Data) else repr(node)), _ATOM
        self.left -= 1
        if self.left < 0 or depth == 0:
            return self.style.cut, _ATOM
        # The last argument first: a sum of many terms leans to the left, and loses its beginning.
        inner = [self.write(arg, depth - 1) for arg in reversed(node.args)][::-1]
        if all(text == self.style.cut for text, _ in inner):
            return self.style.cut, _ATOM
        if node.op.name == "index":
            return self.style.index(self._within(inner[0], _ATOM), self._positions(node, inner[1:])), _ATOM
        found = self.style.operator(node.op, inner, self._within) if isinstance(node.op, Op) else None
        return found or (self.style.call(node.op.name, [text for text, _ in inner] + _options(node)), _ATOM)

    def _within(self, written: Written, least: int) -> str:
        text, precedence = written
        return text if precedence >= least else self.style.bracket(text)

    def _positions(self, node: Apply, arrays: list[Written]) -> list[str]:
        waiting = iter(arrays)
        items: Any = dict(node.attributes)["items"]
        return [next(waiting)[0] if item[0] == "array" else _item(item) for item in items]


def _item(item: tuple[Any, ...]) -> str:
    if item[0] == "new":
        return "None"
    if item[0] == "int":
        return str(item[1])
    start, stop, step = ("" if part is None else str(part) for part in item[1:])
    return f"{start}:{stop}" + (f":{step}" if step else "")


def _right(written: Written, least: int, within: Within) -> str:
    """Write what stands right of an operator; a sign never follows an operator."""
    return within(written, _ATOM if written[0].startswith("-") else least)


def _options(node: Apply) -> list[str]:
    attributes: dict[str, Any] = dict(node.attributes)
    rank = len(node.args[0].shape) if node.args else 0
    axes = [axis % rank for axis in attributes.get("axes", ()) or ()] if rank else []
    if not axes or len(axes) == rank:
        return []
    return [f"axis={axes[0] if len(axes) == 1 else tuple(axes)}"]


# -- text ----------------------------------------------------------------------------------------
def _text_operator(op: Op, args: list[Written], within: Within) -> Written | None:
    if op.name == "negative":
        return f"-{_right(args[0], _PRODUCT, within)}", _PRODUCT
    if op.name == "transpose":
        return f"{within(args[0], _ATOM)}.T", _ATOM
    if op.name not in _INFIX:
        return None
    symbol, precedence = _INFIX[op.name]
    if op.name == "power":
        return f"{within(args[0], _ATOM)}**{within(args[1], _ATOM)}", precedence
    right = precedence + (op.name in _RIGHT_TIGHTER or precedence == _ORDER)
    left = precedence + (precedence == _ORDER)
    return f"{within(args[0], left)} {symbol} {_right(args[1], right, within)}", precedence


TEXT = Style(
    name=lambda name: name,
    number=repr,
    bracket=lambda text: f"({text})",
    call=lambda name, args: f"{name}({', '.join(args)})",
    index=lambda text, positions: f"{text}[{', '.join(positions)}]",
    operator=_text_operator,
    cut="…",
    data="data",
)


# -- LaTeX ---------------------------------------------------------------------------------------
_LETTERS = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi
psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"""
_GREEK = frozenset(_LETTERS.split())
_COMPARED = {"<": "<", "<=": r"\le", ">": ">", ">=": r"\ge", "==": "=", "!=": r"\ne"}
_SIGNS = {sign: rf"\{sign}" for sign in "&%$#_{}"}
_SIGNS |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_PLACE = re.compile(r"(?P<open>\{\{|\(|\||)\{(?P<number>\d)\}(?P<close>\}\}\^|\}\}|\)|\||)")


def latex_text(text: str) -> str:
    r"""Write words of the user's as text: every sign that LaTeX reads as its own is escaped.

    >>> latex_text("100%_a&b")
    '100\\%\\_a\\&b'
    """
    return "".join(_SIGNS.get(sign, sign if sign.isprintable() else " ") for sign in text)


def latex_name(name: str) -> str:
    r"""Write a variable's name as a symbol.

    >>> latex_name("theta"), latex_name("alpha_1"), latex_name("sigma_school"), latex_name("log_p")
    ('\\theta', '\\alpha_{1}', '\\sigma_{\\mathrm{school}}', '\\mathrm{log\\_p}')
    """
    head, *rest = [part for part in name.split("_") if part]
    digits = re.fullmatch(r"(\D+)(\d+)", head)
    if digits and not rest:
        head, rest = digits.group(1), [digits.group(2)]
    if head not in _GREEK and len(head) > 1:
        return rf"\mathrm{{{latex_text(name)}}}"
    symbol = rf"\{head}" if head in _GREEK else head
    return symbol + (f"_{{{', '.join(_symbol(part) for part in rest)}}}" if rest else "")


def _symbol(word: str) -> str:
    if word in _GREEK:
        return rf"\{word}"
    return word if len(word) == 1 or word.isdigit() else rf"\mathrm{{{word}}}"


def _latex_number(value: float) -> str:
    text = repr(value)
    mantissa, _, exponent = text.partition("e")
    if exponent:
        return rf"{mantissa} \times 10^{{{int(exponent)}}}"
    return {"inf": r"\infty", "-inf": r"-\infty"}.get(text, text)


def _latex_operator(op: Op, args: list[Written], within: Within) -> Written | None:
    if op.name == "where":
        rows = rf"{args[1][0]} & \text{{if }} {args[0][0]} \\ {args[2][0]} & \text{{else}}"
        return rf"\begin{{cases}} {rows} \end{{cases}}", _ATOM
    if op.name in _INFIX and _INFIX[op.name][1] == _ORDER:
        symbol = _COMPARED[_INFIX[op.name][0]]
        return rf"\left[{within(args[0], _SUM)} {symbol} {within(args[1], _SUM)}\right]", _ATOM
    if not op.latex:
        return None
    precedence = _INFIX[op.name][1] if op.name in _INFIX else _PRODUCT if op.name == "negative" else _ATOM
    if op.name in ("divide", "power"):
        precedence = _PRODUCT
    template = op.latex
    if op.name == "multiply" and args[1][0][0].isdigit():  # a number beside another would be read as one
        template = template.replace(r"\,", r"\cdot")
    return _filled(op, template, args, within, precedence), precedence


def _filled(op: Op, template: str, args: list[Written], within: Within, precedence: int) -> str:
    """Fill a template; an argument that the template does not enclose gets brackets where it needs them."""

    def put(found: re.Match[str]) -> str:
        number = int(found["number"])
        enclosed = bool(found["open"]) and bool(found["close"]) and not found["close"].endswith("^")
        tight = number > 0 and op.name in _RIGHT_TIGHTER
        least = 0 if enclosed else precedence + tight if op.name in _INFIX and op.name != "power" else _ATOM
        text = within(args[number], least) if enclosed or number == 0 else _right(args[number], least, within)
        return f"{_plain(found['open'])}{text}{_plain(found['close'])}"

    pieces, end = [], 0
    for found in _PLACE.finditer(template):
        pieces += [_plain(template[end : found.start()]), put(found)]
        end = found.end()
    return "".join([*pieces, _plain(template[end:])])


def _plain(template: str) -> str:
    return template.replace("{{", "{").replace("}}", "}")


def _latex_call(name: str, args: list[str]) -> str:
    return rf"\operatorname{{{latex_text(name)}}}\left({', '.join(args)}\right)"


LATEX = Style(
    name=latex_name,
    number=_latex_number,
    bracket=lambda text: rf"\left({text}\right)",
    call=_latex_call,
    index=lambda text, positions: f"{{{text}}}_{{[{', '.join(positions)}]}}",
    operator=_latex_operator,
    cut=r"\cdots",
    data=r"\mathrm{data}",
)
