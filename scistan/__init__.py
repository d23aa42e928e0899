"""SciStan: write a model in Python, check it with SciPy, fit it with PyTorch, sample it with Stan."""

from __future__ import annotations

from typing import Any

from scistan.distributions import CONSTRUCTORS
from scistan.distributions.mixture import Mixture
from scistan.distributions.potential import potential
from scistan.distributions.series import Series
from scistan.distributions.series_kinds import AR, GARCH, LocalLinearTrend, RandomWalk
from scistan.distributions.user import declare_distribution
from scistan.errors import (
    DataError,
    InternalError,
    ModelError,
    SamplingError,
    ScistanError,
    ToolchainError,
    UnsupportedError,
)
from scistan.model import Model, data, factor, standardize
from scistan.ops import FUNCTIONS, declare_op
from scistan.ops.tables import CHECKS
from scistan.version import __version__

__all__ = [
    "AR",
    "GARCH",
    "DataError",
    "InternalError",
    "LocalLinearTrend",
    "Mixture",
    "Model",
    "ModelError",
    "RandomWalk",
    "SamplingError",
    "ScistanError",
    "Series",
    "ToolchainError",
    "UnsupportedError",
    "__version__",
    "data",
    "declare_distribution",
    "declare_op",
    "factor",
    "potential",
    "standardize",
]


def _check_gradient(*of: Any) -> None:
    from scistan.transforms.declared import check_gradient

    check_gradient(*of)


CHECKS["gradient"] = _check_gradient

# Names that live where heavier packages are needed: imported when they are first used.
_LATER = {
    "Workload": "scistan.inference.planning.workload",
    "backends": "scistan.inference.capabilities.backends",
    "check_purity": "scistan.transforms.purity",
    "compile_models": "scistan.inference.compile",
    "defaults": "scistan.settings",
    "doctor": "scistan.toolchain.doctor",
    "history": "scistan.history",
    "load": "scistan.model.loading",
    "plan": "scistan.inference.planning.function",
    "profile": "scistan.inference.profile.profile",
    "run_with_fallback": "scistan.inference.planning.function",
    "sample_models": "scistan.inference.many",
    "set_default": "scistan.settings",
    "using": "scistan.settings",
    **dict.fromkeys(
        ("array", "full", "grad", "hessian", "hvp", "jacobian", "jit", "ones", "tree_flatten", "tree_map",
         "tree_unflatten", "value_and_grad", "vmap", "zeros"),
        "scistan.inference.transform",
    ),
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(_LATER[name]), name)
    for table in (CONSTRUCTORS, FUNCTIONS):
        if name in table:
            return table[name]
    if name.startswith("__"):  # Python's own protocols ask for such names
        raise AttributeError(name)
    from scistan.messages.neighbours import unknown_name

    raise unknown_name(name, __dir__())


def __dir__() -> list[str]:
    return sorted({*__all__, *_LATER, *CONSTRUCTORS, *FUNCTIONS})
