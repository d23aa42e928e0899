"""Generated quantities: the log likelihood and a predictive replicate of each observation, and the log prior."""

from __future__ import annotations

from dataclasses import dataclass

from scistan.distributions.declaration import Distribution
from scistan.distributions.density import total
from scistan.distributions.rule import pieces_of, series_pieces
from scistan.graph.graph import Term
from scistan.shapes import Shape
from scistan.targets.stan.constraint import summed_normalizer
from scistan.targets.stan.data_block import sized_type
from scistan.targets.stan.lower import Scope, canonical_type
from scistan.targets.stan.statements import arguments_at, density_at, fill, is_written_out, observed_value
from scistan.targets.stan.syntax import INT, MATRIX, REAL, VECTOR, Assign, Declare, PlusAssign, Statement, Type
from scistan.targets.stan.truncation import factor

__all__ = ["Generated", "Switches", "write_log_prior", "write_observation"]


@dataclass(frozen=True, slots=True)
class Switches:
    """What the generated quantities hold."""

    log_lik: bool = True
    predictive: bool = True
    log_prior: bool = True


@dataclass(frozen=True, slots=True)
class Generated:
    """The outputs of an observed term: their names in the program ("" where one is left out)."""

    term: Term
    log_lik: str
    predictive: str


def _batch(term: Term) -> Shape:
    return term.law.shape[: len(term.law.shape) - term.law.event_rank]


def observed_batch(term: Term) -> Shape:
    """Give the shape of the log likelihood: of a series, without the elements that are conditioned on."""
    batch, rule = _batch(term), term.law.distribution.rule
    return (batch[0] - rule.given, *batch[1:]) if rule is not None and rule.given else batch


def has_rng(term: Term) -> bool:
    """Tell whether Stan can draw from a term; bounds that truncate and constraints have no such form."""
    d: Distribution = term.law.distribution
    free = not term.law.truncated and term.law.constraint is None
    return free and bool(d.stan.rng or d.stan.name) and not d.improper


def _replicate_type(term: Term, scope: Scope) -> str:
    d: Distribution = term.law.distribution
    shape = term.law.shape
    if d.discrete:
        return sized_type(Type("int", len(shape)), shape, scope.writer.sizes)
    if d.event_rank == 1:
        return sized_type(Type("vector", len(shape) - 1), shape, scope.writer.sizes)
    return sized_type(canonical_type(shape), shape, scope.writer.sizes)


def write_observation(scope: Scope, term: Term, switches: Switches, only: bool) -> tuple[list[Declare], Generated]:
    """Fill the log likelihood and the replicate of one observed term; gives what must be declared on top."""
    names = scope.writer.names
    if term.law.distribution.rule is not None:
        return _write_series(scope, term, switches, only)
    batch = _batch(term)
    indices = tuple(names.claim_index(k) for k in range(len(batch)))
    at = f"[{', '.join(indices)}]" if indices else ""
    declared: list[Declare] = []
    body: list[Statement] = []
    log_lik = replicate = ""
    if switches.log_lik:
        log_lik = names.claim("log_lik" if only else f"log_lik_{term.name}")
        declared.append(Declare(sized_type(canonical_type(batch), batch, scope.writer.sizes), log_lik, node=term))
        body.append(Assign(f"{log_lik}{at}", density_at(scope, term, indices, term.name), term))
    if switches.predictive and has_rng(term):
        replicate = names.claim(f"{term.name}_rep")
        declared.append(Declare(_replicate_type(term, scope), replicate, node=term))
        body.append(Assign(f"{replicate}{at}", _rng(scope, term, indices), term))
    if body:
        scope.statements += scope.loops(batch, indices, tuple(body))
    return declared, Generated(term, log_lik, replicate)


