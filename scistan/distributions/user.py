"""Distributions of the user's own, declared as SciStan's are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scistan import domains
from scistan.constrained import TYPES
from scistan.distributions.constructor import CONSTRUCTORS, Constructor
from scistan.distributions.declaration import REGISTRY, Distribution, Formula, Parameter, StanForm, Undrawn, declare
from scistan.distributions.own import OwnFormula
from scistan.domains import Domain
from scistan.given import check_field, is_name
from scistan.graph.places import user_place
from scistan.messages import arguments as messages
from scistan.messages.values import as_given
from scistan.ops.own_stan import note_own_stan

__all__ = ["DOMAINS", "declare_distribution"]

DOMAINS: dict[str, Domain] = {
    "real": domains.REAL,
    "positive": domains.POSITIVE,
    "non_negative": domains.NON_NEGATIVE,
    "unit": domains.UNIT,
    "open_unit": domains.OPEN_UNIT,
    "integer": domains.INTEGER,
    "count": domains.COUNT,
    "binary": domains.BINARY,
    "vector": domains.VECTOR,
    "positive_vector": domains.POSITIVE_VECTOR,
    "count_vector": domains.COUNT_VECTOR,
    "matrix": domains.MATRIX,
    **{kind.public_name: kind.domain for kind in TYPES.values() if kind.public_name},
}
"""The domains that parameters and values can be said to lie in, by their names."""

_declared_here: set[str] = set()


def declare_distribution(
    name: str,
    doc: str,
    *,
    parameters: Mapping[str, str | Domain],
    support: str | Domain,
    log_density: Formula,
    draw: Callable[..., Any] | None = None,
    stan: str | StanForm = "",
    rng: str = "",
    log_cdf: Formula | None = None,
    log_ccdf: Formula | None = None,
    scipy: Callable[..., Any] | None = None,
    event_like: str = "",
    location_scale: tuple[str, str] | None = None,
) -> Constructor:
    """Declare a distribution of one's own and give what constructs it.

    `parameters` maps each argument to the domain it must lie in, `support` is the domain of the value; both by name
    or as a `Domain`. `log_density(value, *arguments)` is written in SciStan's operations: it is the definition on
    every target, for one value: what holds of a vector holds of each of several. `draw(rng, size, *arguments)` draws
    with NumPy; without it a model can be fitted, and neither its prior nor its predictions be drawn. `stan` names a
    distribution that Stan has; without one the density is written out. `rng` is Stan text that draws one value, with
    `{argument}` for each argument. `log_cdf` and `log_ccdf`, with SciPy's frozen form in `scipy`, allow truncation.
    `event_like` names the argument whose last axes have the shape of one value; without it `dims=`, `shape=` or the
    values say how long one is. Declaring one's own distribution again replaces it; SciStan's names are refused.

    >>> import scistan as ss
    >>> Kumaraswamy = ss.declare_distribution(
    ...     "Kumaraswamy", "A distribution on the unit interval.", parameters={"a": "positive", "b": "positive"},
    ...     support="open_unit",
    ...     log_density=lambda x, a, b: ss.log(a * b) + (a - 1) * ss.log(x) + (b - 1) * ss.log1m(x**a),
    ...     draw=lambda rng, size, a, b: (1 - rng.random(size) ** (1 / b)) ** (1 / a))
    >>> Kumaraswamy
    ss.Kumaraswamy(a, b)
    """
    _check("name", name, "a name of Python", is_name(name))
    free = name in _declared_here or not _is_taken(name)
    _check("name", name, "a name that SciStan does not have", free)
    for field, given in {"doc": doc, "rng": rng, "event_like": event_like}.items():
        _check(field, given, "a text", isinstance(given, str))
    _check("parameters", parameters, "a dict of names and domains", isinstance(parameters, Mapping))
    for argument in parameters:
        _check("parameters", argument, "a dict whose keys are names of Python", is_name(argument))
    _check("log_density", log_density, "a function", callable(log_density))
    for field, perhaps in {"draw": draw, "log_cdf": log_cdf, "log_ccdf": log_ccdf, "scipy": scipy}.items():
        _check(field, perhaps, "a function, or None", perhaps is None or callable(perhaps))
    _check("stan", stan, "a text", isinstance(stan, str | StanForm))
    pair = isinstance(location_scale, tuple | list) and len(location_scale) == 2
    named = pair and all(isinstance(one, str) and one in parameters for one in location_scale or ())
    words = "the names of two arguments, or None"
    _check("location_scale", location_scale, words, location_scale is None or named)
    lived_in, place = _domain(support), user_place()
    lived_in_by = {key: _domain(domain) for key, domain in parameters.items()}
    ranks = tuple(domain.event_rank for domain in (lived_in, *lived_in_by.values()))
    declared = declare(
        name,
        doc,
        parameters=tuple(Parameter(key, domain) for key, domain in lived_in_by.items()),
        support=lived_in,
        log_density=OwnFormula(log_density, place, ranks),
        draw=draw if draw is not None else Undrawn(name),
        stan=stan if isinstance(stan, StanForm) else StanForm(stan, rng=rng, truncates=False, vectorizes=bool(stan)),
        scipy=scipy,
        log_cdf=log_cdf and OwnFormula(log_cdf, place, ranks),
        log_ccdf=log_ccdf and OwnFormula(log_ccdf, place, ranks),
        one_length=False,
        event_shape=_event_shape(event_like, lived_in, parameters),
        location_scale=location_scale,
    )
    _declared_here.add(name)
    note_own_stan(f"distribution `{name}`", stan if isinstance(stan, str) else "", rng)
    return _public(declared)


def _check(field: str, given: object, words: str, holds: bool) -> None:
    check_field("declare_distribution", field, given, words, holds)


def _is_taken(name: str) -> bool:
    return name in REGISTRY or name in CONSTRUCTORS


def _public(declared: Distribution) -> Constructor:
    made = Constructor(declared)
    CONSTRUCTORS[declared.name] = made
    return made


def _domain(domain: str | Domain) -> Domain:
    if isinstance(domain, Domain):
        return domain
    if not isinstance(domain, str) or domain not in DOMAINS:
        raise messages.unknown_domain(domain, DOMAINS)
    return DOMAINS[domain]


def _event_shape(like: str, support: Domain, parameters: Mapping[str, object]) -> Any:
    rank = support.event_rank
    if not rank or not like:
        return None
    if like not in parameters:
        raise messages.illegal_constant(
            "declare_distribution", "event_like", "the name of an argument", as_given(like)
        )
    return lambda arguments: arguments[like].shape[-rank:]
