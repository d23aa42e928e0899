"""Wording of what can go wrong when a model is run."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from scistan.domains import Domain
from scistan.errors import DataError, InternalError, ModelError, Place, SamplingError, ScistanError, UnsupportedError
from scistan.graph.places import user_place
from scistan.messages import causes, foreign, sampling
from scistan.messages.arguments import nearest
from scistan.messages.model import UnknownVariableError
from scistan.messages.values import as_given, name_given


def unknown_target(target: object) -> ModelError:
    return ModelError(f"there is no target {as_given(target)}.", remedy="use 'scipy' or 'torch'", place=user_place())


def no_mapping(what: str, given: object, example: str) -> ModelError:
    return ModelError(
        f"{what} must be a dict, and are {as_given(given)}.", remedy=f"write it as `{example}`", place=user_place()
    )


def no_models(what: str, given: object) -> ModelError:
    return ModelError(
        f"`{what}` takes a list or a dict of models, and {as_given(given)} is no model.",
        remedy=f"write `{what}([m])`, or `{what}({{'first': m}})`, with `m = ss.Model()`",
        place=user_place(),
    )


def unknown_latent(name: str, known: Iterable[str]) -> ModelError:
    return ModelError(f"the model has no latent `{name}`.", remedy=nearest(name, known), place=user_place())


def missing_latents(names: Sequence[str]) -> ModelError:
    shown = ", ".join(f"`{n}`" for n in names)
    return ModelError(
        f"the values of {shown} are missing.",
        remedy="give one for every latent; `m.simulate()` draws some",
        place=user_place(),
    )


def bad_seed(given: object) -> ModelError:
    return ModelError(
        f"a seed is a whole number of at least 0, and {as_given(given)} is none.",
        remedy="write `seed=1`, or leave it out for fresh draws",
        place=user_place(),
    )


def improper_priors(names: Sequence[str], place: Place | None) -> UnsupportedError:
    shown = ", ".join(f"`{n}`" for n in names)
    return UnsupportedError(
        f"nothing can be drawn from the prior of {shown}: Flat is no probability distribution.",
        remedy="give it a proper prior, ss.Normal(0, 10) for one, or sample the posterior with `m.mcmc()`",
        place=place,
    )


def no_draws_of_potentials(names: Sequence[str], place: Place | None) -> UnsupportedError:
    shown = ", ".join(f"`{n}`" for n in names)
    return UnsupportedError(
        f"nothing can be drawn from this prior: a term of its density, {shown}, is no distribution.",
        remedy="leave such terms out with `m.prior(ignore_potentials=True)`, or sample the posterior with `m.mcmc()`",
        place=place,
    )


def drawn_argument_outside(
    name: str,
    family: causes.Family,
    parameter: str,
    argument: str,
    latent: bool,
    domain: Domain,
    nan: bool,
    shown: str,
    count: int,
    draws: int,
    written: tuple[str, str],
    place: Place | None,
) -> ModelError:
    """An argument that was drawn, or follows from draws, where the distribution has no meaning."""
    called = f"`{parameter}`" + (f" (`{argument}`)" if argument and argument != parameter else "")
    often = f"outside that in {count} of {draws} draws: the first value is {shown}" if draws > 1 else shown
    remedy = causes.into_domain(family, parameter, domain, *written)
    if nan:
        remedy = "look at the expression: a logarithm or root of a negative number, 0 / 0, or an overflow"
    elif latent:
        remedy = f"give `{argument}` a prior that ends where {parameter} must, or {remedy}"
    return ModelError(
        f"`{name}`: {called} of {family.title} must be {domain.words}, and is {often}.", remedy=remedy, place=place
    )


def draw_failed(name: str, distribution: str, why: str, matrix: bool, place: Place | None) -> ModelError:
    remedy = "look at its arguments and, where it was declared with ss.declare_distribution, at its `draw`"
    return ModelError(
        f"nothing can be drawn for `{name}` from {distribution}: {why}.",
        remedy=causes.NUGGET if matrix else remedy,
        place=place,
    )


def too_large_for_stan(name: str, number: int, place: Place | None) -> DataError:
    return DataError(
        f"`{name}` holds {number}, and Stan's whole numbers end at 2147483647 (32 bits).",
        remedy="count in larger units, or observe so large a count as a real number, by `ss.Normal` or `ss.Gamma` of "
        "the same mean and variance; `m.map()` and `m.mle()` take it as it is",
        place=place,
    )


def no_constrained_draws(name: str, distribution: str, constraint: str, place: Place | None) -> UnsupportedError:
    return UnsupportedError(
        f"`{name}`: no exact prior draws are known for {distribution} with constraint={constraint!r} "
        "and these arguments.",
        remedy="use a Normal, or one location and scale for all elements, or sample it with `m.mcmc()`",
        place=place,
    )


def no_torch() -> UnsupportedError:
    return UnsupportedError("PyTorch is not installed.", remedy="pip install 'scistan[torch]'", place=user_place())


def torch_disabled(why: str) -> UnsupportedError:
    return UnsupportedError(
        f"PyTorch cannot be used: {why}.", remedy="take it out of that variable", place=user_place()
    )


def no_device(device: str, why: str) -> UnsupportedError:
    return UnsupportedError(
        f"the device {device!r} cannot be used: {why}.",
        remedy="use device='cpu', or device='auto' to take what there is",
        place=user_place(),
    )


def unknown_engine(engine: object, known: Sequence[str]) -> ModelError:
    return ModelError(
        f"there is no engine {as_given(engine)}.",
        remedy=f"installed here: {', '.join(known)}, auto",
        place=user_place(),
    )


def unknown_option(engine: str, option: str, known: Iterable[str]) -> ModelError:
    return ModelError(
        f"the engine {as_given(engine)} has no option `{option}`.", remedy=nearest(option, known), place=user_place()
    )


def unbounded(names: Sequence[str]) -> ScistanError:
    shown = ", ".join(f"`{n}`" for n in names)
    return ModelError(
        f"the density grows without bound as {shown} approaches a limit of its range: there is no maximum.",
        remedy="sample with `m.mcmc()`, leave `centred` unset, or give the scale a prior that vanishes at 0",
        place=user_place(),
    )


def cannot_sample(why: str) -> SamplingError:
    return SamplingError(f"the engine could not sample: {why}", place=user_place())


def program_refused(engine: str, why: str, program: str) -> ScistanError:
    """A program that does not even parse is our fault; one that an engine lacks a function for is its gap."""
    if "unsupported function" in why or sampling.NO_ROWS in why or foreign.is_memory(why):
        return sampling.program_refused(engine, why.splitlines()[0])
    return InternalError(f"the generated program was refused by {engine}: {why}", attachment=program)


def draws_are_held() -> ModelError:
    return ModelError(
        "`fit.draws` is what the engine gave back, and no function.",
        remedy='`fit.posterior["b"]` is an array of draws, `fit["b"]` has labels, `fit.idata` holds all for ArviZ',
        place=user_place(),
    )


def own_stan_refused(what: str, why: str, place: Place | None) -> ModelError:
    """Stan text of the user's own that stanc does not take."""
    return ModelError(f"stanc refuses the Stan of your {what}, {why}", remedy="mend its Stan text there", place=place)


