"""The checks on a fit; thresholds are the field's own (Vehtari et al. 2021; Stan's guide to warnings)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from scistan.diagnostics.context import Context
from scistan.diagnostics.diagnosis import Diagnosis, Hint, Unassessed
from scistan.diagnostics.statistics import Health, e_bfmi, measure

__all__ = ["CHECKS", "THRESHOLDS", "check_draws"]

THRESHOLDS: Mapping[str, float] = {
    "rhat": 1.01,
    "ess_per_chain": 100.0,
    "e_bfmi": 0.3,
    "divergences": 0.0,
    "tree_depth": 0.0,
    "moving": 0.1,  # the share of draws that differ from the one before, below which a chain is stuck
    "mean_gap": 1.0,  # sds within chains between a chain's mean and the middle of all
}
CHECKS = ("R-hat", "bulk ESS", "tail ESS", "divergences", "tree depth", "E-BFMI", "stuck chains", "chain means")
# What a check needs: draws in each chain, and chains. The halves of one chain show some faults, never all.
NEEDED_DRAWS = {"R-hat": 4, "bulk ESS": 4, "tail ESS": 4, "chain means": 4, "E-BFMI": 4, "stuck chains": 10}
NEEDED_CHAINS = {"R-hat": 2, "chain means": 2}
_STATISTIC = {"divergences": "diverging", "tree depth": "tree_depth", "E-BFMI": "energy", "stuck chains": "lp"}
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class _Worst:
    value: float
    names: tuple[str, ...]


def _elements(context: Context, name: str, values: np.ndarray, bad: np.ndarray) -> list[tuple[float, str]]:
    return [
        (float(values[at]), context.element(name, at, values.shape))
        for at in (tuple(int(i) for i in where) for where in np.argwhere(bad))
    ]


def _collect(context: Context, statistics: Mapping[str, np.ndarray], limit: float, *, above: bool) -> _Worst | None:
    found: list[tuple[float, str]] = []
    for name, values in statistics.items():
        values = np.asarray(values)
        bad = values > limit if above else values < limit
        if bad.any():
            found += _elements(context, name, values, bad)
    if not found:
        return None
    found.sort(reverse=above)
    return _Worst(found[0][0], tuple(name for _, name in found))


def _some(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"


def check_draws(
    posterior: Mapping[str, np.ndarray],
    statistics: Mapping[str, np.ndarray],
    max_treedepth: int = 10,
    context: Context | None = None,
) -> Diagnosis:
    """Check draws (chain, draw, …) of every variable and the sampler's statistics."""
    context = context or Context()
    chains, draws = next((x.shape[:2] for x in (*posterior.values(), *statistics.values())), (0, 0))
    ranges = {n: (x.min(), x.max()) for n, x in posterior.items() if x.size}
    odd = tuple(n for n, ends in ranges.items() if not np.isfinite(ends).all())
    moving = {n: posterior[n] for n, (low, high) in ranges.items() if n not in odd and low < high}
    health = measure(moving) if draws >= NEEDED_DRAWS["R-hat"] else {}
    hints = [
        _rhat(context, health, chains),
        *_ess(context, health, chains),
        _divergences(statistics),
        _tree_depth(statistics, max_treedepth),
        _energy(statistics),
        _stuck(statistics),
        _gaps(context, health),
        _not_finite(odd),
    ]
    unassessed = _unassessed(statistics, chains, draws)
    left_out = {u.check for u in unassessed}
    assessed = tuple(check for check in CHECKS if check not in left_out)
    return Diagnosis(tuple(h for h in hints if h is not None), assessed, unassessed, context.remarks)


def _unassessed(statistics: Mapping[str, np.ndarray], chains: int, draws: int) -> tuple[Unassessed, ...]:
    """Name the checks that these draws do not allow, and why."""
    found = []
    for check in CHECKS:
        least_draws, least_chains = NEEDED_DRAWS.get(check, 1), NEEDED_CHAINS.get(check, 1)
        if draws < least_draws:
            found.append(Unassessed(check, f"needs at least {least_draws} draws in each chain"))
        elif chains < least_chains:
            found.append(Unassessed(check, f"needs at least {least_chains} chains"))
        elif check in _STATISTIC and _STATISTIC[check] not in statistics:
            found.append(Unassessed(check, "the engine recorded nothing of it"))
    return tuple(found)


def _of(health: Mapping[str, Health], pick: Callable[[Health], np.ndarray]) -> dict[str, np.ndarray]:
    return {name: pick(h) for name, h in health.items()}


