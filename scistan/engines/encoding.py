"""Data for Stan as JSON text, written fast and once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import orjson

from scistan.profiling import CONVERTED, count, staged

__all__ = ["to_json"]


@staged("data to JSON")
def to_json(data: Mapping[str, Any]) -> str:
    """Write a data dict as JSON; NumPy arrays go straight through.

    >>> to_json({"N": np.array(3), "x": np.eye(2).T})
    '{"N":3,"x":[[1.0,0.0],[0.0,1.0]]}'
    """
    plain = {key: _plain(v) if isinstance(v, np.ndarray) else v for key, v in data.items()}
    text = orjson.dumps(plain, option=orjson.OPT_SERIALIZE_NUMPY).decode()
    count(CONVERTED, "NumPy to JSON", len(text))
    return text


def _plain(array: np.ndarray) -> Any:
    # ascontiguousarray makes a vector of a scalar, which Stan would refuse
    return np.ascontiguousarray(array) if array.ndim else array.item()
