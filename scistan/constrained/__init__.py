"""The constrained types of the language, one declaration each; every module here is read on import."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from scistan.constrained.declaration import TYPES, Conditioned, ConstrainedType, StanMade, StanType
from scistan.constrained.matrices import CHOLESKY_CORR, CHOLESKY_COV, CORR, COV
from scistan.constrained.ordered import ORDERED, POSITIVE_ORDERED
from scistan.constrained.simplex import LOG_SIMPLEX, SIMPLEX
from scistan.constrained.zero_sum import SUM_TO_ZERO

__all__ = [
    "CHOLESKY_CORR",
    "CHOLESKY_COV",
    "CONSTRAINTS",
    "CORR",
    "COV",
    "LOG_SIMPLEX",
    "ORDERED",
    "POSITIVE_ORDERED",
    "SIMPLEX",
    "SUM_TO_ZERO",
    "TYPES",
    "Conditioned",
    "ConstrainedType",
    "StanMade",
    "StanType",
]

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

CONSTRAINTS: dict[str, Conditioned] = {
    name: kind.conditioned for name, kind in TYPES.items() if kind.conditioned is not None
}
"""What `constraint=` can be, by its name: the types that elements drawn one by one can be held to."""
