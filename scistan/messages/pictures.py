"""Wording of pictures and reports of a fit: what cannot be drawn, and what a picture says of itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scistan.errors import ArgumentError, ModelError, UnsupportedError
from scistan.graph.places import user_place
from scistan.messages.arguments import nearest
from scistan.messages.values import as_given

_FEW = 4

# -- what stands below a picture ---------------------------------------------------------------------
RANKS = (
    "Ranks of each chain's draws among those of all chains, relative to an even spread (dotted): "
    "chains that agree lie near it."
)
PRIOR_POSTERIOR = (
    "Grey: prior; blue: posterior. Heights are comparable; tails of the prior may reach beyond a panel."
)
PREDICTIVE = "Black: observed; blue: data drawn anew from the posterior."
FORECAST = "Black: observed, or fitted with its bands; blue: the forecast. Bands hold 50 % and 90 %, lines are medians."
LOO_PIT = (
    "LOO-PIT: where each observation lies in its prediction from the others. The line stays within the band "
    "(95 %, for the whole line) where predictions are calibrated."
)
RELIABILITY = (
    "Reliability: how often outcomes came true, by their predicted probability from the others. "
    "The line stays near the band (90 % at each point) where predictions are calibrated."
)


def chains_by_color(chains: int, diverged: int) -> str:
    one = "1 chain" if chains == 1 else f"{chains} chains, one color each"
    return f"{one}; red marks: {diverged} divergence{'s' * (diverged != 1)}." if diverged else f"{one}."


def diverged(count: int) -> str:
    return "Red: the draw that diverged." if count == 1 else f"Red: the {count} draws that diverged."


def e_bfmi(by_chain: Sequence[float]) -> str:
    told = ", ".join(f"{value:.2f}" for value in by_chain)
    return f"E-BFMI by chain: {told}. Below 0.3, tails are reached slowly."


def medians(probability: float, inner: float | None = None) -> str:
    percent = f"{100 * probability:.3g} %"
    if inner is None:
        return f"Median and {percent} interval."
    return f"Medians with {100 * inner:.3g} % (thick) and {percent} intervals."


def pair(one: str, other: str, why: str) -> str:
    return f"{one} and {other}: {why}."


# -- what cannot be drawn ----------------------------------------------------------------------------


def no_matplotlib() -> UnsupportedError:
    return UnsupportedError(
        "pictures are drawn with matplotlib, which is not installed.",
        remedy="pip install 'scistan[plot]'",
        place=user_place(),
    )


def unknown_ending(path: object, known: Sequence[str]) -> ArgumentError:
    return ArgumentError(
        f"{path}: matplotlib writes no files of that ending.",
        remedy=f"name a file that ends in {', '.join(known[:-1])} or {known[-1]}",
        place=user_place(),
    )


def no_energy(method: str, engine: str, proposes: bool = False) -> ModelError:
    if proposes:
        what = f"the draws of {engine} are proposed and accepted, without trajectories: they have no energy."
        remedy = "`fit.plot_trace()` and `fit.plot_rank()` show how they mix; `m.mcmc(engine=\"stanli\")` has energies"
        return ModelError(what, remedy=remedy, place=user_place())
    if method != "mcmc":
        what = f"{method} draws from an approximation, and has no energy: that belongs to Hamiltonian Monte Carlo."
        return ModelError(what, remedy="sample with `m.mcmc()`", place=user_place())
    return ModelError(
        f"the draws of {engine} came without their energies.",
        remedy="sample with `m.mcmc()`, and keep the fit with `fit.save(path)`",
        place=user_place(),
    )


def nothing_to_predict(what: str) -> ModelError:
    return ModelError(
        f"`{what}` compares observations with what the model predicts, and the model observes nothing.",
        remedy="observe data, `m.y = ss.Normal(mu, sigma).observe(values)`, and fit again",
        place=user_place(),
    )


def no_predictions(what: str, group: str) -> ModelError:
    return ModelError(
        f"`{what}` needs the group `{group}`, and this fit was loaded without it and without the model.",
        remedy="load it with ss.load(path, model=m)",
        place=user_place(),
    )


def unknown_observed(name: object, known: Sequence[str]) -> ArgumentError:
    return ArgumentError(
        f"the model observes no `{name}`.", remedy=nearest(str(name), known), place=user_place()
    )


def one_variable() -> ArgumentError:
    return ArgumentError(
        "`plot_pairs` draws variables against each other, and was given one number alone.",
        remedy="name two or more: `fit.plot_pairs(var_names=['mu', 'tau'])`",
        place=user_place(),
    )


def nothing_moves(what: str) -> ModelError:
    return ModelError(
        f"`{what}` has nothing to draw: the fit has no numbers that vary.",
        remedy="`fit.summary()` shows what there is",
        place=user_place(),
    )


def bad_limit(given: object) -> ArgumentError:
    return ArgumentError(
        f"`limit` must be a whole number of at least 1, and is {as_given(given)}.",
        remedy="write `limit=20`, or name what to draw: `var_names=['mu']`",
        place=user_place(),
    )


def left_out(shown: int, total: int, parts: Mapping[str, tuple[int, int]]) -> str:
    """Say what a picture leaves out: of each variable, how many numbers of how many."""
    listed = [f"{name} ({gone} of {size})" if gone < size else name for name, (gone, size) in parts.items()]
    more = f" and {len(listed) - _FEW} more" if len(listed) > _FEW else ""
    return (
        f"{shown} of {total} numbers are shown. Left out: {', '.join(listed[:_FEW])}{more}. "
        f"var_names=[…] chooses, limit={total} shows all."
    )


def rows_left_out(shown: int, total: int) -> str:
    return f"{shown} of {total} rows are shown; `fit.table()` and `fit.summary()` give all."


def constant(names: Sequence[str]) -> str:
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return f"Constant, so not drawn: {', '.join(names[:_FEW])}{more}."


def strongest(correlation: float) -> str:
    return f"the pair with the strongest rank correlation: {correlation:.2f}"


def gathered(name: str, inside: int, total: int, low: bool) -> str:
    end = "lowest" if low else "highest"
    return f"{inside} of {total} divergences lie where {name} is in the {end} fifth of its draws"


def scattered(total: int) -> str:
    return "there was 1 divergence" if total == 1 else f"the {total} divergences gather nowhere"


def coefficients_left_out(shown: int, total: int) -> str:
    return f"{shown} of {total} coefficients are shown; `fit.report(path, limit=…)` shows more."


def report_ending(path: object) -> ArgumentError:
    return ArgumentError(
        f"{path}: a report is a page, and its file ends in .html.",
        remedy='name it so, `fit.report("report.html")`; browsers print it to PDF',
        place=user_place(),
    )


def unknown_format(given: object, known: Sequence[str]) -> ArgumentError:
    shown = ", ".join(map(repr, known))
    return ArgumentError(
        f"`fit.table` knows the formats {shown}, and was given {as_given(given)}.",
        remedy=f"write `fit.table(format={known[0]!r})`",
        place=user_place(),
    )
