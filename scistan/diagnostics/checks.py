"""The checks on draws, a row each; thresholds are the field's own (Vehtari et al. 2021; Stan's guide to warnings).

A new check is a row here and needs nothing else. `auto` makes no run for it unless the row names a `cure`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from scistan.diagnostics.check import Check, Cure, Evidence, Finding, Measured
from scistan.diagnostics.measures import chains_below, elements_above, elements_below, number_above, number_below
from scistan.diagnostics.statistics import e_bfmi

__all__ = ["BY_NAME", "CHECKS", "MEASURABLE"]

# Draws in each chain from which R-hat and its kin can be computed: two in each half.
MEASURABLE = 4
# Fewer effective draws than this share of all: more draws will not help, another engine may.
HOPELESS_ESS = 0.02


def _hopeless(value: float, chains: int, draws: int) -> bool:
    return value < HOPELESS_ESS * chains * draws


def _more_draws(found: Finding) -> str:
    return (
        "draw more (`draws=4000`), or help the sampler: scale predictors, tighten vague priors"
        + found.seen.context.centring(found.places)
    )


def _moving(seen: Evidence) -> np.ndarray:
    """Give each chain's share of draws that differ from the one before."""
    share: np.ndarray = (np.diff(seen.statistics["lp"], axis=1) != 0).mean(1)
    return share


def _steps_apart(seen: Evidence) -> float:
    """Give the ratio of the largest to the smallest step size that the chains ended with."""
    last = seen.statistics["step_size"][:, -1]
    with np.errstate(all="ignore"):
        return float(last.max() / last.min())


def _lowest(of_chains: np.ndarray) -> float:
    """Give the lowest of those that can be told: a chain whose energy is no number must not hide another."""
    return float(np.fmin.reduce(of_chains))


CHECKS: tuple[Check, ...] = (
    Check(
        "R-hat",
        threshold=1.01,
        measure=elements_above(lambda health: health.rhat),
        fact=lambda found: f"R-hat is {found.value:.3f} (should be below {found.limit}) for {found.where}: "
        f"{'the chains' if found.seen.chains > 1 else 'the two halves of the chain'} do not agree yet.",
        suggestion=lambda found: "run longer (`warmup=2000, draws=2000`); if it stays, look for several modes or "
        "parameters that only their combination identifies" + found.seen.context.centring(found.places),
        needs_draws=MEASURABLE,
        needs_chains=2,
        cure=Cure.METRIC,
        curable=lambda value, chains, draws: value > 1 + 4 / max(1, draws),  # more than independent draws give
    ),
    Check(
        "bulk ESS",
        threshold=100.0,
        threshold_per_chain=True,
        measure=elements_below(lambda health: health.bulk_ess),
        fact=lambda found: f"bulk ESS is {found.value:.0f} (should be above {found.limit:.0f}) for {found.where}.",
        suggestion=_more_draws,
        needs_draws=MEASURABLE,
        cure=Cure.METRIC,
        curable=_hopeless,
    ),
    Check(
        "tail ESS",
        threshold=100.0,
        threshold_per_chain=True,
        measure=elements_below(lambda health: health.tail_ess),
        fact=lambda found: f"tail ESS is {found.value:.0f} (should be above {found.limit:.0f}) for {found.where}.",
        suggestion=_more_draws,
        needs_draws=MEASURABLE,
        cure=Cure.METRIC,
        curable=_hopeless,
    ),
    Check(
        "divergences",
        threshold=0.0,
        measure=number_above(lambda seen: float(np.sum(seen.statistics["diverging"]))),
        fact=lambda found: f"{found.value:.0f} of {found.seen.statistics['diverging'].size} draws ended in a "
        "divergence: parts of the posterior may be missing.",
        suggestion=lambda _: "raise `adapt_delta` (0.95, then 0.99); for group effects compare `centred=True` and the "
        "default",
        needs_statistic="diverging",
        cure=Cure.STEPS,
    ),
    Check(
        "tree depth",
        threshold=0.0,
        measure=number_above(lambda seen: float(np.sum(seen.statistics["tree_depth"] >= seen.max_treedepth))),
        fact=lambda found: f"{found.value:.0f} of {found.seen.statistics['tree_depth'].size} draws reached the largest "
        f"tree depth, {found.seen.max_treedepth}: slow, not wrong.",
        suggestion=lambda _: "scale predictors to unit size, or use `engine='nutpie'` for correlated posteriors",
        needs_statistic="tree_depth",
    ),
    Check(
        "E-BFMI",
        threshold=0.3,
        measure=number_below(lambda seen: _lowest(e_bfmi(seen.statistics["energy"]))),
        fact=lambda found: f"E-BFMI is {found.value:.2f} (should be above {found.limit}): the sampler moves badly "
        "between energy levels.",
        suggestion=lambda _: "look for heavy tails: a scale near 0 with few groups, or a Cauchy prior; tighten that "
        "prior",
        needs_draws=4,
        needs_statistic="energy",
        cure=Cure.ENGINE,
    ),
    Check(
        "stuck chains",
        threshold=0.1,
        measure=chains_below(_moving),
        fact=lambda found: f"{found.where} hardly moved: {found.value:.0%} of its draws differ from the one before.",
        suggestion=lambda _: "start it elsewhere (`inits='prior'` or 'pathfinder'), or raise `adapt_delta`",
        needs_draws=10,
        needs_statistic="lp",
        cure=Cure.ENGINE,
    ),
    Check(
        "chain means",
        threshold=1.0,  # sds within chains between a chain's mean and the middle of all
        measure=elements_above(lambda health: health.mean_gap),
        fact=lambda found: f"a chain's mean lies {found.value:.1f} sds (should be below {found.limit:g}) from the "
        f"others for {found.where}: the chains are in different places.",
        suggestion=lambda _: "look at each chain's draws: several modes, labels that can be swapped, or a chain that "
        "never arrived",
        needs_draws=MEASURABLE,
        needs_chains=2,
        cure=Cure.ENGINE,
    ),
    Check(
        "step sizes",
        # A chain with steps a quarter as long builds trees two levels deeper. In 450 runs of the tests' models (four
        # chains, 200 to 1000 draws of warm-up) medians were 1.15 to 1.33; in the 383 of them without another finding
        # than too few draws the largest was 2.3.
        threshold=4.0,
        measure=number_above(_steps_apart),
        fact=lambda found: f"the largest step size of a chain is {found.value:.1f} times the smallest (should be below "
        f"{found.limit:g}): the chains have not adapted to the same posterior.",
        suggestion=lambda _: "warm up longer (`warmup=2000`); if it stays, look at the draws of the chain with the "
        "smallest `step_size`: a funnel's neck, a second mode, or a start it has not left",
        needs_chains=2,
        needs_statistic="step_size",
    ),
    Check(
        "finite draws",
        threshold=0.0,
        measure=lambda seen, _: Measured(float(len(seen.odd)), seen.odd) if seen.odd else None,
        fact=lambda found: f"{found.where} has draws that are NaN or infinite.",
        suggestion=lambda _: "look at the expression that defines it: a logarithm or root of a negative number, or an "
        "overflow",
        cure=Cure.ENGINE,
        listed=False,
    ),
)
BY_NAME: Mapping[str, Check] = MappingProxyType({check.name: check for check in CHECKS})
