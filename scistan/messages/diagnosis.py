"""Wording of what a diagnosis finds: the fact, then what to try; and of what cannot be tried."""

from __future__ import annotations

from scistan.errors import ModelError
from scistan.graph.places import user_place
from scistan.messages.values import as_given


def nothing_to_try(check: str, suggestion: str) -> ModelError:
    return ModelError(
        f"the suggestion of '{check}' cannot be tried by itself.",
        remedy=f"it is yours to make: {suggestion}",
        place=user_place(),
    )


def not_a_hint(given: object) -> ModelError:
    return ModelError(
        f"{as_given(given)} is no hint.",
        remedy="give one of `fit.diagnose().hints`, as in `fit.refit(fit.diagnose().hints[0])`",
        place=user_place(),
    )


def no_fit(check: str) -> ModelError:
    return ModelError(
        f"the hint of '{check}' belongs to no fit, so that there is nothing to run it on.",
        remedy="take it from `fit.diagnose()`",
        place=user_place(),
    )


def needs_the_model(check: str) -> ModelError:
    return ModelError(
        f"the suggestion of '{check}' changes the model, and this fit was loaded without it.",
        remedy="load it with ss.load(path, model=m)",
        place=user_place(),
    )


def not_of_this_fit(check: str) -> ModelError:
    return ModelError(
        f"the hint of '{check}' speaks of a variable that this fit does not have.",
        remedy="take it from this fit's own `diagnose()`",
        place=user_place(),
    )


def only_of_mcmc(method: str) -> ModelError:
    return ModelError(
        f"a fit by {method} has no run that could be made again with a hint.",
        remedy="sample with `m.mcmc()`",
        place=user_place(),
    )


def refitted(check: str, change: str) -> str:
    return f"sampled again for '{check}', with {change}"


# -- what to try, by what was run ------------------------------------------------------------------
def longer(warmup: int, draws: int) -> str:
    return f"run longer (`warmup={warmup}, draws={draws}`)"


def look_for_modes() -> str:
    return "look for several modes or parameters that only their combination identifies"


def more_draws(draws: int) -> str:
    return f"draw more (`draws={draws}`), or help the sampler: scale predictors, tighten vague priors"


def smaller_steps(delta: float | None, tried: float) -> str:
    if delta is None:
        return (
            f"`adapt_delta={tried:g}` was tried and did not help: give the model other coordinates (for group effects "
            "compare `centred=True` and the default) or tighter priors"
        )
    return f"raise `adapt_delta` to {delta:g}; for group effects compare `centred=True` and the default"


def deep_trees(low_rank: str) -> str:
    return "scale predictors to unit size (`ss.standardize`)" + (
        f", or adapt to correlations (`{low_rank}`)" if low_rank else ""
    )


# -- causes ----------------------------------------------------------------------------------------
def funnel_gathers(scale: str, child: str, value: float, count: int) -> str:
    return (
        f"the {count} divergences gather where `{scale}` is small: on average {value:.0%} of all draws have a larger "
        f"one (a half if it were chance), and `{child}` is sampled as it is written, with `{scale}` for its scale."
    )


def funnel_follows(scale: str, child: str, value: float) -> str:
    return (
        f"the spread of `{child}` follows its scale (their logarithms correlate {value:.2f}), which is made of "
        f"`{scale}`, and it is sampled as it is written."
    )


def noncentre(child: str, written: bool, can: bool, scale: str) -> str:
    if not can:
        return f"give `{scale}` a prior that keeps it away from 0, a `ss.Gamma(2, 1)` for one"
    if written:
        return f"remove `centred=True` from `{child}`"
    return f"give `{child}` `centred=False`"


def held_by_data(child: str, scale: str, value: float) -> str:
    return (
        f"the data hold the elements of `{child}` to {value:.2g} of `{scale}` (the median sd over the median scale), "
        "and it is sampled non-centred, which suits groups with little data."
    )


def centre(child: str) -> str:
    return f"give `{child}` `centred=True`"


