"""Centring per element, learnt from draws: what its own data say of it, beside its prior.

In `theta ~ Normal(mu, tau)` let `k` be the curvature of the rest of the log density along one element: the information
that its data have beside the prior's `1 / tau^2`, with the share `s = k / (k + 1 / tau^2)`; and let `y` be where they
have it. Were all of it normal, the element would have the mean `(1 - s) · mu + s · y` and the variance
`(1 - s) · tau^2` given `mu` and `tau`, and what is left when these are taken off would depend on neither. So that is
what is sampled: the standard normal of a non-centred latent where `tau` is small, the element itself where the data say
more, and nowhere a funnel. `k` and `k · y`, the pull, are numbers of the program; whatever they are, the posterior is
the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from scistan.distributions.standard import frame_of
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.walk import topological
from scistan.inference.information import Draws, open_rest, scales_of
from scistan.inference.subject import NOTHING_GENERATED, Subject
from scistan.messages import centring as messages
from scistan.passes.beside import besides
from scistan.passes.centring import learnable, series_by_innovations, set_centring, wholly
from scistan.targets.stan.program import lower_to_stan

__all__ = ["Centring", "centred_series", "centring_of", "shares", "told", "with_centring"]

Centring = Mapping[str, np.ndarray]  # for each latent (2, …): the information that data have on each element, the pull

POINTS = 16  # draws that curvatures are taken at: each costs two gradients
NEARLY_ALL, RARELY = 0.7, 0.05  # the share from which on a latent may be centred wholly; how often it may be less


def centring_of(subject: Subject, draws: Draws, seed: int = 0) -> dict[str, np.ndarray]:
    """Give what the data say of each element of each latent, by draws of all latents (draw, …).

    Empty where there is nothing to learn, or an embedded engine has no gradients. It costs 32 gradients for each group
    of latents with one location and scale; the same draws and seed give the same answer.
    """
    sampled = subject.sampled or subject.instance
    picked = _picked(subject, draws)
    found: dict[str, np.ndarray] = {}
    for level in _levels(learnable(sampled.graph), sampled):
        rest = open_rest(set_centring(sampled, found), level, seed)
        if rest is not None:
            points = rest.points(picked)
            for group in _groups(level):
                found |= rest.learn([term.name for term in group], picked, points)
    apart = besides(sampled, learnable(sampled.graph))  # which is more than to sample it as it is
    return {
        n: pair if n in apart else _whole_if_certain(subject, n, pair, draws)
        for n, pair in found.items() if pair.any()
    }  # fmt: skip


def centred_series(instance: Instance) -> dict[str, np.ndarray]:
    """Give the centring by which latent series are sampled as they are, and not by their innovations."""
    return {term.name: wholly(instance.shape(term.law.shape)) for term in series_by_innovations(instance.graph)}


def with_centring(subject: Subject, centring: Centring) -> Subject:
    """Give the subject with latents centred as far as this says; the posterior is the same."""
    sampled = set_centring(subject.sampled or subject.instance, centring)
    program = lower_to_stan(sampled.graph, **NOTHING_GENERATED)
    return replace(subject, written=program, sampled=sampled)


def shares(subject: Subject, centring: Centring, draws: Draws) -> dict[str, np.ndarray]:
    """Give the share of what is known of each element that its data have, in the middle of the draws (draw, …)."""
    return {name: np.median(_shares(subject, name, pair, draws), axis=0) for name, pair in centring.items()}


def told(subject: Subject, share: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """Say of each latent how many elements are sampled centred, and why, by the shares that their data have."""
    laws = {term.name: term.law for term in (subject.sampled or subject.instance).graph.latents}
    return tuple(
        messages.learnt(n, int((s > 0.5).sum()), s.size, float(s.max()), [number.name for number in laws[n].beside])
        for n, s in share.items() if s.size
    )  # fmt: skip


def _whole_if_certain(subject: Subject, name: str, pair: np.ndarray, draws: Draws) -> np.ndarray:
    """Centre a latent wholly where data say nearly all of every element at any scale: as good, cheaper to compute."""
    if np.quantile(_shares(subject, name, pair, draws), RARELY, axis=0).min(initial=1.0) < NEARLY_ALL:
        return pair
    return wholly(pair[0].shape)


def _shares(subject: Subject, name: str, pair: np.ndarray, draws: Draws) -> np.ndarray:
    """Give the share that data have in each element at each draw; all of what is sampled as it is."""
    if np.isposinf(pair[0]).all():
        return np.ones((1, *pair[0].shape))
    scale = scales_of(subject.instance, name, {n: np.asarray(draws[n]) for n in subject.latents})
    with np.errstate(invalid="ignore"):
        relative = pair[0] * np.square(scale)
        return np.where(np.isinf(relative), 1.0, relative / (1 + relative))


def _picked(subject: Subject, draws: Draws) -> dict[str, np.ndarray]:
    """Pick draws that are far from each other."""
    total = len(next(iter(draws.values())))
    picks = np.unique(np.linspace(0, total - 1, POINTS).astype(int))
    return {n: np.asarray(draws[n])[picks].reshape(len(picks), *subject.shape(n)) for n in subject.latents}


def _levels(terms: Sequence[Term], instance: Instance) -> Iterator[list[Term]]:
    """Give latents in levels, children first: what is known of a parent comes through them, centred as they are."""
    above: dict[Term, int] = {}
    for term in reversed(terms):  # a term stands behind all that it depends on
        users = [other for other in above if term.value in topological(other.law.inputs)]
        above[term] = 1 + max((above[user] for user in users), default=0)
    for height in sorted(set(above.values())):
        found = [term for term in terms if above[term] == height]
        if any(all(instance.shape(term.law.shape)) for term in found):
            yield found


def _groups(level: Sequence[Term]) -> list[list[Term]]:
    """Put latents of one location and scale together, such as those written in a loop."""
    groups: dict[object, list[Term]] = {}
    for term in level:
        frame = frame_of(term.law)
        groups.setdefault(frame.nodes if frame else term, []).append(term)
    return list(groups.values())
