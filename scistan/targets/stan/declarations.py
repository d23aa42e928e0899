"""The parameters block: each latent with its constrained type, and the few types Stan 2.35 lacks."""

from __future__ import annotations

from scistan.constrained import TYPES, ConstrainedType, StanMade
from scistan.distributions.resolve import value_domain
from scistan.distributions.standard import is_zero, sampled_frame
from scistan.domains import Domain
from scistan.errors import UnsupportedError
from scistan.graph.graph import Term
from scistan.graph.node import Node
from scistan.graph.places import first_place
from scistan.shapes import Shape
from scistan.targets.coordinates import Coordinates
from scistan.targets.stan.data_block import sized_type
from scistan.targets.stan.declared_latent import DeclaredLatent
from scistan.targets.stan.innovations import from_innovations
from scistan.targets.stan.lower import NeedsStatements, Scope, canonical_type
from scistan.targets.stan.standard import from_standard
from scistan.targets.stan.syntax import Assign, Declare, Statement, TargetPlus, Type, name, number
from scistan.targets.values import NUMPY

__all__ = ["declare_parameter"]

def declare_parameter(scope: Scope, transformed: Scope, term: Term) -> DeclaredLatent:
    """Declare a latent; `scope` may only write expressions, `transformed` is the transformed parameters block.

    Stan's offset and multiplier serve where they can be written as expressions of scalars and containers of
    numbers; every other non-centred latent is made from a standard one.
    """
    if term.law.noncentred and term.law.distribution.rule is not None:
        return from_innovations(transformed, term)
    frame = sampled_frame(term.law)
    if frame is not None and frame.is_matrix:
        return from_standard(transformed, term, frame)
    try:
        return _declare(scope, transformed, term)
    except NeedsStatements:
        if frame is not None:
            return from_standard(transformed, term, frame)
        gap = UnsupportedError(
            f"Stan cannot declare `{term.name}`: its bounds are not a single expression of earlier parameters.",
            remedy="give the bound as a latent or a simple expression of latents",
            place=first_place(term.value),
        )
        scope.writer.note_gap(gap)
        kind = canonical_type(term.law.shape)
        _enter(scope, term, kind)
        return DeclaredLatent(term, Declare(sized_type(kind, term.law.shape, scope.writer.sizes), term.name, node=term))


def _declare(scope: Scope, transformed: Scope, term: Term) -> DeclaredLatent:
    domain = value_domain(term.law)
    shape = term.law.shape
    if domain.structure:
        written = TYPES[domain.structure].stan
        if isinstance(written, StanMade):
            return _from_free(transformed, term, TYPES[domain.structure], written)
        kind = _structured_type(domain, shape)
        arrays = [scope.writer.sizes.text(s) for s in shape[: len(shape) - domain.event_rank]]
        text = f"{written.name}[{scope.writer.sizes.text(shape[-1])}]"
        declared = f"array[{', '.join(arrays)}] {text}" if arrays else text
    else:
        kind = canonical_type(shape)
        declared = sized_type(kind, shape, scope.writer.sizes, _constraint(scope, term, domain))
    _enter(scope, term, kind)
    return DeclaredLatent(term, Declare(declared, term.name, node=term))


def _enter(scope: Scope, term: Term, kind: Type) -> None:
    scope.writer.variables[term.value] = name(term.name, kind)


def _structured_type(domain: Domain, shape: Shape) -> Type:
    base = "vector" if domain.event_rank == 1 else "matrix"
    return Type(base, len(shape) - domain.event_rank)


def _constraint(scope: Scope, term: Term, domain: Domain) -> str:
    frame = sampled_frame(term.law)
    if frame is not None:
        texts = [scope.container(node, term.law.shape).text for node in frame.nodes]
        sides = [f"{side}={text}" for side, text in zip(("offset", "multiplier"), texts, strict=True)]
        return f"<{', '.join(sides[is_zero(frame.location):])}>"
    parts = [
        f"{side}={_bound(scope, bound, term.law.shape)}"
        for side, bound in (("lower", domain.lower), ("upper", domain.upper))
        if bound is not None
    ]
    return f"<{', '.join(parts)}>" if parts else ""


def _bound(scope: Scope, bound: object, shape: Shape) -> str:
    if isinstance(bound, Node):
        expr = scope.container(bound, shape)
        # Inside < > a comparison sign would end the constraint.
        return expr.text if ">" not in expr.text and "<" not in expr.text else f"({expr.text})"
    value = float(bound)  # type: ignore[arg-type]
    return number(int(value) if value == int(value) else value).text


def _from_free(scope: Scope, term: Term, kind: ConstrainedType, made: StanMade) -> DeclaredLatent:
    """Make vectors of a type that Stan 2.35 lacks from one free number less each.

    `scope` is the transformed parameters block.
    """
    shape = term.law.shape
    sizes, names = scope.writer.sizes, scope.writer.names
    type_ = _structured_type(kind.domain, shape)
    free = names.claim(f"{term.name}_free")
    free_shape = (*shape[:-1], shape[-1] - 1)
    for function, code in made.functions.items():
        scope.writer.need(function, code, term)
    indices = tuple(names.claim_index(k) for k in range(len(shape) - 1))
    at = f"[{', '.join(indices)}]" if indices else ""
    value = made.value.format(free=f"{free}{at}")
    _enter(scope, term, type_)
    scope.writer.transformed.add(term.value)
    declared = Declare(sized_type(type_, shape, sizes), term.name, "" if indices else value, node=term)
    filled = scope.loops(shape[:-1], indices, (Assign(f"{term.name}{at}", value, term),)) if indices else ()
    scope.statements += [declared, *filled]
    jacobian: tuple[Statement, ...] = ()
    if made.jacobian:
        last = f"{term.name}[{', '.join((*indices, sizes.text(shape[-1])))}]"
        jacobian = scope.loops(shape[:-1], indices, (TargetPlus(last, term),))
    return DeclaredLatent(
        term,
        Declare(sized_type(type_, free_shape, sizes), free, node=term),
        jacobian,
        free,
        lambda value, _: Coordinates(kind, value.shape[-1:], NUMPY).unconstrain(value),
    )
