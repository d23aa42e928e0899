"""The model block: each distribution as a vectorized statement, with its truncation as a term of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scistan.distributions.declaration import Distribution
from scistan.distributions.density import pointwise
from scistan.distributions.resolve import value_domain
from scistan.distributions.rule import pieces_of
from scistan.graph.graph import Law, Term
from scistan.graph.node import Apply, Data, Node, is_applied
from scistan.graph.walk import has_latents
from scistan.ops import FUNCTIONS
from scistan.ops.declaration import Op
from scistan.ops.expression import Expression
from scistan.shapes import ONE, Shape, is_repeated
from scistan.targets.stan.constraint import constraint_statements
from scistan.targets.stan.indexing import picked_vector
from scistan.targets.stan.lower import Scope
from scistan.targets.stan.syntax import (
    INT,
    MATRIX,
    POSTFIX,
    VECTOR,
    Comment,
    Expr,
    Statement,
    TargetPlus,
    Tilde,
    array_of,
    call,
    number,
)
from scistan.targets.stan.truncation import factor, mass_at, truncation_statements

__all__ = ["arguments_at", "density_at", "is_written_out", "observed_value", "term_statements", "together", "value_at"]


def is_written_out(law: Law) -> bool:
    """Tell whether Stan has no form of its own, so that the density is written out."""
    return not law.distribution.stan.name


def observed_value(scope: Scope, term: Term) -> Expr:
    """Give a term's value: a parameter's name, or data in the form the distribution reads."""
    d: Distribution = term.law.distribution
    entries = scope.writer.entries
    if not isinstance(term.value, Data):
        return _part_of_series(scope, term) or scope.whole(term.value)
    if d.discrete:
        if d.stan.one_based:
            return entries.index(term.value, None)
        domain = value_domain(term.law)
        return entries.integers(term.value, _bounds(domain.lower, domain.upper))
    if d.event_rank == 1 and len(term.law.shape) > 1:
        return entries.vectors(term.value)
    domain = value_domain(term.law)
    value = entries.real(term.value)
    if not domain.structure and not d.event_rank:
        entries.bound(term.value, _bounds(domain.lower, domain.upper))
    return value


def _part_of_series(scope: Scope, term: Term) -> Expr | None:
    """Give elements of an observed series: `y[2:]` of the data as its law reads them; None for anything else."""
    part = _first_item(term.value)
    if part is None:
        return None
    leaf, item = part
    whole = observed_value(scope, replace(term, value=leaf, law=replace(term.law, shape=leaf.shape)))
    if item[0] == "int":
        return _event(whole, term.law.distribution.event_rank, (str(item[1] + 1),))
    first = "" if item[1] is None else str(item[1] + 1)
    last = "" if item[2] is None else str(item[2])
    return Expr(f"{whole.text}[{first}:{last}]", whole.type, POSTFIX)


def _first_item(node: Node) -> tuple[Data, tuple[Any, ...]] | None:
    """Give the data that a value is a part of, and what it takes of their first axis; None for anything else."""
    if not isinstance(node, Apply) or node.op.name != "index" or not isinstance(node.args[0], Data):
        return None
    items: Any = dict(node.attributes)["items"]
    return node.args[0], items[0]


def _bounds(lower: object, upper: object) -> str:
    parts = [
        f"{side}={number(int(bound) if bound == int(bound) else bound).text}"
        for side, bound in (("lower", lower), ("upper", upper))
        if isinstance(bound, int | float)
    ]
    return f"<{', '.join(parts)}>" if parts else ""


def term_statements(scope: Scope, term: Term, *, in_function: bool = False) -> list[Statement]:
    """Write a term of the model: `value ~ distribution(arguments)`, and what truncation adds.

    In a function latents are arguments like data, and every term counts.
    """
    law = term.law
    d: Distribution = law.distribution
    if d.rule is not None:
        each = (term_statements(scope, piece, in_function=in_function) for piece in pieces_of(term))
        return [statement for statements in each for statement in statements]
    if d.improper:
        return []
    if term.is_potential:
        return list(_written_out(scope, term))
    if is_written_out(law):
        return [Comment(_remark(term.name, d), term), *_written_out(scope, term)]
    batch = len(law.shape) - d.event_rank
    latent = in_function or any(map(has_latents, (term.value, *law.args)))
    if d.event_rank and not d.discrete and not latent:
        # `~` drops what is free of parameters; stanli computes it once, and crashes in a thread that did not load it.
        return [Comment(f"{_remark(term.name, d)}: of data alone, a constant", term)]
    if d.event_rank:
        statements = _multivariate(scope, term, batch)
    elif batch <= 2 and _takes_containers(scope, law) and not _is_stack(scope, term):
        statements = [_vectorized(scope, term)]
    else:
        statements = _by_matrices(scope, term) or _looped(scope, term, law.shape)
    return statements + truncation_statements(scope, term) + constraint_statements(scope, term)


def _written_out(scope: Scope, term: Term) -> tuple[Statement, ...]:
    """Add a density that Stan has no form of: its sum, or one event after the other where they are no vector."""
    node = pointwise(term)
    scope.share([node])
    # In a loop, a sum of two numbers takes stanli half the time of the same for vectors.
    pairs = is_applied(node.args[0] if is_applied(node, "broadcast_to") else node, "logaddexp")
    if not node.shape or (scope._lower(node).whole is not None and not pairs):
        total = FUNCTIONS["sum"](Expression(node))._scistan_node_ if node.shape else node
        return (TargetPlus(scope.whole(total).text, term),)
    _name_numbers(scope, node)
    indices = tuple(scope.writer.names.claim_index(k) for k in range(len(node.shape)))
    return scope.loops(node.shape, indices, (TargetPlus(scope.element(node, indices).text, term),))


def _name_numbers(scope: Scope, root: Node) -> None:
    """Name the numbers that all elements of a value share, so that a loop finds them done."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        whole = scope._lower(node).whole
        if not isinstance(node, Apply) or (whole is not None and whole.is_name):
            continue
        if not node.shape and whole is not None:
            if not whole.is_read and not scope.writer.is_data(node) and scope.is_costly(node):
                scope.named(node)
        elif isinstance(node.op, Op) and (node.op.elementwise or node.op.name == "broadcast_to"):
            waiting += reversed(node.args)


