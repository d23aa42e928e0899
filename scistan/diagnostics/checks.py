"""The quick checks on draws, a row each: the gate of `auto`; `causes.py` has those that only `fit.diagnose()` makes.

Thresholds are the field's own (Vehtari et al. 2021; Stan's guide to warnings). A new check is a row here or there and
needs nothing else. `auto` makes no run for it unless the row names a `cure`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from scistan.diagnostics.change import Change
from scistan.diagnostics.check import Check, Cure, Evidence, Finding, Measured
from scistan.diagnostics.measures import chains_below, elements_above, elements_below, number_above, number_below
from scistan.diagnostics.scattered import few_and_scattered
from scistan.diagnostics.statistics import e_bfmi
from scistan.messages import diagnosis as messages

__all__ = ["BY_NAME", "CHECKS", "MEASURABLE"]

# Draws in each chain from which R-hat and its kin can be computed: two in each half.
MEASURABLE = 4
# Fewer effective draws than this share of all: more draws will not help, another engine may.
HOPELESS_ESS = 0.02
# The R-hat to be expected of chains of 1,000 draws with that share: a half of one has ten effective draws.
HOPELESS_RHAT = 1.05
# Of ten thousand elements, one of a chain's means lies by chance nearly so many of its errors from the others; what
# they are is told by chains of which at least this share of draws is effective.
MEAN_ERRORS, MEAN_SHARE = 5.0, 0.1


def _hopeless(value: float, chains: int, draws: int) -> bool:
    return value < HOPELESS_ESS * chains * draws


def _chance_rhat(draws: int) -> float:
    """Give the R-hat that independent draws of a run of this length may have."""
    return 1 + 4 / max(1, draws)


def _hopeless_rhat(draws: int) -> float:
    """Give the R-hat that a run may have whose effective draws are told to be few: shorter ones tell less of it."""
    return max(HOPELESS_RHAT, _chance_rhat(draws), math.sqrt(1 + 2 / (HOPELESS_ESS * max(1, draws))))


def _chance_gap(draws: int) -> float:
    """Give the sds by which a chain's mean may lie from the others in a run of this length."""
    return MEAN_ERRORS / math.sqrt(MEAN_SHARE * max(1, draws))


def _by_chance(found: Finding) -> bool:
    return found.value <= _chance_rhat(found.seen.draws)


def _is_handful(found: Finding) -> bool:
    facts = found.seen.context.facts
    diverging = np.asarray(found.seen.statistics["diverging"], dtype=bool)
    return few_and_scattered(found.seen.posterior, diverging, () if facts is None else facts.scales)


def _diverged(found: Finding) -> str:
    told = "scattered over the posterior as far as so few can tell" if _is_handful(found) else ""
    many = f"{found.value:.0f} of {found.seen.statistics['diverging'].size} draws ended in a divergence"
    return f"{many}, {told}." if told else f"{many}: parts of the posterior may be missing."


def _enough_draws(found: Finding) -> int:
    """Give the draws that would have sufficed, and half as many more; four times as many where that is hopeless."""
    had = found.seen.context.ran.draws
    wanted = 1.5 * had * found.limit / max(found.value, 1.0)
    return int(min(max(math.ceil(wanted / 500) * 500, 2 * had), 4 * had))


def _more_draws(found: Finding) -> str:
    return messages.more_draws(_enough_draws(found)) + found.seen.context.centring(found.places)


def _draw_more(found: Finding) -> Change:
    return Change({"draws": _enough_draws(found)})


def _twice(found: Finding) -> dict[str, int]:
    """Give a run twice as long as the longest that was made."""
    ran = found.seen.context.ran
    return {"warmup": 2 * ran.most_warmup, "draws": 2 * ran.draws}


def _other_steps(found: Finding) -> Change | None:
    delta = found.seen.context.ran.next_delta
    return None if delta is None else Change({"adapt_delta": delta})


def _elsewhere(found: Finding) -> str:
    """Name another start than the one that was made, and smaller steps where they are left to try."""
    ran = found.seen.context.ran
    starts = [f"`inits='{way}'`" for way in ("prior", "pathfinder") if ran.starts != way]
    steps = "" if ran.next_delta is None else f", or raise `adapt_delta` to {ran.next_delta:g}"
    return f"start it elsewhere ({' or '.join(starts)}){steps}"