def _write_series(scope: Scope, term: Term, switches: Switches, only: bool) -> tuple[list[Declare], Generated]:
    """Fill the log likelihood of a series, one step ahead, piece by piece; its replicates are drawn elsewhere."""
    if not switches.log_lik:
        return [], Generated(term, "", "")
    names, sizes = scope.writer.names, scope.writer.sizes
    name = names.claim("log_lik" if only else f"log_lik_{term.name}")
    shape = observed_batch(term)
    pieces = series_pieces(term)
    skipped = pieces[0].first  # elements that are conditioned on have none
    for piece in pieces:
        batch = _batch(piece.term)
        indices = tuple(names.claim_index(k) for k in range(len(batch)))
        offset = piece.first - skipped
        if len(batch) == len(shape):
            at = (f"{offset} + {indices[0]}" if offset else indices[0], *indices[1:])
        else:
            at = (str(offset + 1), *indices)
        value = density_at(scope, piece.term, indices, term.name)
        filled = (Assign(f"{name}[{', '.join(at)}]", value, term),)
        scope.statements += scope.loops(batch, indices, filled) if indices else filled
    return [Declare(sized_type(canonical_type(shape), shape, sizes), name, node=term)], Generated(term, name, "")


def _rng(scope: Scope, term: Term, indices: tuple[str, ...]) -> str:
    d: Distribution = term.law.distribution
    texts = arguments_at(scope, term.law, indices, term.name)
    if d.stan.rng_function:
        scope.writer.need(d.stan.rng, d.stan.rng_function, term)
    if d.stan.rng:
        return d.stan.rng.format(**texts)
    inner = ", ".join(t.format(**texts) for t in d.stan.arguments or tuple(f"{{{p.name}}}" for p in d.parameters))
    return f"{d.stan.name}_rng({inner})"


def write_log_prior(scope: Scope, terms: list[Term], target: str) -> None:
    """Sum the log densities of the latents, constants kept."""
    started = False
    for term in terms:
        if term.law.distribution.improper:
            continue
        if term.law.distribution.rule is not None:
            started = _series_prior(scope, term, target, started)
            continue
        out = is_written_out(term.law)  # then a constraint's part is in its formula
        batch = _batch(term) if out else term.law.shape[: len(term.law.shape) - term.law.distribution.event_rank]
        whole = _whole_density(scope, term) if batch else density_at(scope, term, ())
        if whole is not None:
            add = PlusAssign if started else Assign
            scope.statements.append(add(target, whole, term))
            started = True
        else:
            if not started:
                scope.statements.append(Assign(target, "0", term))
                started = True
            indices = tuple(scope.writer.names.claim_index(k) for k in range(len(batch)))
            body = (PlusAssign(target, density_at(scope, term, indices), term),)
            scope.statements += scope.loops(batch, indices, body)
        added = None if out else summed_normalizer(term.law)
        if added is not None:
            scope.statements.append(PlusAssign(target, scope.whole(added).text, term))
    if not started:
        scope.statements.append(Assign(target, "0", tuple(terms)))


def _series_prior(scope: Scope, term: Term, target: str, started: bool) -> bool:
    """Add the log density of a latent series, one sum for each of its pieces."""
    for piece in pieces_of(term):
        if piece.law.distribution.improper:
            continue
        whole = _whole_density(scope, piece) if _batch(piece) else density_at(scope, piece, ())
        add = PlusAssign if started else Assign
        scope.statements.append(add(target, whole or scope.whole(total(piece)).text, term))
        started = True
    return started


def _whole_density(scope: Scope, term: Term) -> str | None:
    """Write the density of a plain vector or matrix in one call."""
    law = term.law
    d: Distribution = law.distribution
    simple = not is_written_out(law) and not law.truncated and not d.event_rank and d.stan.vectorizes
    if not simple or len(law.shape) > 2:
        return None
    values = [observed_value(scope, term), *(scope.container(node, law.shape) for node in law.args)]
    if any(v.type not in (REAL, INT, VECTOR, MATRIX) for v in values):
        return None
    value, *arguments = (f"to_vector({v.text})" if v.type == MATRIX else v.text for v in values)
    texts = {p.name: text for p, text in zip(d.parameters, arguments, strict=True)}
    count = " * ".join(factor(scope.writer.sizes.text(size)) for size in law.shape)
    constant = f" + {count} * {d.stan.constant}" if d.stan.constant else ""
    return f"{d.stan.name}_lpdf({value} | {', '.join(fill(d, texts))}){constant}"