def together(statements: list[Statement]) -> list[Statement]:
    """Write neighbours of the same distribution and arguments as one: `{a, b} ~ normal(mu, tau)`."""
    result: list[Statement] = []
    run: list[Tilde] = []

    def close() -> None:
        if len(run) > 1:
            names = ", ".join(one.value for one in run)
            terms = tuple(one.node for one in run)
            result.append(Tilde(f"{{{names}}}", run[0].distribution, run[0].args, terms))
        else:
            result.extend(run)
        run.clear()

    for statement in statements:
        scalar = isinstance(statement, Tilde) and isinstance(statement.node, Term) and _is_scalar_latent(statement.node)
        if not scalar or not isinstance(statement, Tilde):
            close()
            result.append(statement)
            continue
        if run and (run[0].distribution, run[0].args) != (statement.distribution, statement.args):
            close()
        run.append(statement)
    close()
    return result


def _is_scalar_latent(term: Term) -> bool:
    # Numbered like the members of a group: others read better on lines of their own.
    return not term.is_observed and not term.law.shape and term.name[-1].isdigit() and not term.law.truncated


def _remark(name: str, d: Distribution) -> str:
    return f"{name} ~ {d.remark or d.name}"


def _is_stack(scope: Scope, term: Term) -> bool:
    """Tell whether a value is an array of vectors by its constraint, which densities of numbers do not take."""
    kind = observed_value(scope, term).type
    return bool(kind.arrays) and kind.base != "int"


def _templates(d: Distribution) -> tuple[str, ...]:
    return d.stan.arguments or tuple(f"{{{p.name}}}" for p in d.parameters)


def fill(d: Distribution, texts: dict[str, str]) -> list[str]:
    """Put arguments into the places Stan's form has for them."""
    return [template.format(**texts) for template in _templates(d)]