def generated_code_refused(why: str, line: int, program: str, place: Place | None) -> InternalError:
    """Stan text of ours that stanc does not take."""
    numbered = "\n".join(f"{number:4d}  {text}" for number, text in enumerate(program.splitlines(), 1))
    return InternalError(f"stanc refuses line {line} of the generated program: {why}", attachment=numbered, place=place)


def unsupported(target: str, gaps: Sequence[UnsupportedError]) -> UnsupportedError:
    if len(gaps) == 1:
        return gaps[0]
    listed = "\n".join(textwrap.indent(str(gap), "  ") for gap in gaps)
    return UnsupportedError(f"{target} cannot express {len(gaps)} parts of the model:\n{listed}")


def no_prior(name: str) -> str:
    return f"`{name}` has no prior: unless the data settle it, the posterior is improper; give it a wide proper prior."


def hard_bounds(name: str, bounds: str) -> str:
    return (
        f"`{name}` cannot leave {bounds}: if that is no fact of nature, a prior without bounds that puts little weight "
        "beyond them samples better."
    )


def far_from_one(name: str, number: float) -> str:
    return (
        f"`{name}` has the number {number:g} in its prior: samplers start near 1 and work best there; "
        "measure it in other units, or write it as a multiple of a latent of unit scale."
    )


def unknown_pass(name: str, known: Iterable[str]) -> ModelError:
    return ModelError(f"there is no pass `{name}`.", remedy=nearest(name, known), place=user_place())


def unknown_stage(stage: object, known: Iterable[str]) -> ModelError:
    listed = ", ".join(known)
    return ModelError(
        f"there is no stage `{name_given(stage)}`.", remedy=f"the stages are {listed}", place=user_place()
    )


def unknown_result(name: object, known: Iterable[str]) -> ModelError:
    listed = sorted(known)
    close = get_close_matches(name_given(name)[:200], listed, n=1, cutoff=0.5)
    remedy = (f"did you mean `{close[0]}`? " if close else "") + f"there are: {', '.join(listed) or 'none'}"
    what = f"there is nothing called `{name_given(name)}` in this result."
    return UnknownVariableError(what, remedy=remedy, place=user_place())


def certified(engine: str, agrees: bool, points: int, left: Mapping[str, int], seconds: float) -> str:
    """Head a certificate: the verdict, the points it rests on, and those that say nothing."""
    verdict = f"{engine} computes the model's density" if agrees else f"{engine} does NOT compute the model's density"
    others = "".join(f", {why} at {count}" for why, count in left.items() if count)
    return f"{verdict}: compared with SciPy at {points} points{others}, in {1000 * seconds:.0f} ms"


def densities_differ(engine: str, by_engine: float, by_scipy: float, error: float) -> str:
    return (
        f"between two points the log density changes by {by_engine:.8g} in {engine} and by {by_scipy:.8g} in SciPy "
        f"(relative error {error:.1e})"
    )


def slopes_differ(engine: str, by_engine: float, by_scipy: float, error: float) -> str:
    return (
        f"the derivative of the log density in one direction is {by_engine:.8g} in {engine} and {by_scipy:.8g} in "
        f"SciPy (relative error {error:.1e})"
    )


def density_of_one(engine: str, points: int) -> str:
    return f"at {points} points one of {engine} and SciPy has a density, and the other none"
