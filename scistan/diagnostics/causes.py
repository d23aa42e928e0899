"""The thorough checks, a row each: they look at draws and graph together, and only `fit.diagnose()` makes them.

Where a threshold is not the field's own, the row says where it comes from; those on many elements hold over all of them
(`chance.py`). None has a `cure`, so that `auto` makes no run for them.
"""

from __future__ import annotations

import math

import numpy as np

from scistan.diagnostics.change import Change
from scistan.diagnostics.check import Check, Evidence, Finding, Measured
from scistan.diagnostics.equations import stiff
from scistan.diagnostics.funnels import GATHER, funnel, much_data
from scistan.diagnostics.hint import CAUSE
from scistan.diagnostics.modes import DISAGREE, VALLEY, exchangeable, mirrored, several_modes
from scistan.diagnostics.outcomes import constant_outcomes, far_from_prior, separated
from scistan.diagnostics.priors import at_a_bound, conflict, improper, untouched
from scistan.diagnostics.ridges import ridge
from scistan.diagnostics.tails import heavy_tails, nested_rhat, standard_error
from scistan.diagnostics.words import mend_ridge, named_combination
from scistan.engines.registry import ENGINES, preferred
from scistan.messages import diagnosis as messages

__all__ = ["CAUSES"]

# Draws in each chain from which quantiles and histograms tell anything.
FEW = 25


def _graver(found: Finding) -> str:
    return found.seen.gravest


def _ridge_severity(found: Finding) -> str:
    """A ridge that the sampler walked along well is good to know, and no fault."""
    slow = ("R-hat", "bulk ESS", "tail ESS", "tree depth", "divergences", "chain means", "step sizes")
    return found.seen.gravest if found.seen.has(*slow) else "note"


def _without_centring(found: Finding) -> Change | None:
    if not found.more["can"]:
        return None
    return Change(variables={found.more["child"]: {"centred": None if found.more["written"] else False}})


def _low_rank(found: Finding) -> Change | None:
    options = found.seen.context.ran.low_rank
    ill = _ridge_severity(found) != "note"
    return Change(options) if options is not None and ill else None


def _alone(found: Finding) -> bool:
    """Tell whether components are elements of one vector, which can be ordered."""
    return bool(found.more["lone"])


def _swapped(found: Finding) -> str:
    if _alone(found):
        return messages.swapped(found.more["group"], found.value, found.more["sorted"], "it has")
    return messages.swapped_scalars(found.more["group"], found.value, found.more["sorted"])


def _refused(seen: Evidence, limit: float) -> Measured | None:
    """Count draws whose density or energy is not finite, and those whose trajectory was refused at once."""
    found = {}
    for name, what in (("lp", "the log density is not finite"), ("energy", "the energy is not finite")):
        if name in seen.statistics:
            found[what] = int((~np.isfinite(seen.statistics[name])).sum())
    rate = seen.statistics.get("acceptance_rate")
    if rate is not None:
        found["every step was refused"] = int((~(rate > REFUSED)).sum())
    total = seen.chains * seen.draws
    what, count = max(found.items(), key=lambda pair: pair[1], default=("", 0))
    return Measured(count / total, (), {"count": count, "what": what}) if total and count > limit * total else None


REFUSED = 1e-8  # an acceptance rate below it is that of a step into a wall


def _certified(seen: Evidence, limit: float) -> Measured | None:
    if seen.certificate is None:
        return None
    error, tolerance = seen.certificate
    ratio = error / tolerance if tolerance else math.inf
    return Measured(ratio, (), {"error": error, "tolerance": tolerance}) if ratio > limit else None


