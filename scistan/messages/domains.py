"""Wording of latents that can be where an argument or a bound has no meaning."""

from __future__ import annotations

import math
from typing import Protocol

from scistan.domains import Domain
from scistan.errors import ModelError
from scistan.graph.places import user_place


class Family(Protocol):
    """What a message tells of a distribution."""

    @property
    def title(self) -> str: ...
    @property
    def linked_parameter(self) -> str: ...
    @property
    def link_form(self) -> str: ...


# What is wanted -> a prior that has it, and a function that gives it.
_REMEDIES = {
    "positive": ("a prior on the positive numbers (`lower=0`, or `ss.HalfNormal` for one)", "ss.exp"),
    "unit": ("a prior between 0 and 1 (`lower=0, upper=1`, or `ss.Beta` for one)", "ss.inv_logit"),
    "simplex": ("a prior of probabilities, `ss.Dirichlet`", "ss.softmax"),
    "log_simplex": ("a prior of log probabilities, `ss.ExpDirichlet`", "ss.log_softmax"),
    "ordered": ('`constraint="ordered"`', ""),
    "positive_ordered": ('`constraint="positive_ordered"`', ""),
    "cholesky_corr": ("a prior of such factors, `ss.LKJCholesky`", ""),
    "cholesky_cov": ("a prior of such factors: `ss.LKJCholesky`, its rows multiplied by scales", ""),
    "corr": ("a prior of such matrices, `ss.LKJCorr`", ""),
    "cov": ("a prior of such matrices, `ss.InvWishart` for one", ""),
}


def latent_leaves(d: Family, parameter: str, wanted: Domain, latent: str, told: str) -> ModelError:
    """A bare latent as an argument that it does not fit."""
    linked = d.link_form if parameter == d.linked_parameter else ""
    return ModelError(
        f"`{parameter}` of {d.title} must be {wanted.words}, and `{latent}` {told}.",
        remedy=_into(wanted, latent, linked),
        place=user_place(),
    )


def bound_leaves(distribution: str, side: str, latent: str, end: float) -> ModelError:
    beyond, bound = ("above", "upper") if side == "lower" else ("below", "lower")
    return ModelError(
        f"`{distribution}`: {side}=`{latent}` can be {beyond} {end:g}, and then nothing is left between the bounds.",
        remedy=f"give `{latent}` a prior that ends there, `{bound}={end:g}`",
        place=user_place(),
    )


def latent_breaks(distribution: str, parameter: str, words: str, latent: str) -> ModelError:
    return ModelError(
        f"`{parameter}` of {distribution} must be {words}, and with `{latent}` it can be otherwise.",
        remedy=f"bound `{latent}` with `lower=` or `upper=`, so that it always is",
        place=user_place(),
    )


def _into(wanted: Domain, latent: str, linked: str) -> str:
    prior, function = _REMEDIES.get(wanted.structure or _range(wanted), ("", ""))
    if not prior:
        ends = {"lower": wanted.lower, "upper": wanted.upper}
        shown = [f"{side}={end:g}" for side, end in ends.items() if isinstance(end, int | float) and math.isfinite(end)]
        return f"bound `{latent}` with `{', '.join(shown)}`" if shown else "give whole numbers, as data"
    given = f"give `{latent}` {prior}"
    if not function:
        return given
    return f"{given}, or use `{function}({latent})`" + (f", which is `ss.{linked}`" if linked else "")


def _range(domain: Domain) -> str:
    if domain.lower == 0 and not domain.integer:
        return "positive" if domain.upper is None else "unit" if domain.upper == 1 else ""
    return ""
