"""Which latents are random effects, and which of a model's latents a call integrates out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from scistan.distributions.innovations import has_innovations
from scistan.distributions.resolve import value_domain
from scistan.distributions.standard import frame_of
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.graph.walk import has_latents, topological
from scistan.inference.point.joint import scaled_by_hand
from scistan.messages import marginal as messages

__all__ = ["Integrated", "choose_integrated", "is_normal", "random_effects"]

_NORMAL = frozenset(
    {"Normal", "StdNormal", "MultivariateNormalCov", "MultivariateNormalChol", "MultivariateNormalPrec"}
)


@dataclass(frozen=True, slots=True)
class Integrated:
    """The latents that are integrated out, and those of them whose distribution counts where priors do not."""

    names: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


def random_effects(instance: Instance) -> tuple[str, ...]:
    """Name the normal latents with a latent scale, covariance or location, and those times a latent scale by hand."""
    normal = [term for term in instance.graph.latents if is_normal(term.law)]
    by_hand = scaled_by_hand(instance, {term.value for term in normal})
    return tuple(t.name for t in normal if t.value in by_hand or any(map(has_latents, t.law.args)))


def choose_integrated(instance: Instance, integrate: object, verb: str) -> Integrated:
    """Read what was asked for; what cannot be integrated is refused by name, and what has no numbers is left."""
    found = _asked(instance, integrate, verb)
    empty = {t.name for t in instance.graph.latents if 0 in instance.shape(t.law.shape)}
    return Integrated(*(tuple(name for name in names if name not in empty) for names in (found.names, found.kept)))


def _asked(instance: Instance, integrate: object, verb: str) -> Integrated:
    graph = instance.graph
    if integrate is False:
        return Integrated()
    effects = random_effects(instance)
    if integrate == "auto":
        return Integrated(effects, effects)
    if integrate == "reml":
        if verb != "mle":
            raise messages.reml_of_what()
        return Integrated((*_coefficients(graph, effects), *effects), effects)
    if integrate is True:
        names = tuple(t.name for t in graph.latents if _is_free(t.law))
        return Integrated(names, names)
    names = tuple(_named(graph, integrate))  # type: ignore[arg-type]
    return Integrated(names, names)


def _named(graph: Graph, names: Iterable[str]) -> Iterable[str]:
    terms = {term.name: term for term in graph.latents}
    asked = [names] if isinstance(names, str) else list(names)
    for name in asked:
        if name not in terms:
            raise messages.unknown_latent(name, terms)
        if not _is_free(terms[name].law):
            raise messages.cannot_integrate(name, value_domain(terms[name].law).words)
    return (name for name in terms if name in asked)


def is_normal(law: Law) -> bool:
    """Tell whether a latent is normal, an element of it or all, and without bounds or constraint."""
    if law.truncated or law.constraint is not None:
        return False
    rule = law.distribution.rule
    if rule is None:
        return law.distribution.name in _NORMAL
    return has_innovations(law) and all(d.name in _NORMAL for d in (rule.element, *rule.starts))


def _is_free(law: Law) -> bool:
    """Tell whether every number of a latent may be any real number."""
    if is_normal(law):
        return True
    domain = value_domain(law)
    bounded = domain.structure or domain.lower is not None or domain.upper is not None
    return not (bounded or law.truncated or law.constraint is not None or law.distribution.discrete)


def _coefficients(graph: Graph, effects: tuple[str, ...]) -> list[str]:
    """Name the free latents that only say where normal terms lie: what REML integrates beside the effects."""
    spreads = [node for term in graph.terms if term.is_observed or term.name in effects for node in _spread(term)]
    moving = set(topological(spreads))
    lie = [term for term in graph.latents if term.name not in effects and _is_free(term.law)]
    return [t.name for t in lie if t.value not in moving and not any(map(has_latents, t.law.args))]


def _spread(term: Term) -> Iterable[Node]:
    """Give the arguments of a term that say more of it than where it lies."""
    frame = frame_of(term.law)
    return [arg for arg in term.law.args if frame is None or arg is not frame.location]