def swapped(names: list[str], worst: float, after: float, shown: str) -> str:
    which = " together with ".join(f"`{name}`" for name in names)
    return (
        f"the components of {which} can change places without changing the density, and do: {shown} R-hat {worst:.2f}; "
        f"sorted within each draw {after:.2f}."
    )


def swapped_scalars(names: list[str], worst: float, after: float) -> str:
    which = " and ".join(f"`{name}`" for name in names)
    return (
        f"{which} can change places without changing the density, and do: they have R-hat {worst:.2f}; sorted within "
        f"each draw {after:.2f}."
    )


def order(name: str) -> str:
    return f'give `{name}` `constraint="ordered"`: one order of the components is enough'


def order_scalars(names: list[str]) -> str:
    which = " and ".join(f"`{name}`" for name in names)
    return f'write {which} as one vector with `shape={len(names)}, constraint="ordered"`'


def mirror(names: list[str], worst: float) -> str:
    which = " and ".join(f"`{name}`" for name in names)
    together = " together" if len(names) > 1 else ""
    return f"{which} can change sign{together} without changing the density: R-hat is {worst:.2f}."


def one_sign(name: str, scalar: bool) -> str:
    return f"give `{name}` `lower=0`" if scalar else f"fix the sign of one element of `{name}` (`lower=0` on it)"


def modes(where: str, value: float, settled: bool) -> str:
    if settled:
        return f"the chains settled in different places for {where}, and each stays in its own."
    return f"there are several modes of {where}: between two the histogram falls to {value:.0%} of the lower one."


def separate_modes(inits: bool) -> str:
    start = "start the chains from the prior (`inits='prior'`) to see whether one of them is a trap; " if inits else ""
    return f"{start}find out what tells the modes apart, and say so in the model by a prior or a bound"


def _near_one(r: float) -> str:
    """Write a correlation so that it is not rounded to 1."""
    digits = next((d for d in (3, 4, 6, 8) if abs(float(f"{r:.{d}f}")) < 1), 10)
    return f"{r:.{digits}f}"


def ridge(places: list[str], correlation: float, combination: str, sharper: float) -> str:
    which = ", ".join(f"`{p}`" for p in places[:-1]) + f" and `{places[-1]}`"
    how = "correlation" if len(places) == 2 else "multiple correlation"
    return (
        f"{which} lie on a ridge: their {how} is {_near_one(correlation)}. What the data hold is {combination}, "
        f"{sharper:.0f} times more tightly than its parts."
    )


def standardize(data: str, mean: float, sd: float) -> str:
    return (
        f"`{data}` has mean {mean:.4g} and sd {sd:.3g}: standardize it (`ss.standardize`), so that its slope and the "
        "intercept part"
    )


def columns_alike(data: str, first: int, second: int, correlation: float) -> str:
    return (
        f"columns {first} and {second} of `{data}` correlate {_near_one(correlation)}: leave one of them out, or use "
        "their sum and difference"
    )


def constant_column(data: str, column: int) -> str:
    return f"column {column} of `{data}` is constant, as an intercept is: leave one of the two out"


def fix_one(product: bool) -> str:
    return (
        "set the scale of one of them (fix it to 1), or give one a tight prior"
        if product
        else "leave one of them out, let them sum to 0, or give one a tight prior"
    )


def or_low_rank(low_rank: str) -> str:
    return f"; or adapt to correlations (`{low_rank}`)" if low_rank else ""


def pressed(where: str, side: str, bound: float, share: float) -> str:
    return (
        f"the draws of {where} are pressed against the {side} bound {bound:g}: {share:.0%} of them lie in the nearest "
        "tenth of their range."
    )


def move_bound(side: str) -> str:
    return f"ask whether the {side} bound is meant; if it is not a law of nature, use a prior that falls off softly"


def in_conflict(place: str, median: float, prior: str, chance: float, others: str) -> str:
    return (
        f"prior and data disagree on {place}: the posterior's median {median:.3g} lies where its prior {prior} has "
        f"{_chance(chance)} beyond it{others}."
    )


def _chance(p: float) -> str:
    return "nothing" if p < 1e-300 else f"a probability of {p:.0e}"


