"""Lower nodes to Stan expressions inside a block, naming what is shared and looping where nothing else will do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from scistan.errors import UnsupportedError
from scistan.graph.body import Bound
from scistan.graph.graph import Graph
from scistan.graph.node import Apply, Data, Extent, Literal, Node, Variable
from scistan.graph.walk import topological, use_counts
from scistan.ops.declaration import AlongAxis, Call, Op, Template
from scistan.shapes import ONE, Shape
from scistan.targets.stan.data_block import Reader, sized_type
from scistan.targets.stan.elementwise import expand
from scistan.targets.stan.fill import filled, loops
from scistan.targets.stan.lowered import Lowered
from scistan.targets.stan.names import Names, SizeNames
from scistan.targets.stan.syntax import (
    INT,
    MATRIX,
    REAL,
    VECTOR,
    Declare,
    Expr,
    Statement,
    Type,
    array_of,
    name,
    number,
)

__all__ = ["NeedsStatements", "Scope", "Writer", "canonical_type", "value_args"]

LONGEST = 160  # an expression longer than this gets a name, which also keeps the text linear in the graph
LONGEST_NAME = 48
DEEPEST = 12


class NeedsStatements(Exception):  # noqa: N818
    """A value needs a loop where only an expression may stand (the parameters block)."""


@dataclass(slots=True)
class Writer:
    """What all blocks of a program share; `lower_op` is how ops are written."""

    lower_op: Callable[[Scope, Apply], Lowered]
    graph: Graph
    names: Names
    sizes: SizeNames
    entries: Reader
    variables: dict[Node, Expr] = field(default_factory=dict)  # latents and named derived quantities
    data_only: dict[Node, bool] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)
    origins: dict[str, object] = field(default_factory=dict)  # what each function was taken in for
    transformed: set[Node] = field(default_factory=set)  # latents that come from a free variable
    own_names: dict[Node, str] = field(default_factory=dict)  # derived quantities not yet defined
    roles: Mapping[Node, str] = field(default_factory=dict)  # what a value is there for, where its op does not tell
    defined: set[str] = field(default_factory=set)  # names of derived quantities that are
    gaps: dict[str, UnsupportedError] = field(default_factory=dict)
    reachable: frozenset[Node] = frozenset()  # every node of the graph: what a loop need not record is not among them

    def note_gap(self, gap: UnsupportedError) -> None:
        """Note what Stan cannot express; a value lowered in two blocks is one gap."""
        self.gaps.setdefault(str(gap), gap)

    def use_functions(self, form: object, node: Node) -> None:
        """Take what an op's form calls into the functions block; what two ops share stands there once."""
        code = form.functions if isinstance(form, AlongAxis | Call | Template) else ""
        if code:
            self.need(code, code, node)

    def need(self, key: str, code: str, origin: object) -> None:
        """Take a function into the functions block, and note for what: one thing, or a list with one for each line."""
        self.functions[key] = code
        self.origins.setdefault(key, origin)

    def is_data(self, node: Node) -> bool:
        """Tell whether a value is known before sampling."""
        if node not in self.data_only:
            for n in topological([node]):
                if n not in self.data_only:
                    self.data_only[n] = not isinstance(n, Variable | Bound) and all(self.data_only[a] for a in n.args)
        return self.data_only[node]


def canonical_type(shape: Shape) -> Type:
    """Give the type a value of this rank has by default."""
    rank = len(shape)
    return REAL if rank == 0 else VECTOR if rank == 1 else array_of(MATRIX, rank - 2)


def value_args(node: Node) -> tuple[Node, ...]:
    """Give the arguments that are lowered as values; positions are read from the data instead."""
    if isinstance(node, Apply) and node.op.name in ("index", "pick", "scatter"):
        return node.args[:1]
    if isinstance(node, Apply) and node.op.name == "scanned":
        return ()  # written by its own rule, which asks for what it reads
    return node.args


