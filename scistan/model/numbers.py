"""Checks of numbers against the model: arguments in their domains, data in the support, indices in range."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from scistan.distributions.declaration import Distribution
from scistan.distributions.resolve import value_domain
from scistan.domains import COUNT_VECTOR, Domain
from scistan.errors import Place
from scistan.graph.body import Bound, with_insides
from scistan.graph.graph import Graph, Law
from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Data, Extent, Literal, Node
from scistan.graph.places import first_place
from scistan.graph.walk import has_latents, leaves
from scistan.messages import data as messages
from scistan.messages import recurrences
from scistan.ops.indexing import check_no_negative
from scistan.shapes import Size
from scistan.targets.evaluate import Evaluator

__all__ = ["check_arguments", "check_computed_index", "check_indices", "check_values", "numbers_at_hand"]

Numbers = Callable[[Node], np.ndarray | None]
_SHOWN = 3


def numbers_at_hand(node: Node, values: Mapping[Data, np.ndarray | None] = MappingProxyType({})) -> np.ndarray | None:
    """Give the numbers of a node that follows from the data, as `values` or as they were written; None without data."""
    if isinstance(node, Literal):
        return np.asarray(node.value)
    if isinstance(node, Data):
        return values.get(node, node.default)
    if isinstance(node, Extent):
        return np.asarray(node.size.today)
    from scistan.targets.scipy.evaluate import NUMPY

    graph = Graph(derived={"value": node})
    known = {leaf: array for leaf in graph.data if (array := values.get(leaf, leaf.default)) is not None}
    if len(known) < len(graph.data) or has_latents(node):
        return None
    with np.errstate(all="ignore"):
        return np.asarray(Evaluator(Instance(graph, known), NUMPY)[node].array)


def check_arguments(name: str, law: Law, fixed: Iterable[bool], numbers: Numbers, place: Place | None) -> None:
    """Refuse arguments outside their domains, as far as their numbers are known."""
    d: Distribution = law.distribution
    known: list[np.ndarray | None] = []
    for p, node, is_fixed in zip(d.parameters, law.args, fixed, strict=True):
        array = numbers(node) if is_fixed and p.domain.structure != "size" else None
        known.append(array)
        if array is None:
            continue
        bad = p.domain.violations(array)
        if bad.any():
            event = array[tuple(np.argwhere(bad)[0])] if bad.ndim else array
            raise messages.illegal_argument(name, d.title, p.name, p.domain.words, _shown(event), place)
    complete = [array for array in known if array is not None]
    if d.relation is None or len(complete) < len(known) or np.all(d.relation.holds(*complete)):
        return
    culprit = complete[[p.name for p in d.parameters].index(d.relation.parameter)]
    raise messages.illegal_argument(name, d.title, d.relation.parameter, d.relation.words, _shown(culprit), place)


def check_values(
    name: str, law: Law, values: np.ndarray, fixed: Callable[[Node], bool], numbers: Numbers, place: Place | None
) -> None:
    """Refuse values that the distribution cannot have given; bounds that are data count, latent ones cannot."""
    domain = value_domain(law)
    bad = domain.violations(values)
    words = domain.words
    for bound, beyond in ((domain.lower, np.less), (domain.upper, np.greater)):
        limit = numbers(bound) if isinstance(bound, Node) and fixed(bound) else None
        if limit is not None:
            bad = bad | beyond(values, limit)
    total = _total(law)
    if total is not None and fixed(total):
        wanted = numbers(total)
        if wanted is not None and not bad.any():
            bad = values.sum(-1) != wanted
            words = "counts that sum to `N`"
    if not bad.any():
        return
    places = [tuple(int(i) for i in at) for at in np.argwhere(bad)[:_SHOWN]]
    shown = ", ".join(f"{_shown(values[at])} at {_where(at)}" if at else _shown(values) for at in places)
    more = int(bad.sum()) - len(places)
    described = f"{shown} and {more} more" if more > 0 else shown
    support = _bounds_in_words(law, domain, numbers, fixed) or words
    raise messages.outside_support(
        name, law.distribution.title, support, int(bad.sum()), int(bad.size), described, place,
        from_one=_counts_from_one(domain, values),
    )


def _counts_from_one(domain: Domain, values: np.ndarray) -> bool:
    """Tell whether outcomes are 1 … K where the categories, of which there are always K, are 0 … K - 1."""
    most = domain.upper if domain.integer and domain.lower == 0 else None
    return isinstance(most, int) and values.min() == 1 and values.max() == most + 1


def _total(law: Law) -> Node | None:
    """Give the total of counts in categories, where the distribution has one."""
    d: Distribution = law.distribution
    return d.named(law.args).get("N") if d.support is COUNT_VECTOR else None


def _bounds_in_words(law: Law, domain: Domain, numbers: Numbers, fixed: Callable[[Node], bool]) -> str:
    """Say the bounds that a user set or that follow from data."""
    if not law.truncated and not any(isinstance(b, Node) for b in (domain.lower, domain.upper)):
        return ""
    parts = [
        f"{word} {_bound(bound, numbers, fixed)}"
        for word, bound in (("at least", domain.lower), ("at most", domain.upper))
        if bound is not None
    ]
    return ("whole numbers " if domain.integer else "") + " and ".join(parts)


def _bound(bound: object, numbers: Numbers, fixed: Callable[[Node], bool]) -> str:
    if not isinstance(bound, Node):
        return f"{bound:g}" if isinstance(bound, int | float) else str(bound)
    limit = numbers(bound) if fixed(bound) else None
    return "its bound" if limit is None or limit.ndim else f"{limit:g}"


def check_indices(graph: Graph, instance: Instance, numbers: Numbers) -> None:
    """Refuse indices outside the axes they index, after data have been swapped."""
    for node, args in with_insides(graph.nodes):
        if not isinstance(node, Apply) or node.op.name != "index":
            continue
        for position, size in _indexed(node, args):
            at = numbers(position) if isinstance(position, Node) else np.asarray(position)
            if at is not None and isinstance(position, Node):
                check_no_negative(at, _called(position))
            worst = _outside(at, instance.length(size))
            if worst is not None:
                raise messages.index_outside(_called(position), _shown(worst), instance.length(size))


def check_computed_index(node: Apply, args: Sequence[Node]) -> None:
    """Refuse an index computed from data that is outside its axis; written numbers were checked where they stand.

    `args` are the node's own, or what they stand for inside a step, where positions are an element of what is run over.
    """
    for position, size in _indexed(node, args):
        if isinstance(position, Node) and any(isinstance(leaf, Bound) for leaf in leaves([position])):
            raise recurrences.computed_position(first_place(node))
        if isinstance(position, Apply) or position not in node.args:
            if not isinstance(position, Node):
                continue
            at = numbers_at_hand(position)
            if at is not None:
                check_no_negative(at, "", first_place(node))
            worst = _outside(at, size.today)
            if worst is not None:
                raise messages.index_outside("", _shown(worst), size.today, first_place(node))


def _called(position: Node | int) -> str:
    return position.called if isinstance(position, Data) else ""


def _indexed(node: Apply, args: Sequence[Node]) -> Iterator[tuple[Node | int, Size]]:
    """Give each position of an index with the length of the axis it indexes."""
    positions = iter(args[1:])
    items: Any = dict(node.attributes)["items"]
    for axis, item in enumerate(item for item in items if item[0] != "new"):
        if item[0] != "slice":
            yield next(positions) if item[0] == "array" else item[1], node.args[0].shape[axis]


def _outside(at: np.ndarray | None, length: int) -> np.ndarray | None:
    """Give the first position that is no whole number or outside an axis."""
    if at is None:
        return None
    bad = (at != np.floor(at)) | (at < -length) | (at >= length)
    return np.asarray(at[tuple(np.argwhere(bad)[0])] if at.ndim else at) if np.any(bad) else None


def _shown(values: np.ndarray) -> str:
    array = np.asarray(values)
    return f"{array.item():.6g}" if not array.ndim else np.array2string(array, threshold=6, precision=4)


def _where(at: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, at))}]"
