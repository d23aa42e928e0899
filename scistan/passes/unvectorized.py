"""Loops that did not become one statement, and why: what `vectorize` and `gather_lists` left as it was written."""

from __future__ import annotations

from dataclasses import dataclass

from scistan.distributions.declaration import Distribution
from scistan.graph.graph import Graph, Term
from scistan.graph.node import Data
from scistan.messages import profile as messages
from scistan.passes.vectorize import stem_of, template_of

__all__ = ["Loop", "unvectorized"]

FEWEST = 4  # terms that are worth a word


@dataclass(frozen=True, slots=True)
class Loop:
    """Terms that stand one by one though they look alike, and what keeps them apart."""

    terms: tuple[Term, ...]
    reason: str

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(term.name for term in self.terms)


def unvectorized(after: Graph) -> list[Loop]:
    """Find terms of one number each that are left after the passes: numbered alike, or of one form."""
    single = [t for t in after.terms if len(t.law.shape) == t.law.event_rank]
    groups: dict[str, list[Term]] = {}
    for term in single:
        if term.name[-1].isdigit() and stem_of(term.name):
            groups.setdefault(stem_of(term.name), []).append(term)
    found = [Loop(tuple(terms), _reason(terms)) for terms in groups.values() if len(terms) >= FEWEST]
    return found + _unnumbered([t for t in single if not t.name[-1].isdigit()])


def _reason(terms: list[Term]) -> str:
    if any(not isinstance(term.value, Data) for term in terms):
        return messages.latents_one_by_one()
    distributions: list[Distribution] = [term.law.distribution for term in terms]
    titles = list(dict.fromkeys(d.title for d in distributions))
    if len(titles) > 1:
        return messages.distributions_differ(titles)
    forms = [template_of(term, "") for term in terms]
    if any(form is None for form in forms):
        return messages.no_common_form()
    keys = {tuple(form.key) for form in forms if form is not None}
    return messages.formulas_differ() if len(keys) > 1 else messages.no_common_form()


def _unnumbered(terms: list[Term]) -> list[Loop]:
    """Find observations of one form whose names do not say that they are one of many."""
    groups: dict[tuple[object, ...], list[Term]] = {}
    for term in terms:
        if (form := template_of(term, "")) is not None:
            groups.setdefault(tuple(form.key), []).append(term)
    return [Loop(tuple(same), messages.names_not_numbered()) for same in groups.values() if len(same) >= FEWEST]