class Scope:
    """A block under construction: what has a name in it, and the statements so far."""

    def __init__(self, writer: Writer, parent: Scope | None = None, *, expressions_only: bool = False) -> None:
        self.writer = writer
        self.parent = parent
        self.expressions_only = expressions_only
        self.statements: list[Statement] = []
        self.values: dict[Node, Lowered] = {}
        self.shared: set[Node] = set()
        self.copies: dict[tuple[str, Node], Expr] = {}
        self.is_transformed_data = parent is None

    # -- reading --------------------------------------------------------------------------------
    def share(self, roots: Iterable[Node]) -> None:
        """Note which values this block uses more than once."""
        counts = use_counts(roots)
        self.shared |= {n for n, k in counts.items() if k > 1 and isinstance(n, Apply) and not _cheap(n)}

    def whole(self, node: Node) -> Expr:
        """Give a value as one expression, looping into a variable where it has no such form."""
        lowered = self._lower(node)
        if lowered.whole is None:
            return self._materialize(node, lowered)
        return lowered.whole

    def named(self, node: Node, wish: str = "") -> Expr:
        """Give a value as the name of a variable."""
        expr = self.whole(node)
        return expr if expr.is_name else self._declare(node, expr, wish)

    def canonical(self, node: Node) -> Expr:
        """Give a value as a scalar, vector or matrix, copying a stack of vectors into a matrix."""
        expr = self.whole(node)
        if expr.type.rank == 0 or expr.type == canonical_type(node.shape):
            return expr
        key = ("matrix", node)
        if key not in self.copies:
            self.copies[key] = self._materialize(node, self._lower(node), keep=True)
        return self.copies[key]

    def element(self, node: Node, indices: tuple[str, ...]) -> Expr:
        """Give one element of a value, at indices that count from 1."""
        return self._lower(node).element(indices)

    def is_costly(self, node: Node) -> bool:
        """Tell whether a value is computed where it is written, so that a loop should find it done."""
        return isinstance(node, Apply) and not _cheap(node) and not self.whole(node).is_name

    def broadcast_element(self, node: Node, indices: tuple[str, ...]) -> Expr:
        """Give one element of a value that is broadcast to as many axes as there are indices."""
        own = indices[len(indices) - len(node.shape) :]
        return self.element(node, tuple("1" if s == ONE else i for s, i in zip(node.shape, own, strict=True)))

    def container(self, node: Node, shape: Shape) -> Expr:
        """Give a value as a scalar, or as a container of exactly `shape`."""
        return expand(self, node, self.whole(node), shape)

    def define(self, derived: Mapping[str, Node]) -> None:
        """Define the user's quantities under their own names, those that have not been already."""
        derived = {text: node for text, node in derived.items() if text not in self.writer.defined}
        self.writer.defined |= derived.keys()
        self.share(derived.values())
        for text, node in derived.items():
            self.writer.own_names.setdefault(node, text)
        for text, node in derived.items():
            value = self.whole(node)
            if value.text != text:  # not given its name on the way
                kind = canonical_type(node.shape) if value.type.rank == 0 or not value.type.arrays else value.type
                self.statements.append(Declare(sized_type(kind, node.shape, self.writer.sizes), text, value.text, node))
                value = name(text, kind)
                self.writer.own_names.pop(node, None)
            self.writer.variables.setdefault(node, value)
            self.values.pop(node, None)

    # -- lowering -------------------------------------------------------------------------------
    def _find(self, node: Node) -> Lowered | None:
        scope: Scope | None = self
        while scope is not None:
            if node in scope.values:
                return scope.values[node]
            scope = scope.parent
        return None

    def _lower(self, node: Node) -> Lowered:
        for pending in self._pending(node):
            if pending in self.values:  # written meanwhile, by a loop that gives several values
                continue
            try:
                self.values[pending] = self._named_if_wanted(pending, self._lower_one(pending))
            except UnsupportedError as gap:  # go on with a stand-in, to find what else there is
                self.writer.note_gap(gap)
                self.values[pending] = _named(name("unsupported", canonical_type(pending.shape)))
        found = self._find(node)
        if found is None:
            raise KeyError(f"{node!r} was not lowered")
        return found

    def _pending(self, root: Node) -> list[Node]:
        order: list[Node] = []
        done: set[Node] = set()
        stack: list[tuple[Node, bool]] = [(root, False)]
        while stack:
            node, expanded = stack.pop()
            if node in done or self._find(node) is not None:
                continue
            if expanded:
                done.add(node)
                order.append(node)
                continue
            stack.append((node, True))
            if not self._belongs_to_data(node):
                stack.extend((arg, False) for arg in reversed(value_args(node)))
        return order

    def _belongs_to_data(self, node: Node) -> bool:
        return not self.is_transformed_data and isinstance(node, Apply) and self.writer.is_data(node)

    def _lower_one(self, node: Node) -> Lowered:
        if isinstance(node, Literal):
            return _atom(number(node.value))
        if isinstance(node, Extent):
            text = self.writer.sizes.text(node.size)
            return _atom(Expr(text, INT) if text.isidentifier() else Expr(f"({text})", INT))
        if node in self.writer.variables:
            if self.expressions_only and node in self.writer.transformed:
                raise NeedsStatements  # it is not defined before the transformed parameters
            return _named(self.writer.variables[node])
        if isinstance(node, Data):
            return _named(self.writer.entries.real(node))
        if self._belongs_to_data(node):
            return self._from_data(node)
        return self._apply(node)

    def _from_data(self, node: Node) -> Lowered:
        """Compute once, in transformed data, what depends on data alone."""
        top: Scope = self
        while top.parent is not None:
            top = top.parent
        if _cheap(node) or not any(isinstance(n, Data) for n in topological([node])):
            return top._lower(node)
        return _named(top.named(node))

    def _apply(self, node: Node) -> Lowered:
        if not isinstance(node, Apply) or not isinstance(node.op, Op):
            raise KeyError(f"{node!r} has no Stan form")
        return self.writer.lower_op(self, node)

    def _named_if_wanted(self, node: Node, lowered: Lowered) -> Lowered:
        if not isinstance(node, Apply) or self.expressions_only:
            return lowered
        whole = lowered.whole
        long = whole is not None and len(whole.text) > LONGEST
        if node in self.shared or long or lowered.depth > DEEPEST:
            if whole is None:
                return _named(self._materialize(node, lowered))
            if not whole.is_name:
                return _named(self._declare(node, whole))
        return lowered

    # -- writing --------------------------------------------------------------------------------
    def _declare(self, node: Node, value: Expr, wish: str = "") -> Expr:
        if self.expressions_only:
            raise NeedsStatements
        text = self.claim(node, wish)
        kind = canonical_type(node.shape) if value.type in (INT, REAL, VECTOR, MATRIX) else value.type
        declared = sized_type(kind, node.shape, self.writer.sizes)
        self.statements.append(Declare(declared, text, value.text, node))
        variable = name(text, kind)
        self.values[node] = _named(variable)
        return variable

    def _materialize(self, node: Node, lowered: Lowered, keep: bool = False) -> Expr:
        """Fill a variable element by element; `keep` leaves the value's own form as it was."""
        if self.expressions_only:
            raise NeedsStatements
        own = lowered.whole.text.partition("[")[0] if keep and lowered.whole is not None else ""
        text = self.claim(node, f"{own}_matrix" if own.isidentifier() else "")
        kind = canonical_type(node.shape)
        indices = tuple(self.writer.names.claim_index(k) for k in range(len(node.shape)))
        variable = name(text, kind)
        value, is_data = lowered.element(indices), self.writer.is_data(node)
        self.statements += filled(self.writer.sizes, variable, node, indices, value, is_data=is_data)
        if not keep:
            self.values[node] = _named(variable)
        return variable

    def loops(self, shape: Shape, indices: tuple[str, ...], body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """Wrap statements in one loop per axis."""
        return loops(self.writer.sizes, shape, indices, body)

    def claim(self, node: Node, wish: str = "") -> str:
        """Find a good name for a value and take it."""
        names = self.writer.names
        if node in self.writer.own_names:
            return self.writer.own_names.pop(node)
        wish = wish or self.writer.roles.get(node, "")
        if wish:
            return names.claim(wish)
        if not isinstance(node, Apply):
            return names.claim_numbered("value")
        words = [w for w in map(self._known_name, node.args) if w]
        joined = node.op.name in ("index", "matmul", "multiply") and len(words) == 2
        telling = "_".join(words if joined else [node.op.name, *words[:1]])
        # Names made of names would double from level to level.
        return names.claim(telling) if words and len(telling) <= LONGEST_NAME else names.claim_numbered(node.op.name)

    def _known_name(self, node: Node) -> str:
        found = self._find(node)
        if found is not None and found.whole is not None and found.whole.is_name:
            return found.whole.text
        return self.writer.entries.known(node)




def _cheap(node: Node) -> bool:
    """Tell whether writing a value again costs nothing: an element or slice of a variable."""
    if not isinstance(node, Apply):
        return True
    if node.op.name == "transpose":
        return not isinstance(node.args[0], Apply)
    if node.op.name == "negative":
        return not node.shape and not isinstance(node.args[0], Apply)
    if node.op.name == "index":
        plain = all(item[0] != "new" for item in dict(node.attributes)["items"])  # type: ignore[attr-defined]
        return plain and not isinstance(node.args[0], Apply) and not any(len(a.shape) for a in node.args[1:])
    return False


def _atom(expr: Expr) -> Lowered:
    return Lowered(expr, lambda indices: expr)


def _named(expr: Expr) -> Lowered:
    return Lowered(expr, lambda indices: expr.at(*indices))
