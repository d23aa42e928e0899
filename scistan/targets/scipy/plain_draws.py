"""Draw from one distribution at arguments that are arrays; what NumPy refuses is told of the variable."""

from __future__ import annotations

import numpy as np

from scistan.distributions.declaration import Distribution
from scistan.errors import ScistanError
from scistan.graph.graph import Term
from scistan.graph.places import first_place
from scistan.messages import declared
from scistan.messages import inference as messages

__all__ = ["draw_plain"]


def draw_plain(
    rng: np.random.Generator, size: tuple[int, ...], event: tuple[int, ...], term: Term, args: list[np.ndarray]
) -> np.ndarray:
    """Draw values of a batch of `size`, each of the lengths of an event."""
    d: Distribution = term.law.distribution
    if d.location_scale is not None and not d.event_rank:
        return _draw_location_scale(rng, size, term, args, d.location_scale)
    return _fitted(term, _drawn(rng, size, term, args), size + event)


def _drawn(rng: np.random.Generator, size: tuple[int, ...], term: Term, args: list[np.ndarray]) -> np.ndarray:
    """Draw as the declaration says; what NumPy or a declaration of the user's refuses is told of the variable."""
    d: Distribution = term.law.distribution
    try:
        return np.asarray(d.draw(rng, size, *args))
    except (ValueError, TypeError, FloatingPointError) as error:
        if isinstance(error, ScistanError):
            raise
        matrix = isinstance(error, np.linalg.LinAlgError)
        raise messages.draw_failed(term.name, d.title, str(error), matrix, first_place(term.value)) from error


def _fitted(term: Term, array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    if array.shape == shape:
        return array
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        d, place = term.law.distribution, first_place(term.value)
        size = shape[: len(shape) - d.event_rank]
        raise declared.wrong_draw_size(term.name, d.title, array.shape, shape, size, place) from None


def _draw_location_scale(
    rng: np.random.Generator, size: tuple[int, ...], term: Term, args: list[np.ndarray], names: tuple[str, str]
) -> np.ndarray:
    """Draw `location + scale · z` in place: NumPy draws standard values faster than values of many locations."""
    own = [p.name for p in term.law.distribution.parameters]
    location, scale = (own.index(name) for name in names)
    standard = list(args)
    standard[location], standard[scale] = np.asarray(0.0), np.asarray(1.0)
    drawn = _fitted(term, _drawn(rng, size, term, standard), size)
    z = drawn if drawn.flags.writeable else np.array(drawn)
    z *= args[scale]
    z += args[location]
    return z
