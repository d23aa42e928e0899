"""What an op is: one declaration says its shape rule and how each target writes it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from scistan.domains import Domain
from scistan.graph.node import Apply, Node, apply, find_applied
from scistan.messages import arguments as messages
from scistan.ops.axes import AxesRule
from scistan.shapes import Equality, Shape, SizeConflict, broadcast, values_of

__all__ = [
    "REGISTRY", "AlongAxis", "Call", "Chosen", "Gap", "Gradient", "Infix", "Never", "NotYet", "Op", "Reduction",
    "Slope", "Template", "declare", "elementwise_shape",
]

Attributes = Mapping[str, Hashable]
ShapeRule = Callable[[tuple[Shape, ...], Attributes], tuple[Shape, tuple[Equality, ...]]]
Implementation = str | Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Gap:
    """A library cannot compute an op, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Call:
    """Stan: a function of this name; `vectorizes` says whether it takes containers elementwise."""

    name: str
    vectorizes: bool = True
    functions: str = ""


@dataclass(frozen=True, slots=True)
class Infix:
    """Stan: an infix operator, and the one that takes two containers element by element ("" where there is none)."""

    symbol: str
    container: str
    precedence: int
    scalar_right: bool = True  # container ∘ scalar exists with the plain symbol
    scalar_left: bool = True


@dataclass(frozen=True, slots=True)
class Template:
    """Stan: text with `{0}`, `{1}`, … for the arguments; `functions` defines what it calls."""

    text: str
    vectorizes: bool = False
    functions: str = ""


@dataclass(frozen=True, slots=True)
class Reduction:
    """Stan: a function that makes one number of a container; the op has the attributes `axes` and `keepdims`."""

    name: str
    in_turn: bool = True  # one axis after the other gives the same as several at once
    vectors_only: bool = False  # matrices and arrays are laid out as a vector for it


@dataclass(frozen=True, slots=True)
class AlongAxis:
    """Stan: a function that makes a vector of a vector, for every row or column; the op has the attribute `axis`."""

    name: str
    functions: str = ""


StanForm = Call | Infix | Template | Reduction | AlongAxis


@dataclass(frozen=True, slots=True)
class Never:
    """No slope, and why: what comes out jumps, or never depends on the argument by degrees."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotYet:
    """A slope that exists and has no formula here: asking for it is refused with this reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """The slope `share` where `mask` is not 0, and 0 elsewhere whatever the argument is there."""

    mask: str
    share: str = "1"


