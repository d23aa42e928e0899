"""What a declaration of the user's is held to: constants that last, one density per event, draws of the right shape."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scistan.constrained import TYPES
from scistan.distributions.declaration import Distribution, constant_value
from scistan.distributions.each_event import each_event
from scistan.domains import Domain
from scistan.errors import Place, ScistanError
from scistan.graph.node import Apply, Data, Node, literal
from scistan.graph.walk import leaves, rebuild, topological
from scistan.messages import declared as messages
from scistan.ops.coerce import as_node
from scistan.ops.declaration import Op
from scistan.ops.expression import Expression
from scistan.shapes import Equality, Shape, Size, Symbol, broadcast, values_of

__all__ = ["OwnFormula", "check_own"]

_SEVERAL = 7919  # a length that nothing else has
LARGEST_TRIAL = 100_000  # numbers, for a draw that only its shape is wanted of


@dataclass(frozen=True, slots=True, eq=False)
class OwnFormula:
    """A formula of the user's: NumPy numbers in it are literals, arrays the same data at every call.

    Formulas are called anew for each block and target; a leaf made at each call would be other data each time.
    """

    formula: Callable[..., object]
    place: Place | None
    ranks: tuple[int, ...] = ()  # how many axes one value has, and one of each argument
    held: dict[int, list[Data]] = field(default_factory=dict)

    def __call__(self, *args: Expression) -> Expression:
        if any(self.ranks) and not self._takes_several(args):
            return each_event(self._one, args, self.ranks)
        return self._one(*args)

    def _takes_several(self, args: tuple[Expression, ...]) -> bool:
        """Tell whether a formula of vectors serves for several at once: tried with a number of them that is no other.

        A sum over all axes, or over the first, is right for one vector and wrong for several.
        """
        nodes = [arg._scistan_node_ for arg in args]
        if all(len(node.shape) == rank for node, rank in zip(nodes, self.ranks, strict=True)):
            return True
        alone = [{k} for k in range(len(nodes))]
        return all(self._gives_several(nodes, repeated) for repeated in (*alone, set(range(len(nodes)))))

    def _gives_several(self, nodes: list[Node], repeated: set[int]) -> bool:
        """Try with some of the arguments repeated; one that the formula does not use may be left out of the result."""
        several = (Size.new(_SEVERAL),)
        tried = [
            Data(None, (several if k in repeated else ()) + node.shape[len(node.shape) - rank :], integer=node.integer)
            for k, (node, rank) in enumerate(zip(nodes, self.ranks, strict=True))
        ]
        try:
            found = as_node(self.formula(*map(Expression, tried)))
        except (ScistanError, TypeError, ValueError, IndexError):  # what is made for one vector may not take several
            return False
        used = any(tried[k] in topological([found]) for k in repeated)
        return values_of(found.shape) == ((_SEVERAL,) if used else ())

    def _one(self, *args: Expression) -> Expression:
        node = as_node(self.formula(*args))
        memo = {known: known for known in topological(arg._scistan_node_ for arg in args)}
        fresh = [leaf for leaf in leaves([node]) if isinstance(leaf, Data) and leaf not in memo and not leaf.called]
        for place, leaf in enumerate(fresh):
            memo[leaf] = self._constant(place, leaf)
        return Expression(rebuild([node], _rebuilt, memo)[node] if fresh else node)

    def _constant(self, place: int, leaf: Data) -> Node:
        if leaf.default is None:
            return leaf
        if not leaf.shape:
            return literal(leaf.default.item())
        known = self.held.setdefault(place, [])
        for one in known:
            if one.default is not None and one.integer == leaf.integer and np.array_equal(one.default, leaf.default):
                return one
        known.append(leaf)
        return leaf


def _rebuilt(node: Node, args: tuple[Node, ...]) -> Node:
    if not isinstance(node, Apply) or not isinstance(node.op, Op) or args == node.args:
        return node
    return node.op.build(args, dict(node.attributes))


def check_own(name: str, d: Distribution, args: tuple[Node, ...], shape: Shape) -> tuple[Equality, ...]:
    """Check a user's declaration where it is used; give the equalities of lengths that its density rests on."""
    if not isinstance(d.log_density, OwnFormula):
        return ()
    value = Data(None, shape, integer=d.discrete)
    density = _density(name, d, d.log_density, value, args)
    _check_draw(name, d, d.log_density.place, args, shape)
    return tuple(_equalities(density, [value, *args]))


def _density(name: str, d: Distribution, formula: OwnFormula, value: Data, args: tuple[Node, ...]) -> Node:
    """Refuse a density that is not one number for each event of what it depends on."""
    try:
        node = formula(Expression(value), *map(Expression, args))._scistan_node_
    except ScistanError:
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise messages.formula_failed(name, d.title, "log_density", why, formula.place) from error
    reached = set(topological([node]))
    ranks = [(value, d.event_rank), *((arg, p.domain.event_rank) for p, arg in zip(d.parameters, args, strict=True))]
    wanted, _ = broadcast(*(one.shape[: len(one.shape) - rank] for one, rank in ranks if one in reached))
    if values_of(node.shape) != values_of(wanted):
        raise messages.density_not_by_event(name, d.title, values_of(node.shape), values_of(wanted), formula.place)
    return node


def _equalities(density: Node, given: list[Node]) -> Iterator[Equality]:
    """Give the equalities between lengths of the value and the arguments; those of constants are nobody else's."""
    known: set[Symbol] = {symbol for node in given for size in node.shape for symbol, _ in size.terms}
    for node in topological([density]):
        for left, right in node.equalities if isinstance(node, Apply) else ():
            if known.issuperset(symbol for symbol, _ in (*left.terms, *right.terms)):
                yield left, right


def _check_draw(name: str, d: Distribution, place: Place | None, args: tuple[Node, ...], shape: Shape) -> None:
    """Draw twice, for the shape alone, at arguments inside their domains; what fails there is told when it is drawn."""
    wanted = (2, *values_of(shape))
    if math.prod(wanted) > LARGEST_TRIAL:
        return
    if not d.drawable:
        return
    size = wanted[: len(wanted) - d.event_rank]
    numbers = [_numbers(p.domain, arg, len(size)) for p, arg in zip(d.parameters, args, strict=True)]
    try:
        with np.errstate(all="ignore"):
            drawn = np.shape(d.draw(np.random.default_rng(0), size, *numbers))
    except Exception:
        return
    if drawn != wanted:
        raise messages.wrong_draw_size(name, d.title, drawn, wanted, size, place)


def _numbers(domain: Domain, node: Node, batch_rank: int) -> np.ndarray:
    """Give numbers as an argument has them when drawn: its own, or two draws of something inside its domain."""
    known = constant_value(node)
    if known is not None:
        return known
    lengths = values_of(node.shape)
    event = lengths[len(lengths) - domain.event_rank :]
    batch = lengths[: len(lengths) - domain.event_rank]
    padded = (2, *(1,) * (batch_rank - 1 - len(batch)), *batch, *event)
    return np.array(np.broadcast_to(_inside(domain, event), padded))


def _inside(domain: Domain, event: tuple[int, ...]) -> Any:
    if domain.structure in TYPES:
        return TYPES[domain.structure].middle(event)
    if len(event) == 2:
        return np.eye(*event)
    if domain.integer:
        return np.ones(event, np.int64)
    upper = domain.upper
    return np.full(event, 1.0 if not isinstance(upper, int | float) else 0.5 * upper)
