"""The operations of the language, one declaration each."""

from __future__ import annotations

from collections.abc import Callable

from scistan.ops import composite, indexing, kernels, linear, numpy_functions, reductions, shaping, special, xarrays  # noqa: F401
from scistan.ops.declaration import REGISTRY, Op, declare
from scistan.ops.expression import Expression, function_of
from scistan.ops.methods import install_methods
from scistan.ops.ode import ode
from scistan.ops.recurrence import scan
from scistan.ops.tables import FUNCTIONS
from scistan.ops.user import declare_op

__all__ = ["FUNCTIONS", "REGISTRY", "Expression", "Op", "declare", "declare_op"]

install_methods()

_ELEMENTWISE = {name: function_of(op) for name, op in REGISTRY.items() if op.elementwise and op.public}
_WRITTEN: dict[str, Callable[..., Expression]] = {
    function.__name__: function
    for function in (
        *(getattr(reductions, n) for n in ("sum", "mean", "prod", "min", "max", "var", "std", "logsumexp",
                                           "cumsum", "softmax", "log_softmax", "normalize")),
        *(getattr(linear, n) for n in ("matmul", "outer", "solve", "solve_lower", "inverse", "cholesky", "trace",
                                       "log_determinant", "diagonal", "diagonal_matrix", "quadratic_form", "dot")),
        kernels.gp_exp_quad_cov,
        *(getattr(shaping, n) for n in ("transpose", "reshape", "stack", "concatenate", "broadcast_to", "arange")),
        *(getattr(indexing, n) for n in ("length", "pick", "positions")),
        *(getattr(composite, n) for n in ("clip", "floor_divide", "remainder", "logical_and", "logical_or",
                                          "logical_not", "exponential_growth", "log_exponential_growth",
                                          "logistic_growth", "log_logistic_growth", "logistic_growth_from",
                                          "log_logistic_growth_from", "convolve_sequence")),
    )
}

FUNCTIONS.update({**_ELEMENTWISE, **_WRITTEN, "pow": _ELEMENTWISE["power"], "scan": scan, "ode": ode})
