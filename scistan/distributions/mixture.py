"""Mixtures: a value that comes from one of several distributions, each with its probability."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from scistan.constrained import SIMPLEX
from scistan.distributions.argument import read_argument
from scistan.distributions.declaration import REGISTRY, Distribution, Parameter, StanForm
from scistan.distributions.formulas import IMPOSSIBLE, Quantity, functions
from scistan.distributions.options import OPTIONS, set_options
from scistan.distributions.ruled_out import log_total
from scistan.distributions.series import UnformedSeries
from scistan.distributions.unnamed import Unnamed
from scistan.domains import Domain, between, integers
from scistan.graph.node import Literal, Node
from scistan.messages import mixtures as messages
from scistan.ops.coerce import as_node
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.expression import Expression, build
from scistan.shapes import values_of

__all__ = ["Mixture", "is_mixture", "log_weighted", "mixture_named"]

log, where, logsumexp, broadcast_to = functions("log", "where", "logsumexp", "broadcast_to")
greater, less, logical_and = functions("greater_equal", "less_equal", "logical_and")

_OF_LIST, _ALONG, _JOINT = "MixtureOf", "MixtureAlong", "__"
Families = tuple[Distribution, ...]


def Mixture(weights: object, components: object, **options: Any) -> Unnamed:
    """Draw from one of several distributions, each with the probability that `weights` gives it.

    `components` is a list of distributions, of any families that are all of real numbers or all of whole ones; or one
    distribution whose arguments have an axis over the components, the last.

    >>> import scistan as ss
    >>> m = ss.Model("two_groups")
    >>> m.weights = ss.Dirichlet([1.0, 1.0])
    >>> m.mu = ss.Normal(0, 5, shape=2, constraint="ordered")
    >>> m.y = ss.Mixture(m.weights, ss.Normal(m.mu, 1)).observe([-2.1, 1.9, 2.3])
    >>> m.y
    <data of shape (3,)>
    """
    along = isinstance(components, Unnamed)
    listed: list[Any] = [components] if along else _listed(components)
    for component in listed:
        _check_component(component)
    unknown = [name for name in options if name not in OPTIONS]
    if unknown:
        raise messages.unknown_option(unknown[0], OPTIONS)
    families = tuple(component.distribution for component in listed)
    _check_alike(families)
    distribution = _distribution(families, along=along)
    shares = read_argument(distribution, distribution.parameters[0], weights)
    count = shares.shape[-1]
    if not along and count.today != len(listed):
        raise messages.other_number(count.today, len(listed))
    nodes = [node for component in listed for node in component.args]
    if along:
        nodes = [_over_components(p.name, node, count) for p, node in zip(families[0].parameters, nodes, strict=True)]
    if options.get("lower") is not None or options.get("upper") is not None:
        raise messages.no_bounds()
    if options.get("constraint") is not None:
        raise messages.no_constraint()
    made = Unnamed(distribution, (shares, *nodes))
    set_options(made, options)
    return made


def _listed(components: object) -> list[object]:
    if not isinstance(components, list | tuple) or len(components) < 1:
        raise messages.no_components(components)
    return list(components)


def _check_component(component: object) -> None:
    if not isinstance(component, Unnamed):
        raise messages.no_component(component)
    title = component.distribution.title
    if isinstance(component, UnformedSeries):
        raise messages.series_component()
    if component.observation is not None:
        raise messages.observed_component(title)
    if component.distribution.improper or component.distribution.potential:
        raise messages.improper_component(title)
    bounded = component.lower is not None or component.upper is not None
    if bounded or component.constraint is not None:
        raise messages.bounded_component(title)
    if component.size is not None or component.dims is not None:
        raise messages.shaped_component(title)


def _check_alike(families: Families) -> None:
    if len({d.discrete for d in families}) > 1:
        raise messages.mixed_kinds([d.title for d in families])
    if any(d.event_rank for d in families):
        raise messages.vector_component(next(d.title for d in families if d.event_rank))


def _over_components(name: str, node: Node, count: Any) -> Node:
    """Give an argument an axis over the components; one number is the same for all of them."""
    if not node.shape:
        wide: Node = broadcast_to(Expression(node), (count,))._scistan_node_
        return wide
    if node.shape[-1].today != count.today:
        raise messages.other_axis(name, values_of(node.shape), count.today)
    return node


# -- the distribution ------------------------------------------------------------------------------
def is_mixture(d: Distribution) -> bool:
    """Tell whether a distribution is a mixture."""
    return d.name.startswith((_OF_LIST + _JOINT, _ALONG + _JOINT))


def mixture_named(name: str) -> Distribution | None:
    """Give the mixture of a name in a graph's text; None where there is none."""
    kind, *families = name.split(_JOINT)
    if kind not in (_OF_LIST, _ALONG) or not families or any(family not in REGISTRY for family in families):
        return None
    return _distribution(tuple(REGISTRY[family] for family in families), along=kind == _ALONG)


