"""Data for Stan as JSON text, written fast and once: arrays that cannot change are remembered as text."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any

import numpy as np

from scistan.profiling import CONVERTED, count, found_in_cache, staged

__all__ = ["encoded", "to_json"]

LEAST = 1_000  # elements from which looking up is faster than writing
MOST = 64_000_000  # bytes of text that are kept, for as long as their arrays live
_texts: dict[int, bytes] = {}


@staged("data to JSON")
def to_json(data: Mapping[str, Any]) -> str:
    """Write a data dict as JSON; NumPy arrays go straight through.

    >>> to_json({"N": np.array(3), "x": np.eye(2).T})
    '{"N":3,"x":[[1.0,0.0],[0.0,1.0]]}'
    """
    parts = [b"{"]
    for key, value in data.items():
        parts += [encoded(key), b":", _text(value), b","]
    parts[-1 if data else 1 :] = [b"}"]
    return b"".join(parts).decode()


def _text(value: Any) -> bytes:
    if not _never_changes(value):
        return encoded(value)
    known = _texts.get(id(value))
    found_in_cache("data as JSON", known is not None)
    if known is not None:
        return known
    text = encoded(value)
    if len(text) + sum(map(len, _texts.values())) <= MOST:
        _texts[id(value)] = text
        weakref.finalize(value, _texts.pop, id(value), None)
    return text


def _never_changes(value: Any) -> bool:
    """Tell whether an array is worth remembering: large, frozen, and no view of one that is not."""
    return (
        isinstance(value, np.ndarray) and value.size >= LEAST and not value.flags.writeable and value.base is None
    )


def encoded(value: Any) -> bytes:
    """Write one value, in the fewest digits that tell it from all others."""
    if isinstance(value, np.ndarray):
        # ascontiguousarray makes a vector of a scalar, which Stan would refuse
        value = np.ascontiguousarray(value) if value.ndim else value.item()
    import orjson  # `import scistan` brings no package but NumPy

    text = orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)
    count(CONVERTED, "NumPy to JSON", len(text))
    return text