def _start_elsewhere(found: Finding) -> Change:
    ran = found.seen.context.ran
    return Change({"engine": ran.stans, "inits": "prior" if ran.starts != "prior" else "pathfinder"})


def _low_rank(found: Finding) -> Change | None:
    options = found.seen.context.ran.low_rank
    return None if options is None else Change(options)


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
        suggestion=lambda found: f"{messages.longer(**_twice(found))}; if it stays, {messages.look_for_modes()}"
        + found.seen.context.centring(found.places),
        needs_draws=MEASURABLE,
        needs_chains=2,
        severity=lambda found: "warning" if _by_chance(found) else "error",
        nearness=lambda found: 5 if _by_chance(found) else 3,
        change=lambda found: Change(_twice(found)),
        cure=Cure.METRIC,
        curable=lambda value, chains, draws: value > _hopeless_rhat(draws),
    ),
    Check(
        "bulk ESS",
        threshold=100.0,
        threshold_per_chain=True,
        measure=elements_below(lambda health: health.bulk_ess),
        fact=lambda found: f"bulk ESS is {found.value:.0f} (should be above {found.limit:.0f}) for {found.where}.",
        suggestion=_more_draws,
        needs_draws=MEASURABLE,
        nearness=4,
        learn_more="effective-sample-size",
        change=_draw_more,
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
        nearness=4,
        learn_more="effective-sample-size",
        change=_draw_more,
        cure=Cure.METRIC,
        curable=_hopeless,
    ),
    Check(
        "divergences",
        threshold=0.0,
        measure=number_above(lambda seen: float(np.sum(seen.statistics["diverging"]))),
        fact=_diverged,
        suggestion=lambda found: messages.smaller_steps(
            found.seen.context.ran.next_delta, found.seen.context.ran.highest_delta
        ),
        needs_statistic="diverging",
        of_trajectories=True,
        severity=lambda found: "note" if _is_handful(found) else "error",
        nearness=2,
        change=_other_steps,
        cure=Cure.STEPS,
    ),
    Check(
        "tree depth",
        threshold=0.0,
        measure=number_above(lambda seen: float(np.sum(seen.statistics["tree_depth"] >= seen.max_treedepth))),
        fact=lambda found: f"{found.value:.0f} of {found.seen.statistics['tree_depth'].size} draws reached the largest "
        f"tree depth, {found.seen.max_treedepth}: slow, not wrong.",
        suggestion=lambda found: messages.deep_trees(found.seen.context.ran.low_rank_words),
        needs_statistic="tree_depth",
        of_trajectories=True,
        nearness=3,
        change=_low_rank,
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
        of_trajectories=True,
        nearness=3,
        cure=Cure.ENGINE,
    ),
    Check(
        "stuck chains",
        threshold=0.1,
        measure=chains_below(_moving),
        fact=lambda found: f"{found.where} hardly moved: {found.value:.0%} of its draws differ from the one before.",
        suggestion=_elsewhere,
        needs_draws=10,
        needs_statistic="lp",
        severity="error",
        change=_start_elsewhere,
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
        severity="error",
        nearness=2,
        cure=Cure.ENGINE,
        curable=lambda value, chains, draws: value > _chance_gap(draws),
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
        suggestion=lambda found: f"warm up longer (`warmup={_twice(found)['warmup']}`); if it stays, look at the draws "
        "of the chain with the smallest `step_size`: a funnel's neck, a second mode, or a start it has not left",
        needs_chains=2,
        needs_statistic="step_size",
        of_trajectories=True,
        nearness=3,
        change=lambda found: Change({"warmup": _twice(found)["warmup"]}),
    ),
    Check(
        "finite draws",
        threshold=0.0,
        measure=lambda seen, _: Measured(float(len(seen.odd)), seen.odd) if seen.odd else None,
        fact=lambda found: f"{found.where} has draws that are NaN or infinite.",
        suggestion=lambda _: "look at the expression that defines it: a logarithm or root of a negative number, or an "
        "overflow",
        severity="error",
        cure=Cure.ENGINE,
        listed=False,
    ),
)
BY_NAME: Mapping[str, Check] = MappingProxyType({check.name: check for check in CHECKS})