@cache
def _distribution(families: Families, *, along: bool) -> Distribution:
    parts = _parts(families, along)
    discrete = families[0].discrete
    known = all(d.log_cdf is not None and d.log_ccdf is not None for d in families)
    return Distribution(
        name=_JOINT.join([_ALONG if along else _OF_LIST, *(d.name for d in families)]),
        title="Mixture",
        doc="A value from one of several distributions.",
        parameters=(Parameter("weights", SIMPLEX), *_parameters(families, along)),
        support=_support(families, parts, along),
        discrete=discrete,
        log_density=lambda x, *args: _log_density(families, along, x, args),
        log_cdf=(lambda x, *args: logsumexp(_table(families, along, x, args, "log_cdf"), -1)) if known else None,
        log_ccdf=(lambda x, *args: logsumexp(_table(families, along, x, args, "log_ccdf"), -1)) if known else None,
        draw=_draw_along(families[0]) if along else _draw_listed(families, parts),
        stan=StanForm(),
        remark=f"Mixture of {' and '.join(d.title for d in families)}",
        public=False,
    )


def log_weighted(d: Distribution, x: Any, args: Sequence[Any]) -> Quantity:
    """Give the log of each component's weight times its density at `x`; the last axis is over components."""
    kind, *names = d.name.split(_JOINT)
    families = tuple(REGISTRY[name] for name in names)
    return _table(families, kind == _ALONG, x, args, "log_density")


def _parameters(families: Families, along: bool) -> list[Parameter]:
    if along:
        own = families[0].parameters
        return [Parameter(p.name, replace(p.domain, event_rank=p.domain.event_rank + 1)) for p in own]
    return [Parameter(f"{p.name}_{k}", p.domain) for k, d in enumerate(families, 1) for p in d.parameters]


def _parts(families: Families, along: bool) -> list[slice]:
    """Tell which arguments behind the weights belong to which component."""
    found, start = [], 0
    for d in families:
        found.append(slice(start, start + len(d.parameters)))
        start += len(d.parameters)
    return found[:1] if along else found


def _support(
    families: Families, parts: Sequence[slice], along: bool
) -> Domain | Callable[[Mapping[Any, Node]], Domain]:
    """Give all values that some component can have."""
    if all(isinstance(d.support, Domain) for d in families):
        return _union([d.support for d in families if isinstance(d.support, Domain)])

    def support(arguments: Mapping[Any, Node]) -> Domain:
        nodes = tuple(arguments.values())[1:]
        found = [d.domain(nodes[part]) for d, part in zip(families, parts, strict=True)]
        return replace(found[0], lower=_plain(found[0].lower), upper=None) if along else _union(found)

    return support


def _plain(end: object) -> object:
    """Give an end that is a number whatever data and latents are; None for any other."""
    number = end.value if isinstance(end, Literal) else end
    return number if isinstance(number, int | float) else None


def _union(domains: Sequence[Domain]) -> Domain:
    if all(domain == domains[0] for domain in domains):
        return domains[0]
    lows, highs = [_plain(d.lower) for d in domains], [_plain(d.upper) for d in domains]
    low = None if None in lows else min(lows)  # type: ignore[type-var]
    high = None if None in highs else max(highs)  # type: ignore[type-var]
    return integers(low, high) if domains[0].integer else between(low, high)