# The derivative in one argument of an elementwise op: a formula as users write it, in the names of the arguments
# (`x`, `y`, `z` where none are declared) and `out`, or a function of the result and the arguments.
Slope = str | Callable[..., Any] | Chosen | Never | NotYet
# A slope for each argument; or, for an op along axes, `rule(upstream, out, *arguments, **attributes)`, which gives
# what goes back to each argument.
Gradient = Slope | tuple[Slope, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """An operation on values: declared once, lowered everywhere.

    `numpy` and `torch` are a dotted name in that library (`scipy.special:gammaln` names another
    module) or a function of the library and the arrays. `jax.numpy` speaks as NumPy does, so `jax` is only said
    where NumPy's form does not do there. A leading axis over draws is added by the
    evaluator: an elementwise op needs nothing for that, any other counts its axes from the end.
    `stan` is None for products, shaping and indexing, whose text hangs on types: `targets/stan/lower_ops.py`.
    """

    name: str
    doc: str
    numpy: Implementation
    torch: Implementation
    jax: Implementation | Gap = ""  # "": as NumPy, with `jax.scipy` for SciPy
    stan: StanForm | None = None
    arity: int | None = 1
    arguments: tuple[str, ...] = ()  # what the arguments are called, where `x`, `y`, `z` would not tell
    shape: ShapeRule | None = None  # None: elementwise
    axes: AxesRule | None = None  # how axes run through it, where it has a shape rule; None: nothing is known
    stacks: bool = False  # takes an axis in front of its first argument's own, which changes nothing else
    commutes: bool = False  # two arguments may change places
    integer: bool = False  # whole numbers in, whole numbers out
    python: str = ""  # the operator method this op answers to
    answers: tuple[str, ...] = ()  # the NumPy functions that become this op
    latex: str = ""
    takes: Domain | None = None  # where its argument must lie for it to have a value; None: anywhere
    gradient: Gradient | None = None  # how slopes go back through it; None: nobody said (a user's own op)
    carries: bool = False  # its gradient only moves and adds what comes: so it does with marks of what is wanted
    saturates: bool = False  # near 1, where what a difference leaves has no digits: points there tell nothing
    public: bool = True
    binds: bool = False  # is run with all that is known of its node: targets/bound.py knows how
    random: bool = False  # another value in every draw, whatever it depends on

    @property
    def elementwise(self) -> bool:
        return self.shape is None

    def form(self, column: str) -> Implementation | Gap:
        """Give how a library computes this op, or why it cannot."""
        declared: Implementation | Gap = getattr(self, column)
        if declared or column != "jax":
            return declared
        return f"jax.{self.numpy}" if isinstance(self.numpy, str) and ":" in self.numpy else self.numpy

    def build(self, args: tuple[Node, ...], attributes: Attributes | None = None) -> Apply:
        """Apply this op to nodes; a shape error is the user's and is told in their terms."""
        key = tuple(sorted((attributes or {}).items()))
        known = find_applied(self, args, key)
        if known is not None:
            return known
        if self.arity is not None and len(args) != self.arity:
            raise messages.wrong_argument_count(self.name, self.arity, len(args))
        self._check_attributes(attributes or {})
        shape, equal = self.result_shape(tuple(arg.shape for arg in args), attributes or {})
        integer = self.integer and all(arg.integer for arg in args)
        return apply(self, args, key, shape, integer, equal)

    def _check_attributes(self, attributes: Attributes) -> None:
        """Find a caller of ours that forgets an attribute here, not where the node is first evaluated."""
        needed, known = _attributes_of(self)
        missing = sorted(needed - attributes.keys())
        unknown = sorted(attributes.keys() - known) if known is not None else []
        if missing or unknown:
            raise TypeError(f"{self.name}: attributes missing: {missing}, unknown: {unknown}")

    def result_shape(self, shapes: tuple[Shape, ...], attributes: Attributes) -> tuple[Shape, tuple[Equality, ...]]:
        """Give the shape of the result, and the equalities of sizes that it rests on."""
        try:
            return (self.shape or elementwise_shape)(shapes, attributes)
        except SizeConflict:
            raise messages.shapes_do_not_broadcast(self.name, [values_of(s) for s in shapes]) from None


@cache
def _attributes_of(op: Op) -> tuple[frozenset[str], frozenset[str] | None]:
    """Give the keywords that an op's function must be given, and all that it knows; None where that is not told."""
    if not callable(op.numpy):
        return frozenset(), None
    try:
        given = inspect.signature(op.numpy).parameters.values()
    except (TypeError, ValueError):
        return frozenset(), None
    by_keyword = [p for p in given if p.kind is p.KEYWORD_ONLY]
    open_ended = any(p.kind is p.VAR_KEYWORD for p in given)
    needed = frozenset(p.name for p in by_keyword if p.default is p.empty)
    return needed, None if open_ended or not by_keyword else frozenset(p.name for p in by_keyword)


def elementwise_shape(shapes: tuple[Shape, ...], _: Attributes) -> tuple[Shape, tuple[Equality, ...]]:
    """Unite the arguments' shapes as NumPy does."""
    return broadcast(*shapes)


REGISTRY: dict[str, Op] = {}


def declare(name: str, doc: str, **fields: Any) -> Op:
    """Declare an op and enter it in the registry, from which everything else is derived."""
    op = Op(name=name, doc=doc, **fields)
    REGISTRY[name] = op
    return op
