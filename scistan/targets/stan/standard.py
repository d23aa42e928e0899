"""Latents made from standard ones: `theta = mu + L * theta_z`, where Stan's offset and multiplier do not reach."""

from __future__ import annotations

from typing import Any

import numpy as np

from scistan.distributions.innovations import standard_law
from scistan.distributions.standard import Frame, is_zero
from scistan.graph.graph import Term
from scistan.graph.node import Node, Variable
from scistan.graph.places import copy_places
from scistan.graph.walk import topological
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.targets.stan.data_block import sized_type
from scistan.targets.stan.declared_latent import DeclaredLatent
from scistan.targets.stan.lower import Scope, canonical_type
from scistan.targets.stan.statements import arguments_at
from scistan.targets.stan.syntax import Assign, Braces, Declare, Statement, TargetPlus, name
from scistan.targets.values import Lookup

__all__ = ["from_standard", "names_below"]

log, matmul, total, transpose = (FUNCTIONS[name] for name in ("log", "matmul", "sum", "transpose"))


def from_standard(scope: Scope, term: Term, frame: Frame) -> DeclaredLatent:
    """Write a latent in the transformed parameters `scope`, from a standard one in the parameters."""
    writer, shape = scope.writer, term.law.shape
    kind = canonical_type(shape)
    free = writer.names.claim(f"{term.name}_z")
    z = Variable(free, shape, term, None)
    copy_places(term.value, z)
    writer.variables[z] = name(free, kind)
    scope.define(names_below(scope, frame.nodes))
    declared = sized_type(kind, shape, writer.sizes)
    scope.statements += _definition(scope, term, frame, z, declared)
    writer.variables[term.value] = name(term.name, kind)
    writer.transformed.add(term.value)

    def to_free(value: np.ndarray, known: Lookup) -> np.ndarray:
        location, scale = (np.asarray(known[node].array) for node in frame.nodes)
        if frame.is_matrix:
            return np.asarray(np.linalg.solve(scale, (value - location)[..., None])[..., 0])
        return np.asarray((value - location) / scale)

    if term.law.centring is not None:  # `z` has no standard draw: the latent's own stays, and its change of variables
        return DeclaredLatent(
            term, Declare(declared, free, node=term), _change_of_variables(scope, term, frame), free, to_free
        )
    return DeclaredLatent(
        term,
        Declare(declared, free, node=term),
        free_name=free,
        to_free=to_free,
        prior=Term(free, z, standard_law(term.law), term.users),
        volume=_volume(scope, term, frame),
    )


def names_below(scope: Scope, nodes: tuple[Node, ...]) -> dict[str, Node]:
    """Find the user's derived quantities that location and scale are made of: they are written under their names."""
    below = set(topological(nodes))
    return {text: node for text, node in scope.writer.graph.derived.items() if node in below}


def _definition(scope: Scope, term: Term, frame: Frame, z: Variable, declared: str) -> list[Statement]:
    """Define the latent; what is computed on the way is local, or every draw would be saved with it."""
    inner = Scope(scope.writer, scope)
    filled = _looped(inner, term, frame, z.name)
    if not filled:
        value = inner.canonical(_whole(frame, Expression(z))).text
        if not inner.statements:
            return [Declare(declared, term.name, value, node=term)]
        filled = (Assign(term.name, value, term),)
    body = (*inner.statements, *filled)
    return [Declare(declared, term.name, node=term), *((Braces(body),) if inner.statements else body)]


def _whole(frame: Frame, z: Expression) -> Node:
    """Give the latent as one expression; vectors are rows where there are many."""
    location, scale = map(Expression, frame.nodes)
    if not frame.is_matrix:
        moved: Any = scale * z
    elif len(z.shape) == 1:
        moved = matmul(scale, z)
    else:
        moved = matmul(z, transpose(scale))
    node: Node = (moved if is_zero(frame.location) else location + moved)._scistan_node_
    return node


def _looped(scope: Scope, term: Term, frame: Frame, free: str) -> tuple[Statement, ...]:
    """Fill vectors one by one where each has its own factor, or there are more axes than a matrix has."""
    batch = term.law.shape[:-1]
    if not frame.is_matrix or (len(batch) <= 1 and len(frame.scale.shape) == 2):
        return ()
    indices = tuple(scope.writer.names.claim_index(k) for k in range(len(batch)))
    texts = arguments_at(scope, term.law, indices, term.name)
    location, scale = (texts[parameter] for parameter in term.law.distribution.location_scale)
    at = f"[{', '.join(indices)}]"
    vector = f"({location} + {scale} * {free}{at}')'"
    return scope.loops(batch, indices, (Assign(f"{term.name}{at}", vector, term),))


def _change_of_variables(scope: Scope, term: Term, frame: Frame) -> tuple[Statement, ...]:
    """Add the logarithm of how much larger the latent's space is than that of what it is partly centred by."""
    inner = Scope(scope.writer, scope)
    logarithm = log(Expression(frame.scale))
    grown = inner.whole((total(logarithm) if frame.scale.shape else logarithm)._scistan_node_).text
    return (Braces((*inner.statements, TargetPlus(grown, term))) if inner.statements else TargetPlus(grown, term),)


def _volume(scope: Scope, term: Term, frame: Frame) -> tuple[Statement, ...]:
    """Add the logarithm of how much larger the latent's space is than the standard one's."""
    inner = Scope(scope.writer, scope)
    shape = term.law.shape[:-1] if frame.is_matrix else term.law.shape
    indices = tuple(scope.writer.names.claim_index(k) for k in range(len(shape)))
    scale = arguments_at(inner, term.law, indices, term.name)[term.law.distribution.location_scale[1]]
    grown = f"sum(log(diagonal({scale})))" if frame.is_matrix else f"log({scale})"
    return (Braces((*inner.statements, *scope.loops(shape, indices, (TargetPlus(grown, term),)))),)
