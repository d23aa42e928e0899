"""Truncation in Stan: the log probability that the bounds leave, once for each event, as a term of its own."""

from __future__ import annotations

from scistan.distributions.declaration import Distribution
from scistan.distributions.density import log_mass
from scistan.graph.graph import Law, Term
from scistan.graph.node import Literal, Node, literal
from scistan.shapes import ONE
from scistan.targets.stan.lower import Scope
from scistan.targets.stan.syntax import MATRIX, POSTFIX, Expr, Statement, TargetPlus

__all__ = ["factor", "if_finite", "mass_at", "truncation_statements"]

# Stan's cumulative probabilities underflow: the logarithm of 0, subtracted, would be a place that no chain leaves.
_IF_FINITE = """\
/** What a normalizer adds to the log density; where a probability underflows there is none. */
real if_finite(real added) {
  return added < positive_infinity() ? added : negative_infinity();
}"""

# Never `T[,]` on a container: stanli 0.24 counts its normalizer wrongly.
_BETWEEN = """\
/** Log probability of {name}({listed}) between two bounds, taken in the tail that they lie in. */
real {name}_between(real low, real high{declared}) {{
  return {name}_lcdf(low | {listed}) < log(0.5)
         ? log_diff_exp({name}_lcdf(high | {listed}), {name}_lcdf(low | {listed}))
         : log_diff_exp({name}_lccdf(low | {listed}), {name}_lccdf(high | {listed}));
}}"""


def truncation_statements(scope: Scope, term: Term) -> list[Statement]:
    """Subtract the log probability of the bounds; nothing where it is constant."""
    law = term.law
    if not law.truncated or all(scope.writer.is_data(node) for node in law.inputs):
        return []
    bounds = _bounds(law)
    same_for_all = all(size == ONE for node in (*law.args, *bounds) for size in node.shape)
    if same_for_all:
        count = " * ".join(factor(scope.writer.sizes.text(s)) for s in law.shape)
        mass = mass_at(scope, term, ("1",) * len(law.shape))
        return [TargetPlus(if_finite(scope, f"-{count} * {mass}" if count else f"-{mass}", term), term)]
    if len(bounds) == 1 and len(law.shape) <= 2 and _is_native(law):
        texts = {
            p.name: _flat(scope.container(node, law.shape))
            for p, node in zip(law.distribution.parameters, law.args, strict=True)
        }
        bound = _flat(scope.container(bounds[0], law.shape))
        summed = f"{_one_sided(law)}({bound} | {_listed(law.distribution, texts)})"
        return [TargetPlus(if_finite(scope, f"-{summed}", term), term)]
    indices = tuple(scope.writer.names.claim_index(k) for k in range(len(law.shape)))
    body = TargetPlus(if_finite(scope, f"-{mass_at(scope, term, indices)}", term), term)
    return list(scope.loops(law.shape, indices, (body,)))


def if_finite(scope: Scope, added: str, term: Term) -> str:
    """Write what a normalizer adds so that a probability that underflows makes the density 0, not infinite."""
    scope.writer.need("if_finite", _IF_FINITE, term)
    return f"if_finite({added})"


def mass_at(scope: Scope, term: Term, indices: tuple[str, ...]) -> str:
    """Write the log probability of the bounds for one event; empty without bounds."""
    law = term.law
    mass = log_mass(law)
    if mass is None:
        return ""
    if not _is_native(law):
        return scope.broadcast_element(mass._scistan_node_, indices).within(POSTFIX)
    d: Distribution = law.distribution
    texts = {
        p.name: scope.broadcast_element(node, indices).text for p, node in zip(d.parameters, law.args, strict=True)
    }
    bounds = _bounds(law)
    sides = [scope.broadcast_element(node, indices).text for node in bounds]
    if len(sides) == 2 and d.stan.constant and bounds[0] is literal(0):
        # Half of the whole lies below 0; Stan's derivative of student_t_lcdf is NaN there.
        return f"log_diff_exp({d.stan.name}_lcdf({sides[1]} | {_listed(d, texts)}), -log2())"
    if len(sides) == 1:
        return f"{_one_sided(law)}({sides[0]} | {_listed(d, texts)})"
    _need_between(scope, term)
    given = filter(None, (*sides, _listed(d, texts)))
    return f"{d.stan.name}_between({', '.join(given)})"


def _is_native(law: Law) -> bool:
    return bool(law.distribution.stan.name) and law.distribution.stan.truncates


def _bounds(law: Law) -> list[Node]:
    """Give the bounds; a half distribution, which Stan writes as a whole one, starts at 0 by itself."""
    lower = law.lower
    if law.distribution.stan.constant and (lower is None or (isinstance(lower, Literal) and lower.value < 0)):
        lower = literal(0)
    return [b for b in (lower, law.upper) if b is not None]


def _one_sided(law: Law) -> str:
    form = law.distribution.stan
    return f"{form.name}_{'lcdf' if law.lower is None and not form.constant else 'lccdf'}"


def _listed(d: Distribution, texts: dict[str, str]) -> str:
    templates = d.stan.arguments or tuple(f"{{{p.name}}}" for p in d.parameters)
    return ", ".join(t.format(**texts) for t in templates)


def _need_between(scope: Scope, term: Term) -> None:
    d: Distribution = term.law.distribution
    arguments = d.stan.arguments or tuple(f"{{{p.name}}}" for p in d.parameters)
    listed = [f"p{k}" for k in range(1, len(arguments) + 1)]
    declared = "".join(f", real {p}" for p in listed)
    code = _BETWEEN.format(name=d.stan.name, listed=", ".join(listed), declared=declared)
    scope.writer.need(f"{d.stan.name}_between", code, term)


def _flat(value: Expr) -> str:
    return f"to_vector({value.text})" if value.type == MATRIX else value.text


def factor(text: str) -> str:
    """Write a length so that it can be multiplied."""
    return text if text.isidentifier() or text.isdigit() else f"({text})"