def _rhat(context: Context, health: Mapping[str, Health], chains: int) -> Hint | None:
    limit = THRESHOLDS["rhat"]
    worst = _collect(context, _of(health, lambda h: h.rhat), limit, above=True)
    if worst is None:
        return None
    parts = "the chains" if chains > 1 else "the two halves of the chain"
    return Hint(
        "R-hat",
        worst.value,
        limit,
        worst.names,
        f"R-hat is {worst.value:.3f} (should be below {limit}) for {_some(worst.names)}: {parts} do not agree yet.",
        "run longer (`warmup=2000, draws=2000`); if it stays, look for several modes or parameters that only their "
        "combination identifies" + context.centring(worst.names),
    )


def _ess(context: Context, health: Mapping[str, Health], chains: int) -> list[Hint | None]:
    limit = THRESHOLDS["ess_per_chain"] * chains
    found: list[Hint | None] = []
    kinds = (("bulk", _of(health, lambda h: h.bulk_ess)), ("tail", _of(health, lambda h: h.tail_ess)))
    for label, values in kinds:
        worst = _collect(context, values, limit, above=False)
        if worst is not None:
            found.append(
                Hint(
                    f"{label} ESS",
                    worst.value,
                    limit,
                    worst.names,
                    f"{label} ESS is {worst.value:.0f} (should be above {limit:.0f}) for {_some(worst.names)}.",
                    "draw more (`draws=4000`), or help the sampler: scale predictors, tighten vague priors"
                    + context.centring(worst.names),
                )
            )
    return found


def _divergences(statistics: Mapping[str, np.ndarray]) -> Hint | None:
    if "diverging" not in statistics:
        return None
    diverging = statistics["diverging"]
    count = int(np.sum(diverging))
    if not count:
        return None
    return Hint(
        "divergences",
        float(count),
        THRESHOLDS["divergences"],
        (),
        f"{count} of {diverging.size} draws ended in a divergence: parts of the posterior may be missing.",
        "raise `adapt_delta` (0.95, then 0.99); for group effects compare `centred=True` and the default",
    )


def _tree_depth(statistics: Mapping[str, np.ndarray], limit: int) -> Hint | None:
    if "tree_depth" not in statistics:
        return None
    depth = statistics["tree_depth"]
    count = int(np.sum(depth >= limit))
    if not count:
        return None
    return Hint(
        "tree depth",
        float(count),
        THRESHOLDS["tree_depth"],
        (),
        f"{count} of {depth.size} draws reached the largest tree depth, {limit}: slow, not wrong.",
        "scale predictors to unit size, or use `engine='nutpie'` for correlated posteriors",
    )


def _energy(statistics: Mapping[str, np.ndarray]) -> Hint | None:
    if "energy" not in statistics or statistics["energy"].shape[1] < NEEDED_DRAWS["E-BFMI"]:
        return None
    fractions = e_bfmi(statistics["energy"])
    limit = THRESHOLDS["e_bfmi"]
    worst = float(np.min(fractions))
    if not worst < limit:
        return None
    return Hint(
        "E-BFMI",
        worst,
        limit,
        (),
        f"E-BFMI is {worst:.2f} (should be above {limit}): the sampler moves badly between energy levels.",
        "look for heavy tails: a scale near 0 with few groups, or a Cauchy prior; tighten that prior",
    )


def _stuck(statistics: Mapping[str, np.ndarray]) -> Hint | None:
    """Find chains that hardly ever leave a point."""
    if "lp" not in statistics or statistics["lp"].shape[1] < NEEDED_DRAWS["stuck chains"]:
        return None
    share = (np.diff(statistics["lp"], axis=1) != 0).mean(1)
    stuck = tuple(f"chain {k}" for k in np.flatnonzero(share < THRESHOLDS["moving"]))
    if not stuck:
        return None
    return Hint(
        "stuck chains",
        float(share.min()),
        THRESHOLDS["moving"],
        stuck,
        f"{_some(stuck)} hardly moved: {share.min():.0%} of its draws differ from the one before.",
        "start it elsewhere (`inits='prior'` or 'pathfinder'), or raise `adapt_delta`",
    )


def _gaps(context: Context, health: Mapping[str, Health]) -> Hint | None:
    limit = THRESHOLDS["mean_gap"]
    worst = _collect(context, _of(health, lambda h: h.mean_gap), limit, above=True)
    if worst is None:
        return None
    return Hint(
        "chain means",
        worst.value,
        limit,
        worst.names,
        f"a chain's mean lies {worst.value:.1f} sds (should be below {limit:g}) from the others for "
        f"{_some(worst.names)}: the chains are in different places.",
        "look at each chain's draws: several modes, labels that can be swapped, or a chain that never arrived",
    )


def _not_finite(names: tuple[str, ...]) -> Hint | None:
    if not names:
        return None
    return Hint(
        "finite draws",
        float(len(names)),
        0.0,
        names,
        f"{_some(names)} has draws that are NaN or infinite.",
        "look at the expression that defines it: a logarithm or root of a negative number, or an overflow",
    )
