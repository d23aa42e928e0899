"""The sampler's statistics under ArviZ's names, whatever the engine calls them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

__all__ = ["FROM_STAN", "typed"]

# CmdStan's columns -> ArviZ's names
FROM_STAN: Mapping[str, str] = {
    "lp__": "lp",
    "accept_stat__": "acceptance_rate",
    "stepsize__": "step_size",
    "treedepth__": "tree_depth",
    "n_leapfrog__": "n_steps",
    "divergent__": "diverging",
    "energy__": "energy",
}
_WHOLE = ("tree_depth", "n_steps")


def typed(statistics: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Make counts whole numbers and divergences truth values."""
    found = dict(statistics)
    for name in _WHOLE:
        if name in found:
            found[name] = np.nan_to_num(found[name]).astype(np.int64)
    if "diverging" in found:
        found["diverging"] = found["diverging"] > 0
    return found