def _argument(scope: Scope, d: Distribution, name: str, node: Node, shape: Shape, row_major: bool) -> str:
    domain = next(p.domain for p in d.parameters if p.name == name)
    if domain.integer and domain.structure != "size":
        whole = _whole_numbers(scope, node)
        if name in d.stan.repeats and not whole.type.rank:
            return f"rep_array({whole.text}, {scope.writer.sizes.text(shape[0])})"
        return f"to_array_1d({whole.text})" if whole.type.arrays > 1 else whole.text
    if domain.event_rank:
        return scope.whole(node).text
    value = scope.container(node, shape)
    if name in d.stan.repeats and value.type.rank == 0 and shape:
        count = " * ".join(factor(scope.writer.sizes.text(size)) for size in shape)
        return f"rep_vector({value.text}, {count})"
    text = _flat(value, row_major).text
    # Stan 2.35's GLM forms fail on a whole number where a real one is meant.
    return f"{text}.0" if value.type == INT and text.isdigit() and d.stan.fused else text


def _whole_numbers(scope: Scope, node: Node) -> Expr:
    """Give whole numbers as such: one that is written or computed in the program, else those of the data."""
    value = None if node.shape or isinstance(node, Data) else scope.whole(node)
    return value if value is not None and value.type == INT else scope.writer.entries.integers(node)


def _flat(value: Expr, row_major: bool) -> Expr:
    if value.type != MATRIX:
        return value
    inner = f"{value.within(POSTFIX)}'" if row_major else value.text
    return Expr(f"to_vector({inner})", VECTOR)


def _vectorized(scope: Scope, term: Term) -> Tilde:
    law = term.law
    d: Distribution = law.distribution
    value = observed_value(scope, term)
    row_major = value.type == array_of(INT, 2)
    shown = call("to_array_1d", [value], array_of(INT)) if row_major else _flat(value, row_major=False)
    texts = {
        p.name: _argument(scope, d, p.name, node, law.shape, row_major)
        for p, node in zip(d.parameters, law.args, strict=True)
    }
    return Tilde(shown.text, d.stan.name, tuple(fill(d, texts)), term)


def value_at(scope: Scope, term: Term, indices: tuple[str, ...]) -> str:
    """Give one event of a term's value."""
    part = _first_item(term.value)
    if indices and part is not None and part[1][0] == "slice":
        leaf, item = part
        term = replace(term, value=leaf, law=replace(term.law, shape=leaf.shape))
        indices = (f"{item[1]} + {indices[0]}" if item[1] else indices[0], *indices[1:])
    value = observed_value(scope, term)
    return _event(value, term.law.distribution.event_rank, indices).text


def _event(value: Expr, event_rank: int, indices: tuple[str, ...]) -> Expr:
    taken = value.at(*indices)
    if event_rank == 1 and taken.type.base == "row_vector":
        return Expr(f"{taken.text}'", VECTOR, POSTFIX)
    return taken


def arguments_at(scope: Scope, law: Law, indices: tuple[str, ...], label: str = "") -> dict[str, str]:
    """Give every argument for the event at `indices`."""
    d: Distribution = law.distribution
    texts: dict[str, str] = {}
    for p, node in zip(d.parameters, law.args, strict=True):
        batch = len(node.shape) - p.domain.event_rank
        along = indices[len(indices) - batch :] if batch else ()
        own = tuple("1" if size == ONE else k for size, k in zip(node.shape, along, strict=False))
        if p.domain.integer and p.domain.structure != "size":
            texts[p.name] = _whole_numbers(scope, node).at(*own).text
        elif p.domain.event_rank:
            # What is the same for all events is computed once, before the loop.
            vector = picked_vector(scope, node, own[0]) if len(own) == 1 else None
            if vector is not None:
                texts[p.name] = vector.text
                continue
            once = own or (indices and scope.is_costly(node))
            value = scope.named(node, label and f"{label}_{p.name}") if once else scope.whole(node)
            texts[p.name] = _event(value, p.domain.event_rank, own).text
        else:
            if own and label and not _elementary(scope, node):
                scope.named(node, f"{label}_{p.name.rstrip('_')}")
            texts[p.name] = scope.broadcast_element(node, indices).text
    return texts


