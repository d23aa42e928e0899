"""Remember, beside the graph, the user's lines on which each node was written."""

from __future__ import annotations

import sys
import warnings
from types import FrameType
from weakref import WeakKeyDictionary

from scistan.errors import Place
from scistan.frames import is_users

_KEPT_PER_NODE = 8
_places: WeakKeyDictionary[object, list[Place]] = WeakKeyDictionary()


def user_frame() -> FrameType | None:
    """Find the innermost frame of the call stack that is neither SciStan's nor of a library that computes."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if is_users(frame.f_code.co_filename) and not _is_generated(frame):
            return frame
        frame = frame.f_back
    return None


def _is_generated(frame: FrameType) -> bool:
    """Tell whether a frame runs what Python wrote for a dataclass of SciStan's: it has no file."""
    return frame.f_code.co_filename == "<string>" and str(frame.f_globals.get("__name__", "")).startswith("scistan.")


def user_place() -> Place | None:
    """Give the line of the user's that is being run."""
    frame = user_frame()
    return None if frame is None else Place(frame.f_code.co_filename, frame.f_lineno)


def warn_at_users_line(text: str, category: type[Warning]) -> None:
    """Warn as if the user's line had done so, whatever lies between it and here."""
    frame = user_frame()
    if frame is None:
        warnings.warn(text, category, stacklevel=2)
        return
    seen = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(text, category, frame.f_code.co_filename, frame.f_lineno, registry=seen)


def remember(node: object, place: Place | None) -> None:
    """Note that `node` was used on the line `place`."""
    if place is None:
        return
    known = _places.setdefault(node, [])
    if len(known) < _KEPT_PER_NODE and place not in known:
        known.append(place)


def places_of(node: object) -> tuple[Place, ...]:
    """Give the user's lines on which `node` was written, the first first."""
    return tuple(_places.get(node, ()))


def first_place(node: object) -> Place | None:
    """Give the line on which `node` was first written."""
    known = _places.get(node)
    return known[0] if known else None


def copy_places(source: object, node: object) -> None:
    """Say that `node` was written where `source` was."""
    for place in places_of(source):
        remember(node, place)
