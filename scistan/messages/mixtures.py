"""What users are told of mixtures."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.errors import ModelError
from scistan.graph.places import user_place
from scistan.messages.values import as_given

_FORMS = "`ss.Mixture(weights, [ss.Normal(0, 1), ss.Cauchy(0, 5)])`, or `ss.Mixture(weights, ss.Normal(mu, sigma))`"


def _mixture(what: str, remedy: str) -> ModelError:
    return ModelError(f"Mixture: {what}", remedy=remedy, place=user_place())


def no_components(given: object) -> ModelError:
    return _mixture(f"its components are a list of distributions, or one distribution, not {as_given(given)}.", _FORMS)


def no_component(given: object) -> ModelError:
    return _mixture(
        f"{as_given(given)} is no distribution.",
        f"a component is a distribution without a name: {_FORMS}",
    )


def observed_component(title: str) -> ModelError:
    return _mixture(
        f"the component {title} is observed.",
        "observe the mixture, `ss.Mixture(weights, components).observe(values)`",
    )


def improper_component(title: str) -> ModelError:
    return _mixture(f"{title} is no probability distribution.", "take components that can be drawn from")


def bounded_component(title: str) -> ModelError:
    return _mixture(
        f"the component {title} has bounds or a constraint.",
        "components take none; a half distribution such as `ss.HalfNormal` is one by itself, and a discrete latent "
        "chooses between any: `m.z = ss.Bernoulli(p)`",
    )


def shaped_component(title: str) -> ModelError:
    return _mixture(
        f"the component {title} has a shape or dims of its own.",
        "give them to the mixture, `ss.Mixture(weights, components, dims=...)`",
    )


def series_component() -> ModelError:
    return _mixture(
        "a series cannot be a component of a mixture.",
        "let a hidden state choose between its arguments: `m.s = ss.Categorical(m.weights)` and `m.mu[m.s]` in the law",
    )


def mixed_kinds(titles: Sequence[str]) -> ModelError:
    return _mixture(
        f"{', '.join(titles)} are partly of whole numbers: probabilities and densities cannot be added.",
        "take components that are all of whole numbers, or all of real ones; for zeros among positive amounts, model "
        "whether there is any by `ss.Bernoulli` and the amount beside it",
    )


def vector_component(title: str) -> ModelError:
    return _mixture(
        f"{title} is a distribution of vectors.",
        "choose between vectors by a discrete latent: `m.z = ss.Categorical(m.weights, dims=...)` and `m.mu[m.z]`",
    )


def other_number(weights: int, components: int) -> ModelError:
    return _mixture(
        f"{weights} weights for {components} components.", "give a weight for each component, along the last axis"
    )


def other_axis(name: str, shape: Sequence[int], count: int) -> ModelError:
    return _mixture(
        f"`{name}` has shape {tuple(shape)}, and the weights are {count}.",
        "the last axis of every argument is over the components; write `x[..., None]` where they share a value",
    )


def no_bounds() -> ModelError:
    return _mixture("a mixture cannot be truncated.", "truncate nothing, or declare its density with `ss.potential`")


def no_constraint() -> ModelError:
    return _mixture("a mixture takes no constraint.", "leave it out")


def unknown_option(name: str, known: Sequence[str]) -> ModelError:
    return _mixture(f"there is no option `{name}`.", f"it takes {', '.join(f'`{one}=`' for one in known)}")