def _elementary(scope: Scope, node: Node) -> bool:
    """Tell whether one element of a value costs no more than reading it."""
    whole = scope._lower(node).whole
    return whole is not None and whole.is_name


def density_at(scope: Scope, term: Term, indices: tuple[str, ...], label: str = "") -> str:
    """Write the log density of one event, constants kept."""
    d: Distribution = term.law.distribution
    if is_written_out(term.law) or len(indices) < len(term.law.shape) - d.event_rank:  # of elements that are tied
        return scope.element(pointwise(term), indices).text
    texts = fill(d, arguments_at(scope, term.law, indices, label))
    suffix = "lpmf" if d.discrete else "lpdf"
    written = f"{d.stan.name}_{suffix}({value_at(scope, term, indices)} | {', '.join(texts)})"
    if d.stan.constant and not term.law.truncated:
        written += f" + {d.stan.constant}"
    mass = mass_at(scope, term, indices)
    return f"{written} - {mass}" if mass else written


def _looped(scope: Scope, term: Term, shape: Shape) -> list[Statement]:
    d: Distribution = term.law.distribution
    indices = tuple(scope.writer.names.claim_index(k) for k in range(len(shape)))
    texts = fill(d, arguments_at(scope, term.law, indices, term.name))
    body = Tilde(value_at(scope, term, indices), d.stan.name, tuple(texts), term)
    return list(scope.loops(shape, indices, (body,)))


def _by_matrices(scope: Scope, term: Term) -> list[Statement]:
    """Write a stack of vectors or matrices of real numbers, one vectorized statement for each."""
    law = term.law
    d: Distribution = law.distribution
    stacked = observed_value(scope, term)
    lead = stacked.type.arrays
    if lead < 1 or d.discrete or not d.stan.vectorizes or any(p.domain.event_rank for p in d.parameters):
        return []
    same_form = (not n.shape or (ONE not in n.shape and scope.whole(n).type == stacked.type) for n in law.args)
    if not all(same_form):
        return []
    indices = tuple(scope.writer.names.claim_index(k) for k in range(lead))
    texts = {
        p.name: _flat(scope.named(node).at(*indices), row_major=False).text if node.shape else scope.whole(node).text
        for p, node in zip(d.parameters, law.args, strict=True)
    }
    value = _flat(stacked.at(*indices), row_major=False)
    body = Tilde(value.text, d.stan.name, tuple(fill(d, texts)), term)
    return list(scope.loops(law.shape[:lead], indices, (body,)))


def _multivariate(scope: Scope, term: Term, batch: int) -> list[Statement]:
    law = term.law
    d: Distribution = law.distribution
    if batch == 0 or _takes_arrays(scope, term):
        texts = {
            p.name: _argument(scope, d, p.name, node, law.shape, row_major=False)
            for p, node in zip(d.parameters, law.args, strict=True)
        }
        return [Tilde(observed_value(scope, term).text, d.stan.name, tuple(fill(d, texts)), term)]
    return _looped(scope, term, law.shape[:batch])


def _takes_arrays(scope: Scope, term: Term) -> bool:
    """Tell whether a stack of vectors can be written in one statement."""
    return observed_value(scope, term).type == array_of(VECTOR) and _takes_containers(scope, term.law)


def _takes_containers(scope: Scope, law: Law) -> bool:
    """Tell whether Stan's density takes the arguments as they are, many events at once."""
    d: Distribution = law.distribution
    if not d.stan.vectorizes:
        return False
    batch = law.shape[: len(law.shape) - d.event_rank]
    for p, node in zip(d.parameters, law.args, strict=True):
        if len(node.shape) > p.domain.event_rank:
            own = node.shape[: len(node.shape) - p.domain.event_rank]
            if (p.domain.event_rank or p.domain.integer) and is_repeated(own, batch):
                return False
            if d.stan.containers is not None and p.name not in d.stan.containers:
                return False
            if p.domain.event_rank and scope.whole(node).type != array_of(VECTOR):
                return False
    return True
