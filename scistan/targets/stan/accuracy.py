"""What the derivatives of Stan's functions are good for, as the ops and distributions that are written by them declare."""

from __future__ import annotations

import re

from scistan.distributions.declaration import REGISTRY as DISTRIBUTIONS
from scistan.ops.declaration import REGISTRY as OPS

__all__ = ["slope_error", "slope_errors"]

_CALLED = re.compile(r"\b([A-Za-z]\w*)\s*\(")


def slope_errors() -> dict[str, float]:
    """Give the relative errors of Stan's derivatives that are declared, under the names of its functions."""
    found: dict[str, float] = {}
    declared = [op.slope_errors for op in OPS.values()] + [d.stan.slope_errors for d in DISTRIBUTIONS.values()]
    for table in declared:
        for name, error in table.items():
            found[name] = max(error, found.get(name, 0.0))
    return found


def slope_error(text: str) -> float:
    """Give the largest one among the functions that a program calls, a user's own Stan included."""
    errors = slope_errors()
    return max((errors.get(name, 0.0) for name in set(_CALLED.findall(text))), default=0.0)
