"""Wording of what can go wrong with a point estimate, and of what its audit finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scistan.errors import ArgumentError, DataError, ModelError, Place, SamplingError, UnsupportedError
from scistan.graph.places import user_place
from scistan.messages.arguments import nearest
from scistan.messages.values import as_given


def _named(names: Iterable[str]) -> str:
    return ", ".join(f"`{n}`" for n in names)


# -- where and how to run -----------------------------------------------------------------------------
def unknown_device(device: object) -> ModelError:
    return ModelError(
        f"there is no device {as_given(device)}.",
        remedy="use 'cpu', 'cuda', 'cuda:1', 'mps', or 'auto' to take what there is",
        place=user_place(),
    )


def no_device(device: str, why: str) -> UnsupportedError:
    return UnsupportedError(
        f"the device {as_given(device)} cannot be used: {why}.",
        remedy="use device='cpu', or device='auto' to take what there is",
        place=user_place(),
    )


def no_double_on_mps() -> UnsupportedError:
    return UnsupportedError(
        "the device 'mps' has no double precision, and dtype is 'float64'.",
        remedy="dtype='float32' on 'mps', or device='cpu' for all digits",
        place=user_place(),
    )


def unknown_dtype(dtype: object) -> ModelError:
    return ModelError(
        f"dtype={as_given(dtype)} is not a precision to compute in.",
        remedy="use 'float64' or 'float32'",
        place=user_place(),
    )


def fell_back(why: str) -> str:
    return f"device='auto' took the CPU: {why}"


def rounded(dtype: str, largest: int) -> DataError:
    return DataError(
        f"the data hold the whole number {largest}, which {dtype} cannot tell from its neighbours.",
        remedy="use dtype='float64', or count in larger units",
        place=user_place(),
    )


class MemoryWarning(UserWarning):
    """A fit that had to be made on fewer observations at a time."""


class OutOfMemoryError(SamplingError):
    """Memory ran out on a device; `smaller` is the batch to try next, None where none is."""

    device: str = "cpu"
    smaller: int | None = None


def out_of_memory(device: str, batch_size: int | None) -> OutOfMemoryError:
    remedy = f"batch_size={batch_size}" if batch_size else "a smaller batch_size, fewer starts, or dtype='float32'"
    error = OutOfMemoryError(f"the device {as_given(device)} ran out of memory.", remedy=remedy, place=user_place())
    error.device, error.smaller = device, batch_size
    return error


def batch_shrunk(device: str, batch_size: int) -> str:
    return (
        f"The device {as_given(device)} ran out of memory, so the observations were taken {batch_size:,} at a time: "
        f"their sum is the same, and takes longer. `batch_size={batch_size}` begins there."
    )


def unknown_option(verb: str, option: str, known: Iterable[str]) -> ArgumentError:
    return ArgumentError(f"`{verb}` has no option `{option}`.", remedy=nearest(option, known), place=user_place())


def bad_option(option: str, given: object, needed: str) -> ModelError:
    return ModelError(f"`{option}` must be {needed}, and is {as_given(given)}.", place=user_place())


def init_outside(name: str, words: str) -> ModelError:
    return ModelError(f"the starting value of `{name}` must be {words}.", place=user_place())


def not_an_estimate(path: object, why: str) -> DataError:
    return DataError(f"{path} is not a saved estimate: {why}.", place=user_place())


def broken_record(path: object, why: str) -> DataError:
    return DataError(
        f"{path} is not a saved estimate as it was written: the record of its model cannot be read: {why}.",
        remedy="save the estimate again, or give the model: ss.load(path, model=m)",
        place=user_place(),
    )


def unknown_inits(inits: object) -> ModelError:
    return ModelError(
        f"inits={as_given(inits)} is not understood.",
        remedy="give a dict of values or a point estimate; None starts in the middle and from the prior",
        place=user_place(),
    )


# -- models that cannot be maximized --------------------------------------------------------------------
def prior_mode(empty: Sequence[str]) -> str:
    if not empty:
        return "nothing is observed: this is the mode of the prior; did you forget .observe(...)?"
    shown = ", ".join(f"`{name}`" for name in empty)
    return f"observed, but without rows: {shown}, so that this is the mode of the prior (was everything filtered out?)"


def nothing_observed() -> ModelError:
    return ModelError(
        "the model has no observations, so there is no likelihood to maximize.",
        remedy="give values to a distribution with `.observe(...)`, or use `m.map()` for the mode of the prior",
        place=user_place(),
    )


def nothing_latent() -> ModelError:
    return ModelError("the model has no latents: there is nothing to estimate.", place=user_place())


def undetermined(names: Sequence[str], place: Place | None) -> ModelError:
    return ModelError(
        f"the likelihood does not determine {_named(names)}: no observation depends on "
        f"{'it' if len(names) == 1 else 'them'} but through other latents.",
        remedy="use `m.map()`, which keeps the priors, or `m.mcmc()`",
        place=place,
    )


def unbounded(names: Sequence[str], verb: str, gain: float) -> ModelError:
    what = "density" if verb == "map" else "likelihood"
    remedy = "sample with `m.mcmc()`, leave `centred` unset, or give the scale a prior that vanishes at 0"
    return ModelError(
        f"the {what} grows without bound as {_named(names)} approaches a limit of its range "
        f"(each step outwards raises it by {gain:.3g} and more): there is no maximum.",
        remedy=remedy if verb == "map" else "use `m.map()` with a prior that vanishes there, or `m.mcmc()`",
        place=user_place(),
    )


def not_finite(
    term: str, distribution: str, what: str, variables: Sequence[str], values: str, starts: int, place: Place | None
) -> ModelError:
    of = f" in {_named(variables)}" if variables else ""
    tried = "at the start" if starts == 1 else f"at any of {starts} starts"
    return ModelError(
        f"the {what} of `{term}` ({distribution}){of} is not finite {tried}; for one, {values}.",
        remedy="check the data against the prior, give bounds that leave out impossible values, or `inits=`",
        place=place or user_place(),
    )


def no_density(fact: str, starts: int, remedy: str, place: Place | None) -> ModelError:
    """No start has a finite density: what is wrong at the first."""
    tried = "the start has no density" if starts == 1 else f"none of {starts} starts has a density"
    return ModelError(f"{tried}: {fact}.", remedy=remedy, place=place or user_place())


# -- mini-batches ---------------------------------------------------------------------------------------
class NoBatchesError(ModelError):
    """A model whose observations cannot be taken apart."""


def no_batches(name: str, why: str) -> ModelError:
    return NoBatchesError(
        f"mini-batches cannot be taken along the observations of `{name}`: {why}.",
        remedy="leave out batch_size",
        place=user_place(),
    )


# -- what a finished estimate cannot do -------------------------------------------------------------------
def no_model_with_it(what: str) -> UnsupportedError:
    return UnsupportedError(
        f"{what} needs the model, and this estimate was loaded without it.",
        remedy="ss.load(path) reads the model that is in the file; from a file without one, ss.load(path, model=m)",
        place=user_place(),
    )


def other_model(names: Sequence[str]) -> ModelError:
    return ModelError(
        f"this is not the model the estimate was made with: {_named(names)} differ.", place=user_place()
    )


def no_draws(why: str) -> SamplingError:
    return SamplingError(
        f"no draws can be made about this estimate: {why}.", remedy="sample with `m.mcmc()`", place=user_place()
    )


def no_profile(name: str, why: str) -> UnsupportedError:
    return UnsupportedError(
        f"`{name}` cannot be profiled: {why}.",
        remedy="take quantiles of `estimate.idata(draws)`, or of `m.mcmc()`",
        place=user_place(),
    )


def unknown_quantity(name: str, known: Iterable[str]) -> ModelError:
    return ModelError(f"the estimate has no latent `{name}`.", remedy=nearest(name, known), place=user_place())


# -- the audit's findings: a fact with its number, then a suggestion -------------------------------------------
def converged(distance: float, limit: float, gradient: float) -> str:
    return (
        f"the mode is within {distance:.1e} standard errors (allowed {limit:.0e}), the largest slope is {gradient:.1e}"
    )


def small_slope(gradient: float, limit: float) -> str:
    return f"the largest slope is {gradient:.1e} (allowed {limit:.1e})"


def too_far(distance: float, limit: float, gradient: float) -> str:
    return (
        f"a Newton step is still {distance:.1e} standard errors long (allowed {limit:.0e}), "
        f"the largest slope is {gradient:.1e}"
    )


def steep(gradient: float, limit: float) -> str:
    return f"the largest slope is still {gradient:.1e} (allowed {limit:.1e})"


def interrupted(iterations: int) -> str:
    return f"interrupted after {iterations} iterations; this is the best point until then"


def out_of_iterations(iterations: int) -> str:
    return f"stopped after max_iterations={iterations}"


def out_of_epochs(epochs: int) -> str:
    return f"stopped after epochs={epochs} of Adam; polish=True finishes with exact steps"


def never_moved() -> str:
    return "the line search never left the starting point"


def stalled(iterations: int) -> str:
    return f"the line search found no better point after {iterations} iterations"


def flat(names: Sequence[str], drop: float) -> str:
    return (
        f"the density is flat along a direction of {_named(names)}: it falls by {drop:.1e} where the curvature of a "
        f"peak would lose 0.005 and more. The data do not determine "
        f"{'it' if len(names) == 1 else 'their combination'}; a prior would"
    )


def kink(names: Sequence[str], drop: float) -> str:
    return (
        f"the density has no curvature along a direction of {_named(names)} and yet falls by {drop:.1e} close by: a "
        "kink or an edge, where a Hessian gives no standard errors. `m.mcmc()` needs none"
    )


def separated(value: float) -> str:
    return (
        f"the log likelihood is {value:.1e}, so every outcome is foretold with certainty (separation): it has no "
        "maximum but at infinity. `m.map()`, which keeps the priors, has one"
    )


def saddle(names: Sequence[str], curvature: float) -> str:
    return f"the density curves upwards along a direction of {_named(names)} (curvature {curvature:.1e}): not a maximum"


def undecided(names: Sequence[str], curvature: float) -> str:
    return (
        f"whether this is a peak could not be told: along a direction of {_named(names)} the curvature is "
        f"{curvature:.1e} of what single coordinates have, and systems with the Hessian did not come to an end"
    )


def at_boundary(name: str, where: str) -> str:
    return (
        f"`{name}` is at its boundary {where}: no standard error for it, nor for what depends on it; "
        "those of the rest are given its value"
    )


def joint_mode(governing: Sequence[str], effects: Sequence[str], others: Sequence[str]) -> str:
    governs, what = ("governs", "it") if len(governing) == 1 else ("govern", "them")
    besides = f", nor for what depends on them ({_named(others)})" if others else ""
    return (
        f"{_named(governing)} {governs} the effects {_named(effects)}, and all were maximized at once: the mode of "
        f"{what} can be far from the posterior, a scale several times too large or 0. So there is no standard error "
        f"for {what} nor for the effects{besides}; those of the rest take these modes as they are. "
        "`m.mcmc()` gives the posterior"
    )


def starts_disagree(agreeing: int, starts: int, gap: float, cut_short: bool) -> str:
    ended = "was still climbing when its share of the work was done," if cut_short else "ended"
    return (
        f"only {agreeing} of {starts} starts reached this maximum; the next best {ended} {gap:.3g} lower in log "
        "density: several modes, or slow progress. More starts or `m.mcmc()` would tell"
    )


def equal_modes(places: int) -> str:
    return (
        f"starts ended at {places} different points of the same height: the mode is not unique "
        "(exchangeable components?); an `ordered` constraint or a bound picks one"
    )


def starts_left_out(left_out: int, starts: int) -> str:
    return (
        f"{starts} starts were climbed from and {left_out} left out: all would take many times as long as the first. "
        "`starts=1` leaves out all others, `inits=` begins elsewhere"
    )


def starts_failed(failed: int, starts: int) -> str:
    return f"{failed} of {starts} starts had no finite density or gradient and were left out"


def rough_errors(names: Sequence[str]) -> str:
    return f"standard errors of {_named(names)} were left out: too many to compute without an n² matrix"
