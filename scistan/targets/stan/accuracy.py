"""What the derivatives of Stan's functions are good for, as declared by the distributions that use them."""

from __future__ import annotations

import re

from scistan.distributions.declaration import REGISTRY as DISTRIBUTIONS
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.declaration import Call

__all__ = ["calls_what_saturates", "slope_error", "slope_errors"]

_CALLED = re.compile(r"\b([A-Za-z]\w*)\s*\(")


def slope_errors() -> dict[str, float]:
    """Give the relative errors of Stan's derivatives that are declared, under the names of its functions."""
    found: dict[str, float] = {}
    for form in (d.stan for d in DISTRIBUTIONS.values() if d.stan.tail_error):
        found |= {f"{form.name}_{tail}": form.tail_error for tail in ("lcdf", "lccdf")}
    return found


def slope_error(text: str) -> float:
    """Give the largest one among the functions that a program calls, a user's own Stan included."""
    errors = slope_errors()
    return max((errors.get(name, 0.0) for name in set(_CALLED.findall(text))), default=0.0)


def calls_what_saturates(text: str) -> bool:
    """Tell whether a program calls functions that come so near 1 that a difference of two has no digits left."""
    names = {op.stan.name for op in OPS.values() if op.saturates and isinstance(op.stan, Call)}
    return not names.isdisjoint(_CALLED.findall(text))
