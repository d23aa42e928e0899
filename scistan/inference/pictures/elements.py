"""Which numbers of a fit a picture or a table shows, and how each is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scistan.given import as_names, is_whole
from scistan.messages import fits as fit_messages
from scistan.messages import pictures as messages

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = [
    "Chosen", "Element", "Names", "asked_for", "choose", "draws_at", "elements_of", "labels_of", "moving",
    "share",
]

Names = str | Sequence[str] | None
Place = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """One number of a variable: its label, where it stands, and its draws (chain, draw)."""

    name: str
    at: tuple[int, ...]
    label: str
    draws: np.ndarray

    @property
    def flat(self) -> np.ndarray:
        """All finite draws, one chain after the other."""
        flat = np.asarray(self.draws, dtype=float).ravel()
        finite: np.ndarray = flat[np.isfinite(flat)]
        return finite

    @property
    def moves(self) -> bool:
        flat = self.flat
        return bool(flat.size and flat.min() < flat.max())


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """The numbers that are shown, and what to say of those that are not."""

    elements: list[Element]
    notes: tuple[str, ...]


def choose(fit: Fit, what: str, var_names: Names, limit: object, usual: int) -> Chosen:
    """Choose what to show: all that varies, or what is named; of many, so many of each variable."""
    if limit is not None and not is_whole(limit):
        raise messages.bad_limit(limit)
    most = usual if limit is None else int(limit)  # type: ignore[call-overload]
    wanted = asked_for(fit, var_names)
    still: list[str] = []
    varying: dict[str, list[tuple[int, ...]]] = {}
    for name, places in wanted.items():
        moves = _moving_places(fit.posterior[name])
        varying[name] = [at for at in places if moves[at]]
        if len(varying[name]) < len(places):
            still.append(name if not varying[name] else f"some of {name}")
    sizes = {name: len(places) for name, places in varying.items() if places}
    if not sizes:
        raise messages.nothing_moves(what)
    taken = share(sizes, most)
    elements = elements_of(fit, [(name, at) for name, count in taken.items() for at in varying[name][:count]])
    gone = {name: (size - taken[name], size) for name, size in sizes.items() if taken[name] < size}
    notes = [messages.left_out(len(elements), sum(sizes.values()), gone)] if gone else []
    return Chosen(elements, (*notes, *([messages.constant(still)] if still else [])))


def _moving_places(draws: np.ndarray) -> np.ndarray:
    """Tell for each number of a variable whether its draws differ, with some that are finite."""
    if not draws.shape[0] * draws.shape[1]:
        return np.zeros(draws.shape[2:], dtype=bool)
    low, high = draws.min(axis=(0, 1)), draws.max(axis=(0, 1))
    if draws.dtype.kind == "f" and not (np.isfinite(low).all() and np.isfinite(high).all()):
        finite = np.isfinite(draws)
        low = np.where(finite, draws, np.inf).min(axis=(0, 1))
        high = np.where(finite, draws, -np.inf).max(axis=(0, 1))
    return np.asarray(low < high)


def asked_for(fit: Fit, var_names: Names) -> dict[str, list[tuple[int, ...]]]:
    """Give the places of what is named: a variable, or one number by the label that a picture gives it."""
    if var_names is None:
        return {name: list(np.ndindex(array.shape[2:])) for name, array in fit.posterior.items()}
    found: dict[str, list[tuple[int, ...]]] = {}
    for asked in as_names("var_names", var_names):
        name = asked if asked in fit.posterior else asked.partition("[")[0]
        if name not in fit.posterior:
            role = "" if fit.subject is None else fit.subject.role(asked)
            raise fit_messages.unknown_draws(asked, fit.posterior, role)
        places = list(np.ndindex(fit.posterior[name].shape[2:]))
        if asked != name:
            labels = dict(zip(labels_of(fit, [(name, at) for at in places]), places, strict=True))
            if asked not in labels:
                raise fit_messages.unknown_element(asked, list(labels))
            places = [labels[asked]]
        known = found.setdefault(name, [])
        known += [at for at in places if at not in known]
    return found


def labels_of(fit: Fit, places: Sequence[Place]) -> list[str]:
    """Call numbers as `summary()` does."""
    context = fit._context  # of a fit without its model it is made anew at every call
    return [context.element(name, at, fit.posterior[name].shape[2:]) for name, at in places]


def elements_of(fit: Fit, places: Sequence[Place]) -> list[Element]:
    """Give the numbers at some places."""
    pairs = zip(places, labels_of(fit, places), strict=True)
    return [Element(name, at, label, draws_at(fit.posterior[name], at)) for (name, at), label in pairs]


def draws_at(array: np.ndarray, at: tuple[int, ...]) -> np.ndarray:
    """Give the draws (chain, draw) of one number of a variable (chain, draw, …)."""
    everything = slice(None)
    index: tuple[int | slice, ...] = (everything, everything, *at)
    found: np.ndarray = array[index]
    return found


def moving(fit: Fit, names: Sequence[str], most: int) -> list[Element]:
    """Give the numbers of some variables that vary, so many at most, some of each."""
    places = {name: list(map(tuple, np.argwhere(_moving_places(fit.posterior[name])).tolist())) for name in names}
    taken = share({name: len(own) for name, own in places.items() if own}, most)
    return elements_of(fit, [(name, at) for name, count in taken.items() for at in places[name][:count]])


def share(sizes: Mapping[str, int], most: int) -> dict[str, int]:
    """Share so many places among variables: the small ones whole, the large ones cut alike, the first ones first.

    >>> share({"mu": 1, "theta": 100, "phi": 3}, 10)
    {'mu': 1, 'theta': 6, 'phi': 3}
    """
    taken = dict.fromkeys(sizes, 0)
    left = most
    while left > 0 and (open_ones := [name for name in sizes if taken[name] < sizes[name]]):
        each = max(1, left // len(open_ones))
        for name in open_ones:
            more = min(each, sizes[name] - taken[name], left)
            taken[name] += more
            left -= more
    return taken
