"""Latent series made from their innovations: `level = …` in the transformed parameters, of a standard `level_z`."""

from __future__ import annotations

import numpy as np

from scistan.distributions.innovations import innovations_of, standard_law
from scistan.graph.graph import Term
from scistan.graph.node import Node, Variable
from scistan.graph.places import copy_places
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.targets.evaluate import Evaluator
from scistan.targets.stan.data_block import sized_type
from scistan.targets.stan.declared_latent import DeclaredLatent
from scistan.targets.stan.lower import Scope, canonical_type
from scistan.targets.stan.standard import names_below
from scistan.targets.stan.syntax import Assign, Braces, Declare, Statement, TargetPlus, name

__all__ = ["from_innovations"]


def from_innovations(scope: Scope, term: Term) -> DeclaredLatent:
    """Write a latent series in the transformed parameters `scope`, from its innovations in the parameters."""
    writer, law = scope.writer, term.law
    kind = canonical_type(law.shape)
    free = writer.names.claim(f"{term.name}_z")
    z = Variable(free, law.shape, term, None)
    copy_places(term.value, z)
    writer.variables[z] = name(free, kind)
    scope.define(names_below(scope, law.args))
    declared = sized_type(kind, law.shape, writer.sizes)
    way = innovations_of(law)
    inner = Scope(writer, scope)
    value = inner.canonical(way.at(Expression(z))).text
    if inner.statements:
        filled = Braces((*inner.statements, Assign(term.name, value, term)))
        scope.statements += [Declare(declared, term.name, node=term), filled]
    else:
        scope.statements.append(Declare(declared, term.name, value, node=term))
    writer.variables[term.value] = name(term.name, kind)
    writer.transformed.add(term.value)

    def to_free(value: np.ndarray, known: Evaluator) -> np.ndarray:
        known.set(way.x, value, batched=False)
        return np.asarray(known[way.standard].array)

    return DeclaredLatent(
        term,
        Declare(declared, free, node=term),
        free_name=free,
        to_free=to_free,
        prior=Term(free, z, standard_law(law), term.users),
        volume=_volume(scope, term, way.log_scale_of(term.value)),
    )


def _volume(scope: Scope, term: Term, scales: Node) -> tuple[Statement, ...]:
    """Add the logarithm of how much larger the space of the series is than that of its innovations."""
    inner = Scope(scope.writer, scope)
    grown = inner.whole(FUNCTIONS["sum"](Expression(scales))._scistan_node_).text
    return (Braces((*inner.statements, TargetPlus(grown, term))),)
