"""A graph with some latents drawn otherwise: centred or not, in order, above a bound; the graph it came from stays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scistan.graph.graph import Law, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node, literal
from scistan.inference.summed import as_written, summed

__all__ = ["changed_draw", "changed_instance"]


def changed_draw(law: Law, given: Mapping[str, Any]) -> Law:
    """Give a draw with `centred`, `constraint`, `lower` or `upper` as one would write them."""
    fields: dict[str, Any] = {}
    for word, value in given.items():
        fields[word] = _bound(value) if word in ("lower", "upper") else value
    return replace(law, **fields)


def _bound(value: float | None) -> Node | None:
    return None if value is None else literal(float(value))


def changed_instance(instance: Instance, variables: Mapping[str, Mapping[str, Any]]) -> Instance:
    """Give the same data on a graph in which some latents are drawn otherwise."""

    def change(term: Term) -> Law:
        return changed_draw(term.law, variables[term.name]) if term.name in variables else term.law

    written = as_written(instance)
    return summed(written.on(written.graph.with_draws(change)))
