"""Which latents are integrated out before a model is sampled: those asked for, or those where it pays."""

from __future__ import annotations

import math

from scistan.given import as_names, is_switch
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.inference.summed import numbers_of
from scistan.inference.work import coordinates, gradient_work
from scistan.messages import integration as messages
from scistan.passes.integrate import (
    NormalIntegral,
    compound_latents,
    integrate_compounds,
    integrate_normals,
    normal_latents,
)
from scistan.profiling import staged

__all__ = ["Integrate", "as_integrate", "integrated", "pays", "told_ahead", "told_of_integrals"]

Integrate = bool | str | tuple[str, ...]

# How many times dearer a gradient may be for what it saves: without its effects a model takes fewer steps for a draw,
# without the elements of a chain far fewer, and without coefficients that all rows share hardly any fewer. By
# `bench/integrate.py`.
WORTH, WORTH_OF_CHAINS, WORTH_OF_COEFFICIENTS = 5.0, 30.0, 1.0
LONG = 1_000  # elements of a chain, from which on it is worth more with each: sampled, it takes ever longer paths
# How many times cheaper one number must be to be sampled alone: NUTS has about a third of the effective draws there.
WORTH_ALONE = 3.0


def as_integrate(given: object, instance: Instance) -> Integrate:
    """Read what a user gives for `integrate`: "auto", True, False, or names of latents."""
    if is_switch(given):
        return bool(given)
    if isinstance(given, str) and given == "auto":
        return given
    if not isinstance(given, str | list | tuple):
        raise messages.bad_integrate(given)
    names = as_names("integrate", given)
    known = [term.name for term in instance.graph.latents]
    for name in names:
        if name not in known:
            raise messages.unknown_latent(name, known)
    return tuple(dict.fromkeys(names))


@staged("integrating")
def integrated(instance: Instance, how: Integrate) -> Instance:
    """Give the model without what is to be integrated; itself where there is nothing."""
    if how is False or how == () or instance.whole is not None:
        return _checked(instance, how)
    rows = [instance.shape(term.law.shape) for term in instance.graph.observed]
    if not _integrable(instance) or any(0 in shape for shape in rows):
        return _checked(instance, how)
    names = how if isinstance(how, tuple) else None
    compounded = _compounded(instance, how, names)
    made = integrate_normals(compounded, numbers_of(compounded), names)
    if how == "auto" and coordinates(made) == 1:
        made = _with_company(made, compounded)
    if not made.graph.latents or (how == "auto" and not pays(made, compounded)):
        return _checked(compounded, how)
    return _checked(made, how)


def _integrable(instance: Instance) -> list[str]:
    """Name the latents that may be integrated, by the laws of the model alone."""
    return [term.name for term in (*compound_latents(instance.graph), *normal_latents(instance.graph))]


def _compounded(instance: Instance, how: Integrate, names: tuple[str, ...] | None) -> Instance:
    """Integrate conjugate latents, which saves numbers and work; the smallest stay where too little would be left."""
    made = integrate_compounds(instance, numbers_of(instance), names)
    while made.integrated and coordinates(made) <= 1:
        gone = sorted((term for one in made.integrated for term in one.latents), key=lambda t: _count(instance, t))
        if coordinates(made) == 1 and (how != "auto" or gone[0].law.shape):
            break  # one number is enough to run, and a scalar's company all that `_with_company` would give it
        made = integrate_compounds(instance, numbers_of(instance), [term.name for term in gone[1:]])
    return made


def _count(instance: Instance, term: Term) -> int:
    return math.prod(instance.shape(term.law.shape))


def _with_company(made: Instance, instance: Instance) -> Instance:
    """Leave a second number to be sampled beside a single one: NUTS turns back too late on a line, not in a plane."""
    latents = [term for one in _normals(made) for term in one.latents]
    single = [term.name for term in latents if not term.law.shape]
    if not single:
        return made
    return integrate_normals(instance, numbers_of(instance), [term.name for term in latents if term.name != single[0]])


def _normals(made: Instance) -> list[NormalIntegral]:
    return [one for one in made.integrated if isinstance(one, NormalIntegral)]


def _checked(made: Instance, how: Integrate) -> Instance:
    """Refuse where latents that were named could not be integrated."""
    if isinstance(how, tuple):
        gone = {name for one in made.integrated for name in one.names}
        left = [name for name in how if name not in gone]
        if left:
            raise messages.cannot_integrate(left, _integrable(made))
    return made


def pays(made: Instance, instance: Instance) -> bool:
    """Tell by counted work whether the model is cheaper to sample without its normal latents."""
    structures = [one.structure for one in _normals(made)]
    if not structures:
        return False
    if any(one.structure.chained and one.statistics.walk is None for one in _normals(made)):
        return False  # slow to factor, and digits go where steps are small
    if coordinates(made) == 1 and gradient_work(instance) <= WORTH_ALONE * gradient_work(made):
        return False
    longest = max((one.groups for one in structures if one.chained), default=0)
    worth = WORTH_OF_CHAINS * max(1.0, longest / LONG) if longest else WORTH
    if not any(one.slots for one in structures):
        worth = WORTH_OF_COEFFICIENTS
    return gradient_work(made) <= worth * gradient_work(instance)


def told_of_integrals(instance: Instance) -> tuple[str, ...]:
    """Tell of the latents that were integrated out."""
    left = coordinates(instance)
    return tuple(
        messages.told([(term.name, _count(instance, term)) for term in made.latents], made.how, made.family, left)
        for made in instance.integrated
    )


def told_ahead(made: Instance) -> tuple[str, ...]:
    """Tell before a run of the latents that are integrated out of a model."""
    return tuple(
        messages.would_be([(term.name, _count(made, term)) for term in one.latents], one.how, coordinates(made))
        for one in made.integrated
    )
