"""The operations of the language, one declaration each."""

from __future__ import annotations

from collections.abc import Callable

from scistan.ops import composite, indexing, kernels, linear, reductions, shaping, special  # noqa: F401
from scistan.ops.declaration import REGISTRY, Op, declare
from scistan.ops.expression import Expression, function_of, install_operators
from scistan.ops.user import declare_op

__all__ = ["FUNCTIONS", "REGISTRY", "Expression", "Op", "declare", "declare_op"]

_METHODS: dict[str, Callable[..., Expression]] = {
    # `@` and the rest are functions with attributes or compositions, so they are installed one by one.
    "__matmul__": linear.matmul,
    "__rmatmul__": lambda self, other: linear.matmul(other, self),
    "__floordiv__": composite.floor_divide,
    "__rfloordiv__": lambda self, other: composite.floor_divide(other, self),
    "__mod__": composite.remainder,
    "__rmod__": lambda self, other: composite.remainder(other, self),
    "__and__": composite.logical_and,
    "__rand__": composite.logical_and,
    "__or__": composite.logical_or,
    "__ror__": composite.logical_or,
    "__invert__": composite.logical_not,
    "dot": linear.dot,
    "clip": composite.clip,
    **{name: getattr(reductions, name) for name in ("sum", "mean", "prod", "min", "max", "var", "std", "cumsum")},
}
install_operators()
for _name, _function in _METHODS.items():
    setattr(Expression, _name, _function)

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

FUNCTIONS: dict[str, Callable[..., Expression]] = {**_ELEMENTWISE, **_WRITTEN, "pow": _ELEMENTWISE["power"]}
"""Every public function by its name in `ss`."""
