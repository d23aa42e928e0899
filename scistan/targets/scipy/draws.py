"""Ancestral draws: every variable once, in order, vectorized over draws."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from scistan.distributions.declaration import Distribution, Parameter
from scistan.graph.graph import Law, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.graph.places import first_place
from scistan.messages import declared
from scistan.messages import inference as messages
from scistan.targets.drawing import drawing
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy.arguments import check_drawn_arguments
from scistan.targets.scipy.constrained import draw_constrained
from scistan.targets.scipy.evaluate import NUMPY
from scistan.targets.scipy.plain_draws import draw_plain
from scistan.targets.scipy.series import draw_series
from scistan.targets.scipy.streams import stream
from scistan.targets.scipy.truncated import draw_truncated
from scistan.targets.values import aligned

__all__ = [
    "ancestral_draws", "check_proper", "conditional_mean", "draw_term", "is_drawn", "over_draws", "predictive_draws",
]


def ancestral_draws(instance: Instance, draws: int, seed: int) -> tuple[dict[str, np.ndarray], Evaluator]:
    """Draw every latent, then every observation, given the latents drawn before; first axis: draws."""
    check_proper(instance)
    evaluator = Evaluator(instance, NUMPY)
    result: dict[str, np.ndarray] = {}
    with np.errstate(all="ignore"), drawing(seed, draws):
        for term in instance.graph.terms:
            array = draw_term(instance, term, draws, stream(seed, term.name), evaluator)
            result[term.name] = array
            if is_drawn(instance, term):
                evaluator.set(term.value, array, batched=True)
        for name, node in instance.graph.derived.items():
            result[name] = over_draws(instance, node, draws, evaluator)
    return result, evaluator


def is_drawn(instance: Instance, term: Term) -> bool:
    """Tell whether what depends on a variable takes its draws: those that were observed are what they are."""
    return not term.is_potential and (not term.is_observed or term.value not in instance.values)


def over_draws(instance: Instance, node: Node, draws: int, evaluator: Evaluator) -> np.ndarray:
    """Give an expression at every draw, whether it differs between them or not."""
    value = evaluator[node]
    array: np.ndarray = value.array
    return array if value.batched else np.broadcast_to(array, (draws, *instance.shape(node.shape)))


def check_proper(instance: Instance) -> None:
    """Refuse priors that are no distributions before anything is drawn."""
    potentials = instance.graph.potentials
    if potentials:
        raise messages.no_draws_of_potentials([t.name for t in potentials], instance.graph.place_of(potentials[0]))
    undrawn = [t for t in instance.graph.terms if not t.law.distribution.drawable]
    if undrawn:
        first = undrawn[0]
        raise declared.no_draw([first.name], first.law.distribution.title, instance.graph.place_of(first))
    improper = [t for t in instance.graph.terms if t.law.distribution.improper]
    if improper:
        raise messages.improper_priors([t.name for t in improper], first_place(improper[0].value))


def predictive_draws(
    instance: Instance, latents: Mapping[Node, np.ndarray], seed: int, terms: list[Term], draws: int
) -> dict[str, np.ndarray]:
    """Draw the observations `terms` given many draws of the latents."""
    evaluator = Evaluator(instance, NUMPY)
    for leaf, array in latents.items():
        evaluator.set(leaf, array, batched=True)
    result: dict[str, np.ndarray] = {}
    with np.errstate(all="ignore"):
        for term in terms:
            array = draw_term(instance, term, draws, stream(seed, term.name), evaluator)
            result[term.name] = array
            if term.value not in instance.values:
                evaluator.set(term.value, array, batched=True)
    return result


def draw_term(
    instance: Instance,
    term: Term,
    draws: int,
    rng: np.random.Generator,
    evaluator: Evaluator,
    at: Mapping[int, int] = MappingProxyType({}),
) -> np.ndarray:
    """Draw one variable for every draw of its arguments; of axes of the batch in `at`, one position alone."""
    law = term.law
    d: Distribution = law.distribution
    if d.rule is not None:
        return draw_series(instance, term, draws, rng, evaluator)
    shape = (draws, *(1 if axis in at else n for axis, n in enumerate(instance.shape(law.shape))))
    batch = shape[: len(shape) - d.event_rank]
    args = [_narrowed(a, p.domain.event_rank, len(batch) - 1, at) for a, p in _arguments(law, d, evaluator)]
    check_drawn_arguments(instance.graph, term, evaluator, args)
    if law.truncated and not d.improper:  # whose own `draw` says that there is none
        sides, rank = (law.lower, law.upper), len(law.shape)
        bounds = [None if b is None else _narrowed(aligned(evaluator[b], len(b.shape), rank), 0, rank, at)
                  for b in sides]
        return draw_truncated(rng, batch, d, args, *bounds)
    if law.constraint is not None:
        return draw_constrained(rng, batch, term, args)
    return draw_plain(rng, batch, shape[len(batch) :], term, args)


def _narrowed(array: np.ndarray, event_rank: int, rank: int, at: Mapping[int, int]) -> np.ndarray:
    """Keep one position along some axes of a batch of `rank` axes, as far as the array has them."""
    for axis, position in at.items():
        own = array.ndim - event_rank - (rank - axis)
        if own >= 0 and array.shape[own] > 1:
            array = np.take(array, [position], axis=own)
    return array


def _arguments(law: Law, d: Distribution, evaluator: Evaluator) -> list[tuple[np.ndarray, Parameter]]:
    batch_rank = len(law.shape) - d.event_rank
    return [
        (aligned(evaluator[node], len(node.shape), batch_rank + p.domain.event_rank), p)
        for p, node in zip(d.parameters, law.args, strict=True)
    ]


def conditional_mean(
    instance: Instance, term: Term, draws: int, evaluator: Evaluator, at: Mapping[int, int] = MappingProxyType({})
) -> np.ndarray | None:
    """Give the mean of a variable at every draw of its arguments; None where it has none that is known."""
    law = term.law
    d: Distribution = law.distribution
    shape = (draws, *(1 if axis in at else n for axis, n in enumerate(instance.shape(law.shape))))
    rank = len(shape) - 1 - d.event_rank
    args = {p.name: _narrowed(a, p.domain.event_rank, rank, at) for a, p in _arguments(law, d, evaluator)}
    if law.truncated or law.constraint is not None or d.rule is not None:
        return None
    if d.event_rank:
        mean = args.get("mu") if d.title.startswith("Multivariate") else None
    else:
        mean = None if d.scipy is None else np.asarray(d.scipy(*args.values()).mean())
    return None if mean is None or not np.isfinite(mean).all() else np.broadcast_to(mean, shape)