def mend_prior(place: str, scale: bool) -> str:
    likely = "the data's units or scale" if scale else "the data's units"
    return f"check {likely} and the prior of `{place}`; widen the prior if it was not meant to exclude this"


def beyond_predictions(name: str, what: str, own: float, low: float, high: float) -> str:
    return (
        f"the {what} of `{name}` is {own:.3g}, and a thousand draws from the prior gave {low:.3g} to {high:.3g}."
    )


def look_at_prior() -> str:
    return "look at `m.prior()`: check the data's units, and priors and fixed numbers that exclude such data"


def unheld(where: str, reach: float) -> str:
    return f"no prior (`ss.Flat`) holds {where}, nor do the data: the draws reach {reach:.2g}, and chains disagree."


def give_prior(place: str) -> str:
    return f"give `{place}` a prior, `ss.Normal(0, 10)` for one"


def like_prior(where: str, value: float) -> str:
    return f"the posterior of {where} is its prior: they differ by no more than {value:.3f} of probability."


def not_observed(names: str) -> str:
    return f"no observation depends on {names}: the draws are from the prior."


def stiff_equation(name: str, ratio: float) -> str:
    return (
        f"the equation of {name} is stiff at draws of the posterior: an explicit solver takes {ratio:.0f} times the "
        "steps of an implicit one."
    )


def solve_implicitly() -> str:
    return "try method='bdf' in `ss.ode`: the same solution, in fewer and longer steps"


def leave_or_know() -> str:
    return "nothing need be done; but the data tell nothing of it, and what you report of it is the prior"


def heavy(where: str, value: float, sd: float, middle: float) -> str:
    return (
        f"the tails of {where} are as heavy as those of a distribution without a variance (tail index {value:.2f}, "
        f"should be below 0.5): its sd is {sd:.2g}, and the middle half of the draws is {middle:.2g} wide."
    )


def lighter() -> str:
    return "report medians and intervals; or take lighter tails than Cauchy's, `ss.StudentT(4, 0, 1)` for one"


def rough_mean(where: str, value: float) -> str:
    return f"the Monte Carlo error of the mean is {value:.0%} of the sd for {where}: good for one digit."


def groups_apart(where: str, value: float, limit: float, groups: int) -> str:
    return (
        f"nested R-hat is {value:.3f} (should be below {limit}) for {where}: the {groups} groups of chains still show "
        "where they started."
    )


def parted(name: str, value: float, constant: bool, column: str) -> str:
    if constant:
        return f"all outcomes of `{name}` are equal: the data set no limit to how sure the model may be."
    by = f" by `{column}` alone" if column else ""
    return (
        f"the outcomes of `{name}` are told apart without an error{by}, at {value:.0%} of the draws: the data set no "
        "limit to the slope."
    )


def hold_slope(latent: str) -> str:
    which = f"the prior of `{latent}`" if latent else "the prior"
    return f"{which} alone holds it: make it one that you believe, `ss.Normal(0, 1)` on standardized predictors"


def no_variation(name: str, count: int, number: float) -> str:
    return (
        f"all {count} values of `{name}` are {number:g}, and its scale is to be estimated: the density grows without "
        "end as the scale falls to 0."
    )


def check_data(name: str) -> str:
    return f"check how `{name}` was read; where it is right, fix the scale or give it a prior that keeps it away from 0"


def one_chain() -> str:
    return "one chain was run: its halves can be compared, but a mode that it never met cannot be seen."


def four_chains() -> str:
    return "run four (`chains=4`)"


def refused(count: int, total: int, what: str) -> str:
    return f"{count} of {total} draws ended where {what}."


def see_ranges() -> str:
    return (
        "look for expressions that leave their range: logarithms and roots of what can be negative, exponentials that "
        "overflow"
    )


def engine_differs(error: float, tolerance: float) -> str:
    return f"the engine's log density differs from SciPy's by {error:.1e} (should be below {tolerance:.1e})."


def use_compiled() -> str:
    return "sample with `engine='cmdstan'`, and report it: `print(fit.certificate)` has the numbers"