def _table(families: Families, along: bool, x: Any, args: Sequence[Any], kind: str) -> Quantity:
    weights, *rest = args
    shares = log(weights)
    parted = _parts(families, along)
    found = _support(families, parted, along)
    whole = found if isinstance(found, Domain) else found(dict(enumerate(map(as_node, args))))
    if along:
        return shares + _within(families[0], x[..., None], rest, kind, whole)
    parts = []
    for k, (d, part) in enumerate(zip(families, parted, strict=True)):
        parts.append(shares[..., k] + _within(d, x, rest[part], kind, whole))
    return build(OPS["stack"], *parts, axis=-1)


def _log_density(families: Families, along: bool, x: Any, args: Sequence[Any]) -> Quantity:
    table = _table(families, along, x, args, "log_density")
    if along:
        return logsumexp(table, -1)
    return Expression(log_total(table._scistan_node_.args))


def _within(d: Distribution, x: Any, args: Sequence[Any], kind: str, whole: Domain) -> Quantity:
    """Give a component's log density, -∞ outside its support: formulas have values there, and slopes that spread.

    No value is asked about beyond an end of the `whole` mixture's support.
    """
    formula = getattr(d, kind)
    if kind != "log_density":
        return formula(x, *args)
    support = d.domain(tuple(as_node(arg) for arg in args))
    tests = []
    if support.lower is not None and (whole.lower is None or _plain(support.lower) != whole.lower):
        tests.append((greater, support.lower))
    if support.upper is not None and (whole.upper is None or _plain(support.upper) != whole.upper):
        tests.append((less, support.upper))
    if not tests:
        return formula(x, *args)
    ends = [(test, Expression(end) if isinstance(end, Node) else end) for test, end in tests]
    inside = ends[0][0](x, ends[0][1])
    for test, end in ends[1:]:
        inside = logical_and(inside, test(x, end))
    return where(inside, formula(where(inside, x, _safe(support)), *args), IMPOSSIBLE)


def _safe(support: Domain) -> Any:
    """Give a value well inside a support."""
    low: Any
    high: Any
    low, high = (Expression(end) if isinstance(end, Node) else end for end in (support.lower, support.upper))
    if support.integer:
        return low if low is not None else high
    if low is None:
        return high - 1.0
    return low + 1.0 if high is None else 0.5 * (low + high)


# -- draws -----------------------------------------------------------------------------------------
def _chosen(rng: np.random.Generator, size: tuple[int, ...], weights: np.ndarray) -> np.ndarray:
    ends = np.cumsum(weights, axis=-1)
    return np.asarray((rng.random(size)[..., None] * ends[..., -1:] >= ends[..., :-1]).sum(-1))


def _draw_along(d: Distribution) -> Callable[..., np.ndarray]:
    def draw(rng: np.random.Generator, size: tuple[int, ...], weights: np.ndarray, *args: np.ndarray) -> np.ndarray:
        which = np.broadcast_to(_chosen(rng, size, weights), size)[..., None]
        count = np.shape(weights)[-1]
        picked = [
            np.take_along_axis(np.broadcast_to(arg, (*size, count)), which, -1)[..., 0] for arg in args
        ]
        return np.asarray(d.draw(rng, size, *picked))

    return draw


def _draw_listed(families: Families, parts: Sequence[slice]) -> Callable[..., np.ndarray]:
    def draw(rng: np.random.Generator, size: tuple[int, ...], weights: np.ndarray, *args: np.ndarray) -> np.ndarray:
        which = np.broadcast_to(_chosen(rng, size, weights), size)
        found = [np.broadcast_to(d.draw(rng, size, *args[part]), size) for d, part in zip(families, parts, strict=True)]
        return np.asarray(np.choose(which, found) if len(found) < 32 else np.select(
            [which == k for k in range(len(found))], found
        ))

    return draw

