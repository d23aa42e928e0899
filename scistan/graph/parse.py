"""Read a graph from its text: fresh leaves, lengths by their printed names, data without values."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Protocol

from scistan.errors import InternalError
from scistan.graph.graph import Draw, Graph, Term
from scistan.graph.node import Data, Node, Variable, apply, extent, literal
from scistan.shapes import Equality, Shape, Size, Symbol

__all__ = ["parse"]

_FIRST_LENGTH = 1000  # a named length is this and more, so that no position written in the text lies outside
_TRIES = 50

_LEAF = re.compile(r"%(?P<number>\d+) = (?P<kind>variable|data) (?P<name>\w+)(?P<whole> int| real|) \[(?P<shape>.*)\]")
_CALL = re.compile(r"%(?P<number>\d+) = (?P<call>\w+\(.*\)) \[(?P<shape>.*)\]")
_TERM = re.compile(r"(?P<role>latent|observed) (?P<name>\w+) = (?P<value>\S+) ~ (?P<call>\w+\(.*\)) \[(?P<shape>.*)\]")
_DERIVED = re.compile(r"derived (?P<name>\w+) = (?P<value>\S+)")
_TOKENS = re.compile(r"'[^']*'|%\d+|#[-+*\w]+")


class Op(Protocol):
    """What a declared op must tell for its applications to be built anew."""

    @property
    def name(self) -> str: ...
    @property
    def integer(self) -> bool: ...
    def result_shape(
        self, shapes: tuple[Shape, ...], attributes: Mapping[str, Hashable]
    ) -> tuple[Shape, tuple[Equality, ...]]: ...


def parse(text: str, ops: Mapping[str, Any], distributions: Mapping[str, Any]) -> Graph:
    """Build the graph that prints as `text`, with the ops and distributions of these names.

    A length has no number in the text; each gets one, such that the ops' shape rules hold. Where no number
    will do (a computed length that was equal to a number), the text's word on the shape holds.
    """
    lengths: dict[str, int] = {}
    for _ in range(_TRIES):
        try:
            return _Reader(ops, distributions, lengths).read(text)
        except _OtherLengthError as found:
            lengths[found.name] = found.value
    raise InternalError("the lengths of a graph's text do not fit each other", attachment=text)


class _OtherLengthError(Exception):
    """A rule says that a named length must be another number than was guessed."""

    def __init__(self, name: str, value: int) -> None:
        self.name, self.value = name, value
        super().__init__(name)


class _Reader:
    def __init__(self, ops: Mapping[str, Op], distributions: Mapping[str, Any], lengths: Mapping[str, int]) -> None:
        self.ops, self.distributions, self.lengths = ops, distributions, lengths
        self.sizes: dict[str, Size] = {}
        self.guessed: set[str] = set()
        self.nodes: dict[str, Node] = {}
        self.owner = object()
        self.terms: list[Term] = []
        self.derived: dict[str, Node] = {}
        self.data_names: dict[Data, str] = {}
        self.equalities: list[Equality] = []

    def read(self, text: str) -> Graph:
        forms: dict[re.Pattern[str], Callable[..., None]] = {
            _LEAF: self._leaf,
            _CALL: self._call,
            _TERM: self._term,
            _DERIVED: self._derived,
        }
        for line in text.splitlines():
            if not line.strip():
                continue
            for form, action in forms.items():
                found = form.fullmatch(line.strip())
                if found:
                    action(**found.groupdict())
                    break
            else:
                raise InternalError(f"no line of a graph's text: {line!r}", attachment=text)
        return Graph(tuple(self.terms), self.derived, self.data_names, tuple(self.equalities))

    # -- lines ----------------------------------------------------------------------------------
    def _leaf(self, number: str, kind: str, name: str, whole: str, shape: str) -> None:
        if kind == "variable":
            self.nodes[number] = Variable(name, self._shape(shape), self.owner, None)
            return
        leaf = Data(None, self._shape(shape), integer=whole == " int")
        self.nodes[number] = leaf
        if name != "_":
            self.data_names[leaf] = name

    def _call(self, number: str, call: str, shape: str) -> None:
        name, args, attributes = self._read_call(call)
        op = self._known(self.ops, name, "op")
        ruled, equal = op.result_shape(tuple(arg.shape for arg in args), attributes)
        agreed = self._agreed(shape, ruled)
        integer = op.integer and all(arg.integer for arg in args)
        self.nodes[number] = apply(op, args, tuple(sorted(attributes.items())), agreed, integer, equal)

    def _term(self, role: str, name: str, value: str, call: str, shape: str) -> None:
        family, args, options = self._read_call(call)
        draw = Draw(self._known(self.distributions, family, "distribution"), args, self._shape(shape), **options)
        node = self.nodes[value.removeprefix("%")]
        if not isinstance(node, Variable if role == "latent" else Data):
            raise InternalError(f"`{name}` is {role} and its value is {node!r}")
        self.terms.append(Term(name, node, draw))

    def _derived(self, name: str, value: str) -> None:
        self.derived[name] = self._node(ast.parse(_as_python(value), mode="eval").body)

    # -- calls ----------------------------------------------------------------------------------
    def _read_call(self, text: str) -> tuple[str, tuple[Node, ...], dict[str, Any]]:
        tree = ast.parse(_as_python(text), mode="eval").body
        if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
            raise InternalError(f"no call: {text!r}")
        args = tuple(self._node(arg) for arg in tree.args)
        # Bounds of a draw are nodes, every other keyword is a plain value.
        options = {
            key.arg or "": self._node(key.value) if key.arg in ("lower", "upper") else self._plain(key.value)
            for key in tree.keywords
        }
        return tree.func.id, args, options

    def _node(self, tree: ast.expr) -> Node:
        if isinstance(tree, ast.Name) and tree.id.startswith("node_"):
            return self.nodes[tree.id.removeprefix("node_")]
        value = self._plain(tree)
        return extent(value) if isinstance(value, Size) else literal(value)

    def _plain(self, tree: ast.expr) -> Any:
        if isinstance(tree, ast.Tuple):
            return tuple(self._plain(part) for part in tree.elts)
        if isinstance(tree, ast.Call):  # length("n0+1")
            return self._size(ast.literal_eval(tree.args[0]))
        if isinstance(tree, ast.Name) and tree.id == "inf":
            return math.inf
        if isinstance(tree, ast.UnaryOp) and isinstance(tree.operand, ast.Name):
            return -self._plain(tree.operand)
        return ast.literal_eval(tree)

    def _known(self, table: Mapping[str, Any], name: str, what: str) -> Any:
        if name not in table:
            raise InternalError(f"a graph's text has the {what} `{name}`, which is not declared")
        return table[name]

    # -- lengths --------------------------------------------------------------------------------
    def _size(self, text: str) -> Size:
        total = Size()
        for part in text.split("+"):
            k, _, name = part.rpartition("*")
            total = total + (self._named(name).scaled(int(k or 1)) if name.startswith("n") else Size(int(name)))
        return total

    def _named(self, name: str) -> Size:
        if name not in self.sizes:
            if name not in self.lengths:
                self.guessed.add(name)
            today = self.lengths.get(name, _FIRST_LENGTH + len(self.sizes))
            self.sizes[name] = Size.of(Symbol(name, today))
        return self.sizes[name]

    def _shape(self, text: str) -> Shape:
        return tuple(self._size(part) for part in text.split(", ")) if text else ()

    def _agreed(self, text: str, ruled: Shape) -> Shape:
        """Give the shape an op's rule has, after naming or equating its lengths as the text does."""
        parts = text.split(", ") if text else []
        if len(parts) != len(ruled):
            raise InternalError(f"the shape [{text}] has other axes than its op's rule gives")
        return tuple(self._one_length(part, size) for part, size in zip(parts, ruled, strict=True))

    def _one_length(self, text: str, ruled: Size) -> Size:
        if text[0] == "n" and text.isalnum() and text not in self.sizes:
            # A new name is what the rule computes; if the rule has a form in known lengths instead, the text was
            # written where a slice reached outside, and its word holds.
            own = ruled.symbol is not None and ruled not in self.sizes.values()
            self.sizes[text] = ruled if own else Size.of(Symbol(text, ruled.today))
            return self.sizes[text]
        size = self._size(text)
        if size == ruled:
            return ruled
        if size.today != ruled.today and text in self.guessed:
            raise _OtherLengthError(text, ruled.today)
        self.equalities.append((size, ruled))
        return ruled if size.today == ruled.today else size


def _as_python(text: str) -> str:
    """Write the text's own tokens as Python: `%3` as a name, `#n0+1` as a call, strings as they are."""

    def token(found: re.Match[str]) -> str:
        word = found.group()
        return f"node_{word[1:]}" if word[0] == "%" else f"length('{word[1:]}')" if word[0] == "#" else word

    return _TOKENS.sub(token, text)