CAUSES: tuple[Check, ...] = (
    Check(
        "certificate",
        threshold=1.0,  # times the tolerance that arithmetic explains
        measure=_certified,
        fact=lambda found: messages.engine_differs(found.more["error"], found.more["tolerance"]),
        suggestion=lambda _: messages.use_compiled(),
        severity="error",
        nearness=CAUSE,
        change=lambda _: Change({"engine": preferred(ENGINES, lambda engine: engine.compiled)[0]}),
        listed=False,
    ),
    Check(
        "constant data",
        threshold=0.0,
        measure=constant_outcomes,
        fact=lambda found: messages.no_variation(found.places[0], int(found.value), found.more["number"]),
        suggestion=lambda found: messages.check_data(found.places[0]),
        severity="error",
        nearness=CAUSE,
        listed=False,
    ),
    Check(
        "improper posterior",
        threshold=1.1,  # R-hat: far beyond what a run that is merely short gives
        measure=improper,
        fact=lambda found: messages.unheld(found.where, found.more["reach"]),
        suggestion=lambda found: messages.give_prior(found.places[0]),
        severity="error",
        nearness=CAUSE,
        needs_draws=FEW,
        listed=False,
    ),
    Check(
        "exchangeable components",
        threshold=DISAGREE,
        measure=exchangeable,
        fact=_swapped,
        suggestion=lambda found: messages.order(found.more["about"])
        if _alone(found)
        else messages.order_scalars(found.more["group"]),
        severity="error",
        nearness=CAUSE,
        needs_draws=FEW,
        listed=False,
        change=lambda found: Change(variables={found.more["about"]: {"constraint": "ordered"}})
        if found.more["known"]
        else None,
    ),
    Check(
        "mirrored modes",
        threshold=DISAGREE,
        measure=mirrored,
        fact=lambda found: messages.mirror(list(found.places), found.value),
        suggestion=lambda found: messages.one_sign(found.more["about"], bool(found.more["scalar"])),
        severity="error",
        nearness=CAUSE,
        needs_draws=FEW,
        listed=False,
        change=lambda found: Change(variables={found.more["scalar"]: {"lower": 0.0}})
        if found.more["scalar"]
        else None,
    ),
    Check(
        "funnel",
        threshold=GATHER,
        measure=funnel,
        fact=lambda found: messages.funnel_gathers(
            found.more["scale"], found.more["child"], found.value, found.more["count"]
        )
        if found.more["gathered"]
        else messages.funnel_follows(found.more["scale"], found.more["child"], found.more["follows"]),
        suggestion=lambda found: messages.noncentre(
            found.more["child"], found.more["written"], found.more["can"], found.more["scale"]
        ),
        severity=_graver,
        nearness=CAUSE,
        needs_draws=FEW,
        listed=False,
        change=_without_centring,
    ),
    Check(
        "groups with much data",
        threshold=0.3,  # of the scale: where each group's own data outweigh the others' tenfold
        measure=much_data,
        fact=lambda found: messages.held_by_data(found.more["child"], found.more["scale"], found.value),
        suggestion=lambda found: messages.centre(found.more["child"]),
        severity=_graver,
        nearness=CAUSE,
        needs_draws=FEW,
        listed=False,
        change=lambda found: Change(variables={found.more["child"]: {"centred": True}}),
    ),
    Check(
        "several modes",
        threshold=VALLEY,
        measure=several_modes,
        fact=lambda found: messages.modes(found.where, found.value, bool(found.more["settled"])),
        suggestion=lambda found: messages.separate_modes(found.seen.context.ran.starts != "prior"),
        severity=_graver,
        nearness=CAUSE,
        needs_draws=FEW,
    ),
    Check(
        "separation",
        threshold=0.01,  # of the draws: one proves that the data can be parted, some that the posterior goes there
        measure=separated,
        fact=lambda found: messages.parted(
            found.places[0], found.value, found.more["constant"], found.more.get("column", "")
        ),
        suggestion=lambda found: messages.hold_slope(found.more.get("latent", "")),
        severity=_graver,
        nearness=CAUSE,
        listed=False,
    ),
    Check(
        "ridge",
        threshold=0.99,  # a diagonal metric needs some fourteen times the steps
        measure=ridge,
        fact=lambda found: messages.ridge(
            list(found.places), found.more["correlation"], named_combination(found), found.more["sharper"]
        ),
        suggestion=mend_ridge,
        severity=_ridge_severity,
        nearness=CAUSE,
        needs_draws=FEW,
        change=_low_rank,
    ),
    Check(
        "heavy tails",
        threshold=0.5,  # the index from which a distribution has no variance
        measure=heavy_tails,
        fact=lambda found: messages.heavy(found.where, found.value, found.more["sd"], found.more["middle"]),
        suggestion=lambda _: messages.lighter(),
        severity=_graver,
        nearness=CAUSE,
        needs_draws=FEW,
    ),
    Check(
        "prior-data conflict",
        threshold=1e-3,  # of false alarms in a fit whose truth comes from its prior, shared by all elements
        measure=conflict,
        fact=lambda found: messages.in_conflict(
            found.places[0],
            found.more["median"],
            found.more["prior"],
            found.value / 2,
            f"; and on {len(found.places) - 1} more" if len(found.places) > 1 else "",
        ),
        suggestion=lambda found: messages.mend_prior(found.places[0], found.more["scale"]),
        nearness=CAUSE,
        needs_draws=FEW,
    ),
    Check(
        "prior predictions",
        threshold=1.0,  # of the prior draws' own spread beyond the farthest of a thousand
        measure=far_from_prior,
        fact=lambda found: messages.beyond_predictions(
            found.places[0], found.more["what"], found.more["own"], found.more["low"], found.more["high"]
        ),
        suggestion=lambda _: messages.look_at_prior(),
        nearness=CAUSE + 1,
        listed=False,
        learn_more="prior-data-conflict",
    ),
    Check(
        "boundary",
        threshold=0.15,  # an exponential has 0.21, the half of a normal 0.13, a uniform 0.09
        measure=at_a_bound,
        fact=lambda found: messages.pressed(found.where, found.more["side"], found.more["bound"], found.value),
        suggestion=lambda found: messages.move_bound(found.more["side"]),
        severity=lambda found: "error" if found.seen.has("divergences") else "warning",
        nearness=CAUSE,
        needs_draws=FEW,
    ),
    Check(
        "rejections",
        threshold=0.05,
        measure=_refused,
        fact=lambda found: messages.refused(
            found.more["count"], found.seen.chains * found.seen.draws, found.more["what"]
        ),
        suggestion=lambda _: messages.see_ranges(),
        severity="warning",
    ),
    Check(
        "nested R-hat",
        threshold=1.01,
        measure=nested_rhat,
        fact=lambda found: messages.groups_apart(found.where, found.value, found.limit, found.more["groups"]),
        suggestion=lambda found: messages.longer(
            2 * found.seen.context.ran.most_warmup, 2 * found.seen.context.ran.draws
        ),
        severity="error",
        nearness=3,
        listed=False,
        change=lambda found: Change({"warmup": 2 * found.seen.context.ran.most_warmup}),
    ),
    Check(
        "chains",
        threshold=2.0,
        measure=lambda seen, limit: Measured(float(seen.chains)) if 0 < seen.chains < limit else None,
        fact=lambda _: messages.one_chain(),
        suggestion=lambda _: messages.four_chains(),
        nearness=2,
        listed=False,
        learn_more="too-few-chains",
        change=lambda _: Change({"chains": 4}),
    ),
    Check(
        "MCSE",
        threshold=0.05,  # 400 effective draws (Vehtari et al. 2021), whatever the number of chains
        measure=standard_error,
        fact=lambda found: messages.rough_mean(found.where, found.value),
        suggestion=lambda found: messages.more_draws(4 * found.seen.context.ran.draws),
        severity="note",
        nearness=4,
        needs_draws=FEW,
        learn_more="effective-sample-size",
        change=lambda found: Change({"draws": 4 * found.seen.context.ran.draws}),
    ),
    Check(
        "stiff equation",
        threshold=10.0,  # an implicit step costs about as much as ten explicit ones
        measure=stiff,
        fact=lambda found: messages.stiff_equation(found.where, found.value),
        suggestion=lambda _: messages.solve_implicitly(),
        severity=lambda found: found.seen.gravest if found.seen.has("divergences", "rejections") else "note",
        nearness=2,
        listed=False,
        learn_more="stiff-equations",
    ),
    Check(
        "untouched by data",
        threshold=0.04,  # of probability at any of five quantiles; a posterior 0.8 times as wide as its prior has more
        measure=untouched,
        fact=lambda found: messages.not_observed(found.where)
        if found.more["alone"]
        else messages.like_prior(found.where, found.value),
        suggestion=lambda _: messages.leave_or_know(),
        severity="note",
        nearness=4,
        needs_draws=FEW,
    ),
)
