"""Read a graph from its text, plain or exact: fresh leaves, and lengths by their printed names."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from scistan.errors import InternalError
from scistan.graph.body import Body, Bound, body, bound
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.node import Data, Node, Variable, apply, extent, find_applied, literal
from scistan.graph.text import RANKS
from scistan.shapes import COMPUTED, RULES, Equality, LengthRule, Shape, Size, Symbol, new_serial

__all__ = ["Leaves", "Reading", "UndeclaredError", "parse", "parse_exact"]

_FIRST_LENGTH = 1000  # a named length is this and more, so that no position written in the text lies outside
_TRIES = 50

_LEAF = re.compile(r"%(?P<number>\d+) = (?P<kind>variable|data) (?P<name>\w+)(?P<whole> int| real|) \[(?P<shape>.*)\]")
_WHERE = r"(?: where (?P<where>[-+*\w=, ]+))?"
_CALL = re.compile(r"%(?P<number>\d+) = (?P<call>\w+\(.*\)) \[(?P<shape>.*)\]" + _WHERE)
_TERM = re.compile(
    r"(?P<role>latent|observed|potential) (?P<name>\w+) = (?P<value>\S+) ~ (?P<call>\w+\(.*\)) "
    r"\[(?P<shape>.*)\]" + _WHERE
)
_DERIVED = re.compile(r"derived (?P<name>\w+) = (?P<value>\S+)")
_LENGTH = re.compile(r"length (?P<name>n\d+) = (?P<today>\d+) (?P<rank>\w+) (?P<axis>\d+) (?P<hint>'.*'|\".*\")")
_COMPUTED = re.compile(r"length (?P<name>n\d+) = (?P<call>\w+\(.*\))")
_BODY = re.compile(r"body (?P<number>\d+) \((?P<kinds>.*)\)")
_INSIDE = re.compile(r"\| (?P<line>.*)")
_GIVE = re.compile(r"give (?P<values>.+)")
_KIND = re.compile(r"(int|real) \[([^\]]*)\]")
_EQUAL = re.compile(r"equal (?P<pair>[-+*\w]+ = [-+*\w]+)")
_TOKENS = re.compile(r"'[^']*'|\"[^\"]*\"|[%@]\d+|#[-+*\w]+")


class Op(Protocol):
    """What a declared op must tell for its applications to be built anew."""

    @property
    def name(self) -> str: ...
    @property
    def integer(self) -> bool: ...
    def result_shape(
        self, shapes: tuple[Shape, ...], attributes: Mapping[str, Hashable]
    ) -> tuple[Shape, tuple[Equality, ...]]: ...


class UndeclaredError(InternalError):
    """A text names an op or a distribution that nobody has declared here."""

    def __init__(self, kind: str, name: str) -> None:
        self.kind, self.name = kind, name
        super().__init__(f"a graph's text has the {kind} `{name}`, which is not declared")


class Leaves(Protocol):
    """What makes the leaves of a graph that is read: the text knows their shapes and no more."""

    def variable(self, name: str, shape: Shape, integer: bool, /) -> Variable: ...
    def data(self, number: int, shape: Shape, integer: bool, /) -> Data: ...


class _Blank:
    """Leaves without values, of a model that nobody wrote."""

    def variable(self, name: str, shape: Shape, integer: bool) -> Variable:
        return Variable(name, shape, self, None, integer=integer)

    def data(self, _: int, shape: Shape, integer: bool) -> Data:
        return Data(None, shape, integer=integer)


@dataclass(frozen=True, slots=True)
class Reading:
    """A graph that was read from an exact text, and what its nodes and lengths are called there."""

    graph: Graph
    nodes: Mapping[int, Node]
    size: Callable[[str], Size]


def parse_exact(text: str, ops: Mapping[str, Any], distributions: Mapping[str, Any], leaves: Leaves) -> Reading:
    """Build the very graph that was written as `text`, on leaves of its own."""
    reader = _Reader(ops, distributions, {}, leaves)
    return Reading(reader.read(text), {int(number): node for number, node in reader.nodes.items()}, reader._size)


def parse(text: str, ops: Mapping[str, Any], distributions: Mapping[str, Any]) -> Graph:
    """Build the graph that prints as `text`, with the ops and distributions of these names.

    A length has no number in the text; each gets one, such that the ops' shape rules hold. Where no number
    will do (a computed length that was equal to a number), the text's word on the shape holds.
    """
    lengths: dict[str, int] = {}
    for _ in range(_TRIES):
        try:
            return _Reader(ops, distributions, lengths, _Blank()).read(text)
        except _OtherLengthError as found:
            lengths[found.name] = found.value
    raise InternalError("the lengths of a graph's text do not fit each other", attachment=text)


class _OtherLengthError(Exception):
    """A rule says that a named length must be another number than was guessed."""

    def __init__(self, name: str, value: int) -> None:
        self.name, self.value = name, value
        super().__init__(name)


class _Reader:
    def __init__(
        self, ops: Mapping[str, Op], distributions: Mapping[str, Any], lengths: Mapping[str, int], leaves: Leaves
    ) -> None:
        self.ops, self.distributions, self.lengths, self.leaves = ops, distributions, lengths, leaves
        self.written: dict[str, Callable[[], Symbol]] = {}  # what the lengths of an exact text are
        self.sizes: dict[str, Size] = {}
        self.guessed: set[str] = set()
        self.nodes: dict[str, Node] = {}
        self.terms: list[Term] = []
        self.derived: dict[str, Node] = {}
        self.data_names: dict[Data, str] = {}
        self.equalities: list[Equality] = []
        self.bodies: dict[int, Body] = {}
        self.parameters: list[Bound] = []  # of the body that is being read
        self.around: dict[str, Node] = {}  # the nodes outside of it

    def read(self, text: str) -> Graph:
        forms: dict[re.Pattern[str], Callable[..., None]] = {
            _LEAF: self._leaf,
            _CALL: self._call,
            _TERM: self._term,
            _DERIVED: self._derived,
            _LENGTH: self._length,
            _COMPUTED: self._computed,
            _EQUAL: self._equal,
            _BODY: self._body,
            _INSIDE: self._inside,
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
            self.nodes[number] = self.leaves.variable(name, self._shape(shape), whole.strip() == "int")
            return
        leaf = self.leaves.data(int(number), self._shape(shape), whole == " int")
        self.nodes[number] = leaf
        if name != "_":
            self.data_names[leaf] = name

    def _call(self, number: str, call: str, shape: str, where: str | None) -> None:
        name, args, attributes = self._read_call(call)
        op = self._known(self.ops, name, "op")
        key = tuple(sorted(attributes.items()))
        integer = op.integer and all(arg.integer for arg in args)
        if self.written:
            self._share(find_applied(op, args, key), shape)
            agreed, equal = self._shape(shape), self._pairs(where)
        else:
            ruled, equal = op.result_shape(tuple(arg.shape for arg in args), attributes)
            agreed = self._agreed(shape, ruled)
        self.nodes[number] = apply(op, args, key, agreed, integer, equal)

    def _term(self, role: str, name: str, value: str, call: str, shape: str, where: str | None) -> None:
        family, args, options = self._read_call(call)
        distribution = self._known(self.distributions, family, "distribution")
        if callable(distribution):  # of a family that the text says more of than its name
            distribution, options = distribution(args, options, self._known_distribution)
        law = Law(distribution, args, self._shape(shape), equalities=self._pairs(where), **options)
        node = self.nodes[value.removeprefix("%")]
        if not isinstance(node, Variable if role == "latent" else Data):
            raise InternalError(f"`{name}` is {role} and its value is {node!r}")
        self.terms.append(Term(name, node, law))

    def _derived(self, name: str, value: str) -> None:
        self.derived[name] = self._node(ast.parse(_as_python(value), mode="eval").body)

    # -- bodies ---------------------------------------------------------------------------------
    def _body(self, number: str, kinds: str) -> None:
        found = _KIND.findall(kinds)
        self.parameters = [bound(k, self._shape(shape), kind == "int") for k, (kind, shape) in enumerate(found)]
        self.around, self.nodes = self.nodes, {}
        self.bodies[int(number)] = None  # type: ignore[assignment]

    def _inside(self, line: str) -> None:
        call = _CALL.fullmatch(line)
        if call:
            self._call(**call.groupdict())
            return
        given = _GIVE.fullmatch(line)
        if given is None:
            raise InternalError(f"no line of a body: {line!r}")
        tree = ast.parse(f"({_as_python(given['values'])},)", mode="eval").body
        results = [self._node(part) for part in getattr(tree, "elts", [])]
        self.bodies[len(self.bodies) - 1] = body(self.parameters, results)
        self.nodes = self.around

    # -- calls ----------------------------------------------------------------------------------
    def _read_call(self, text: str) -> tuple[str, tuple[Node, ...], dict[str, Any]]:
        tree = ast.parse(_as_python(text), mode="eval").body
        if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
            raise InternalError(f"no call: {text!r}")
        args = tuple(self._node(arg) for arg in tree.args)
        # Bounds of a law are nodes, every other keyword is a plain value.
        options = {
            key.arg or "": self._node(key.value) if key.arg in ("lower", "upper") else self._plain(key.value)
            for key in tree.keywords
        }
        return tree.func.id, args, options

    def _node(self, tree: ast.expr) -> Node:
        if isinstance(tree, ast.Name) and tree.id.startswith("node_"):
            return self.nodes[tree.id.removeprefix("node_")]
        if isinstance(tree, ast.Name) and tree.id.startswith("bound_"):
            return self.parameters[int(tree.id.removeprefix("bound_"))]
        value = self._plain(tree)
        return extent(value) if isinstance(value, Size) else literal(value)

    def _plain(self, tree: ast.expr) -> Any:
        if isinstance(tree, ast.Tuple):
            return tuple(self._plain(part) for part in tree.elts)
        if isinstance(tree, ast.Call) and getattr(tree.func, "id", "") == "body":
            return self.bodies[ast.literal_eval(tree.args[0])]
        if isinstance(tree, ast.Call):  # length("n0+1")
            return self._size(ast.literal_eval(tree.args[0]))
        if isinstance(tree, ast.Name) and tree.id == "inf":
            return math.inf
        if isinstance(tree, ast.UnaryOp) and isinstance(tree.operand, ast.Name):
            return -self._plain(tree.operand)
        return ast.literal_eval(tree)

    def _known_distribution(self, name: str) -> Any:
        return self._known(self.distributions, name, "distribution")

    def _known(self, table: Mapping[str, Any], name: str, what: str) -> Any:
        if name not in table:
            raise UndeclaredError(what, name)
        return table[name]

    # -- lengths of an exact text ---------------------------------------------------------------
    def _length(self, name: str, today: str, rank: str, axis: str, hint: str) -> None:
        ranks = {word: number for number, word in RANKS.items()}
        symbol = Symbol(ast.literal_eval(hint), int(today), ranks[rank], int(axis))
        self.written[name] = lambda: symbol

    def _computed(self, name: str, call: str) -> None:
        tree = ast.parse(_as_python(call), mode="eval").body
        if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name) or tree.func.id not in RULES:
            raise InternalError(f"no rule of a length: {call!r}")
        family, arguments, serial = tree.func.id, tree.args, new_serial()

        def make() -> Symbol:
            parts = [self._plain(part) for part in arguments]
            of = tuple(part for part in parts if isinstance(part, Size))
            rule = LengthRule(family, tuple(parts[len(of) :]))
            return Symbol("", rule(*(size.today for size in of)), COMPUTED, 0, rule, of, serial)

        self.written[name] = make

    def _equal(self, pair: str) -> None:
        self.equalities += self._pairs(pair)

    def _pairs(self, where: str | None) -> tuple[Equality, ...]:
        pairs = [pair.split(" = ") for pair in where.split(", ")] if where else []
        return tuple((self._size(left), self._size(right)) for left, right in pairs)

    def _share(self, known: Node | None, text: str) -> None:
        """Let a node that is there already, for it hangs on numbers alone, say what its lengths are."""
        parts = text.split(", ") if text else []
        for part, size in zip(parts, known.shape if known is not None else (), strict=False):
            if part in self.written and part not in self.sizes:
                self.sizes[part] = size

    # -- lengths --------------------------------------------------------------------------------
    def _size(self, text: str) -> Size:
        total = Size()
        for part in text.split("+"):
            k, _, name = part.rpartition("*")
            total = total + (self._named(name).scaled(int(k or 1)) if name.startswith("n") else Size(int(name)))
        return total

    def _named(self, name: str) -> Size:
        if name not in self.sizes and self.written:
            self.sizes[name] = Size.of(self.written[name]())
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
    """Write the text's own tokens as Python: `%3` and `@0` as names, `#n0+1` as a call, strings as they are."""

    def token(found: re.Match[str]) -> str:
        word = found.group()
        names = {"%": f"node_{word[1:]}", "@": f"bound_{word[1:]}", "#": f"length('{word[1:]}')"}
        return names.get(word[0], word)

    return _TOKENS.sub(token, text)
