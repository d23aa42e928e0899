"""The density that is left when normal latents are integrated out of a quadratic form: a Cholesky factor, slot by slot.

Every step is taken for all groups at once; in a chain, group by group, with the factor of the one before.
"""

from __future__ import annotations

from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.passes.integrate.chain import along, walk
from scistan.passes.integrate.factor import Factor, factored, minus_all
from scistan.passes.integrate.kernel import along_kernel
from scistan.passes.integrate.quadratic import Quadratic
from scistan.passes.integrate.structure import Structure

__all__ = ["log_marginal"]

cholesky, diagonal, dot, log, matmul, solve_lower, total, transpose = (
    FUNCTIONS[n] for n in ("cholesky", "diagonal", "dot", "log", "matmul", "solve_lower", "sum", "transpose")
)


def log_marginal(form: Quadratic, structure: Structure) -> Expression:
    """Give log ∫ exp(-½ h' Q h) over all slots and others, but for a constant: ½ log 2π for each of them."""
    known, others_known, others = form.known, form.others_known, form.others
    logarithms: list[Expression] = []
    if form.steps is not None:
        walked = walk(form, form.steps)
        logarithms.append(walked.logarithm)
        known = minus_all(known, [walked.known])
        others, others_known = minus_all(others, [walked.others]), minus_all(others_known, [walked.others_known])
    elif structure.kernel is not None:
        tied = along_kernel(form, structure.kernel)
        logarithms.append(tied.logarithm)
        known = minus_all(known, [tied.known])
        others, others_known = minus_all(others, [tied.others]), minus_all(others_known, [tied.others_known])
    elif form.gone is not None:
        logarithms.append(0.5 * total(log(form.within[0, 0])))
        known = minus_all(known, [form.gone.known])
        others, others_known = minus_all(others, [form.gone.others]), minus_all(others_known, [form.gone.others_known])
    elif structure.slots:
        factor = along(form, structure) if structure.chained else _at_once(form)
        logarithms += [total(log(pivot)) for pivot in factor.pivots]
        known = minus_all(known, [dot(r, r) for r in factor.known if r is not None])
        if structure.count:
            pairs = list(zip(factor.others, factor.known, strict=True))
            others = minus_all(others, [matmul(transpose(x), x) for x in factor.others if x is not None])
            others_known = minus_all(
                others_known, [matmul(transpose(x), r) for x, r in pairs if x is not None and r is not None]
            )
    if structure.count:
        lower = cholesky(others)
        logarithms.append(total(log(diagonal(lower))))
        if others_known is not None:
            solved = solve_lower(lower, others_known)
            known = minus_all(known, [dot(solved, solved)])
    quadratic = [] if known is None else [0.5 * known]
    return minus_all(None, [*logarithms, *quadratic])  # type: ignore[return-value]


def _at_once(form: Quadratic) -> Factor:
    return factored(form.within, form.slot_others, form.slot_known, lambda value: value[:, None])
