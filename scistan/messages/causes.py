"""Wording of why a density is not finite: the fact with its numbers, then what the declarations offer against it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from scistan.domains import Domain


class Family(Protocol):
    """What a message tells of a distribution."""

    @property
    def title(self) -> str: ...
    @property
    def link(self) -> str: ...
    @property
    def linked_parameter(self) -> str: ...
    @property
    def link_form(self) -> str: ...


# What is wanted -> a function that gives it, and priors that have it.
_WAYS = {
    "positive": ("exp", "priors on the positive numbers, `ss.HalfNormal` for one"),
    "unit": ("inv_logit", "priors between 0 and 1, `ss.Beta` for one"),
    "simplex": ("softmax", "a Dirichlet prior"),
    "log_simplex": ("log_softmax", "an `ss.ExpDirichlet` prior"),
    "ordered": ("", "`constraint='ordered'`, or sums of positive steps, `ss.cumsum(...)`"),
    "positive_ordered": ("", "`constraint='positive_ordered'`, or sums of positive steps, `ss.cumsum(...)`"),
    "cholesky_corr": ("", "an `ss.LKJCholesky` prior"),
    "cholesky_cov": ("", "an `ss.LKJCholesky` prior, its rows multiplied by positive scales"),
}
NUGGET = (
    "add a small number to its diagonal, `+ 1e-6 * np.eye(n)` for n rows; for a Gaussian process the variance of the "
    "observations' noise stands there (a nugget)"
)


# -- facts ------------------------------------------------------------------------------------------------
def at_point(point: Sequence[str]) -> str:
    """Name the point: the latents that it depends on, with their values."""
    return f", where {', '.join(point)}" if point else ""


def for_event(element: str, value: str, observed: bool) -> str:
    return f" for `{element}`" + (f", observed as {value}" if observed else "")


def outside(title: str, parameter: str, words: str, shown: str, where: str) -> str:
    """An argument where the distribution has no meaning."""
    return f"`{parameter}` of {title} must be {words}, and is {shown}{where}"


def not_a_number(title: str, parameter: str, shown: str, reason: str, where: str) -> str:
    """An argument that cannot be computed."""
    return f"`{parameter}` of {title} is {shown}{where}: {reason}"


def not_computed(title: str, parameter: str, reason: str, where: str) -> str:
    """An argument without a value at all."""
    return f"`{parameter}` of {title} cannot be computed{where}: {reason}"


def outside_support(element: str, value: str, title: str, words: str, where: str) -> str:
    """An observation that these arguments leave no probability."""
    return f"`{element}`, observed as {value}, is outside the support of {title}, which is {words}{where}"


def impossible(element: str, value: str, title: str, arguments: str, where: str) -> str:
    """An observation in the support with probability 0, because an argument is at the end of its range."""
    return f"`{element}`, observed as {value}, has probability 0 under {title} with {arguments}{where}"


def vanishes(element: str, value: str, observed: bool, title: str, density: float, arguments: str, where: str) -> str:
    """A density that under- or overflows, or a case of which nothing more is known."""
    called = f"`{element}`, observed as {value}," if observed else f"`{element}` = {value}"
    given = f" with {arguments}" if arguments else ""
    return f"the log density of {called} under {title} is {density:g}{given}{where}"


# -- reasons that an expression has no value ----------------------------------------------------------------
def given_outside(op: str, words: str, shown: str) -> str:
    return f"`{op}` needs what is {words}, and is given {shown}"


def divided_by_zero(shown: str) -> str:
    return f"{shown} is divided by 0"


def overflows(op: str, shown: str) -> str:
    return f"`{op}` of {shown} overflows"


def gives(op: str, shown: str, result: str) -> str:
    return f"`{op}` of {shown} is {result}"


def smallest_eigenvalue(value: float, equal: Sequence[int]) -> str:
    rows = f" (its rows {equal[0]} and {equal[1]} are equal)" if equal else ""
    return f"a matrix whose smallest eigenvalue is {value:.2g}{rows}"


def not_symmetric(gap: float) -> str:
    return f"a matrix that is not symmetric (two elements differ by {gap:.2g} from their mirror images)"


# -- what to try ----------------------------------------------------------------------------------------------
def into_domain(family: Family, parameter: str, wanted: Domain, written: str = "", others: str = "") -> str:
    """Say how an argument comes to lie in its domain: by the family's other form, a function, or priors.

    `written` is the argument as the user wrote it, where that is known, and `others` all arguments of that call.
    """
    if wanted.structure in ("cov", "corr"):
        return NUGGET
    function, priors = _WAYS.get(wanted.structure or _range(wanted), ("", ""))
    inside = written or "..."
    if parameter == family.linked_parameter and family.link_form:
        return (
            f"write `ss.{family.link_form}({others or '...'})`, which takes any number there, or "
            f"`ss.{family.link}({inside})` in its place"
        )
    if function:
        return f"write `ss.{function}({inside})` in its place, or make it of quantities with {priors}"
    return f"give it {priors}" if priors else "bound what it is made of with `lower=` and `upper=`"


def within_op(op: str, wanted: Domain) -> str:
    """Say how what an op is given comes to lie where it has a value."""
    if wanted.structure == "cov":
        return NUGGET
    _, priors = _WAYS.get(_range(wanted), ("", ""))
    so = f"{priors}, or " if priors else ""
    return f"keep what stands inside {op} {wanted.words}: {so}bounds by `lower=` and `upper=`, whatever the latents are"


def away_from_zero(data_only: bool) -> str:
    if data_only:
        return "leave out the observations whose divisor is 0, or correct it"
    return "keep the divisor away from 0 by a prior with `lower=`, or write the model as a product"


def smaller_numbers(linked: str) -> str:
    first = f"write `ss.{linked}(...)`, which takes the logarithm; " if linked else ""
    return f"{first}standardize the predictors or measure them in larger units, and tighten the priors"


def into_support(bound_by_latents: bool) -> str:
    if bound_by_latents:
        return "let the bounds follow the data: a prior that is wide enough, and `inits` inside; or correct the value"
    return "correct the value, or choose a distribution whose support holds it"


def keep_away(parameter: str, end: float) -> str:
    return f"correct or leave out that observation, or keep `{parameter}` away from {end:g}"


def nearer() -> str:
    return "check the units of data and priors, the value is far from all that is expected there; or give `inits` near"


def look_at_expression() -> str:
    return "look at the expression for values that leave the range of its functions"


def _range(domain: Domain) -> str:
    if domain.lower == 0 and not domain.integer:
        return "positive" if domain.upper is None else "unit" if domain.upper == 1 else ""
    return ""
