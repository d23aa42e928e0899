"""What is said of a ridge: the combination that the data hold, and what in the data makes it one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scistan.diagnostics.check import Finding
from scistan.diagnostics.facts import Facts
from scistan.messages import diagnosis as messages

__all__ = ["mend_ridge", "named_combination"]

_ROUND = 0.1  # weights this near to a whole number are written as one
_OFF_CENTRE = 3.0  # sds between 0 and a predictor's mean, from which its slope and an intercept trade
_ALIKE = 0.95

Address = tuple[str, tuple[int, ...], tuple[int, ...]]


def named_combination(found: Finding) -> str:
    """Write the sum or product of a ridge.

    >>> _sum(["a", "b"], (1.0, 1.02)), _sum(["a", "b"], (1.0, -2.5)), _product(["a", "b"], (1.0, -1.0))
    ('a + b', 'a - 2.5 b', 'a / b')
    """
    write = _product if found.more["product"] else _sum
    return f"`{write(list(found.places), found.more['weights'])}`"


def _plain(weight: float) -> float:
    whole = round(weight)
    return float(whole) if whole and abs(weight - whole) < _ROUND * abs(whole) else float(f"{weight:.2g}")


def _sum(places: Sequence[str], weights: Sequence[float]) -> str:
    text = places[0]
    for place, weight in zip(places[1:], weights[1:], strict=True):
        number = abs(_plain(weight))
        text += f" {'-' if weight < 0 else '+'} {'' if number == 1 else f'{number:g} '}{place}"
    return text


def _product(places: Sequence[str], weights: Sequence[float]) -> str:
    text = places[0]
    for place, weight in zip(places[1:], weights[1:], strict=True):
        number = abs(_plain(weight))
        text += f" {'/' if weight < 0 else '*'} {place}{'' if number == 1 else f'**{number:g}'}"
    return text


def mend_ridge(found: Finding) -> str:
    """Say what to do about a ridge: what the data show of its origin first."""
    facts = found.seen.context.facts
    origin = "" if facts is None or found.more["product"] else _origin(facts, found.more["elements"])
    ran = found.seen.context.ran
    told = origin or messages.fix_one(found.more["product"])
    slow = found.seen.has("R-hat", "bulk ESS", "tail ESS", "tree depth", "step sizes")
    return told + (messages.or_low_rank(ran.low_rank_words) if slow else "")


def _origin(facts: Facts, elements: Sequence[Address]) -> str:
    """Look at the data that the latents multiply: columns alike, a constant one, or one far from 0."""
    names = {name for name, _, _ in elements}
    (first, at, _), (second, other, _) = elements[:2]
    predictor = facts.predictor(first)
    if len(names) == 1 and predictor is not None and predictor.values.ndim == 2 and at and other:
        x, y = predictor.column(at), predictor.column(other)
        if np.ptp(x) > 0 and np.ptp(y) > 0 and abs(np.corrcoef(x, y)[0, 1]) > _ALIKE:
            return messages.columns_alike(predictor.data, at[-1], other[-1], float(np.corrcoef(x, y)[0, 1]))
    for name, place in ((first, at), (second, other)):
        own = facts.predictor(name)
        if own is None or not own.values.size:
            continue
        x = own.column(place)
        if np.ptp(x) == 0 and own.values.ndim == 2 and place:
            return messages.constant_column(own.data, place[-1])
        if x.std() > 0 and abs(x.mean()) > _OFF_CENTRE * x.std():
            return messages.standardize(own.data, float(x.mean()), float(x.std()))
    return ""
